package tool

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"biketrip/mcp"
	"biketrip/store/trip"
)

// TestInstructions: for whom, for what, on which day; and never the address.
func TestInstructions(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 12, 1, 0, 30, 0, 0, time.FixedZone("east", 3600)) }
	tell := Instructions(now)
	for _, c := range []struct {
		scopes      []string
		says, lacks string
	}{
		{trip.Scopes(), "Account: a•••@example.org. Granted scopes: trips:read trips:write.\nRules: 1. ", "Missing"},
		{[]string{trip.ScopeRead}, "Missing: trips:write, so you cannot change trips. Tools you do not see ", "versions, so you can only"},
		{[]string{trip.ScopeWrite}, "Missing: trips:read, so you cannot read versions, so you can only create, ", "you cannot change"},
		{nil, "Granted scopes: none.\nMissing: trips:read trips:write, so you can do nothing.", "versions, so you can only"},
	} {
		got := tell(mcp.Caller{Email: "anna@example.org", Scopes: c.scopes})
		if !strings.Contains(got, c.says) || strings.Contains(got, c.lacks) || strings.Contains(got, "anna") || !strings.Contains(got, "Today is 2026-11-30. ") {
			t.Errorf("%v: %s", c.scopes, got)
		}
		if n := utf8.RuneCountInString(got); n > 1200 {
			t.Errorf("%v: %d characters", c.scopes, n)
		}
	}
}

// TestMasked: of an address nothing is told but its first letter and its host.
func TestMasked(t *testing.T) {
	for email, want := range map[string]string{
		"anna@example.org": "a•••@example.org", "é@example.org": "é•••@example.org", `"anna@home"@example.org`: `"•••@example.org`,
		"@example.org": "•••", "anna": "•••", "": "•••",
	} {
		if got := masked(email); got != want {
			t.Errorf("%s: %s, want %s", email, got, want)
		}
	}
}
