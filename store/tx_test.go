package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store/trip"
)

func TestUpdateUndoesAFailure(t *testing.T) {
	s := newStore(t)
	failure := errors.New("changed my mind")
	err := s.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.CreateUser("a@example.org", "en"); err != nil {
			return err
		}
		return failure
	})
	if err != failure {
		t.Errorf("the error is %v", err)
	}
	checkUsers(t, s, 0)
}

func TestUpdateUndoesAPanic(t *testing.T) {
	s := newStore(t)
	func() {
		defer func() {
			if p := recover(); p != "at the worst moment" {
				t.Errorf("recovered %v", p)
			}
		}()
		s.Update(t.Context(), func(tx *Tx) error {
			if _, err := tx.CreateUser("a@example.org", "en"); err != nil {
				return err
			}
			panic("at the worst moment")
		})
	}()
	checkUsers(t, s, 0)
	newOwner(t, s, "b@example.org")
	checkUsers(t, s, 1)
}

func checkUsers(t *testing.T, s *Store, want int) {
	t.Helper()
	mustView(t, s, func(tx *Tx) error {
		users, err := tx.Users()
		if len(users) != want {
			t.Errorf("%d users, want %d", len(users), want)
		}
		return err
	})
}

func TestViewCannotWrite(t *testing.T) {
	s := newStore(t)
	err := s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.CreateUser("a@example.org", "en")
		return err
	})
	if err == nil {
		t.Error("a view has written")
	}
	checkUsers(t, s, 0)
}

func TestNow(t *testing.T) {
	s := newStore(t)
	want := time.Date(2026, 5, 17, 7, 30, 15, 123_000_000, time.UTC)
	for _, run := range []func(context.Context, func(*Tx) error) error{s.Update, s.View} {
		err := run(t.Context(), func(tx *Tx) error {
			if tx.Now != want {
				t.Errorf("now is %v, want %v", tx.Now, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestUpdateLocksAtOnce looks whether another writer is kept out from the
// beginning, not only from the first change on.
func TestUpdateLocksAtOnce(t *testing.T) {
	s := newStore(t)
	other := rawOpen(t, s.Path(), "_txlock=immediate&_busy_timeout=0")
	defer other.Close()
	mustUpdate(t, s, func(*Tx) error {
		tx, err := other.Begin()
		if err == nil {
			tx.Rollback()
			t.Error("two writers at once")
		}
		return nil
	})
}

// TestCancelWhileTheWriterIsBusy ends the wait for a writer of this process.
func TestCancelWhileTheWriterIsBusy(t *testing.T) {
	s := newStore(t)
	inside, release := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- s.Update(context.Background(), func(tx *Tx) error {
			close(inside)
			<-release
			_, err := tx.CreateUser("a@example.org", "en")
			return err
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- s.Update(ctx, neverRuns(t)) }()
	for s.writer.db.Stats().WaitCount == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who waited: %v", err)
	}
	if err := s.Update(ctx, neverRuns(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the one who wrote: %v", err)
	}
	checkUsers(t, s, 1)
	newOwner(t, s, "b@example.org")
}

func neverRuns(t *testing.T) func(*Tx) error {
	return func(*Tx) error {
		t.Error("a cancelled update has run")
		return nil
	}
}

// TestDeadlineWhileAnotherProcessWrites ends the wait for a writer that only
// SQLite knows of.
func TestDeadlineWhileAnotherProcessWrites(t *testing.T) {
	s := newStore(t)
	other := rawOpen(t, s.Path(), "_txlock=immediate")
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := s.Update(ctx, neverRuns(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the one who waited: %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	newOwner(t, s, "a@example.org")
}

// TestCancelAfterTheBeginning finishes a transaction whose caller has gone.
func TestCancelAfterTheBeginning(t *testing.T) {
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Update(ctx, func(tx *Tx) error {
		cancel()
		_, err := tx.CreateUser("a@example.org", "en")
		return err
	})
	if err != nil {
		t.Errorf("the update: %v", err)
	}
	checkUsers(t, s, 1)
}

func TestCancelAView(t *testing.T) {
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.View(ctx, func(tx *Tx) error {
		cancel()
		_, err := tx.Users()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the view: %v", err)
	}
	if err := s.View(ctx, neverRuns(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
	checkUsers(t, s, 0)
}

// TestCancelWhileTheReadersAreBusy ends the wait for a reader.
func TestCancelWhileTheReadersAreBusy(t *testing.T) {
	s := newStore(t)
	var inside, over sync.WaitGroup
	release := make(chan struct{})
	inside.Add(readers)
	for range readers {
		over.Go(func() {
			mustRun(t, s.View, func(tx *Tx) error {
				inside.Done()
				<-release
				_, err := tx.Users()
				return err
			})
		})
	}
	inside.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	last := make(chan error)
	go func() { last <- s.View(ctx, neverRuns(t)) }()
	for s.readers.db.Stats().WaitCount == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-last; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who waited: %v", err)
	}
	close(release)
	over.Wait()
}

// TestStatementsArePreparedOnce looks at what a handle keeps.
func TestStatementsArePreparedOnce(t *testing.T) {
	s := newStore(t)
	for range 3 {
		checkUsers(t, s, 0)
	}
	kept := s.readers.prepared[selectUsers]
	if kept == nil || len(s.readers.prepared) != 1 || len(s.readers.wanted) != 0 {
		t.Fatalf("prepared %v, wanted %v", s.readers.prepared, s.readers.wanted)
	}
	checkUsers(t, s, 0)
	if s.readers.prepared[selectUsers] != kept {
		t.Error("it was prepared again")
	}
}

// TestConcurrentUse lets many write and read the same trip: no change is lost,
// and what is read belongs together.
func TestConcurrentUse(t *testing.T) {
	s := newStore(t)
	u := newOwner(t, s, "a@example.org")
	tr := sampleTrip(u.ID)
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.CreateTrip(&tr); err != nil {
			return err
		}
		return labelDays(tx, tr.ID, tr.Version)
	})
	const writers, viewers, rounds = 4, 12, 20
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				mustRun(t, s.Update, func(tx *Tx) error { return nextVersion(tx, u.ID, tr.ID) })
			}
		})
	}
	for range viewers {
		wg.Go(func() {
			for range rounds {
				mustRun(t, s.View, func(tx *Tx) error { return checkLabels(tx, u.ID, tr.ID) })
			}
		})
	}
	wg.Wait()
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Trip(u.ID, tr.ID)
		if want := 1 + writers*rounds; got.Version != want {
			t.Errorf("version %d, want %d", got.Version, want)
		}
		return err
	})
}

func mustRun(t *testing.T, run func(context.Context, func(*Tx) error) error, fn func(*Tx) error) {
	if err := run(context.Background(), fn); err != nil {
		t.Error(err)
	}
}

// nextVersion raises the version of a trip and writes it on each of its days.
func nextVersion(tx *Tx, ownerID, id string) error {
	tr, err := tx.Trip(ownerID, id)
	if err != nil {
		return err
	}
	tr.Version++
	if err := tx.UpdateTrip(&tr); err != nil {
		return err
	}
	return labelDays(tx, id, tr.Version)
}

func labelDays(tx *Tx, tripID string, version int) error {
	stages := append(sampleStages(0), sampleStages(10)...)
	if version%2 == 0 {
		stages = append(sampleStages(10), sampleStages(0)...)
	}
	for i := range stages {
		stages[i].Label = fmt.Sprint(version)
	}
	return tx.SaveStages(tripID, stages)
}

// checkLabels fails where a day does not bear the version of its trip.
func checkLabels(tx *Tx, ownerID, id string) error {
	tr, err := tx.Trip(ownerID, id)
	if err != nil {
		return err
	}
	stages, err := tx.Stages(id)
	if err != nil {
		return err
	}
	if len(stages) != 6 {
		return fmt.Errorf("%d days", len(stages))
	}
	return labelled(tr, stages)
}

func labelled(tr trip.Trip, stages []trip.Stage) error {
	for _, s := range stages {
		if s.Label != fmt.Sprint(tr.Version) {
			return fmt.Errorf("a day of version %s in a trip of version %d", s.Label, tr.Version)
		}
	}
	return nil
}

// TestNewID: an id tells when it was made, and its randomness comes from where
// the caller says.
func TestNewID(t *testing.T) {
	ids := func() (out []string) {
		s, err := Open(t.Context(), Options{
			Path:   filepath.Join(t.TempDir(), "trips.db"),
			Now:    func() time.Time { return time.UnixMilli(0x0123456789ab) },
			Random: bytes.NewReader(bytes.Repeat([]byte{0xff}, 16)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		mustUpdate(t, s, func(tx *Tx) error {
			out = append(out, tx.NewID(), tx.NewID())
			return nil
		})
		return out
	}
	want := []string{"01234567-89ab-7001-bfff-ffffffffffff", "01234567-89ab-7002-bfff-ffffffffffff"}
	if d := cmp.Diff(want, ids()); d != "" {
		t.Error(d)
	}
}

// TestCreateBesideAtOnce: of processes that make the file at the same time each
// gets it, the server among them.
func TestCreateBesideAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	failures := make(chan error)
	go func() {
		s, err := Open(context.Background(), Options{Path: path})
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		failures <- err
	}()
	for range 8 {
		go func() {
			s, err := OpenBeside(context.Background(), Options{Path: path, Create: true})
			if err == nil {
				err = s.Close()
			}
			failures <- err
		}()
	}
	for range 9 {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}
