package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"biketrip/store"

	"github.com/google/go-cmp/cmp"
)

func TestDone(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.move(id)
		var given Job
		r, _ := y.start(Options{Handlers: map[string]Handler{"a": func(_ context.Context, job Job) (Result, error) {
			given = job
			time.Sleep(3 * time.Second)
			return Result{Save: bump(y.owner, id)}, nil
		}}})
		y.enqueue(id, "a")
		time.Sleep(time.Minute)
		y.settled()
		if d := cmp.Diff(Job{y.job(id, "a").ID, id, "a", 2, 1}, given); d != "" {
			t.Errorf("given (-want +got):\n%s", d)
		}
		y.check(id, "a", store.JobDone, 1, "", "")
		j := y.job(id, "a")
		if took := j.FinishedAt.Sub(j.StartedAt); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if n := y.saves(id); n != 1 {
			t.Errorf("saved %d times", n)
		}
		y.checkLog(fmt.Sprintf(`level=INFO msg="job done" job=%d trip=%s kind=a attempt=1 duration=3s`, j.ID, id), 1)
		if now := time.Now(); now.Sub(r.Beat()) > time.Second {
			t.Errorf("beat at %v, it is %v", r.Beat(), now)
		}
		y.checkNoMessages()
	})
}

// TestOrder begins the jobs of a trip in the order in which they were asked
// for, one at a time.
func TestOrder(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		kinds := []string{"e", "b", "d", "a", "c"}
		running, ran := 0, []string{}
		handlers := map[string]Handler{}
		for _, kind := range kinds {
			handlers[kind] = func(context.Context, Job) (Result, error) {
				ran = append(ran, kind)
				if running++; running > 1 {
					t.Errorf("%d jobs of a trip at the same time", running)
				}
				time.Sleep(time.Second)
				running--
				return Result{}, nil
			}
		}
		y.enqueue(id, kinds...)
		// The order is that of the jobs, whatever the messages say.
		y.sql(`UPDATE goqite SET created = strftime('%Y-%m-%dT%H:%M:%fZ', 86400 * CAST(-CAST(body AS INTEGER) AS INTEGER), 'unixepoch')`)
		begin := time.Now()
		y.start(Options{Handlers: handlers})
		for y.job(id, "c").Active() {
			time.Sleep(100 * time.Millisecond)
		}
		if !slices.Equal(ran, kinds) {
			t.Errorf("ran %v, asked for %v", ran, kinds)
		}
		// None waits for a message to come out of hiding.
		if took := time.Since(begin); took > 5100*time.Millisecond {
			t.Errorf("five jobs of a second took %v", took)
		}
	})
}

// TestOtherTrips lets a trip with many jobs come first, and lets the others
// begin at once all the same, up to the number of workers.
func TestOtherTrips(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		busy, others := y.trip(), y.trips(4)
		g := newGate()
		handlers := map[string]Handler{}
		for n := range 100 {
			kind := fmt.Sprint("kind", n)
			handlers[kind] = g.handle
			y.enqueue(busy, kind)
		}
		for _, id := range others {
			y.enqueue(id, "kind0")
		}
		_, stop := y.start(Options{Handlers: handlers})
		begin := time.Now()
		got := []string{(<-g.began).TripID, (<-g.began).TripID, (<-g.began).TripID, (<-g.began).TripID}
		want := append([]string{busy}, others[:3]...)
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" || time.Since(begin) > 0 {
			t.Errorf("begun after %v (-want +got):\n%s", time.Since(begin), d)
		}
		y.settled()
		// No worker is free, so nothing more is received.
		if n := y.number(`SELECT received FROM goqite WHERE CAST(body AS INTEGER) = ?`, y.job(others[3], "kind0").ID); n != 0 {
			t.Errorf("received %d times while nobody was free", n)
		}
		g.pass <- outcome{}
		<-g.began
		stop()
	})
}

// TestMovedBefore moves the trip on before its job begins.
func TestMovedBefore(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.enqueue(id, "a")
		y.move(id)
		y.start(Options{Handlers: map[string]Handler{"a": func(context.Context, Job) (Result, error) {
			t.Error("begun")
			return Result{}, nil
		}}})
		y.settled()
		y.check(id, "a", store.JobSuperseded, 0, "", "")
		y.checkNoMessages()
	})
}

// TestMovedMeanwhile moves the trip on, replaces or removes what runs, and looks
// for what comes of the result.
func TestMovedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(y *yard, id string)
		err    error
		state  store.JobState // of the first job
		log    string
	}{
		"moved":                     {func(y *yard, id string) { y.move(id) }, nil, store.JobSuperseded, "job superseded"},
		"moved, and failed":         {func(y *yard, id string) { y.move(id) }, errors.New("x"), store.JobSuperseded, "job superseded"},
		"moved, another asked for":  {func(y *yard, id string) { y.move(id); y.enqueue(id, "b") }, nil, store.JobSuperseded, "job no longer wanted"},
		"replaced":                  {func(y *yard, id string) { y.move(id); y.enqueue(id, "a") }, nil, store.JobDone, "job no longer wanted"},
		"replaced, and failed":      {func(y *yard, id string) { y.move(id); y.enqueue(id, "a") }, errors.New("x"), store.JobDone, "job no longer wanted"},
		"asked for again, as it is": {func(y *yard, id string) { y.enqueue(id, "a") }, nil, store.JobDone, "job done"},
	} {
		t.Run(name, func(t *testing.T) {
			inYard(t, func(t *testing.T, y *yard) {
				id := y.trip()
				g := newGate()
				y.start(Options{Handlers: map[string]Handler{"a": g.handle, "b": reply(Result{}, nil)}})
				y.enqueue(id, "a")
				first := <-g.began
				c.change(y, id)
				y.settled()
				if j := y.job(id, "b"); j.ID != 0 && j.State != store.JobQueued {
					t.Errorf("b is %s while a still runs", j.State)
				}
				begin := time.Now()
				g.pass <- outcome{Result{Save: bump(y.owner, id)}, c.err}
				y.settled()
				saves := 0
				if y.job(id, "a").ID == first.ID && c.state == store.JobDone {
					saves = 1
				}
				if n := y.saves(id); n != saves {
					t.Errorf("saved %d times, want %d", n, saves)
				}
				y.checkLog(c.log, 1)
				if second := y.job(id, "a"); second.ID != first.ID {
					if job := <-g.began; job.ID != second.ID || job.Attempt != 1 || time.Since(begin) > 0 {
						t.Errorf("begun after %v: %+v", time.Since(begin), job)
					}
					g.pass <- outcome{}
					y.settled()
				}
				y.check(id, "a", c.state, 1, "", "")
				if j := y.job(id, "b"); j.ID != 0 && j.State != store.JobDone {
					t.Errorf("b is %s", j.State)
				}
				y.checkNoMessages()
			})
		})
	}
}

func TestTripDeletedMeanwhile(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id, other := y.trip(), y.trip()
		g := newGate()
		y.start(Options{Handlers: map[string]Handler{"a": g.handle, "b": g.handle}})
		y.enqueue(id, "a", "b")
		<-g.began
		y.update(func(tx *store.Tx) error { return tx.DeleteTrip(y.owner, id) })
		g.pass <- outcome{Result{Save: bump(y.owner, other)}, nil}
		y.settled()
		if n := y.saves(other); n != 0 {
			t.Errorf("saved %d times", n)
		}
		time.Sleep(time.Minute) // what was put aside is received again
		y.checkNoMessages()
		y.checkLog("job no longer wanted", 1)
	})
}

// TestUnwanted ends the work of a handler whose job was replaced.
func TestUnwanted(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		g := newGate()
		y.start(Options{Handlers: map[string]Handler{"a": g.handle}})
		y.enqueue(id, "a")
		first := <-g.began
		y.move(id)
		y.enqueue(id, "a")
		begin := time.Now()
		second := <-g.began // only after the first has returned
		if second.ID == first.ID || time.Since(begin) > hideEvery+lookEvery {
			t.Errorf("after %v: %+v", time.Since(begin), second)
		}
		g.pass <- outcome{}
		y.settled()
		y.check(id, "a", store.JobDone, 1, "", "")
	})
}

// TestLong runs a job for longer than a message is hidden.
func TestLong(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.start(Options{Handlers: map[string]Handler{"a": func(context.Context, Job) (Result, error) {
			time.Sleep(4 * time.Minute)
			return Result{Save: bump(y.owner, id)}, nil
		}}})
		y.enqueue(id, "a")
		time.Sleep(3*time.Minute + 59*time.Second)
		if n := y.number(`SELECT received FROM goqite`); n != 1 {
			t.Errorf("received %d times", n)
		}
		time.Sleep(time.Minute)
		y.check(id, "a", store.JobDone, 1, "", "")
	})
}

// TestClockJump shows the message of a running job, as a clock that jumps ahead
// does.
func TestClockJump(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		runs := 0
		y.start(Options{Handlers: map[string]Handler{"a": func(context.Context, Job) (Result, error) {
			runs++
			time.Sleep(5 * time.Second)
			return Result{Save: bump(y.owner, id)}, nil
		}}})
		y.enqueue(id, "a")
		y.settled()
		y.sql(`UPDATE goqite SET timeout = '1999-01-01T00:00:00.000Z'`)
		time.Sleep(2 * time.Second)
		if n := y.number(`SELECT received FROM goqite`); n != 2 {
			t.Errorf("received %d times", n)
		}
		time.Sleep(time.Minute)
		if n := y.saves(id); runs != 1 || n != 1 {
			t.Errorf("ran %d times, saved %d times", runs, n)
		}
		y.check(id, "a", store.JobDone, 1, "", "")
	})
}

func TestTimeout(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.start(Options{MaxAttempts: 1, Handlers: map[string]Handler{"a": newGate().handle}})
		y.enqueue(id, "a")
		time.Sleep(5 * time.Minute)
		y.settled()
		y.check(id, "a", store.JobFailed, 1, ReasonGaveUp, context.DeadlineExceeded.Error())
	})
}

// TestIdle writes nothing while there is nothing to do.
func TestIdle(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		r, _ := y.start(Options{})
		id := y.trip()
		y.settled()
		log := y.s.Path() + "-wal"
		before, err := os.ReadFile(log)
		if err != nil || len(before) == 0 {
			t.Fatalf("%d bytes: %v", len(before), err)
		}
		time.Sleep(sweepEvery + time.Minute)
		after, err := os.ReadFile(log)
		if string(before) != string(after) || err != nil {
			t.Errorf("the log had %d bytes and has %d: %v", len(before), len(after), err)
		}
		if time.Since(r.Beat()) > time.Second {
			t.Errorf("the last beat was at %v", r.Beat())
		}
		y.enqueue(id, "a")
	})
}

// TestOtherProcess enqueues without a word to the runner.
func TestOtherProcess(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil)}})
		y.settled()
		elsewhere := &yard{t: t, s: y.s, q: NewQueue()}
		elsewhere.enqueue(id, "a")
		y.settled()
		y.check(id, "a", store.JobQueued, 0, "", "")
		y.q.Wake()
		y.settled()
		y.check(id, "a", store.JobDone, 1, "", "")
		elsewhere.enqueue(id, "a")
		time.Sleep(lookEvery)
		y.settled()
		y.check(id, "a", store.JobDone, 1, "", "")
	})
}

// TestFileFails lets every claim fail for a while.
func TestFileFails(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		r, _ := y.start(Options{Handlers: map[string]Handler{"a": reply(Result{Save: bump(y.owner, id)}, nil)}})
		y.settled()
		y.sql(`CREATE TRIGGER broken BEFORE UPDATE ON goqite BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`)
		y.enqueue(id, "a")
		time.Sleep(10 * time.Minute)
		y.checkLog("disk on fire", 1)
		if time.Since(r.Beat()) < 9*time.Minute {
			t.Errorf("the last beat was at %v", r.Beat())
		}
		y.sql(`DROP TRIGGER broken`)
		time.Sleep(lastWait)
		y.check(id, "a", store.JobDone, 1, "", "")
		if n := y.saves(id); n != 1 {
			t.Errorf("saved %d times", n)
		}
	})
}

// TestEndFails lets the end of a job fail for a while: its result is not lost.
func TestEndFails(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		runs := 0
		g := newGate()
		y.start(Options{Handlers: map[string]Handler{"a": func(ctx context.Context, job Job) (Result, error) {
			runs++
			return g.handle(ctx, job)
		}}})
		y.enqueue(id, "a")
		<-g.began
		y.sql(`CREATE TRIGGER broken BEFORE DELETE ON goqite BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`)
		g.pass <- outcome{Result{Save: bump(y.owner, id)}, nil}
		time.Sleep(10 * time.Minute)
		y.check(id, "a", store.JobRunning, 1, "", "")
		y.checkLog("disk on fire", 1)
		y.sql(`DROP TRIGGER broken`)
		time.Sleep(lastWait)
		y.check(id, "a", store.JobDone, 1, "", "")
		if n := y.saves(id); n != 1 || runs != 1 {
			t.Errorf("saved %d times, ran %d times", n, runs)
		}
	})
}

// TestOneLine bounds what is kept of an error.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		" a\nb\t\r\n c ":         "a b c",
		"\xff":                   "\uFFFD",
		strings.Repeat("é", 300): strings.Repeat("é", 300),
		strings.Repeat("é", 301): strings.Repeat("é", 299) + "…",
	} {
		if got := oneLine(errors.New(text)); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
