package store

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares text with a file of testdata, or writes it there.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", path, d)
	}
}

func TestSchema(t *testing.T) {
	s := newStore(t)
	rows, err := s.readers.db.Query(`SELECT type, name, sql FROM sqlite_schema
		WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*' ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			t.Fatal(err)
		}
		b.WriteString("-- " + kind + " " + name + "\n" + text + ";\n")
		if kind == "table" && !strings.HasSuffix(text, ") STRICT") {
			t.Errorf("table %s is not strict", name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.sql", b.String())
	if n := number(t, s.readers.db, "PRAGMA application_id"); n != applicationID {
		t.Errorf("application id %#x", n)
	}
	if n := number(t, s.readers.db, "PRAGMA user_version"); n != known(t) {
		t.Errorf("version %d", n)
	}
}

// scans are the statements that may read a whole table, and why.
var scans = map[string]string{
	"selectUsers":               "lists all of them",
	"selectClients":             "lists all of them",
	"selectState":               "reads the schema, which is short",
	"countBroken":               "runs at an upgrade only",
	"deleteStrangers":           "runs once an hour",
	"deleteOldestRegistrations": "reads what is bounded, when a client registers itself",
}

var numbered = regexp.MustCompile(`\?(\d+)`)

var scan = regexp.MustCompile(`\bSCAN\b`)

// TestPlans prepares every statement on the schema and keeps how SQLite goes
// about it.
func TestPlans(t *testing.T) {
	s := newStore(t)
	queries := parseQueries(t)
	if len(queries) < 15 {
		t.Fatalf("only %d statements were found", len(queries))
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		text := queries[name]
		statement, err := s.writer.db.Prepare(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		statement.Close()
		b.WriteString(name + "\n")
		for _, step := range plan(t, s, text) {
			b.WriteString("  " + step + "\n")
			if scan.MatchString(step) && scans[name] == "" {
				t.Errorf("%s reads a whole table: %s", name, step)
			}
		}
	}
	golden(t, "plans.txt", b.String())
}

// plan is how SQLite runs a statement, step by step. What is neither a query
// nor a change of rows has no plan.
func plan(t *testing.T, s *Store, text string) (steps []string) {
	t.Helper()
	if verb := strings.Fields(text)[0]; verb == "PRAGMA" || verb == "VACUUM" {
		return nil
	}
	parameters := strings.Count(text, "?")
	for _, m := range numbered.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		parameters = max(parameters, n)
	}
	args := make([]any, parameters)
	rows, err := s.writer.db.Query("EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}

var statementText = regexp.MustCompile(`^\W*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VACUUM|PRAGMA|EXPLAIN)\s`)

// parseQueries are the constants of type query in the source of this package,
// by name. Every statement must be one.
func parseQueries(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		checkLiterals(t, fset, f)
	}
	// The packages that are imported are of no interest, nor that they are missing.
	config := types.Config{IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := config.Check("store", fset, files, nil)
	out := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Type().String() == "store.query" {
			out[name] = constant.StringVal(c.Val())
		}
	}
	return out
}

// checkLiterals finds statements that are written inside functions. The marks
// of a migration are the one text that is put together.
func checkLiterals(t *testing.T, fset *token.FileSet, f *ast.File) {
	t.Helper()
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if ok && l.Kind == token.STRING && statementText.MatchString(l.Value) && !strings.Contains(l.Value, "PRAGMA application_id = %d") {
				t.Errorf("%s: a statement that is no constant of type query: %s", fset.Position(l.Pos()), l.Value)
			}
			return true
		})
	}
}

// TestLibcVersion compares modernc.org/libc with the version that
// modernc.org/sqlite was translated against. With any other one the program
// may crash (https://gitlab.com/cznic/sqlite/-/issues/177).
func TestLibcVersion(t *testing.T) {
	list := func(format, module string) string {
		out, err := exec.Command("go", "list", "-m", "-f", format, module).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", module, err)
		}
		return strings.TrimSpace(string(out))
	}
	mod, err := os.ReadFile(list("{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`modernc\.org/libc (v\S+)`).FindSubmatch(mod)
	if want == nil {
		t.Fatal("modernc.org/sqlite names no libc")
	}
	if got := list("{{.Version}}", "modernc.org/libc"); got != string(want[1]) {
		t.Errorf("modernc.org/libc is %s, modernc.org/sqlite wants %s", got, want[1])
	}
}
