package store

import (
	"context"
	"testing"

	"biketrip/store/trip"
)

func BenchmarkOpenExisting(b *testing.B) {
	path, _ := fileWithUser(b)
	for b.Loop() {
		s, err := Open(context.Background(), Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// month is a trip of thirty days.
func month(b *testing.B, s *Store) trip.Trip {
	var stages []trip.Stage
	for i := range 10 {
		stages = append(stages, sampleStages(3*i)...)
	}
	return newTrip(b, s, "anna@example.org", stages...)
}

func BenchmarkReadTripAndStages(b *testing.B) {
	s := newStore(b)
	tr := month(b, s)
	b.ReportAllocs()
	for b.Loop() {
		mustView(b, s, func(tx *Tx) error {
			if _, err := tx.Trip(tr.OwnerID, tr.ID); err != nil {
				return err
			}
			stages, err := tx.Stages(tr.ID)
			if len(stages) != 30 {
				b.Fatalf("%d days", len(stages))
			}
			return err
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := newStore(b)
	tr := month(b, s)
	b.ReportAllocs()
	for b.Loop() {
		mustUpdate(b, s, func(tx *Tx) error {
			tr.Version++
			return tx.UpdateTrip(&tr)
		})
	}
}

// BenchmarkSaveStages is the largest change an edit makes: every day anew.
func BenchmarkSaveStages(b *testing.B) {
	s := newStore(b)
	tr := month(b, s)
	var stages []trip.Stage
	mustView(b, s, func(tx *Tx) (err error) {
		stages, err = tx.Stages(tr.ID)
		return err
	})
	for b.Loop() {
		mustUpdate(b, s, func(tx *Tx) error { return tx.SaveStages(tr.ID, stages) })
	}
}
