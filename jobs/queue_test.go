package jobs

import (
	"context"
	"errors"
	"slices"
	"testing"

	"biketrip/store"
)

func TestEnqueue(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.enqueue(id, "a")
		first := y.job(id, "a")
		if first.State != store.JobQueued || first.Generation != 1 || !first.DueAt.Equal(first.EnqueuedAt) {
			t.Errorf("enqueued: %+v", first)
		}
		y.enqueue(id, "a")
		if again := y.job(id, "a"); again != first {
			t.Errorf("asked for twice: %+v, was %+v", again, first)
		}
		y.enqueue(id, "b")
		y.move(id)
		y.enqueue(id, "a")
		second := y.job(id, "a")
		if second.ID <= first.ID || second.Generation != 2 || second.MessageID == first.MessageID {
			t.Errorf("of a newer generation: %+v, was %+v", second, first)
		}
		y.check(id, "a", store.JobQueued, 0, "", "")
		y.check(id, "b", store.JobSuperseded, 0, "", "")
		if n := y.number(`SELECT count(*) FROM goqite`); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

// TestEnqueueAgain asks for what is over: that is new work.
func TestEnqueueAgain(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		done := func(*store.Tx) error { return nil }
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{Save: done, Reason: "one of two"}, nil)}})
		y.enqueue(id, "a")
		y.settled()
		first := y.job(id, "a")
		y.check(id, "a", store.JobDone, 1, "one of two", "")
		y.enqueue(id, "a")
		if again := y.job(id, "a"); again.ID <= first.ID {
			t.Errorf("the same job: %+v", again)
		}
		y.settled()
		y.check(id, "a", store.JobDone, 1, "one of two", "")
		y.checkNoMessages()
	})
}

func TestEnqueueForNoTrip(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		err := y.s.Update(t.Context(), func(tx *store.Tx) error {
			return y.q.Enqueue(tx, "01980000-0000-7000-8000-000000000009", "a", 1)
		})
		if err != store.ErrNotFound {
			t.Errorf("no trip: %v", err)
		}
		y.checkNoMessages()
	})
}

// TestEnqueueUndone asks for work in a transaction that comes to nothing.
func TestEnqueueUndone(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		undone := errors.New("undone")
		err := y.s.Update(t.Context(), func(tx *store.Tx) error {
			return errors.Join(y.q.Enqueue(tx, id, "a", 1), undone)
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if j := y.job(id, "a"); j.ID != 0 {
			t.Errorf("left: %+v", j)
		}
		y.checkNoMessages()
		if len(y.q.woken) != 0 {
			t.Error("the runner was woken")
		}
		y.enqueue(id, "a")
		if len(y.q.woken) != 1 {
			t.Error("the runner was not woken")
		}
	})
}

// TestSaveAsks lets a result ask for its own kind again, and for more.
func TestSaveAsks(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		var ran []string
		more := func(tx *store.Tx) error {
			return errors.Join(y.q.Enqueue(tx, id, "a", 1), y.q.Enqueue(tx, id, "b", 1))
		}
		record := func(job Job, save func(*store.Tx) error) (Result, error) {
			ran = append(ran, job.Kind)
			return Result{Save: save}, nil
		}
		y.start(Options{Handlers: map[string]Handler{
			"a": func(_ context.Context, job Job) (Result, error) {
				if len(ran) > 0 {
					return record(job, nil)
				}
				return record(job, more)
			},
			"b": func(_ context.Context, job Job) (Result, error) { return record(job, nil) },
		}})
		y.enqueue(id, "a")
		y.settled()
		if want := []string{"a", "a", "b"}; !slices.Equal(ran, want) {
			t.Errorf("ran %v, want %v", ran, want)
		}
		y.checkNoMessages()
	})
}
