package jobs

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"biketrip/store"
)

// TestSweep mends a queue and a table that do not fit together, at the start and
// every hour.
func TestSweep(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		damage := func() (id, waiting string) {
			// Nobody is woken before the damage is done.
			aside := &yard{t: t, s: y.s, q: NewQueue()}
			id, waiting = y.trip(), y.trip()
			gone := y.trip()
			aside.enqueue(id, "a")
			aside.enqueue(waiting, "a")
			aside.enqueue(gone, "a")
			y.sql(`DELETE FROM goqite WHERE CAST(body AS INTEGER) IN (?, ?)`, y.job(id, "a").ID, y.job(waiting, "a").ID)
			y.sql(`UPDATE job SET due_at = ? WHERE id = ?`, time.Now().Add(90*time.Minute).UnixMilli(), y.job(waiting, "a").ID)
			y.sql(`UPDATE goqite SET timeout = '2999-01-01T00:00:00.000Z' WHERE CAST(body AS INTEGER) = ?`, y.job(gone, "a").ID)
			y.sql(`INSERT INTO goqite (queue, body, timeout) VALUES ('job', x'78', '2999-01-01T00:00:00.000Z')`)
			y.update(func(tx *store.Tx) error { return tx.DeleteTrip(y.owner, gone) })
			return id, waiting
		}
		y.sql(`INSERT INTO goqite (queue, body, timeout) VALUES ('other', x'78', '2000-01-01T00:00:00.000Z')`)
		check := func(id, waiting string) {
			t.Helper()
			y.settled()
			y.check(id, "a", store.JobDone, 1, "", "")
			y.check(waiting, "a", store.JobQueued, 0, "", "")
			if n := y.number(`SELECT count(*) FROM goqite WHERE queue = 'job' AND timeout > '2900'`); n != 0 {
				t.Errorf("%d messages without a job", n)
			}
		}
		id, waiting := damage()
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil)}})
		check(id, waiting)
		y.checkLog("is sent again", 2)
		id2, waiting2 := damage()
		time.Sleep(sweepEvery - time.Minute)
		y.check(waiting, "a", store.JobQueued, 0, "", "")
		time.Sleep(2 * time.Minute)
		check(id2, waiting2)
		y.checkLog("is sent again", 4)
		time.Sleep(30 * time.Minute)
		y.check(waiting, "a", store.JobDone, 1, "", "")
		y.check(waiting2, "a", store.JobDone, 1, "", "")
		if n := y.number(`SELECT count(*) FROM goqite WHERE queue = 'other'`); n != 1 {
			t.Error("a message of another queue was removed")
		}
	})
}

// TestOrphan drops a message without a job when it is received.
func TestOrphan(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil)}})
		y.settled()
		y.sql(`INSERT INTO goqite (queue, body) VALUES ('job', x'78'), ('job', x'3939'), ('job', x'ff')`)
		y.sql(`UPDATE goqite SET timeout = '1999-01-01T00:00:00.000Z'`)
		y.enqueue(id, "a")
		y.settled()
		y.check(id, "a", store.JobDone, 1, "", "")
		y.checkNoMessages()
	})
}

// ran makes the job of a trip look as if its process had ended while it ran,
// after so many attempts.
func (y *yard) ran(tripID, kind string, attempts int) {
	y.t.Helper()
	y.sql(`UPDATE job SET state = 'running', attempts = ? WHERE trip_id = ? AND kind = ?`, attempts, tripID, kind)
	y.sql(`UPDATE goqite SET timeout = '2999-01-01T00:00:00.000Z'`)
}

// TestTakeOver begins what another process has left: at once, and alone what ran
// when it ended.
func TestTakeOver(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		spent, first, second, fresh := y.trip(), y.trip(), y.trip(), y.trip()
		for _, id := range []string{spent, first, second, fresh} {
			y.enqueue(id, "a")
		}
		y.enqueue(first, "b")
		y.ran(spent, "a", 5)
		y.ran(first, "a", 1)
		y.ran(second, "a", 4)
		begin := time.Now()
		g := newGate()
		y.start(Options{Handlers: map[string]Handler{"a": g.handle, "b": g.handle}})
		for _, want := range []string{first, second} {
			if job := <-g.began; job.TripID != want || job.Attempt != y.job(want, "a").Attempts {
				t.Errorf("begun: %+v", job)
			}
			y.q.Wake()
			y.settled()
			if n := y.number(`SELECT count(*) FROM job WHERE state = 'running'`); n != 1 {
				t.Errorf("%d jobs run beside one that may end the process", n)
			}
			g.pass <- outcome{}
		}
		rest := []string{(<-g.began).TripID, (<-g.began).TripID}
		slices.Sort(rest)
		if want := []string{first, fresh}; !slices.Equal(rest, want) || time.Since(begin) > 0 {
			t.Errorf("begun after %v: %v, want %v", time.Since(begin), rest, want)
		}
		g.pass <- outcome{}
		g.pass <- outcome{}
		y.settled()
		y.check(spent, "a", store.JobFailed, 5, ReasonGaveUp, crashed)
		y.check(first, "a", store.JobDone, 2, "", crashed)
		y.check(second, "a", store.JobDone, 5, "", crashed)
		y.check(first, "b", store.JobDone, 1, "", "")
		y.check(fresh, "a", store.JobDone, 1, "", "")
		y.checkNoMessages()
	})
}

// TestAloneInTurn lets others run while a job that is to run alone waits for its
// next attempt, and lets it have that although others keep coming.
func TestAloneInTurn(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		suspect := y.trip()
		y.enqueue(suspect, "a")
		y.ran(suspect, "a", 1)
		var running, done atomic.Int64
		y.start(Options{Handlers: map[string]Handler{
			"a": func(_ context.Context, job Job) (Result, error) {
				if n := running.Load(); n > 0 {
					t.Errorf("%d jobs run beside one that is to run alone", n)
				}
				time.Sleep(10 * time.Second)
				if job.Attempt == 2 {
					return Result{}, fmt.Errorf("not yet")
				}
				return Result{}, nil
			},
			"b": func(_ context.Context, job Job) (Result, error) {
				running.Add(1)
				// They do not end at the same time.
				time.Sleep(time.Second + time.Duration(job.ID%7)*100*time.Millisecond)
				running.Add(-1)
				done.Add(1)
				return Result{}, nil
			},
		}})
		begin := time.Now()
		for y.job(suspect, "a").Active() {
			y.enqueue(y.trip(), "b")
			time.Sleep(250 * time.Millisecond)
		}
		// 10 s, 4 s back-off, at most 2 s for those that run, 10 s, and a look.
		if took := time.Since(begin); took > 27*time.Second {
			t.Errorf("it took %v", took)
		}
		if done.Load() == 0 {
			t.Error("nobody ran while it waited")
		}
		time.Sleep(time.Minute)
		if n := y.number(`SELECT count(*) FROM job WHERE state <> 'done'`); n != 0 {
			t.Errorf("%d jobs are not done", n)
		}
	})
}

// TestLostClaim begins a job anew that was begun in a commit which seemed to
// fail: nobody works on it.
func TestLostClaim(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil), "b": reply(Result{}, nil)}})
		y.settled()
		y.update(func(tx *store.Tx) error {
			if err := y.q.Enqueue(tx, id, "a", 1); err != nil {
				return err
			}
			jobs, err := tx.Jobs(id)
			if err != nil {
				return err
			}
			jobs[0].State, jobs[0].Attempts = store.JobRunning, 1
			if err := tx.UpdateJob(jobs[0]); err != nil {
				return err
			}
			return y.q.hide(tx, jobs[0].MessageID, hidden)
		})
		y.enqueue(id, "b")
		time.Sleep(2 * hidden)
		y.settled()
		y.check(id, "a", store.JobDone, 2, "", "")
		y.check(id, "b", store.JobDone, 1, "", "")
		y.checkNoMessages()
	})
}

// TestDueInAnotherAge: a clock that went wrong lets no job wait for ever.
func TestDueInAnotherAge(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		strand := func() string {
			id := y.trip()
			(&yard{t: t, s: y.s, q: NewQueue()}).enqueue(id, "a")
			y.sql(`UPDATE job SET due_at = ? WHERE trip_id = ?`, time.Now().AddDate(80, 0, 0).UnixMilli(), id)
			y.sql(`UPDATE goqite SET timeout = '2099-01-01T00:00:00.000Z' WHERE CAST(body AS INTEGER) = ?`, y.job(id, "a").ID)
			return id
		}
		before := strand()
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil)}})
		y.settled()
		y.check(before, "a", store.JobDone, 1, "", "")
		meanwhile := strand()
		time.Sleep(sweepEvery + time.Minute)
		y.check(meanwhile, "a", store.JobDone, 1, "", "")
	})
}
