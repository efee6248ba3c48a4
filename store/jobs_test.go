package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newJob makes a job with a message of that id.
func newJob(t *testing.T, s *Store, tripID, kind, messageID string) Job {
	t.Helper()
	var j Job
	mustUpdate(t, s, func(tx *Tx) (err error) {
		if j, err = tx.CreateJob(tripID, kind, 1); err != nil {
			return err
		}
		j.MessageID = messageID
		return tx.UpdateJob(j)
	})
	return j
}

// finish ends a job.
func finish(t *testing.T, s *Store, j *Job, state JobState) {
	t.Helper()
	mustUpdate(t, s, func(tx *Tx) error {
		j.State, j.MessageID, j.FinishedAt = state, "", tx.Now
		return tx.UpdateJob(*j)
	})
}

func TestJobs(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "anna@example.org")
	other := newTrip(t, s, "bob@example.org")
	now := testNow.UTC().Truncate(time.Millisecond)
	a := newJob(t, s, tr.ID, "a", "m1")
	if d := cmp.Diff(Job{ID: 1, TripID: tr.ID, Kind: "a", Generation: 1, State: JobQueued, MessageID: "m1", DueAt: now, EnqueuedAt: now}, a); d != "" {
		t.Errorf("created (-want +got):\n%s", d)
	}
	b := newJob(t, s, tr.ID, "b", "m2")
	elsewhere := newJob(t, s, other.ID, "a", "m3")

	a.State, a.Attempts, a.Crashes, a.Reason, a.LastError, a.MessageID = JobRunning, 3, 2, "r", "e", "m9"
	a.DueAt, a.StartedAt = now.Add(time.Hour), now.Add(time.Minute)
	mustUpdate(t, s, func(tx *Tx) error { return tx.UpdateJob(a) })
	finish(t, s, &b, JobDone)
	mustView(t, s, func(tx *Tx) error {
		byID, err := tx.Job(a.ID)
		of, err2 := tx.Jobs(tr.ID)
		active, err3 := tx.ActiveJobs()
		if d := cmp.Diff([]Job{a, a, b, a, elsewhere}, append(append([]Job{byID}, of...), active...)); d != "" {
			t.Errorf("read (-want +got):\n%s", d)
		}
		return errors.Join(err, err2, err3)
	})

	// A new one takes the place of the one of its kind, and has an id of its own.
	replaced := newJob(t, s, tr.ID, "a", "m4")
	if replaced.ID != 4 {
		t.Errorf("id %d", replaced.ID)
	}
	err := s.Update(t.Context(), func(tx *Tx) error { return tx.UpdateJob(a) })
	if err != ErrNotFound {
		t.Errorf("update of a job that was replaced: %v", err)
	}
	mustView(t, s, func(tx *Tx) error {
		if _, err := tx.Job(a.ID); err != ErrNotFound {
			t.Errorf("the job that was replaced: %v", err)
		}
		of, err := tx.Jobs(tr.ID)
		if d := cmp.Diff([]Job{b, replaced}, of); d != "" {
			t.Errorf("of the trip (-want +got):\n%s", d)
		}
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteTrip(tr.OwnerID, tr.ID) })
	mustView(t, s, func(tx *Tx) error {
		active, err := tx.ActiveJobs()
		if d := cmp.Diff([]Job{elsewhere}, active); d != "" {
			t.Errorf("after the trip is gone (-want +got):\n%s", d)
		}
		return err
	})
}

func TestJobOfNoTrip(t *testing.T) {
	s := newStore(t)
	err := s.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.Generation(sampleID(1)); err != ErrNotFound {
			t.Errorf("generation: %v", err)
		}
		_, err := tx.CreateJob(sampleID(1), "a", 1)
		return err
	})
	if err != ErrNotFound {
		t.Errorf("create: %v", err)
	}
}

func TestGeneration(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "anna@example.org")
	tr.Generation = 7
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.UpdateTrip(&tr); err != nil {
			return err
		}
		n, err := tx.Generation(tr.ID)
		if n != 7 {
			t.Errorf("generation %d", n)
		}
		return err
	})
}

func TestActiveJobs(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "anna@example.org")
	var want []Job
	for _, state := range []JobState{JobQueued, JobFailed, JobRunning, JobDone, JobQueued, JobSuperseded} {
		j := newJob(t, s, tr.ID, fmt.Sprint("kind", len(want), state), fmt.Sprint("m", len(want)))
		if j.State = state; j.Active() {
			mustUpdate(t, s, func(tx *Tx) error { return tx.UpdateJob(j) })
			want = append(want, j)
		} else {
			finish(t, s, &j, state)
		}
	}
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.ActiveJobs()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("active (-want +got):\n%s", d)
		}
		return err
	})
}

// TestMessages compares the messages of a queue with the jobs.
func TestMessages(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "anna@example.org")
	lost := newJob(t, s, tr.ID, "a", "lost")
	fine := newJob(t, s, tr.ID, "b", "fine")
	done := newJob(t, s, tr.ID, "c", "done")
	finish(t, s, &done, JobDone)
	mustUpdate(t, s, func(tx *Tx) error {
		ctx, sqlTx := tx.SQL()
		_, err := sqlTx.ExecContext(ctx, `INSERT INTO goqite (id, queue, body) VALUES
			('fine', 'job', CAST(?1 AS BLOB)), ('another', 'job', CAST(?1 AS BLOB)), ('done', 'job', CAST(?2 AS BLOB)),
			('nonsense', 'job', x'ff'), ('elsewhere', 'mail', x'39')`, fine.ID, done.ID)
		return err
	})
	mustView(t, s, func(tx *Tx) error {
		jobs, err := tx.JobsWithoutMessage()
		messages, err2 := tx.MessagesWithoutJob("job")
		if d := cmp.Diff([]Job{lost}, jobs); d != "" {
			t.Errorf("jobs without a message (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"another", "done", "nonsense"}, messages); d != "" {
			t.Errorf("messages without a job (-want +got):\n%s", d)
		}
		return errors.Join(err, err2)
	})
}
