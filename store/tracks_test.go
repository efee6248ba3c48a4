package store

import (
	"errors"
	"math"
	"testing"

	"biketrip/store/track"

	"github.com/google/go-cmp/cmp"
)

func TestTracks(t *testing.T) {
	s := newStore(t)
	stages := sampleStages(0)
	tr := newTrip(t, s, "anna@example.org", stages...)
	for _, route := range []Track{
		{Line: sampleLine(), DayEndsM: []float64{1234.5678901234567, 2e6}},
		{Line: track.NewLine(sampleLine().Segments()[1])},
		{},
	} {
		mustUpdate(t, s, func(tx *Tx) error {
			return errors.Join(tx.SaveTrack(tr.ID, route), tx.SaveStageTrack(stages[0].ID, route.Line))
		})
		mustView(t, s, func(tx *Tx) error {
			whole, err := tx.Track(tr.ID)
			day, err2 := tx.StageTrack(stages[0].ID)
			if d := cmp.Diff(Track{route.Line.Rounded(), route.DayEndsM}, whole); d != "" {
				t.Errorf("route (-want +got):\n%s", d)
			}
			if d := cmp.Diff(route.Line.Rounded(), day); d != "" {
				t.Errorf("line of a day (-want +got):\n%s", d)
			}
			return errors.Join(err, err2)
		})
	}
	mustUpdate(t, s, func(tx *Tx) error {
		_, err := tx.Track(sampleID(9))
		_, err2 := tx.StageTrack(stages[1].ID)
		for _, err := range []error{err, err2, tx.SaveTrack(sampleID(9), Track{Line: sampleLine()}), tx.SaveStageTrack(sampleID(9), sampleLine())} {
			if err != ErrNotFound {
				t.Errorf("a line of nothing: %v", err)
			}
		}
		return nil
	})
	if _, err := s.writer.db.Exec("UPDATE track SET line = x'ff00'"); err != nil {
		t.Fatal(err)
	}
	err := s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.Track(tr.ID)
		return err
	})
	if !errors.Is(err, track.ErrBytes) {
		t.Errorf("a damaged line: %v", err)
	}
}

// TestSaveUnreadableTrack: what could not be read again is not kept.
func TestSaveUnreadableTrack(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "a@example.org")
	for _, p := range []track.Point{{Lat: 45, Lon: 5, Ele: 1e300}, {Lat: 99, Lon: 5}, {Lat: math.NaN(), Lon: 5}} {
		err := s.Update(t.Context(), func(tx *Tx) error {
			return tx.SaveTrack(tr.ID, Track{Line: track.NewLine([]track.Point{{Lat: 1, Lon: 1}, p})})
		})
		if !errors.Is(err, track.ErrBytes) {
			t.Errorf("%v: %v", p, err)
		}
	}
}
