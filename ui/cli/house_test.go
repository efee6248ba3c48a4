package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "biketrip"
	root   = "../.."
)

// mayImport is which rooms of the house each room may lean on. A room that is
// not built yet has its line all the same; "…/" stands for everything below.
var mayImport = map[string][]string{
	"store/track":       {},
	"store/trip":        {"store/track"},
	"store/limit":       {},
	"store/replica":     {},
	"store":             {"store/trip", "store/track", "store/replica"},
	"jobs":              {"store"},
	"jobs/plan/source":  {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/weather": {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/events":  {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/world":   {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/route":   {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/places":  {"store/track", "store/trip", "jobs/plan/fetch"},
	"jobs/plan/zone":    {"store/track", "store/trip", "jobs/plan/fetch", "jobs/plan/route", "jobs/plan/places"},
	"jobs/plan/fetch":   {"store"},
	"jobs/plan/rule":    {"store/trip", "store/track"},
	"jobs/plan/view":    {"store/trip", "store/track"},
	"jobs/plan":         {"store", "store/trip", "store/track", "store/limit", "jobs", "jobs/plan/…"},
	"mcp":               {"store/limit"},
	"mcp/card":          {"store/track", "jobs/plan/view"},
	"mcp/tool":          {"mcp", "mcp/card", "jobs/plan", "jobs/plan/view", "store/trip", "store/track"},
	"oauth":             {"store", "store/limit", "jobs/plan/fetch"},
	"ui/export":         {"store/trip", "store/track", "jobs/plan/view"},
	"ui/picture":        {"store/trip", "store/track", "jobs/plan/view"},
	"ui":                {"jobs/plan", "jobs/plan/view", "store/trip", "store/track", "store", "oauth", "store/limit", "ui/export", "ui/picture"},
	"ui/cli":            {"store", "store/…", "jobs", "jobs/…", "mcp", "mcp/…", "oauth", "oauth/…", "ui", "ui/…"},
	"":                  {"ui/cli"},
}

// never is which packages of others a room must not import.
var never = map[string][]string{
	"store/track":    {"database/sql", "net/http", "log", "log/slog", "os"},
	"store/trip":     {"database/sql", "net/http", "log", "log/slog", "os"},
	"jobs/plan/rule": {"database/sql", "net/http"},
	"jobs/plan/view": {"database/sql", "net/http"},
}

// sqlRooms are the only ones that speak SQL.
var sqlRooms = []string{"store", "jobs", "jobs/plan/zone"}

// rooms are the packages of the program and what their non-test files import.
func rooms(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		all[strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")] = fields[1:]
	}
	return all
}

// TestHouse holds every import against the order of the rooms.
func TestHouse(t *testing.T) {
	all := rooms(t)
	if len(all) < 5 {
		t.Fatalf("only %d rooms found", len(all))
	}
	for room, imports := range all {
		allowed, known := mayImport[room]
		if !known {
			t.Errorf("%q is no room of the house", room)
			continue
		}
		for _, path := range imports {
			own, isOwn := strings.CutPrefix(path, module+"/")
			if isOwn && !allows(allowed, own) {
				t.Errorf("%q must not import %q", room, own)
			}
			if slices.Contains(never[room], path) {
				t.Errorf("%q must not import %q", room, path)
			}
			if path == "database/sql" && !slices.Contains(sqlRooms, room) {
				t.Errorf("%q must not speak SQL", room)
			}
		}
	}
}

func allows(allowed []string, room string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		below, isPrefix := strings.CutSuffix(a, "…")
		return a == room || isPrefix && strings.HasPrefix(room, below)
	})
}

// TestPureRooms: what computes from the trip alone has no clock.
func TestPureRooms(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep"}
	for _, room := range []string{"store/track", "store/trip", "jobs/plan/rule", "jobs/plan/view"} {
		eachFile(t, room, func(name string, file *ast.File) {
			for _, i := range file.Imports {
				if i.Path.Value == `"time"` && i.Name != nil {
					t.Errorf("%s hides the package time behind another name", name)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(clock, s.Sel.Name) {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
						t.Errorf("%s asks for the time", name)
					}
				}
				return true
			})
		})
	}
}

// TestFilesAreSmall: no file over 500 lines, no function over 60, no init.
func TestFilesAreSmall(t *testing.T) {
	for room := range rooms(t) {
		eachFile(t, room, func(name string, file *ast.File) {
			if lines := fileSet.Position(file.End()).Line; lines > 500 {
				t.Errorf("%s has %d lines", name, lines)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if lines := fileSet.Position(f.End()).Line - fileSet.Position(f.Pos()).Line + 1; lines > 60 {
					t.Errorf("%s: %s has %d lines", name, f.Name.Name, lines)
				}
				if f.Name.Name == "init" && f.Recv == nil {
					t.Errorf("%s has an init function", name)
				}
			}
		})
	}
}

var fileSet = token.NewFileSet()

// eachFile parses every non-test file of a room.
func eachFile(t *testing.T, room string, do func(name string, file *ast.File)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, room, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fileSet, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		do(name, file)
	}
}

// TestTopLevel: the top level of the repository is closed.
func TestTopLevel(t *testing.T) {
	cmd := exec.Command("git", "ls-files")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("no git checkout:", err)
	}
	closed := []string{"main.go", "store", "mcp", "oauth", "jobs", "ui", "go.mod", "go.sum", "litestream.yml", "README.md"}
	for name := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(name), "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(closed, top) {
			t.Errorf("%s lies at the closed top level", top)
		}
	}
}

func readmeText(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(readme)
}

// TestReadmeShowsTheHouse: every room stands in the README.
func TestReadmeShowsTheHouse(t *testing.T) {
	readme := readmeText(t)
	for room := range rooms(t) {
		if room != "" && !strings.Contains(readme, "`"+room+"`") {
			t.Errorf("the README does not say what `%s` is", room)
		}
	}
}

// TestReadmeNamesEveryFlag: the table of settings is whole.
func TestReadmeNamesEveryFlag(t *testing.T) {
	readme := readmeText(t)
	parser, err := newParser(&streams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range parser.Model.Leaves(true) {
		for _, f := range verb.Flags {
			row := "| `--" + f.Name + "` | "
			if f.HasDefault {
				row += f.Default + " |"
			}
			if !strings.Contains(readme, row) {
				t.Errorf("the README has no row %q", row)
			}
		}
	}
}

// TestReadmeShowsThePlan: the picture is what its command prints.
func TestReadmeShowsThePlan(t *testing.T) {
	readme := readmeText(t)
	_, out, _ := biketrip("", "plan", valleys, "--start-date", "2027-07-01")
	if !strings.Contains(readme, "```\n"+strings.TrimRight(out, "\n")+"\n```") {
		t.Errorf("the README does not show\n%s", out)
	}
}
