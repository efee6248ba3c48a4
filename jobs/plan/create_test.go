package plan

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/trip"
)

var noon = time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)

// TestSameRequest: the same request makes one trip in its window of time and
// the next one.
func TestSameRequest(t *testing.T) {
	h := newHouse(t, nil)
	asked := ask(world.TourLink)
	asked.StartDate, asked.Title = trip.DateOf(noon)+100, "Spring"
	h.at(noon.Add(2 * time.Second))
	first := h.create(asked)
	if first.Repeated {
		t.Error("the first request is a repetition")
	}
	same := func(name string, c Creation, want bool) {
		t.Helper()
		if made := h.create(c); made.Repeated != want || (made.TripID == first.TripID) != want {
			t.Errorf("%s: %+v", name, made)
		}
	}
	same("the same", asked, true)
	h.at(noon.Add(10*time.Minute - time.Second))
	same("in the next window", asked, true)

	elsewhere := asked
	elsewhere.SourceURL += "?utm_source=mail#map"
	same("with tracking", elsewhere, true)
	unordered := asked
	unordered.Settings.AccommodationTypes = []trip.AccommodationType{
		trip.WildernessHut, trip.Hotel, trip.GuestHouse, trip.Chalet, trip.AlpineHut, trip.Hostel, trip.CampSite, trip.Hotel}
	same("with the beds in another order", unordered, true)

	faster := asked
	faster.Settings.AverageSpeedKMH++
	same("with another speed", faster, false)
	titled := asked
	titled.Title = "Summer"
	same("with another title", titled, false)
	later := asked
	later.EndDate = asked.StartDate + 9
	same("with an end", later, false)

	h.at(noon.Add(10 * time.Minute))
	same("two windows later", asked, false)
}

// TestEndWithoutStart: an end without a start is not kept.
func TestEndWithoutStart(t *testing.T) {
	h := newHouse(t, nil)
	asked := ask(world.TourLink)
	first := h.create(asked)
	asked.EndDate = trip.DateOf(noon) + 900
	if made := h.create(asked); made.TripID != first.TripID {
		t.Error("an end without a start makes another trip")
	}
	if r := h.read(first.TripID); !r.Trip.WishedEndDate.IsZero() {
		t.Errorf("kept %v", r.Trip.WishedEndDate)
	}
}

// TestKey: a key of the client's makes requests distinct, and belongs to one
// request for a day.
func TestKey(t *testing.T) {
	h := newHouse(t, nil)
	h.at(noon)
	plain := h.create(ask(world.TourLink))
	keyed := ask(world.TourLink)
	keyed.IdempotencyKey = "0123456789abcdef"
	first := h.create(keyed)
	if first.TripID == plain.TripID {
		t.Error("a key does not make the request distinct")
	}
	h.at(noon.Add(24 * time.Hour))
	if again := h.create(keyed); again.TripID != first.TripID || !again.Repeated {
		t.Errorf("the same key a day later: %+v", again)
	}
	other := keyed
	other.Title = "Other"
	_, err := h.planner.CreateTrip(t.Context(), h.anna, other)
	if !isRefusal(err, "idempotency_conflict") {
		t.Errorf("the key for another request: %v", err)
	}
	ben := h.user("ben@example.org")
	made, err := h.planner.CreateTrip(t.Context(), ben, other)
	if err != nil || made.Repeated {
		t.Errorf("the key of another person: %+v, %v", made, err)
	}
	h.at(noon.Add(24*time.Hour + time.Second))
	if late := h.create(other); late.Repeated {
		t.Errorf("the key after its day: %+v", late)
	}
}

// TestRemovedTripIsNotRepeated: a trip that is gone is never given again.
func TestRemovedTripIsNotRepeated(t *testing.T) {
	h := newHouse(t, nil)
	keyed := ask(world.TourLink)
	keyed.IdempotencyKey = "0123456789abcdef"
	for _, c := range []Creation{ask(world.TourLink), keyed} {
		first := h.create(c)
		h.update(func(tx *store.Tx) error { return tx.DeleteTrip(h.anna.UserID, first.TripID) })
		if again := h.create(c); again.Repeated || again.TripID == first.TripID {
			t.Errorf("again: %+v", again)
		}
	}
}

// TestSameRequestAtTheSameTime: of many equal requests at once one makes a trip.
func TestSameRequestAtTheSameTime(t *testing.T) {
	h := newHouse(t, nil)
	h.at(noon)
	ids := make([]string, 16)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			made, err := h.planner.CreateTrip(t.Context(), h.anna, ask(world.TourLink))
			if err != nil {
				t.Error(err)
			}
			ids[i] = made.TripID
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("trips %s and %s", ids[0], id)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	h := newHouse(t, nil)
	h.at(noon)
	today := trip.DateOf(noon)
	for name, c := range map[string]struct {
		change func(*Creation)
		code   string // of the refusal
		field  string // or the one out of its range
	}{
		"an activity":       {func(c *Creation) { c.SourceURL = "https://www.strava.com/activities/1" }, "unsupported_source", ""},
		"no link":           {func(c *Creation) { c.SourceURL = "" }, "unsupported_source", ""},
		"a start today":     {func(c *Creation) { c.StartDate = today }, "date_in_past", ""},
		"a start long ago":  {func(c *Creation) { c.StartDate = today - 400 }, "date_in_past", ""},
		"an end before":     {func(c *Creation) { c.StartDate, c.EndDate = today+2, today+1 }, "end_before_start", ""},
		"years":             {func(c *Creation) { c.StartDate, c.EndDate = today+2, today+800 }, "", "endDate"},
		"a long title":      {func(c *Creation) { c.Title = strings.Repeat("é", 256) }, "", "title"},
		"a tiny day":        {func(c *Creation) { c.Settings.MaxDayKM = 29 }, "", "maxDistancePerDay"},
		"a day of no hours": {func(c *Creation) { c.Settings.DepartureHour = 24 }, "", "departureHour"},
		"no bed":            {func(c *Creation) { c.Settings.AccommodationTypes = nil }, "", "enabledAccommodationTypes"},
		"no settings":       {func(c *Creation) { c.Settings = trip.Settings{} }, "", "fatigueFactor"},
	} {
		asked := ask(world.TourLink)
		c.change(&asked)
		_, err := h.planner.CreateTrip(t.Context(), h.anna, asked)
		var setting trip.SettingError
		if c.code != "" && !isRefusal(err, c.code) || c.field != "" && (!errors.As(err, &setting) || setting.Field != c.field) {
			t.Errorf("%s: %v", name, err)
		}
	}
	found, err := h.planner.Trips(t.Context(), h.anna, Search{}, 10, 0)
	if err != nil || found.Total != 0 {
		t.Errorf("%d trips, %v", found.Total, err)
	}
}

func isRefusal(err error, code string) bool {
	var r *trip.Refusal
	return errors.As(err, &r) && r.Code == code
}
