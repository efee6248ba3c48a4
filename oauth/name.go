package oauth

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClientName is the longest name of a client in characters.
const maxClientName = 128

// unseen are the characters of which people see nothing: controls, those that turn
// or join the letters around them, and those that take no room.
var unseen = []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}

// shownName is the name that a client gives itself as people are shown it: without
// what they would not see.
func shownName(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", errors.New("the name of the client has characters that cannot be shown")
	}
	if n := utf8.RuneCountInString(name); n > maxClientName {
		return "", fmt.Errorf("the name of the client has %d characters, at most %d are allowed", n, maxClientName)
	}
	seen := oneLine(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unseen...), r == '\u2800': // the empty pattern of Braille
			return -1
		}
		return r
	}, name))
	if seen == "" {
		return "", errors.New("the name of the client is empty")
	}
	return seen, nil
}

// oneLine is a text with one space between words.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// checkClientName refuses a name that people would see otherwise than it is.
func checkClientName(name string) error {
	seen, err := shownName(name)
	if err == nil && (seen != oneLine(name) || strings.ContainsFunc(name, unicode.IsControl)) {
		err = errors.New("the name of the client has characters that cannot be shown")
	}
	return err
}
