package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"biketrip/store/track"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

// childWrite makes a file with a trip, its days and lines, and prints the ids
// of user and trip.
func childWrite(path string) error {
	ctx := context.Background()
	s, err := OpenBeside(ctx, Options{Path: path, Create: true, Now: testClock})
	if err != nil {
		return err
	}
	var u User
	var tr trip.Trip
	err = s.Update(ctx, func(tx *Tx) (err error) {
		if u, err = tx.CreateUser("anna@example.org", "fr"); err != nil {
			return err
		}
		tr = sampleTrip(u.ID)
		return fillTrip(tx, &tr, 0)
	})
	fmt.Println(u.ID)
	fmt.Println(tr.ID)
	return errors.Join(err, s.Close())
}

// TestAnotherProcessReadsTheSame reads what another process has written.
func TestAnotherProcessReadsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	writer := startChild(t, "write", path)
	userID, tripID := writer.line(t), writer.line(t)
	writer.wait(t)
	now := testNow.UTC().Truncate(1e6)
	tr := sampleTrip(userID)
	tr.ID, tr.Version, tr.Generation, tr.CreatedAt, tr.UpdatedAt = tripID, 1, 1, now, now
	stages := sampleStages(0)
	s := openTest(t, path)
	checkTrip(t, s, tr)
	checkStages(t, s, tripID, stages)
	mustView(t, s, func(tx *Tx) error {
		u, err := tx.User(userID)
		whole, err2 := tx.Track(tripID)
		first, err3 := tx.StageTrack(stages[0].ID)
		last, err4 := tx.StageTrack(stages[2].ID)
		if d := cmp.Diff(User{userID, "anna@example.org", "fr", now}, u); d != "" {
			t.Errorf("user (-want +got):\n%s", d)
		}
		want := sampleLine().Rounded()
		if d := cmp.Diff([]track.Line{want, want, want}, []track.Line{whole.Line, first, last}); d != "" {
			t.Errorf("lines (-want +got):\n%s", d)
		}
		return errors.Join(err, err2, err3, err4)
	})
}

// childChurn raises the version of one trip and of all its days together,
// forever. It prints "in N" in the middle of writing version N and "acked N"
// once it is written.
func childChurn(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}
	u, tr, err := churnTrip(ctx, s)
	if err != nil {
		return err
	}
	for {
		err := s.Update(ctx, func(tx *Tx) error {
			if tr, err = tx.Trip(u.ID, tr.ID); err != nil {
				return err
			}
			tr.Version++
			if err := tx.UpdateTrip(&tr); err != nil {
				return err
			}
			fmt.Println("in", tr.Version)
			return labelDays(tx, tr.ID, tr.Version)
		})
		if err != nil {
			return err
		}
		fmt.Println("acked", tr.Version)
	}
}

// churnTrip is the trip that childChurn changes, made where it is missing.
func churnTrip(ctx context.Context, s *Store) (u User, tr trip.Trip, err error) {
	err = s.Update(ctx, func(tx *Tx) error {
		u, err = tx.UserByEmail("anna@example.org")
		if err == nil {
			tr, err = newestTrip(tx, u.ID)
			return err
		}
		if u, err = tx.CreateUser("anna@example.org", "en"); err != nil {
			return err
		}
		tr = sampleTrip(u.ID)
		if err := tx.CreateTrip(&tr); err != nil {
			return err
		}
		return labelDays(tx, tr.ID, 1)
	})
	return u, tr, err
}

// TestKill kills a process again and again while it writes. What it had
// finished is there, what it was at is there whole or not at all.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	version := 1
	for round := range 20 {
		writer := startChild(t, "churn", path)
		acked := version
		for range 1 + round*3 {
			var n int
			line := writer.line(t)
			if _, err := fmt.Sscanf(line, "acked %d", &n); err == nil {
				acked = n
			}
		}
		writer.kill()
		version = checkAfterKill(t, path, acked)
	}
}

// checkAfterKill looks at the file of a process that was killed after it had
// told of version acked, and is the version found.
func checkAfterKill(t *testing.T, path string, acked int) (version int) {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	defer s.Close()
	if err := checkIntegrity(t.Context(), path); err != nil {
		t.Error(err)
	}
	mustView(t, s, func(tx *Tx) error {
		u, err := tx.UserByEmail("anna@example.org")
		if err != nil {
			return err
		}
		tr, err := newestTrip(tx, u.ID)
		if err != nil {
			return err
		}
		version = tr.Version
		return checkLabels(tx, u.ID, tr.ID)
	})
	if version < acked {
		t.Errorf("version %d was written, the file has %d", acked, version)
	}
	return version
}
