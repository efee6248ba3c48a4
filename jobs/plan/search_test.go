package plan

import (
	"errors"
	"testing"
	"time"

	"biketrip/store/limit"
	"biketrip/store/trip"
)

// TestSearchLimit: a user looks for so many places a minute, through whatever
// client. Source: contract, "Rate limits", geocode.
func TestSearchLimit(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p := New(Options{Searches: limit.New(30, time.Minute, func() time.Time { return now })})
	codeOf := func(actor Actor) string {
		var refusal *trip.Refusal
		if !errors.As(p.SearchPlaces(t.Context(), actor), &refusal) {
			return ""
		}
		return refusal.Code
	}
	anna, phone, ben := Actor{UserID: "anna", ClientID: "desktop"}, Actor{UserID: "anna", ClientID: "phone"}, Actor{UserID: "ben"}
	for i := range 30 {
		if got := codeOf([]Actor{anna, phone}[i%2]); got != "unavailable" {
			t.Fatalf("search %d: %s", i+1, got)
		}
	}
	now = now.Add(20 * time.Second)
	err := p.SearchPlaces(t.Context(), phone)
	if want := trip.ErrTooManySearches(40).Error(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if got := codeOf(ben); got != "unavailable" {
		t.Errorf("another user: %s", got)
	}
	now = now.Add(40 * time.Second)
	if got := codeOf(anna); got != "unavailable" {
		t.Errorf("a minute later: %s", got)
	}
	for range 100 {
		if got := New(Options{}).SearchPlaces(t.Context(), anna).(*trip.Refusal); got.Code != "unavailable" {
			t.Errorf("without a limiter: %s", got.Code)
		}
	}
}
