package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"biketrip/jobs/plan/fetch"
)

func problemOf(t *testing.T, err error) *Problem {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	return p
}

func TestPassing(t *testing.T) {
	for name, c := range map[string]struct {
		in    answer
		again bool
		after string
	}{
		"429":                {answer{status: 429, wait: "120"}, true, "2m0s"},
		"429, nothing said":  {answer{status: 429}, true, "30s"},
		"500":                {answer{status: 500}, true, "0s"},
		"501":                {answer{status: 501}, true, "0s"},
		"503":                {answer{status: 503}, true, "30s"},
		"503, long":          {answer{status: 503, wait: "600"}, true, "10m0s"},
		"hangs":              {answer{body: hangs}, true, "0s"},
		"breaks":             {answer{body: breaks}, true, "0s"},
		"404":                {answer{status: 404}, false, "0s"},
		"403":                {answer{status: 403}, false, "0s"},
		"418":                {answer{status: 418}, false, "0s"},
		"elsewhere":          {answer{status: 302, moved: "https://attacker.example/"}, false, "0s"},
		"sign-in page":       {answer{body: signIn, kind: "text/html"}, false, "0s"},
		"something else":     {answer{body: "<html>"}, false, "0s"},
		"empty":              {answer{body: `{"track_points":[]}`}, false, "0s"},
		"large":              {answer{body: strings.Repeat(" ", maxBytes+1)}, false, "0s"},
		"longer than a trip": {answer{body: `{"track_points":[{"x":0,"y":0},{"x":100,"y":0},{"x":0,"y":1}]}`}, false, "0s"},
	} {
		_, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: c.in})
		if again, after := problemOf(t, err).Passing(); again != c.again || fmt.Sprint(after) != c.after {
			t.Errorf("%s: again %v after %v: %v", name, again, after, err)
		}
	}
	hopeless := &fetch.Error{Kind: fetch.ErrStatus}
	for _, kind := range kinds {
		if again, after := (&Problem{Kind: kind}).Passing(); again || after != 0 {
			t.Errorf("%s without a cause: again %v after %v", kind, again, after)
		}
		if again, _ := (&Problem{Kind: kind, Cause: hopeless}).Passing(); again {
			t.Errorf("%s: again", kind)
		}
		busy := &fetch.Error{Kind: fetch.ErrRateLimited, RetryAfter: 5}
		if again, after := (&Problem{Kind: kind, Cause: busy}).Passing(); again != (kind == ErrUnavailable) || again != (after == 5) {
			t.Errorf("%s of a busy host: again %v after %v", kind, again, after)
		}
	}
	if again, _ := problemOf(t, tooSlow(Ref{Type: "komoot_tour", ID: "1"})).Passing(); !again {
		t.Error("what was too slow is not asked again")
	}
}
