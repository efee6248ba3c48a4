package store

import (
	"math"
	"slices"
	"strings"
	"testing"

	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

// newTrip is a trip of a user of its own, with days if any are given.
func newTrip(t testing.TB, s *Store, email string, stages ...trip.Stage) trip.Trip {
	t.Helper()
	tr := sampleTrip(newOwner(t, s, email).ID)
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.CreateTrip(&tr); err != nil {
			return err
		}
		return tx.SaveStages(tr.ID, stages)
	})
	return tr
}

func checkStages(t *testing.T, s *Store, tripID string, want []trip.Stage) {
	t.Helper()
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Stages(tripID)
		if d := cmp.Diff(want, got, samePoints); d != "" {
			t.Errorf("days (-want +got):\n%s", d)
		}
		for i, w := range want {
			one, position, err := tx.Stage(tripID, w.ID)
			if err != nil {
				return err
			}
			if d := cmp.Diff(w, one, samePoints); d != "" || position != i {
				t.Errorf("day at %d, got at %d (-want +got):\n%s", i, position, d)
			}
		}
		return err
	})
}

// rows are the numbers of the rows in which days are kept.
func rows(t *testing.T, s *Store) map[string]int {
	t.Helper()
	r, err := s.readers.db.Query("SELECT id, rowid FROM stage")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := map[string]int{}
	for r.Next() {
		var id string
		var row int
		if err := r.Scan(&id, &row); err != nil {
			t.Fatal(err)
		}
		out[id] = row
	}
	return out
}

// TestSaveStages turns lists of days into one another. Days that stay keep
// their row and the line that hangs on it.
func TestSaveStages(t *testing.T) {
	days := append(sampleStages(0), sampleStages(3)...)
	pick := func(indices ...int) (out []trip.Stage) {
		for _, i := range indices {
			out = append(out, days[i])
		}
		return out
	}
	for name, c := range map[string]struct{ from, to []trip.Stage }{
		"the same":         {pick(0, 1, 2), pick(0, 1, 2)},
		"turned round":     {pick(0, 1, 2, 3, 4, 5), pick(5, 4, 3, 2, 1, 0)},
		"first to last":    {pick(0, 1, 2, 3), pick(1, 2, 3, 0)},
		"one before":       {pick(1, 2), pick(0, 1, 2)},
		"one in between":   {pick(0, 2), pick(0, 1, 2)},
		"first gone":       {pick(0, 1, 2), pick(1, 2)},
		"last gone":        {pick(0, 1, 2), pick(0, 1)},
		"gone, new, moved": {pick(0, 1, 2, 3), pick(4, 3, 0, 5)},
		"all new":          {pick(0, 1, 2), pick(3, 4, 5)},
		"none left":        {pick(0, 1, 2), nil},
		"from none":        {nil, pick(2, 0)},
	} {
		s := newStore(t)
		bystander := newTrip(t, s, "bob@example.org", sampleStages(100)...)
		tr := newTrip(t, s, "anna@example.org", c.from...)
		mustUpdate(t, s, func(tx *Tx) error {
			for _, day := range c.from {
				if err := tx.SaveStageTrack(day.ID, sampleLine()); err != nil {
					return err
				}
			}
			return nil
		})
		before := rows(t, s)
		to := slices.Clone(c.to)
		for i := range to {
			to[i].Label = name
		}
		mustUpdate(t, s, func(tx *Tx) error { return tx.SaveStages(tr.ID, to) })
		if len(to) == 0 {
			to = []trip.Stage{}
		}
		checkStages(t, s, tr.ID, to)
		checkStages(t, s, bystander.ID, sampleStages(100))
		after := rows(t, s)
		for _, day := range c.from {
			stays := slices.ContainsFunc(to, func(s trip.Stage) bool { return s.ID == day.ID })
			if stays && before[day.ID] != after[day.ID] {
				t.Errorf("%s: a day that stays has moved to another row", name)
			}
			mustView(t, s, func(tx *Tx) error {
				if _, err := tx.StageTrack(day.ID); (err == nil) != stays {
					t.Errorf("%s: the line of a day, stays=%v: %v", name, stays, err)
				}
				return nil
			})
		}
	}
}

func TestRefusedStages(t *testing.T) {
	s := newStore(t)
	other := newTrip(t, s, "bob@example.org", sampleStages(100)...)
	tr := newTrip(t, s, "anna@example.org", sampleStages(0)...)
	spoilt := func(spoil func(*trip.Stage)) []trip.Stage {
		stages := sampleStages(0)
		spoil(&stages[0])
		return stages
	}
	for text, stages := range map[string][]trip.Stage{
		"not found":    sampleStages(100),
		"twice":        append(sampleStages(0), sampleStages(0)[1]),
		"length(id)":   spoilt(func(s *trip.Stage) { s.ID = "" }),
		"length(label": spoilt(func(s *trip.Stage) { s.Label = strings.Repeat("a", 256) }),
		"distance_m":   spoilt(func(s *trip.Stage) { s.DistanceM = math.NaN() }),
		"ascent_m":     spoilt(func(s *trip.Stage) { s.AscentM = metres(-1) }),
		"start_lat":    spoilt(func(s *trip.Stage) { s.Start.Lat = 90.1 }),
		"end_lon":      spoilt(func(s *trip.Stage) { s.End.Lon = math.Inf(1) }),
		"span_from_m":  spoilt(func(s *trip.Stage) { s.Span = &trip.Span{FromM: 2, ToM: 1} }),
		"rest_day":     spoilt(func(s *trip.Stage) { s.RestDay = true }),
	} {
		err := s.Update(t.Context(), func(tx *Tx) error { return tx.SaveStages(tr.ID, stages) })
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	checkStages(t, s, tr.ID, sampleStages(0))
	checkStages(t, s, other.ID, sampleStages(100))
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.SaveStages(sampleID(1), sampleStages(200)); err != ErrNotFound {
			t.Errorf("days of no trip: %v", err)
		}
		if stages, err := tx.Stages(sampleID(1)); err != nil || len(stages) != 0 {
			t.Errorf("days of no trip: %v %v", stages, err)
		}
		if _, _, err := tx.Stage(tr.ID, sampleID(100)); err != ErrNotFound {
			t.Errorf("a day of another trip: %v", err)
		}
		return nil
	})
}
