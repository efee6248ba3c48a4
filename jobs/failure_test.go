package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"biketrip/store"

	"github.com/google/go-cmp/cmp"
)

// TestBackOff fails until there are no attempts left: that is the dead letter.
func TestBackOff(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		var begun []time.Duration
		start := time.Now()
		y.start(Options{MaxAttempts: 10, Handlers: map[string]Handler{"a": func(_ context.Context, job Job) (Result, error) {
			begun = append(begun, time.Since(start))
			if job.Attempt != len(begun) {
				t.Errorf("attempt %d, want %d", job.Attempt, len(begun))
			}
			return Result{Save: bump(y.owner, id)}, errors.New("no\nway")
		}}})
		y.enqueue(id, "a")
		y.settled()
		y.check(id, "a", store.JobQueued, 1, "", "no way")
		time.Sleep(time.Hour)
		y.check(id, "a", store.JobFailed, 10, ReasonGaveUp, "no way")
		y.checkNoMessages()
		var waits []time.Duration
		for i := range begun[1:] {
			waits = append(waits, begun[i+1]-begun[i])
		}
		want := []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 300}
		for i := range want {
			want[i] *= time.Second
		}
		if d := cmp.Diff(want, waits, cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() <= lookEvery })); d != "" {
			t.Errorf("waits (-want +got):\n%s", d)
		}
		for i, w := range waits {
			if w < want[i] {
				t.Errorf("wait %d is %v, too short", i, w)
			}
		}
		y.checkLog("to be tried again", 9)
		y.checkLog("failed for good", 1)
		if n := y.saves(id); n != 0 {
			t.Errorf("saved %d times", n)
		}
	})
}

// TestJitter spreads attempts by up to a quarter.
func TestJitter(t *testing.T) {
	r := NewRunner(Options{Jitter: func() float64 { return 0.5 }})
	for attempts, want := range map[int]time.Duration{
		1: 2250 * time.Millisecond, 3: 9 * time.Second, 1_000_000: 337500 * time.Millisecond,
	} {
		if got := r.backOff(attempts, 0); got != want {
			t.Errorf("after %d attempts %v, want %v", attempts, got, want)
		}
	}
	if got := r.backOff(1, time.Hour); got != time.Hour+7*time.Minute+30*time.Second {
		t.Errorf("asked for an hour: %v", got)
	}
}

// TestAfter waits as long as a failure asks, while other kinds of
// the trip go on.
func TestAfter(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		var begun []time.Time
		y.start(Options{Handlers: map[string]Handler{
			"a": func(_ context.Context, job Job) (Result, error) {
				if begun = append(begun, time.Now()); len(begun) == 2 {
					return Result{}, nil
				}
				return Result{}, fmt.Errorf("asked: %w", &Failure{After: time.Hour, Err: errors.New("come back later")})
			},
			"b": reply(Result{}, nil),
		}})
		y.enqueue(id, "a", "b")
		time.Sleep(time.Second)
		y.check(id, "a", store.JobQueued, 1, "", "asked: come back later")
		y.check(id, "b", store.JobDone, 1, "", "")
		time.Sleep(2 * time.Hour)
		y.check(id, "a", store.JobDone, 2, "", "asked: come back later")
		if d := begun[1].Sub(begun[0]); d < time.Hour || d > time.Hour+lookEvery {
			t.Errorf("tried again after %v", d)
		}
	})
}

// TestFailures are those of one attempt.
func TestFailures(t *testing.T) {
	private := &Failure{Reason: "This route is private.", Final: true}
	for name, c := range map[string]struct {
		handler           Handler
		state             store.JobState
		reason, lastError string
		log               string
	}{
		"final": {reply(Result{}, private), store.JobFailed, "This route is private.", "This route is private.", "for good"},
		"final, with an error": {reply(Result{}, &Failure{Reason: "r", Final: true, Err: errors.New("e")}),
			store.JobFailed, "r", "e", "for good"},
		"final, without a reason": {reply(Result{}, &Failure{Final: true, Err: errors.New("e")}),
			store.JobFailed, ReasonGaveUp, "e", "for good"},
		"not final": {reply(Result{}, &Failure{Reason: "r", Err: errors.New("e")}), store.JobQueued, "", "e", "tried again"},
		"panic":     {func(context.Context, Job) (Result, error) { panic("oh no") }, store.JobQueued, "", "panic: oh no", "failure_test.go"},
		"save fails": {reply(Result{Reason: "r", Save: func(tx *store.Tx) error {
			_, err := tx.CreateUser("bob@example.org", "en")
			return errors.Join(err, errors.New("no space"))
		}}, nil), store.JobQueued, "", "no space", "tried again"},
		"save fails for good": {reply(Result{Save: func(tx *store.Tx) error { return private }}, nil),
			store.JobFailed, "This route is private.", "This route is private.", "for good"},
		"save panics": {reply(Result{Save: func(tx *store.Tx) error {
			if _, err := tx.CreateUser("bob@example.org", "en"); err != nil {
				return err
			}
			panic("oh no")
		}}, nil), store.JobQueued, "", "panic: oh no", "failure_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			inYard(t, func(t *testing.T, y *yard) {
				id := y.trip()
				y.start(Options{Handlers: map[string]Handler{"a": c.handler}})
				y.enqueue(id, "a")
				y.settled()
				y.check(id, "a", c.state, 1, c.reason, c.lastError)
				y.checkLog(c.log, 1)
				y.checkLog("kind=a attempt=1", 1)
				if n := y.number(`SELECT count(*) FROM user`); n != 1 {
					t.Errorf("%d users", n)
				}
			})
		})
	}
}

// TestUnknownKind fails what nobody can do, and goes on with the trip.
func TestUnknownKind(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		id := y.trip()
		y.enqueue(id, "x", "y", "a")
		y.start(Options{Handlers: map[string]Handler{"a": reply(Result{}, nil)}})
		y.settled()
		y.check(id, "x", store.JobFailed, 0, ReasonUnknownKind, "no handler for this kind")
		y.check(id, "y", store.JobFailed, 0, ReasonUnknownKind, "no handler for this kind")
		y.check(id, "a", store.JobDone, 1, "", "")
		y.checkNoMessages()
	})
}

// TestDrain stops a runner: what ends within the grace is kept, what does not is
// put back and begun by the next one at once.
func TestDrain(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		ids := y.trips(4)
		deaf := make(chan struct{})
		finish := map[string]func(ctx context.Context) error{
			ids[0]: func(ctx context.Context) error { time.Sleep(9 * time.Second); return nil },
			ids[1]: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			ids[2]: func(ctx context.Context) error { <-deaf; return nil },
		}
		var mu sync.Mutex
		var begun []string
		handler := func(ctx context.Context, job Job) (Result, error) {
			mu.Lock()
			begun = append(begun, job.TripID)
			mu.Unlock()
			if job.Attempt != 1 {
				t.Errorf("attempt %d", job.Attempt)
			}
			err := finish[job.TripID](ctx)
			return Result{Save: bump(y.owner, job.TripID)}, err
		}
		handlers := map[string]Handler{"a": handler, "b": reply(Result{}, nil)}
		_, stop := y.start(Options{Workers: 3, Handlers: handlers})
		for _, id := range ids[:3] {
			y.enqueue(id, "a")
			y.settled()
		}
		y.enqueue(ids[1], "b")
		y.enqueue(ids[3], "b")
		begin := time.Now()
		stop()
		if took := time.Since(begin); took != 11*time.Second {
			t.Errorf("the end took %v", took)
		}
		y.checkLog("job put back", 2)
		y.checkLog("handler does not end", 1)
		y.check(ids[0], "a", store.JobDone, 1, "", "")
		for _, id := range ids[1:3] {
			y.check(id, "a", store.JobQueued, 0, "", "")
		}
		y.check(ids[3], "b", store.JobQueued, 0, "", "")

		for _, id := range ids[1:3] {
			finish[id] = func(ctx context.Context) error { return nil }
		}
		begun = nil
		g := newGate()
		handlers["a"] = func(ctx context.Context, job Job) (Result, error) {
			result, err := handler(ctx, job)
			g.handle(ctx, job)
			return result, err
		}
		y.start(Options{Workers: 3, Handlers: handlers})
		<-g.began
		<-g.began
		if took := time.Since(begin); took != 11*time.Second {
			t.Errorf("begun again after %v", took)
		}
		close(deaf) // the old handler ends while the new one is at work
		y.settled()
		if n := y.saves(ids[2]); n != 0 {
			t.Errorf("the result of a job that was put back was saved")
		}
		g.pass <- outcome{}
		g.pass <- outcome{}
		y.settled()
		for _, id := range ids[:3] {
			if n := y.saves(id); n != 1 {
				t.Errorf("saved %d times", n)
			}
		}
		slices.Sort(begun)
		if !slices.Equal(begun, ids[1:3]) {
			t.Errorf("begun again: %v, want %v", begun, ids[1:3])
		}
		y.check(ids[1], "b", store.JobDone, 1, "", "")
		y.checkNoMessages()
	})
}

// TestAgainBehindOthers: a job that failed waits for those that have not had a
// turn yet.
func TestAgainBehindOthers(t *testing.T) {
	inYard(t, func(t *testing.T, y *yard) {
		failing := y.trip()
		y.enqueue(failing, "failing")
		var order []string
		note := func(job Job) { order = append(order, fmt.Sprint(job.Kind, " ", job.Attempt)) }
		y.start(Options{Workers: 1, Handlers: map[string]Handler{
			"failing": func(_ context.Context, job Job) (Result, error) {
				note(job)
				if job.Attempt == 1 {
					return Result{}, errors.New("not yet")
				}
				return Result{}, nil
			},
			"slow": func(_ context.Context, job Job) (Result, error) {
				note(job)
				time.Sleep(10 * time.Second)
				return Result{}, nil
			},
		}})
		time.Sleep(time.Millisecond)
		for range 3 {
			y.enqueue(y.trip(), "slow")
		}
		y.settled()
		time.Sleep(time.Minute)
		if want := []string{"failing 1", "slow 1", "slow 1", "slow 1", "failing 2"}; !slices.Equal(order, want) {
			t.Errorf("ran %v, want %v", order, want)
		}
	})
}
