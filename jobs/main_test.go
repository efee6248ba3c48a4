package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"biketrip/store"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

// childMode names what the test binary does instead of running tests when it
// is started as a process of its own.
const childMode = "BIKETRIP_JOBS_CHILD"

func TestMain(m *testing.M) {
	run := map[string]func(path string) error{
		"work":   childWork,
		"killer": childKiller,
	}[os.Getenv(childMode)]
	if run == nil {
		os.Exit(m.Run())
	}
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A yard is a file, its queue, and what its runner says.
type yard struct {
	t     testing.TB
	s     *store.Store
	q     *Queue
	owner string
	log   lockedBuffer
}

// A lockedBuffer is a buffer that several goroutines may use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// inYard runs a test in which time passes only while everybody waits.
func inYard(t *testing.T, test func(t *testing.T, y *yard)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newYard(t, filepath.Join(t.TempDir(), "trips.db"))) })
}

func newYard(t testing.TB, path string) *yard {
	t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	y := &yard{t: t, s: s, q: NewQueue()}
	y.update(func(tx *store.Tx) error {
		u, err := tx.UserByEmail("anna@example.org")
		if errors.Is(err, store.ErrNotFound) {
			u, err = tx.CreateUser("anna@example.org", "en")
		}
		y.owner = u.ID
		return err
	})
	return y
}

func (y *yard) update(fn func(*store.Tx) error) {
	y.t.Helper()
	if err := y.s.Update(context.Background(), fn); err != nil {
		y.t.Fatal(err)
	}
}

// trip makes a trip and is its id.
func (y *yard) trip() string {
	y.t.Helper()
	t := trip.Trip{OwnerID: y.owner, SourceType: trip.FileUpload, Settings: trip.DefaultSettings()}
	y.update(func(tx *store.Tx) error { return tx.CreateTrip(&t) })
	return t.ID
}

// trips makes so many trips.
func (y *yard) trips(n int) (ids []string) {
	y.t.Helper()
	for range n {
		ids = append(ids, y.trip())
	}
	return ids
}

// enqueue asks for kinds of work for a trip at its generation, each in a
// transaction of its own.
func (y *yard) enqueue(tripID string, kinds ...string) {
	y.t.Helper()
	for _, kind := range kinds {
		y.update(func(tx *store.Tx) error {
			generation, err := tx.Generation(tripID)
			if err != nil {
				return err
			}
			return y.q.Enqueue(tx, tripID, kind, generation)
		})
	}
}

// move raises the generation of a trip.
func (y *yard) move(tripID string) {
	y.t.Helper()
	y.update(func(tx *store.Tx) error {
		t, err := tx.Trip(y.owner, tripID)
		if err != nil {
			return err
		}
		t.Generation++
		return tx.UpdateTrip(&t)
	})
}

// bump is a Save that can be counted: it raises the version of the trip.
func bump(owner, tripID string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		t, err := tx.Trip(owner, tripID)
		if err != nil {
			return err
		}
		t.Version++
		return tx.UpdateTrip(&t)
	}
}

// saves counts what bump has kept of a trip.
func (y *yard) saves(tripID string) (n int) {
	y.t.Helper()
	y.update(func(tx *store.Tx) error {
		t, err := tx.Trip(y.owner, tripID)
		n = t.Version - 1
		return err
	})
	return n
}

// job is the job of a trip of that kind.
func (y *yard) job(tripID, kind string) (found store.Job) {
	y.t.Helper()
	y.update(func(tx *store.Tx) error {
		jobs, err := tx.Jobs(tripID)
		for _, j := range jobs {
			if j.Kind == kind {
				found = j
			}
		}
		return err
	})
	return found
}

// sql runs a statement on the file.
func (y *yard) sql(statement string, args ...any) {
	y.t.Helper()
	y.update(func(tx *store.Tx) error {
		ctx, sqlTx := tx.SQL()
		_, err := sqlTx.ExecContext(ctx, statement, args...)
		return err
	})
}

// number is the one number that a statement on the file yields.
func (y *yard) number(statement string, args ...any) (n int) {
	y.t.Helper()
	y.update(func(tx *store.Tx) error {
		ctx, sqlTx := tx.SQL()
		return sqlTx.QueryRowContext(ctx, statement, args...).Scan(&n)
	})
	return n
}

// start starts a runner. stop ends it and waits for its end.
func (y *yard) start(o Options) (r *Runner, stop func()) {
	y.t.Helper()
	o.Store, o.Queue = y.s, y.q
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 0 }
	}
	o.Log = slog.New(slog.NewTextHandler(&y.log, nil))
	r = NewRunner(o)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			y.t.Error(err)
		}
	})
	y.t.Cleanup(stop)
	return r, stop
}

// settled waits until nothing happens without time passing.
func (y *yard) settled() {
	y.t.Helper()
	synctest.Wait()
}

// check compares what matters of a job: how it stands, what it cost, what is
// said of it.
func (y *yard) check(tripID, kind string, state store.JobState, attempts int, reason, lastError string) {
	y.t.Helper()
	type outcome struct {
		State             store.JobState
		Attempts          int
		Reason, LastError string
	}
	j := y.job(tripID, kind)
	if d := cmp.Diff(outcome{state, attempts, reason, lastError}, outcome{j.State, j.Attempts, j.Reason, j.LastError}); d != "" {
		y.t.Errorf("job %s (-want +got):\n%s", kind, d)
	}
	messages := y.number(`SELECT count(*) FROM goqite WHERE CAST(body AS INTEGER) = ?`, j.ID)
	if (messages == 1) != j.Active() || messages > 1 {
		y.t.Errorf("job %s is %s with %d messages", kind, j.State, messages)
	}
}

// checkNoMessages says that nothing is left in the queue.
func (y *yard) checkNoMessages() {
	y.t.Helper()
	if n := y.number(`SELECT count(*) FROM goqite`); n != 0 {
		y.t.Errorf("%d messages are left", n)
	}
}

// checkLog counts the lines of the log that hold a text.
func (y *yard) checkLog(text string, want int) {
	y.t.Helper()
	got := 0
	for line := range strings.Lines(y.log.String()) {
		if strings.Contains(line, text) {
			got++
		}
	}
	if got != want {
		y.t.Errorf("%d lines with %q, want %d, in:\n%s", got, text, want, y.log.String())
	}
}

// A gate is a handler that tells of its jobs and waits to be told to go on.
type gate struct {
	began chan Job
	pass  chan outcome
}

type outcome struct {
	result Result
	err    error
}

func newGate() gate { return gate{make(chan Job), make(chan outcome)} }

func (g gate) handle(ctx context.Context, job Job) (Result, error) {
	select {
	case g.began <- job:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	select {
	case o := <-g.pass:
		return o.result, o.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// reply is a handler that always says the same.
func reply(result Result, err error) Handler {
	return func(context.Context, Job) (Result, error) { return result, err }
}
