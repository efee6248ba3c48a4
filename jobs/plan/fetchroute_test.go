package plan

import (
	"context"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"biketrip/jobs"
	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/trip"
)

// TestFirstDays: a trip gets the days of its route, once, and its version rises
// by one.
func TestFirstDays(t *testing.T) {
	h := newHouse(t, nil)
	h.work()
	for name, c := range map[string]struct {
		link  string
		title string // that the rider gave
	}{
		"tour":           {world.TourLink, ""},
		"named tour":     {world.TourLink, "Mine"},
		"loop":           {world.LoopLink, ""},
		"plain":          {world.PlainLink, ""},
		"long":           {world.LongLink, ""},
		"unlisted tour":  {world.UnlistedTourLink, ""},
		"unlisted route": {world.UnlistedRouteLink, ""},
		"embed":          {world.EmbedLink, ""},
		"hiccup":         {world.HiccupLink, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ask(c.link)
			asked.Title = c.title
			r := h.settled(h.create(asked).TripID)
			route := r.Category(trip.CategoryRoute)
			if r.Trip.Version != 2 || r.Status() != trip.Ready || r.ListStatus() != trip.ListAnalyzed || r.Partial() || route.Status != trip.Done || route.Reason != "" {
				t.Errorf("%+v", r)
			}
			if r.Trip.Title == "" || c.title != "" && r.Trip.Title != c.title {
				t.Errorf("its title is %q", r.Trip.Title)
			}
			h.checkDays(t, r)
		})
	}
}

// checkDays holds the days of a trip against its route: they follow one another
// from its start to its end, each with its own line.
func (h *house) checkDays(t *testing.T, r trip.Reading) {
	t.Helper()
	err := h.file.View(t.Context(), func(tx *store.Tx) error {
		route, err := tx.Track(r.Trip.ID)
		if err != nil {
			return err
		}
		at, sum := 0.0, 0.0
		for i, day := range r.Stages {
			line, err := tx.StageTrack(day.ID)
			if err != nil {
				return err
			}
			if day.Span.FromM != at || math.Abs(line.Length()-day.DistanceM) > 1 || day.DistanceM != day.Span.ToM-day.Span.FromM {
				t.Errorf("day %d is %+v with a line of %v m", i+1, day, line.Length())
			}
			at, sum = day.Span.ToM, sum+day.DistanceM
		}
		if at != route.Line.Length() || math.Abs(sum-at) > 0.001 {
			t.Errorf("the days end at %v m of %v", at, route.Line.Length())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCollection: a collection is a day a tour, whatever the settings say.
func TestCollection(t *testing.T) {
	h := newHouse(t, nil)
	h.work()
	asked := ask(world.CollectionLink)
	asked.Settings.MaxDayKM = 30
	r := h.settled(h.create(asked).TripID)
	if len(r.Stages) != 3 {
		t.Fatalf("%d days: %+v", len(r.Stages), r)
	}
	h.checkDays(t, r)
	err := h.file.View(t.Context(), func(tx *store.Tx) error {
		route, err := tx.Track(r.Trip.ID)
		if len(route.DayEndsM) != 3 || route.DayEndsM[2] != route.Line.Length() || route.DayEndsM[0] != r.Stages[0].Span.ToM {
			t.Errorf("kept ends %v of %v m", route.DayEndsM, route.Line.Length())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDates: the days are as many as the dates give.
func TestDates(t *testing.T) {
	h := newHouse(t, nil)
	h.at(noon)
	h.work()
	asked := ask(world.TourLink)
	asked.StartDate, asked.EndDate = trip.DateOf(noon)+30, trip.DateOf(noon)+36
	r := h.settled(h.create(asked).TripID)
	if len(r.Stages) != 7 || r.Trip.EndDate(len(r.Stages)) != asked.EndDate || r.Locked {
		t.Errorf("%+v", r)
	}
	h.at(noon.AddDate(0, 0, 30))
	if !h.read(r.Trip.ID).Locked {
		t.Error("the trip is not locked on its first day")
	}
}

// TestRouteFails: a route that cannot be had fails with its reason, and only
// that.
func TestRouteFails(t *testing.T) {
	h := newHouse(t, nil)
	h.work()
	for link, says := range map[string]string{
		world.PrivateLink: "private: Komoot tour",
		world.MissingLink: "not found: there is no Komoot tour",
		world.LoginLink:   "needs a login: Strava route",
		world.EmptyLink:   "no route in it: RideWithGPS route",
	} {
		r := h.settled(h.create(ask(link)).TripID)
		route := r.Category(trip.CategoryRoute)
		if r.Status() != trip.Draft || r.ListStatus() != trip.ListFailed || r.Partial() || r.Trip.Version != 1 || route.Status != trip.Failed || !strings.HasPrefix(route.Reason, says) {
			t.Errorf("%s: %+v", says, r)
		}
	}
}

// TestSourceThatAsksForPatience: a rider does not wait for a source that wants
// to be asked tomorrow.
func TestSourceThatAsksForPatience(t *testing.T) {
	h := newHouse(t, func(http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"7200"}}, Body: http.NoBody, Request: r}, nil
		})
	})
	h.work()
	r := h.settled(h.create(ask(world.TourLink)).TripID)
	if route := r.Category(trip.CategoryRoute); route.Status != trip.Failed || !strings.Contains(route.Reason, "try again in 2h0m0s") {
		t.Errorf("%+v", route)
	}
}

// blocked is a transport that the test opens.
type blocked struct {
	next   http.RoundTripper
	asked  chan struct{} // a word a request
	opened chan struct{} // closed to let all pass
}

func (b blocked) RoundTrip(r *http.Request) (*http.Response, error) {
	b.asked <- struct{}{}
	select {
	case <-b.opened:
		return b.next.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// newBlockedHouse is a house whose world answers once opened is closed, and says
// when it is asked.
func newBlockedHouse(t *testing.T, producers ...Producer) (h *house, b blocked) {
	b = blocked{asked: make(chan struct{}, 100), opened: make(chan struct{})}
	h = newHouse(t, func(next http.RoundTripper) http.RoundTripper {
		b.next = next
		return b
	}, producers...)
	return h, b
}

// TestRouteOfAnOlderGeneration: a route that comes when the trip has moved on is
// dropped.
func TestRouteOfAnOlderGeneration(t *testing.T) {
	h, outside := newBlockedHouse(t)
	h.work()
	id := h.create(ask(world.TourLink)).TripID
	<-outside.asked
	h.update(func(tx *store.Tx) error {
		moved, err := tx.Trip(h.anna.UserID, id)
		if err != nil {
			return err
		}
		moved.Generation++
		return tx.UpdateTrip(&moved)
	})
	close(outside.opened)
	r := h.settled(id)
	if len(r.Stages) != 0 || r.Trip.Version != 1 || r.Category(trip.CategoryRoute).Status != trip.Superseded {
		t.Errorf("%+v", r)
	}
}

// TestTripRemovedMeanwhile: a route that comes when the trip is gone harms
// nobody.
func TestTripRemovedMeanwhile(t *testing.T) {
	h, outside := newBlockedHouse(t)
	h.work()
	id := h.create(ask(world.TourLink)).TripID
	<-outside.asked
	h.update(func(tx *store.Tx) error { return tx.DeleteTrip(h.anna.UserID, id) })
	close(outside.opened)
	if r := h.settled(h.create(ask(world.LoopLink)).TripID); r.Status() != trip.Ready {
		t.Errorf("the next trip: %+v", r)
	}
	if _, err := h.planner.Trip(t.Context(), h.anna, id); !isRefusal(err, "trip_not_found") {
		t.Errorf("it is back: %v", err)
	}
}

// TestFetchedAgain: the same request fetches a route again that had failed, for
// the same trip.
func TestFetchedAgain(t *testing.T) {
	var gone atomic.Bool
	gone.Store(true)
	h := newHouse(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if gone.Load() {
				return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			}
			return next.RoundTrip(r)
		})
	})
	h.work()
	asked := ask(world.TourLink)
	first := h.create(asked)
	if r := h.settled(first.TripID); r.ListStatus() != trip.ListFailed {
		t.Fatalf("%+v", r)
	}
	gone.Store(false)
	if again := h.create(asked); again.TripID != first.TripID || !again.Repeated || !again.Again {
		t.Errorf("again: %+v", again)
	}
	if r := h.settled(first.TripID); r.Status() != trip.Ready || r.Trip.Version != 2 {
		t.Errorf("%+v", r)
	}
	before := h.read(first.TripID)
	if whole := h.create(asked); !whole.Repeated || whole.Again {
		t.Errorf("a third time: %+v", whole)
	}
	if after := h.settled(first.TripID); after.Trip.Version != 2 || after.Stages[0].ID != before.Stages[0].ID {
		t.Errorf("a route that came is fetched again: %+v", after)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestProducers: what is worked out about a trip begins once it has days, each
// kind for itself, and is told by category.
func TestProducers(t *testing.T) {
	found := func(reason string, err error) jobs.Handler {
		return func(context.Context, jobs.Job) (jobs.Result, error) { return jobs.Result{Reason: reason}, err }
	}
	h, outside := newBlockedHouse(t,
		Producer{"water", trip.CategoryTerrainSecurity, found("", nil)},
		Producer{"ferries", trip.CategoryTerrainSecurity, found("", &jobs.Failure{Reason: "No ferry data.", Final: true})},
		Producer{"weather", trip.CategoryWeather, found("", &jobs.Failure{Reason: "No forecast yet.", Final: true})},
		Producer{"beds", trip.CategoryAccommodations, found("Two sources of three.", nil)},
	)
	h.work()
	id := h.create(ask(world.TourLink)).TripID
	<-outside.asked
	if r := h.read(id); len(r.Categories) != 1 {
		t.Errorf("before the days: %+v", r.Categories)
	}
	close(outside.opened)
	r := h.settled(id)
	want := []trip.CategoryState{
		{Category: trip.CategoryRoute, Status: trip.Done, Reason: ""},
		{Category: trip.CategoryAccommodations, Status: trip.Done, Reason: "Two sources of three."},
		{Category: trip.CategoryTerrainSecurity, Status: trip.Done, Reason: "No ferry data."},
		{Category: trip.CategoryWeather, Status: trip.Failed, Reason: "No forecast yet."},
	}
	if len(r.Categories) != len(want) {
		t.Fatalf("%+v", r.Categories)
	}
	for i := range want {
		if r.Categories[i] != want[i] {
			t.Errorf("%+v, want %+v", r.Categories[i], want[i])
		}
	}
	if r.Trip.Version != 2 || r.ListStatus() != trip.ListAnalyzed {
		t.Errorf("%+v", r.Trip)
	}
}
