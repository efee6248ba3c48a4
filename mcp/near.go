package mcp

import (
	"slices"
	"strings"
	"unicode"
)

// maxNearBytes is the longest word for which near ones are looked for.
const maxNearBytes = 64

// Near is the name among some that a caller most likely meant by a word, ""
// for none: the same one but for case, _ and -; else one that is at most two
// letters off; else one of which the word is the beginning or the end, or the
// other way round.
func Near(word string, names []string) string {
	if word == "" || len(word) > maxNearBytes {
		return ""
	}
	best, bestRank := "", notNear
	for _, name := range names {
		if rank := nearRank(name, word); rank < bestRank {
			best, bestRank = name, rank
		}
	}
	return best
}

// Ranks of nearness, the nearest first. A distance of 1 or 2 is its own rank.
const (
	sameLetters = 0
	partOfName  = 3
	notNear     = 4
)

func nearRank(name, word string) int {
	a, b := inWords(name), inWords(word)
	bareA, bareB := strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", "")
	if bareA == bareB {
		return sameLetters
	}
	allowed := 0
	switch n := min(len(bareA), len(bareB)); {
	case n >= 5:
		allowed = 2
	case n == 4:
		allowed = 1
	}
	if d := distance(bareA, bareB); d <= allowed {
		return d
	}
	if isPart(a, b) || isPart(b, a) {
		return partOfName
	}
	return notNear
}

// inWords is a name with its words in small letters and a _ between them, whether
// they stood apart by a -, a _ or a capital letter.
func inWords(name string) string {
	var b strings.Builder
	small := false // before
	for _, c := range strings.ReplaceAll(name, "-", "_") {
		if unicode.IsUpper(c) && small {
			b.WriteByte('_')
		}
		small = unicode.IsLower(c) || unicode.IsDigit(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// isPart says whether part is how whole begins or ends, up to a _.
func isPart(whole, part string) bool {
	return strings.HasPrefix(whole, part+"_") || strings.HasSuffix(whole, "_"+part)
}

// distance is how many letters must be put in, taken out or changed to make b of
// a. Source: Levenshtein, by rows.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{change, row[j] + 1, row[j+1] + 1})
		}
	}
	return row[len(b)]
}
