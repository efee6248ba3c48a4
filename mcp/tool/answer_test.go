package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// TestWithoutControls: every control character goes, and nothing else.
func TestWithoutControls(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x3000; r++ {
		all.WriteRune(r)
	}
	all.WriteString("\U0001f6b2 \\n \\u0000 \\\\ \"q\" <b> \xff")
	for _, escape := range []bool{true, false} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(escape)
		if err := e.Encode(map[string]string{"k\x01": all.String()}); err != nil {
			t.Fatal(err)
		}
		got := decode[map[string]string](t, withoutControls(bytes.TrimSpace(text.Bytes())))
		want := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, all.String())
		if got["k"] != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

func FuzzWithoutControls(f *testing.F) {
	f.Add("a\\\x00\u0085\n\"")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var clean, same string
		if err := json.Unmarshal(text, &same); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(withoutControls(text), &clean); err != nil {
			t.Fatalf("%v: %q", err, withoutControls(text))
		}
		want := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, same)
		if clean != want {
			t.Errorf("%q became %q", s, clean)
		}
	})
}
