package cli

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"biketrip/jobs"
	"biketrip/jobs/plan/fetch"
	"biketrip/store"
)

const (
	// watchEvery is the time between two looks at whether the server is ready.
	watchEvery = 5 * time.Second
	// sweepEvery is the time between two looks for what is kept for nobody: as
	// long as the route of a trip may be used again.
	sweepEvery = time.Duration(fetch.Routes)
	// maxBeat is how long the runner may take to go round.
	maxBeat = 15 * time.Second
)

// watch knows whether the server is ready for work, and says when that changes.
type watch struct {
	file   *store.Store
	runner *jobs.Runner
	log    *slog.Logger
	now    func() time.Time
}

// A problem is why the server is not ready.
type problem struct{ what, why string }

// problems are why the server is not ready, none where it is.
func (w watch) problems(ctx context.Context) []problem {
	var out []problem
	if err := w.file.Check(ctx); err != nil {
		out = append(out, problem{"the database cannot be read", err.Error()})
	}
	if beat := w.runner.Beat(); w.now().Sub(beat) > maxBeat {
		out = append(out, problem{"no work is done in the background", "since " + beat.Format(time.RFC3339)})
	}
	if h := w.file.Replication(w.now()); !h.OK {
		out = append(out, problem{"the replica is behind", h.Reason})
	}
	return out
}

// ready says whether the server is ready.
func (w watch) ready(ctx context.Context) bool { return len(w.problems(ctx)) == 0 }

// run looks again and again until ctx ends.
func (w watch) run(ctx context.Context) error {
	tick, sweep := time.NewTicker(watchEvery), time.NewTicker(sweepEvery)
	defer tick.Stop()
	defer sweep.Stop()
	var before []problem
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-sweep.C:
			w.sweep(ctx)
			continue
		case <-tick.C:
		}
		look, cancel := context.WithTimeout(ctx, watchEvery)
		now := w.problems(look)
		cancel()
		switch {
		case ctx.Err() != nil || slices.EqualFunc(now, before, func(a, b problem) bool { return a.what == b.what }):
		case len(now) == 0:
			w.log.Info("ready again")
		default:
			for _, p := range now {
				w.log.Warn("not ready", "reason", p.what, "error", p.why)
			}
		}
		before = now
	}
}

// sweep removes the answers of the outside world whose time is over.
func (w watch) sweep(ctx context.Context) {
	err := w.file.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.SweepAnswers()
		return err
	})
	if err != nil && ctx.Err() == nil {
		w.log.Warn("old answers stay in the file", "error", err)
	}
}
