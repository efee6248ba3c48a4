package jobs

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"biketrip/store"
)

const (
	// lookEvery is how long what another process has enqueued waits at most.
	lookEvery = time.Second
	// hideEvery is the time between two words that a job still runs.
	hideEvery = 10 * time.Second
	// sweepEvery is the time between two looks for what does not fit together.
	sweepEvery = time.Hour
	// leave is how long a handler may take to notice that its time is over when
	// the server stops, and how long the last transaction may.
	leave = time.Second
)

// Options are what a runner is made of.
type Options struct {
	Store       *store.Store
	Queue       *Queue
	Handlers    map[string]Handler // by kind
	Workers     int                // jobs that run at the same time; 0 for 4
	MaxAttempts int                // begun before a job fails for good; 0 for 5
	Timeout     time.Duration      // of an attempt; 0 for 5 minutes
	Grace       time.Duration      // for running jobs when the server stops; 0 for 10 s
	Now         func() time.Time   // runs as fast as real time; nil for time.Now
	Jitter      func() float64     // in [0, 1), spreads the attempts; nil for random
	Log         *slog.Logger       // nil for none
}

// A Runner does the jobs of a file. A file has one runner, that of the process
// which holds its lock.
type Runner struct {
	store       *store.Store
	queue       *Queue
	handlers    map[string]Handler
	workers     int
	maxAttempts int
	timeout     time.Duration
	grace       time.Duration
	now         func() time.Time
	jitter      func() float64
	log         *slog.Logger

	beat  atomic.Int64 // Unix time in milliseconds, 0 before the first
	ended chan *run

	// What follows belongs to the goroutine of Run.
	runs     map[int64]*run // by job
	suspects map[int64]bool // jobs that have run when a process ended
	hiddenAt time.Time      // when messages of running jobs were last hidden
	sweptAt  time.Time
}

// NewRunner is a runner that does nothing yet.
func NewRunner(o Options) *Runner {
	if o.Workers == 0 {
		o.Workers = 4
	}
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 5
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{
		store:       o.Store,
		queue:       o.Queue,
		handlers:    o.Handlers,
		workers:     o.Workers,
		maxAttempts: o.MaxAttempts,
		timeout:     o.Timeout,
		grace:       o.Grace,
		now:         o.Now,
		jitter:      o.Jitter,
		log:         o.Log,
		ended:       make(chan *run, o.Workers),
		runs:        map[int64]*run{},
		suspects:    map[int64]bool{},
	}
}

// Beat is when the runner last went round, which it does every second; zero
// before the first time. It stands still while the file fails.
func (r *Runner) Beat() time.Time {
	ms := r.beat.Load()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Run does jobs until ctx ends. Then it begins no more, gives those that run the
// grace to end, and puts back the others as if they had not begun: the next
// runner begins them at once. It is called once; its error is nil.
func (r *Runner) Run(ctx context.Context) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	err := r.insist(ctx, "take over", func() error { return r.store.Update(ctx, r.takeOver) })
	if err != nil {
		return nil // ctx is over: nothing runs yet
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		// Its error is that ctx is over, as the loop finds out.
		_ = r.insist(ctx, "look for jobs", func() error { return r.look(ctx, work) })
		select {
		case <-ctx.Done():
		case <-r.queue.woken:
		case <-tick.C:
		case run := <-r.ended:
			r.forget(run)
		}
	}
	r.drain(ctx, stop)
	return nil
}

// look is one round: what is due by the clock, then new jobs.
func (r *Runner) look(ctx, work context.Context) error {
	now := r.now()
	if now.Sub(r.sweptAt) >= sweepEvery {
		if err := r.store.Update(ctx, r.sweep); err != nil {
			return err
		}
		r.sweptAt = now
	}
	if now.Sub(r.hiddenAt) >= hideEvery {
		if err := r.hideRunning(ctx); err != nil {
			return err
		}
		r.hiddenAt = now
	}
	for {
		more, err := r.begin(ctx, work)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	r.beat.Store(r.now().UnixMilli())
	return nil
}

// hideRunning hides the messages of the jobs that run for another while. A
// handler whose job is not wanted any more is told so.
func (r *Runner) hideRunning(ctx context.Context) error {
	if len(r.runs) == 0 {
		return nil
	}
	return r.store.Update(ctx, func(tx *store.Tx) error {
		for _, run := range r.runs {
			job, err := tx.Job(run.job.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && job.State != store.JobRunning {
				run.cancel()
				continue
			}
			if err != nil {
				return err
			}
			if err := r.queue.hide(tx, job.MessageID, hidden); err != nil {
				return err
			}
		}
		return nil
	})
}

// drain waits for the jobs that run, and puts back those that outlast the grace.
func (r *Runner) drain(ctx context.Context, stop func()) {
	grace := time.NewTimer(r.grace)
	defer grace.Stop()
	for len(r.runs) > 0 {
		select {
		case run := <-r.ended:
			r.forget(run)
			continue
		case <-grace.C:
		}
		break
	}
	if len(r.runs) == 0 {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leave)
	defer cancel()
	// Where it fails, the next runner takes the process for one that was killed.
	_ = r.insist(last, "put jobs back", func() error { return r.store.Update(last, r.putBack) })
	stop()
	patience := time.NewTimer(leave)
	defer patience.Stop()
	for len(r.runs) > 0 {
		select {
		case run := <-r.ended:
			r.forget(run)
		case <-patience.C:
			for _, run := range r.runs {
				r.log.Error("handler does not end", run.job.attrs()...)
			}
			return
		}
	}
}

// putBack queues the jobs that still run anew.
func (r *Runner) putBack(tx *store.Tx) error {
	for _, run := range r.runs {
		job, err := tx.Job(run.job.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && job.State != store.JobRunning {
			continue
		}
		if err != nil {
			return err
		}
		job.State, job.Attempts, job.DueAt = store.JobQueued, job.Attempts-1, tx.Now
		if err := tx.UpdateJob(job); err != nil {
			return err
		}
		if err := r.queue.release(tx, job.TripID); err != nil {
			return err
		}
		attrs := run.job.attrs("duration", r.now().Sub(run.began))
		tx.OnCommit(func() { r.log.Info("job put back", attrs...) })
	}
	return nil
}

// The waits of a runner whose file fails.
const (
	firstWait = time.Second
	lastWait  = 30 * time.Second
)

// insist does what the runner cannot go on without, again and again until it
// works. Its error is that ctx is over. The first failure is logged, since the
// next ones hardly say more.
func (r *Runner) insist(ctx context.Context, what string, try func() error) error {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if wait == firstWait {
			r.log.Error("the queue fails: "+what, "error", err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
