package ui

import (
	"net/http"
	"strings"

	"golang.org/x/text/language"
)

// The languages of pages and mails, as the file names those of people.
const (
	english = "en"
	french  = "fr"
)

// languages are those of pages, the first for whoever reads none of them.
func languages() []string { return []string{english, french} }

// A text is what a person is told, in each language.
type text struct{ en, fr string }

func (t text) in(lang string) string {
	if lang == french {
		return unbroken(t.fr)
	}
	return t.en
}

// unbroken is a French text whose lines do not break at the spaces around its
// punctuation.
func unbroken(s string) string {
	const space = "\u00a0"
	return strings.NewReplacer(" ?", space+"?", " !", space+"!", " :", space+":", " ;", space+";", "« ", "«"+space, " »", space+"»").Replace(s)
}

// newMatcher matches what a browser asks for with the languages there are.
func newMatcher() language.Matcher {
	return language.NewMatcher([]language.Tag{language.English, language.French})
}

// asked is the language that a browser asks for (RFC 9110, section 12.5.4).
func asked(matcher language.Matcher, r *http.Request) string {
	_, i := language.MatchStrings(matcher, strings.Join(r.Header.Values("Accept-Language"), ","))
	return languages()[i]
}
