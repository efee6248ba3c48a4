package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/google/go-cmp/cmp"
)

var (
	action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	tag    = regexp.MustCompile(`<[^>]*>`)
	word   = regexp.MustCompile(`\pL+`)
	spoken = regexp.MustCompile(`\b(alt|title|placeholder|aria-label)=`)
)

// checkPair says what is missing in one of both languages.
func checkPair(t *testing.T, where, en, fr string, shown int) {
	t.Helper()
	switch {
	case strings.TrimSpace(en) == "" || strings.TrimSpace(fr) == "":
		t.Errorf("%s: a text is missing: %q, %q", where, en, fr)
	case en == fr:
		t.Errorf("%s: both languages say %q", where, en)
	case strings.Count(en, "%s") != strings.Count(fr, "%s") || shown >= 0 && strings.Count(en, "%s") != shown:
		t.Errorf("%s: not the same is shown by %q, %q", where, en, fr)
	case !slices.Equal(tag.FindAllString(en, -1), tag.FindAllString(fr, -1)):
		t.Errorf("%s: not the same markup: %q, %q", where, en, fr)
	}
}

// TestPagesSayAllInBothLanguages: no page has a word outside of say, and say has
// each in English and in French.
func TestPagesSayAllInBothLanguages(t *testing.T) {
	names, err := filepath.Glob("page/*.html")
	if err != nil || len(names) != len(pageNames())+1 {
		t.Fatalf("%v, %v", names, err)
	}
	said := 0
	for _, name := range names {
		text, err := pages.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bare := tag.ReplaceAllString(action.ReplaceAllString(string(text), ""), "")
		if rest := word.FindAllString(strings.NewReplacer("· Biketrip", "", "In English", "", "En français", "").Replace(bare), -1); rest != nil {
			t.Errorf("%s says %q in one language", name, rest)
		}
		if found := spoken.FindString(string(text)); found != "" {
			t.Errorf("%s has %s in one language", name, found)
		}
		trees, err := parse.Parse(name, string(text), "", "", map[string]any{"say": 0, "eq": 0, "not": 0})
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range trees {
			said += checkSaid(t, name, tree.Root)
		}
	}
	if said < 25 {
		t.Errorf("only %d texts are found", said)
	}
}

// checkSaid checks what is said within a part of a page, and counts it.
func checkSaid(t *testing.T, name string, n parse.Node) (said int) {
	branch := func(b parse.BranchNode) {
		said += checkSaid(t, name, b.Pipe) + checkSaid(t, name, b.List)
		if b.ElseList != nil {
			said += checkSaid(t, name, b.ElseList)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, part := range n.Nodes {
			said += checkSaid(t, name, part)
		}
	case *parse.ActionNode:
		said += checkSaid(t, name, n.Pipe)
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			if f, ok := c.Args[0].(*parse.IdentifierNode); !ok || f.Ident != "say" {
				continue
			}
			said++
			if len(c.Args) < 3 {
				t.Errorf("%s: %s is said in one language", name, c)
				continue
			}
			en, ok1 := c.Args[1].(*parse.StringNode)
			fr, ok2 := c.Args[2].(*parse.StringNode)
			if !ok1 || !ok2 {
				t.Errorf("%s: %s is said in one language", name, c)
				continue
			}
			checkPair(t, name, en.Text, fr.Text, len(c.Args)-3)
		}
	}
	return said
}

// TestTextsAreInBothLanguages: so is what the code has to say.
func TestTextsAreInBothLanguages(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, said := token.NewFileSet(), 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := func(l *ast.CompositeLit) {
			var both []string
			for _, e := range l.Elts {
				if lit, ok := e.(*ast.BasicLit); ok {
					s, _ := strconv.Unquote(lit.Value)
					both = append(both, s)
				}
			}
			if len(both) == 2 {
				said++
				checkPair(t, files.Position(l.Pos()).String(), both[0], both[1], -1)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			l, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			switch typ := l.Type.(type) {
			case *ast.Ident:
				if typ.Name == "text" {
					check(l)
				}
			case *ast.MapType:
				for _, e := range l.Elts {
					if value, ok := e.(*ast.KeyValueExpr).Value.(*ast.CompositeLit); ok {
						check(value)
					}
				}
			}
			return true
		})
	}
	if said < 25 {
		t.Errorf("only %d texts are found", said)
	}
}

// TestSay: what is shown is no markup, and French punctuation stays with its word.
func TestSay(t *testing.T) {
	for lang, want := range map[string]string{
		english: `a <b>&lt;i&gt; &amp;&#34; ?</b>`,
		french:  "<b>«\u00a0&lt;i&gt; &amp;&#34; ?\u00a0»</b>\u00a0?",
	} {
		if got := say(lang)("a <b>%s</b>", "<b>« %s »</b> ?", `<i> &" ?`); cmp.Diff(want, string(got)) != "" {
			t.Errorf("%s: %q", lang, got)
		}
	}
}

// TestAsked: a browser gets the one of both languages that its user prefers, and
// English where that is neither.
func TestAsked(t *testing.T) {
	matcher := newMatcher()
	for header, want := range map[string]string{
		"":                           english,
		"fr":                         french,
		"fr-CA":                      french,
		"FR-ch, fr;q=0.9, en;q=0.8":  french,
		"en-GB,en;q=0.9,fr;q=0.8":    english,
		"en;q=0.5, fr;q=0.8":         french,
		"de-DE, de;q=0.9, fr;q=0.5":  french,
		"de-DE, de;q=0.9":            english,
		"*":                          english,
		"fr;q=0":                     english,
		"\x00, ;;;q=":                english,
		strings.Repeat("a-", 20_000): english,
	} {
		if got := asked(matcher, &http.Request{Header: http.Header{"Accept-Language": {header}}}); got != want {
			t.Errorf("%.40q: %s, want %s", header, got, want)
		}
	}
}
