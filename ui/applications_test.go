package ui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store"
	"biketrip/store/trip"
)

// TestApplications: an application is one, however often it was granted something.
func TestApplications(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2027, 5, n, 9, 0, 0, 0, time.UTC) }
	const claude = "https://claude.ai/oauth/client"
	got := visitor{language: english}.applications([]store.Grant{
		{ID: "1", ClientID: claude, ClientName: "Claude", RedirectHost: "localhost:1", Scopes: []string{trip.ScopeRead}, CreatedAt: day(1), LastUsedAt: day(9)},
		{ID: "2", ClientID: "x", ClientName: "Headless", Scopes: []string{trip.ScopeRead}, CreatedAt: day(2)},
		{ID: "3", ClientID: claude, ClientName: "Claude Code", RedirectHost: "localhost:2", Scopes: []string{trip.ScopeRead, trip.ScopeWrite}, CreatedAt: day(3), LastUsedAt: day(4)},
		{ID: "4", ClientID: claude, ClientName: "Claude Code", RedirectHost: "localhost:3", Scopes: []string{trip.ScopeRead}, CreatedAt: day(5)},
	})
	read, write := "read your trips and their days, and search places", "create, change, share and delete your trips"
	want := []application{
		{Grant: "1", From: "claude.ai", Name: "Claude Code", Host: "localhost:3", Scopes: []string{read, write}, Since: "2027-05-01", LastUsed: "2027-05-09"},
		{Grant: "2", Name: "Headless", Scopes: []string{read}, Since: "2027-05-02"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
