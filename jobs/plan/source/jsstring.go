package source

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape is the value of the JavaScript string (ECMA-262, 12.9.4) whose first
// character b begins with: all up to the first quote that is not escaped. ok is
// false where b ends before. An escape that is none stands for its character,
// as in JavaScript.
func unescape(b []byte, quote byte) (value []byte, ok bool) {
	// The value is hardly shorter than its escapes, and never longer.
	value = make([]byte, 0, max(0, bytes.LastIndexByte(b, quote)))
	var high rune // the first half of a surrogate pair, 0 for none
	for len(b) > 0 && b[0] != quote {
		if b[0] != '\\' {
			value, high = append(value, b[0]), 0
			b = b[1:]
			continue
		}
		r, size := escape(b)
		if size == 0 {
			return nil, false
		}
		if pair := utf16.DecodeRune(high, r); high != 0 && pair != utf8.RuneError {
			// The half before was written as U+FFFD, of three bytes.
			value = value[:len(value)-3]
			r = pair
		}
		high = 0
		if utf16.IsSurrogate(r) {
			high = r
		}
		if r >= 0 {
			value = utf8.AppendRune(value, r)
		}
		b = b[size:]
	}
	return value, len(b) > 0
}

// escape is the character of the escape that b begins with, a surrogate
// included, and its length in bytes: 0 where b ends within. The character is -1
// for the end of a line, which continues the string and is not part of it.
func escape(b []byte) (r rune, size int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'v':
		return '\v', 2
	case '0':
		return 0, 2
	case '\n':
		return -1, 2
	case 'x':
		if r, ok := hexadecimal(b[2:], 2); ok {
			return r, 4
		}
	case 'u':
		if r, ok := hexadecimal(b[2:], 4); ok {
			return r, 6
		}
	}
	r, size = utf8.DecodeRune(b[1:])
	return r, 1 + size
}

// hexadecimal is the number of the first n bytes of b.
func hexadecimal(b []byte, n int) (rune, bool) {
	if len(b) < n {
		return 0, false
	}
	value, err := strconv.ParseUint(string(b[:n]), 16, 32)
	return rune(value), err == nil
}
