package source

import (
	"strings"
	"unicode"
)

// maxTitle is the longest title in characters, that of the published contract.
const maxTitle = 255

// cleanTitle makes a title of any text: one line, without control characters
// and without those that turn the direction of writing, of at most maxTitle
// characters.
func cleanTitle(text string) string {
	var b strings.Builder
	for text != "" {
		r, size := decodeRune([]byte(text[:min(len(text), 4)]))
		text = text[size:]
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\uFEFF':
		default:
			b.WriteRune(r)
		}
	}
	return cut(strings.Join(strings.Fields(b.String()), " "), maxTitle)
}

// cut is text without what comes after its first n characters.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return strings.TrimSpace(text[:i])
		}
		n--
	}
	return text
}
