package cli

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"
)

// TestCameFrom: an address that is sent along is believed of the operator's
// proxies alone, and of what they name only what none of them is.
func TestCameFrom(t *testing.T) {
	p := &program{parts: parts{proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/16")}}}
	for _, c := range []struct{ sender, named, want string }{
		{"192.0.2.7:1234", "", "192.0.2.7"},
		{"192.0.2.7:1234", "203.0.113.9", "192.0.2.7"},
		{"127.0.0.1:1234", "203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:1234", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:1234", "203.0.113.9, 10.1.2.3", "203.0.113.9"},
		{"[::ffff:127.0.0.1]:1234", "203.0.113.9", "203.0.113.9"},
		{"127.0.0.1:1234", "10.1.2.3", "10.1.2.3"},
		{"127.0.0.1:1234", "unknown", "127.0.0.1"},
		{"127.0.0.1:1234", "203.0.113.9:5678", "203.0.113.9"},
		{"127.0.0.1:1234", "", "127.0.0.1"},
		{"[2001:db8::1]:1234", "203.0.113.9", "2001:db8::/64"},
		{"127.0.0.1:1234", "2001:db8:0:0:1::9", "2001:db8::/64"},
	} {
		r := &http.Request{RemoteAddr: c.sender, Header: http.Header{}}
		if c.named != "" {
			r.Header.Set("X-Forwarded-For", c.named)
		}
		if got := p.cameFrom(r); got != c.want {
			t.Errorf("%s, for %q: %s, want %s", c.sender, c.named, got, c.want)
		}
	}
}

// TestPublishedLimits: the server that people run keeps to the limits of the
// contract.
func TestPublishedLimits(t *testing.T) {
	if want := (limits{requests: 300, calls: 60, writes: 20, creations: 10, searches: 30, authorizations: 30, exchanges: 60, mailsTo: 3, mailsFrom: 10, guesses: 30, registrations: 10, documentsByUser: 20, documentsByHost: 60}); publishedLimits() != want {
		t.Errorf("%+v", publishedLimits())
	}
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	a := s.agent(t, dir)
	create := func(title string) error {
		_, err := call[view.TripCreation](t.Context(), a, "create_trip", map[string]any{"sourceUrl": world.LoopLink, "title": title})
		return err
	}
	began := time.Now()
	for i := range 10 {
		if err := create(strings.Repeat("x", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := create("one more"); err == nil || !strings.Contains(err.Error(), "rate_limited: too many trips created by this account. Retry in ") {
		t.Errorf("an eleventh trip: %v", err)
	}
	if err := create("x"); err != nil {
		t.Errorf("one that is there already: %v", err)
	}
	for i := range 8 {
		create(strings.Repeat("y", i+1))
	}
	if err := create("z"); err == nil || !strings.Contains(err.Error(), "rate_limited: too many calls from this agent. Retry in ") {
		t.Errorf("a twenty-first change: %v", err)
	}
	for range 40 {
		if _, err := call[view.TripList](t.Context(), a, "list_trips", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call[view.TripList](t.Context(), a, "list_trips", nil); err == nil || !strings.Contains(err.Error(), "too many calls from this agent") {
		t.Errorf("a sixty-first call: %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Skipf("it took %v, and the first calls do not count any more", took)
	}
}
