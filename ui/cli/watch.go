package cli

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"biketrip/jobs"
	"biketrip/store"
)

const (
	// watchEvery is the time between two looks at whether the server is ready.
	watchEvery = 5 * time.Second
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

// problems are why the server is not ready, none where it is.
func (w watch) problems(ctx context.Context) []string {
	var out []string
	if err := w.file.Check(ctx); err != nil {
		out = append(out, "the database cannot be read: "+err.Error())
	}
	if w.now().Sub(w.runner.Beat()) > maxBeat {
		out = append(out, "no work is done in the background")
	}
	if h := w.file.Replication(w.now()); h.Reason != "" {
		out = append(out, "the replica is behind: "+h.Reason)
	}
	return out
}

// run looks again and again until ctx ends.
func (w watch) run(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var before []string
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		look, cancel := context.WithTimeout(ctx, watchEvery)
		now := w.problems(look)
		cancel()
		switch {
		case ctx.Err() != nil || slices.Equal(now, before):
		case len(now) == 0:
			w.log.Info("ready again")
		default:
			w.log.Warn("not ready", "reasons", now)
		}
		before = now
	}
}
