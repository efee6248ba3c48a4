package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"biketrip/store"
)

// The wait before an attempt: the first, doubled after each, up to the last.
const (
	firstBackOff = 2 * time.Second
	lastBackOff  = 5 * time.Minute
	// longestWait bounds what a handler asks for.
	longestWait = time.Hour
	// noWait is longer than any wait: a job that is due later than that was
	// queued by a clock that went wrong.
	noWait = 2 * longestWait
)

// A run is one attempt at a job.
type run struct {
	job     Job
	began   time.Time
	cancel  context.CancelFunc
	working atomic.Bool // its handler has not returned yet
}

// attrs are what every line of the log says of a job.
func (j Job) attrs(more ...any) []any {
	return append([]any{"job", j.ID, "trip", j.TripID, "kind", j.Kind, "attempt", j.Attempt}, more...)
}

// jobOf is a job of the table as a handler sees it.
func jobOf(j store.Job) Job {
	return Job{ID: j.ID, TripID: j.TripID, Kind: j.Kind, Generation: j.Generation, Attempt: j.Attempts}
}

// start lets a handler work on a job that is running.
func (r *Runner) start(work context.Context, job store.Job) {
	ctx, cancel := context.WithTimeout(work, r.timeout)
	run := &run{
		job:    jobOf(job),
		began:  r.now(),
		cancel: cancel,
	}
	run.working.Store(true)
	r.runs[job.ID] = run
	go func() {
		defer func() { r.ended <- run }()
		defer cancel()
		result, err := r.attempt(ctx, run.job)
		run.working.Store(false)
		r.finish(work, run, result, err)
	}()
}

// forget is the end of a run.
func (r *Runner) forget(run *run) { delete(r.runs, run.job.ID) }

// A panicError is a panic made an error.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// attempt is what a handler says.
func (r *Runner) attempt(ctx context.Context, job Job) (result Result, err error) {
	defer recovered(&err)
	return r.handlers[job.Kind](ctx, job)
}

// recovered makes a panic the error of the function that defers it.
func recovered(err *error) {
	if value := recover(); value != nil {
		*err = &panicError{value, debug.Stack()}
	}
}

// A saveError is that of Result.Save, as opposed to one of the transaction.
type saveError struct{ error }

// finish keeps what came of a run, as long as ctx lasts.
func (r *Runner) finish(ctx context.Context, run *run, result Result, err error) {
	// Its error is that ctx is over: the job was put back, and may run again
	// already.
	_ = r.insist(ctx, "end a job", func() error {
		settle := func(tx *store.Tx) error { return r.settle(tx, run, result, err) }
		failed := r.store.Update(ctx, settle)
		var save saveError
		if errors.As(failed, &save) {
			err = save.error
			failed = r.store.Update(ctx, settle)
		}
		return failed
	})
}

// settle writes what came of a run, unless nobody wants it any more, and lets
// the next job of the trip begin.
func (r *Runner) settle(tx *store.Tx, run *run, result Result, err error) error {
	job, txErr := tx.Job(run.job.ID)
	switch {
	case errors.Is(txErr, store.ErrNotFound) || txErr == nil && job.State != store.JobRunning:
		txErr = nil
		r.tell(tx, run, slog.LevelInfo, "job no longer wanted", err)
	case txErr != nil:
	case err != nil:
		txErr = r.fail(tx, run, &job, err)
	default:
		txErr = r.succeed(tx, run, &job, result)
	}
	if txErr != nil {
		return txErr
	}
	return r.queue.release(tx, run.job.TripID)
}

// succeed makes a job done and keeps its result, if that is still of the trip's
// generation.
func (r *Runner) succeed(tx *store.Tx, run *run, job *store.Job, result Result) error {
	moved, err := r.supersede(tx, run, job, nil)
	if moved || err != nil {
		return err
	}
	if err := r.queue.end(tx, job, store.JobDone, result.Reason); err != nil {
		return err
	}
	if err := save(tx, result); err != nil {
		return saveError{err}
	}
	r.tell(tx, run, slog.LevelInfo, "job done", nil)
	return nil
}

// save runs Result.Save.
func save(tx *store.Tx, result Result) (err error) {
	if result.Save == nil {
		return nil
	}
	defer recovered(&err)
	return result.Save(tx)
}

// supersede ends a job whose trip has moved on.
func (r *Runner) supersede(tx *store.Tx, run *run, job *store.Job, failed error) (moved bool, err error) {
	generation, err := tx.Generation(job.TripID)
	if err != nil || generation == job.Generation {
		return false, err
	}
	r.tell(tx, run, slog.LevelInfo, "job superseded", failed)
	return true, r.queue.end(tx, job, store.JobSuperseded, "")
}

// fail lets a job wait for its next attempt, or end where there is none.
func (r *Runner) fail(tx *store.Tx, run *run, job *store.Job, failed error) error {
	moved, err := r.supersede(tx, run, job, failed)
	if moved || err != nil {
		return err
	}
	var failure *Failure
	if !errors.As(failed, &failure) {
		failure = &Failure{}
	}
	job.LastError = oneLine(failed)
	if failure.Final || job.Attempts >= r.maxAttempts {
		level := slog.LevelInfo // a link to nothing, say, which the rider is told of
		if failure.Reason == "" {
			level = slog.LevelError
		}
		r.tell(tx, run, level, "job failed for good", failed)
		return r.queue.end(tx, job, store.JobFailed, cmp.Or(failure.Reason, ReasonGaveUp))
	}
	wait := r.backOff(job.Attempts, failure.After)
	job.State, job.DueAt = store.JobQueued, tx.Now.Add(wait)
	r.tell(tx, run, slog.LevelWarn, "job failed, to be tried again", failed)
	if err := r.queue.remove(tx, job.MessageID); err != nil {
		return err
	}
	return r.queue.send(tx, *job, wait)
}

// backOff is the wait after so many attempts: the longer of what they have
// earned and what is asked for, and up to a quarter of it more, so that jobs
// that failed together do not come back together.
func (r *Runner) backOff(attempts int, asked time.Duration) time.Duration {
	wait := firstBackOff
	for n := 1; n < attempts && wait < lastBackOff; n++ {
		wait *= 2
	}
	wait = max(min(wait, lastBackOff), min(asked, longestWait))
	return wait + time.Duration(r.jitter()*float64(wait)/4)
}

// tell logs the end of an attempt once it is committed.
func (r *Runner) tell(tx *store.Tx, run *run, level slog.Level, message string, err error) {
	attrs := run.job.attrs("duration", r.now().Sub(run.began))
	var p *panicError
	switch {
	case errors.As(err, &p):
		attrs = append(attrs, "error", err, "stack", string(p.stack))
	case err != nil:
		attrs = append(attrs, "error", err)
	}
	tx.OnCommit(func() { r.log.Log(context.Background(), level, message, attrs...) })
}
