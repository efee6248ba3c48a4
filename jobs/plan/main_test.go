package plan

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"biketrip/jobs"
	"biketrip/jobs/plan/fetch"
	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/trip"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// A house is a planner on a file of its own in the made-up world.
type house struct {
	t       testing.TB
	file    *store.Store
	planner *Planner
	runner  *jobs.Runner
	anna    Actor

	mu  sync.Mutex
	now time.Time // of the file, where a test sets it
}

// newHouse is a house whose background work has not begun. Its transport is the
// world's, in what wrap puts around it, nil for nothing.
func newHouse(t testing.TB, wrap func(http.RoundTripper) http.RoundTripper, producers ...Producer) *house {
	t.Helper()
	h := &house{t: t}
	file, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "trips.db"), Now: h.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	transport := world.New().Transport()
	if wrap != nil {
		transport = wrap(transport)
	}
	queue := jobs.NewQueue()
	h.file = file
	h.planner = New(Options{
		Store:     file,
		Queue:     queue,
		Client:    fetch.New(fetch.Options{Transport: transport, Store: file}),
		Producers: producers,
	})
	h.runner = jobs.NewRunner(jobs.Options{
		Store:    file,
		Queue:    queue,
		Handlers: h.planner.Handlers(),
		Log:      slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	h.anna = h.user("anna@example.org")
	return h
}

// clock is the time of the file.
func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now.IsZero() {
		return time.Now()
	}
	return h.now
}

// at sets the time of the file.
func (h *house) at(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = now
}

// work begins the work in the background.
func (h *house) work() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- h.runner.Run(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
	})
}

func (h *house) user(email string) Actor {
	h.t.Helper()
	var u store.User
	h.update(func(tx *store.Tx) (err error) {
		u, err = tx.CreateUser(email, "en")
		return err
	})
	return Actor{UserID: u.ID}
}

func (h *house) update(fn func(*store.Tx) error) {
	h.t.Helper()
	if err := h.file.Update(h.t.Context(), fn); err != nil {
		h.t.Fatal(err)
	}
}

// ask is a creation of a trip from a link with the settings of a new trip.
func ask(link string) Creation {
	return Creation{SourceURL: link, Settings: trip.DefaultSettings()}
}

func (h *house) create(c Creation) Created {
	h.t.Helper()
	made, err := h.planner.CreateTrip(h.t.Context(), h.anna, c)
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

func (h *house) read(id string) trip.Reading {
	h.t.Helper()
	r, err := h.planner.Trip(h.t.Context(), h.anna, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// until waits until a trip is as a test wants it.
func (h *house) until(id string, is func(trip.Reading) bool) trip.Reading {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		r := h.read(id)
		if is(r) {
			return r
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("the trip stays %+v", r)
		}
		time.Sleep(time.Millisecond)
	}
}

// settled waits until nothing is under way for a trip.
func (h *house) settled(id string) trip.Reading {
	h.t.Helper()
	return h.until(id, func(r trip.Reading) bool { return r.ListStatus() != trip.ListAnalyzing })
}
