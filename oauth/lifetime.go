package oauth

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How long a document is good, whatever its host says. Source: MCP server
// reference, "Clients".
const (
	shortestLife = 5 * time.Minute
	longestLife  = 24 * time.Hour
)

// documentLife is how long a document is good, by the max-age of its answer less
// the age that it has already (RFC 9111, sections 4.2 and 5.1). One without is good
// for the shortest time.
func documentLife(h http.Header) time.Duration {
	age, life, told := seconds(h.Get("Age")), time.Duration(0), false
	for _, directive := range strings.Split(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return shortestLife
		case "max-age":
			if !told { // the first counts
				life, told = seconds(strings.Trim(value, `"`))-age, true
			}
		}
	}
	return min(max(life, shortestLife), longestLife)
}

// seconds is a number of seconds, 0 for what is none, and never more than a year.
func seconds(text string) time.Duration {
	const most = 365 * 24 * 60 * 60
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	switch {
	case err != nil && strings.Trim(text, "0123456789") == "" && text != "": // out of range
		n = most
	case err != nil:
		n = 0
	}
	return time.Duration(min(n, most)) * time.Second
}
