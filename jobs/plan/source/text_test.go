package source

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestGPXCharsets(t *testing.T) {
	declared := func(charset string) string { return `<?xml version="1.0" encoding="` + charset + `"?>` }
	named := func(name string) string {
		return `<gpx><trk><name>` + name + `</name><trkseg>` + ab + `</trkseg></trk></gpx>`
	}
	wide := func(text string, big bool) string {
		b := []byte{}
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	for _, c := range []struct{ name, in, want string }{
		{"UTF-8", declared("utf-8") + named("Rhône"), "Rhône"},
		{"none", named("Rhône"), "Rhône"},
		{"mark", "\xef\xbb\xbf" + declared("UTF-8") + named("Rhône"), "Rhône"},
		{"mark against the declaration", "\xef\xbb\xbf" + declared("ISO-8859-1") + named("Rhône"), "Rhône"},
		{"ISO-8859-1", declared("ISO-8859-1") + named("Rh\xf4ne"), "Rhône"},
		{"windows-1252", `<?xml version='1.0' encoding = 'windows-1252' standalone='yes'?>` + named("\x80 5"), "€ 5"},
		{"windows-1251", declared("Windows-1251") + named("\xd2\xf3\xf0"), "Тур"},
		{"Shift_JIS", declared("Shift_JIS") + named("\x93\x8c\x8b\x9e"), "東京"},
		{"UTF-16 LE", wide(declared("UTF-16")+named("Rhône 🚲"), false), "Rhône 🚲"},
		{"UTF-16 BE", wide(declared("UTF-16")+named("Rhône 🚲"), true), "Rhône 🚲"},
		{"UTF-16 declared in single bytes", declared("utf-16") + named("Rhône"), "Rhône"},
		{"unknown", declared("x-mine") + named("Rhône"), "Rhône"},
		{"replacement", declared("hz-gb-2312") + named("Rhône"), "Rhône"},
		{"Latin-1 declared UTF-8", declared("UTF-8") + named("Rh\xf4ne"), "Rhône"},
		{"both", declared("UTF-8") + named("Rh\xf4ne – Rhône"), "Rhône – Rhône"},
		{"control characters", named("A\x00B\x0bC\x1b\uFFFF"), "ABC"},
		{"references to them", named("A&#0;B&#x0B;C&#11;&#xFFFF;&#xD800;D&amp;&#65;"), "ABC\uFFFDD&A"},
		{"reference without end", named("A&#1"), "A&#1"},
		{"declared twice", named("A") + declared("x"), "A"},
		{"declared within", `<!-- --><?xml version="1.0" encoding="x"?>` + named("é"), "é"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readString(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if r.Title != c.want {
				t.Errorf("title %q, want %q", r.Title, c.want)
			}
			wantLine(t, r, lineAB)
			wantWarnings(t, r)
		})
	}
	_, err := readString(wide(`<!DOCTYPE x>`+named("A"), false))
	wantProblem(t, err, ErrRefused, "")
}

// TestGPXStrayBytesAnywhere puts what no XML may have at each place of a text
// that is longer than the buffers.
func TestGPXStrayBytesAnywhere(t *testing.T) {
	for stray, want := range map[string]string{"\xf4": "ô", "\xf0\x9f\x9a": "ðŸš", "\x01": "", "&#1;": "", "&#x0000001F;": "", "é": "é", "🚲": "🚲"} {
		for shift := range 64 {
			pad := strings.Repeat("x", 4096-64+shift)
			r, err := readString(`<gpx><desc>` + pad + `</desc><name>` + stray + `|</name><trk><trkseg>` + ab + `</trkseg></trk></gpx>`)
			if err != nil {
				t.Fatalf("%q at %d: %v", stray, shift, err)
			}
			if r.Title != want+"|" {
				t.Errorf("%q at %d: title %q", stray, shift, r.Title)
			}
			wantLine(t, r, lineAB)
			wantWarnings(t, r)
		}
	}
}

func TestCleanTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		" \t\n ":                           "",
		"  Loire à vélo \r\n":              "Loire à vélo",
		"A\nB\u2028C\u2029D\u0085E\u00a0F": "A B C D E F",
		"a\x00b\x7fc\u009bd":               "abcd",
		"\u202eevil\u202c \u2066x\u2069":   "evil x",
		"\ufeffmark":                       "mark",
		"Rh\xf4ne":                         "Rhône",
		"👩\u200d🚲 می\u200cخواهم":           "👩\u200d🚲 می\u200cخواهم",
		strings.Repeat("é", 300):           strings.Repeat("é", 255),
		strings.Repeat("é", 254) + " xx":   strings.Repeat("é", 254),
	} {
		if got := cleanTitle(in); got != want {
			t.Errorf("cleanTitle(%q) = %q, want %q", in, got, want)
		}
	}
}
