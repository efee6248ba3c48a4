package tool

import "unicode/utf8"

// withoutControls is JSON as encoding/json writes it, without the control
// characters of its texts (Unicode category Cc): U+0000 to U+001F, which stand
// there escaped, and U+007F to U+009F, which stand there as they are.
func withoutControls(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		size := 1
		switch {
		case text[i] == '\\':
			size = escapeSize(text[i:])
			if isControlEscape(text[i : i+size]) {
				i += size
				continue
			}
		case text[i] >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r >= 0x80 && r <= 0x9f {
				i += size
				continue
			}
		case text[i] == 0x7f:
			i++
			continue
		}
		out = append(out, text[i:i+size]...)
		i += size
	}
	return out
}

// escapeSize is the length of the escape that a text begins with.
func escapeSize(text []byte) int {
	if text[1] == 'u' {
		return 6
	}
	return 2
}

// isControlEscape says that an escape is that of a control character.
func isControlEscape(escape []byte) bool {
	switch escape[1] {
	case 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		return string(escape[2:5]) == "000" || string(escape[2:5]) == "001"
	}
	return false
}
