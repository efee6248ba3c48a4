package plan

import (
	"strings"
	"testing"

	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/trip"
)

// TestStolenLook: the trip of another person, one that never was and one that is
// gone answer alike but for the id.
func TestStolenLook(t *testing.T) {
	h := newHouse(t, nil)
	bens := h.create(ask(world.TourLink)).TripID
	gone := h.create(ask(world.LoopLink)).TripID
	h.update(func(tx *store.Tx) error { return tx.DeleteTrip(h.anna.UserID, gone) })
	thief := h.user("eve@example.org")
	look := func(actor Actor, id string) string {
		t.Helper()
		r, err := h.planner.Trip(t.Context(), actor, id)
		if !isRefusal(err, "trip_not_found") || r.Trip.ID != "" {
			t.Fatalf("%s: %v, %v", id, r, err)
		}
		return strings.ReplaceAll(err.Error(), id, "ID")
	}
	want := look(thief, "01980000-0000-7000-8000-000000000000")
	for _, got := range []string{look(thief, bens), look(thief, gone), look(h.anna, gone)} {
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	for _, id := range []string{"", "1", "' OR 1=1 --", strings.ToUpper(bens), bens + " "} {
		look(h.anna, id)
	}
	found, err := h.planner.Trips(t.Context(), thief, Search{}, 10, 0)
	if err != nil || found.Total != 0 || len(found.Trips) != 0 {
		t.Errorf("a list of %d trips, %v", found.Total, err)
	}
}

// TestBeforeTheDays: a trip whose route is still to come says so.
func TestBeforeTheDays(t *testing.T) {
	h := newHouse(t, nil)
	r := h.read(h.create(ask(world.TourLink)).TripID)
	route := trip.CategoryState{Category: trip.CategoryRoute, Status: trip.Running}
	if !r.Partial() || r.Status() != trip.Draft || r.ListStatus() != trip.ListAnalyzing || r.Trip.Version != 1 || len(r.Categories) != 1 || r.Categories[0] != route {
		t.Errorf("%+v", r)
	}
}
