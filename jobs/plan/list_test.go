package plan

import (
	"slices"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store/trip"
)

func TestTripsInPages(t *testing.T) {
	h := newHouse(t, nil)
	var made []string
	for _, title := range []string{"a", "b", "c"} {
		c := ask(world.TourLink)
		c.Title = title
		made = append(made, h.create(c).TripID)
	}
	slices.Reverse(made)
	for offset := range 5 {
		found, err := h.planner.Trips(t.Context(), h.anna, Search{}, 2, offset)
		want := made[min(offset, 3):min(offset+2, 3)]
		if got := idsOf(found); err != nil || found.Total != 3 || !slices.Equal(got, want) {
			t.Errorf("after %d: %d in all, %v, want %v; %v", offset, found.Total, got, want, err)
		}
	}
}

func idsOf(f Found) []string {
	ids := []string{}
	for _, r := range f.Trips {
		ids = append(ids, r.Trip.ID)
	}
	return ids
}

// TestSearch: by a part of the title whatever the case, and by dates, of which
// the last is the one that is published.
func TestSearch(t *testing.T) {
	h := newHouse(t, nil)
	july := trip.DateOf(time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC))
	create := func(title string, start trip.Date) string {
		c := ask(world.TourLink)
		c.Title, c.StartDate = title, start
		return h.create(c).TripID
	}
	undated := create("Été sans date", 0)
	summer := create("L'ÉTÉ 100 % à vélo_", july)
	straits := create("Straße K", july+40)
	h.work()
	days := len(h.settled(summer).Stages)
	h.settled(straits)
	end := july + trip.Date(days) - 1
	for name, c := range map[string]struct {
		search Search
		want   []string
	}{
		"all":               {Search{}, []string{straits, summer, undated}},
		"other case":        {Search{Title: "été"}, []string{summer, undated}},
		"upper case":        {Search{Title: "STRA"}, []string{straits}},
		"Kelvin sign":       {Search{Title: "\u212a"}, []string{straits}},
		"not a pattern":     {Search{Title: "%"}, []string{summer}},
		"nor this":          {Search{Title: "_"}, []string{summer}},
		"one of two":        {Search{Title: "été s"}, []string{undated}},
		"from its start":    {Search{From: july}, []string{straits, summer}},
		"from the next day": {Search{From: july + 1}, []string{straits}},
		"until its end":     {Search{Until: end}, []string{summer}},
		"until the day ago": {Search{Until: end - 1}, []string{}},
		"both":              {Search{From: july, Until: july + 100}, []string{straits, summer}},
		"all three":         {Search{Title: "ß", From: july, Until: july + 100}, []string{straits}},
		"the wrong way":     {Search{From: july + 100, Until: july}, []string{}},
	} {
		found, err := h.planner.Trips(t.Context(), h.anna, c.search, 10, 0)
		if got := idsOf(found); err != nil || !slices.Equal(got, c.want) || found.Total != len(c.want) {
			t.Errorf("%s: %v of %d, want %v; %v", name, got, found.Total, c.want, err)
		}
	}
}

func TestStage(t *testing.T) {
	h := newHouse(t, nil)
	id := h.create(ask(world.TourLink)).TripID
	ask := func(actor Actor, tripID, stageID string) (int, error) {
		_, day, err := h.planner.Stage(t.Context(), actor, tripID, stageID)
		return day, err
	}
	if _, err := ask(h.anna, id, "1"); !isRefusal(err, "stage_not_found") {
		t.Errorf("before there are days: %v", err)
	}
	h.work()
	stages := h.settled(id).Stages
	for i, s := range stages {
		if day, err := ask(h.anna, id, s.ID); day != i || err != nil {
			t.Errorf("day %d: %d, %v", i, day, err)
		}
	}
	last := len(stages)
	for sent, named := range map[string]int{
		"2": 2, "day 2": 2, "D02": 2, "2nd": 2, "last": last, stages[1].ID + " (day 2)": 2, stages[2].ID[:35]: 3, stages[0].ID + " ": 1,
		"0": 0, "-1": 0, "1.5": 0, "99": 0, "x": 0, "": 0, "days 1 to 2": 0, stages[0].ID[:8]: 0, "2027-07-02": 0,
	} {
		_, err := ask(h.anna, id, sent)
		meant := ""
		if named > 0 {
			meant = stages[named-1].ID
		}
		if want := trip.ErrStageNotFound(sent, named, meant); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v\nwant %v", sent, err, want)
		}
	}
	thief := Actor{UserID: "01980000-0000-7000-8000-000000000000"}
	if _, err := ask(thief, id, stages[0].ID); !isRefusal(err, "trip_not_found") {
		t.Errorf("another's trip: %v", err)
	}
}
