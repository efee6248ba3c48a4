package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"biketrip/store"
)

// BenchmarkPickUp is the time from the begin of the transaction that asks for a
// job to the first line of its handler, beside that of a write of one page to
// the disk of the same directory. Between begin and handler there are two
// commits, each with one such write.
func BenchmarkPickUp(b *testing.B) {
	dir := b.TempDir()
	y := newYard(b, filepath.Join(dir, "trips.db"))
	id := y.trip()
	began := make(chan time.Time)
	y.start(Options{Handlers: map[string]Handler{"a": func(context.Context, Job) (Result, error) {
		began <- time.Now()
		return Result{}, nil
	}}})
	page, err := os.Create(filepath.Join(dir, "page"))
	if err != nil {
		b.Fatal(err)
	}
	defer page.Close()
	var waits, syncs []time.Duration
	for b.Loop() {
		asked := time.Now()
		y.enqueue(id, "a")
		waits = append(waits, (<-began).Sub(asked))
		for y.job(id, "a").Active() {
			time.Sleep(100 * time.Microsecond)
		}
		synced := time.Now()
		if _, err := page.Write(make([]byte, 4096)); err != nil {
			b.Fatal(err)
		}
		if err := page.Sync(); err != nil {
			b.Fatal(err)
		}
		syncs = append(syncs, time.Since(synced))
	}
	b.ReportMetric(percentile(waits, 50), "p50-ms")
	b.ReportMetric(percentile(waits, 99), "p99-ms")
	b.ReportMetric(percentile(syncs, 50), "fsync-p50-ms")
	b.ReportMetric(percentile(syncs, 99), "fsync-p99-ms")
}

// percentile is in milliseconds.
func percentile(of []time.Duration, percent int) float64 {
	slices.Sort(of)
	return of[(len(of)-1)*percent/100].Seconds() * 1000
}

// BenchmarkThroughput does 1000 jobs of 100 trips, once they are asked for.
func BenchmarkThroughput(b *testing.B) {
	y := newYard(b, filepath.Join(b.TempDir(), "trips.db"))
	trips := y.trips(100)
	handlers := map[string]Handler{}
	for n := range 10 {
		handlers[fmt.Sprint("kind", n)] = reply(Result{}, nil)
	}
	for b.Loop() {
		b.StopTimer()
		y.update(func(tx *store.Tx) error {
			for _, id := range trips {
				for kind := range handlers {
					if err := y.q.Enqueue(tx, id, kind, 1); err != nil {
						return err
					}
				}
			}
			return nil
		})
		b.StartTimer()
		_, stop := y.start(Options{Handlers: handlers})
		for y.active() > 0 {
			time.Sleep(time.Millisecond)
		}
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "jobs/s")
}

// active counts the jobs that wait or run, without waiting for a writer.
func (y *yard) active() (n int) {
	y.t.Helper()
	err := y.s.View(context.Background(), func(tx *store.Tx) error {
		jobs, err := tx.ActiveJobs()
		n = len(jobs)
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return n
}

// BenchmarkIdle is a look at an empty queue.
func BenchmarkIdle(b *testing.B) {
	y := newYard(b, filepath.Join(b.TempDir(), "trips.db"))
	r := NewRunner(Options{Store: y.s, Queue: y.q})
	ctx := context.Background()
	for b.Loop() {
		if err := r.look(ctx, ctx); err != nil {
			b.Fatal(err)
		}
	}
}
