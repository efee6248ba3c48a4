package jobs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"biketrip/store"
)

// maxReceived bounds the messages that are looked at in one transaction, in
// which nobody else writes.
const maxReceived = 64

// begin begins the jobs there are workers for. more says that there may be
// others.
func (r *Runner) begin(ctx, work context.Context) (more bool, err error) {
	free := r.workers - len(r.runs)
	if free <= 0 || r.alone() {
		return false, nil
	}
	var begun []store.Job
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		begun, more, err = r.claim(tx, free)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, job := range begun {
		r.start(work, job)
	}
	return more, nil
}

// alone says that a job runs which is to run alone.
func (r *Runner) alone() bool {
	for id := range r.runs {
		if r.suspects[id] {
			return true
		}
	}
	return false
}

// claim takes jobs until there are none, or none free to do them, or many
// messages have led to none. What it begins is running once tx is committed,
// and the attempt counts.
func (r *Runner) claim(tx *store.Tx, free int) (begun []store.Job, more bool, err error) {
	if due, err := r.suspect(tx); due != nil || err != nil {
		if err != nil || len(r.runs) > 0 {
			return nil, false, err
		}
		ok, err := r.take(tx, due)
		if !ok || err != nil {
			return nil, true, err
		}
		return []store.Job{*due}, false, r.queue.hide(tx, due.MessageID, hidden)
	}
	for range maxReceived {
		if len(begun) == free {
			return begun, false, nil
		}
		messageID, jobID, err := r.queue.receive(tx)
		if err != nil {
			return nil, false, err
		}
		if messageID == "" {
			return begun, false, nil
		}
		job, err := r.consider(tx, messageID, jobID)
		if err != nil {
			return nil, false, err
		}
		if job != nil {
			begun = append(begun, *job)
		}
	}
	return begun, true, nil
}

// suspect is the first job that is due and to run alone, since it has run when
// a process ended and may be why. Once it is due nothing else begins before it:
// it would wait for ever while others come and go. nil where there is none.
func (r *Runner) suspect(tx *store.Tx) (*store.Job, error) {
	for _, id := range slices.Sorted(maps.Keys(r.suspects)) {
		job, err := tx.Job(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && !job.Active() {
			delete(r.suspects, id)
			continue
		}
		if err != nil {
			return nil, err
		}
		if job.State == store.JobQueued && !job.DueAt.After(tx.Now) {
			return &job, nil
		}
	}
	return nil, nil
}

// consider is the job to begin now that a message was received, nil for none.
func (r *Runner) consider(tx *store.Tx, messageID string, jobID int64) (*store.Job, error) {
	job, err := tx.Job(jobID)
	if errors.Is(err, store.ErrNotFound) || err == nil && job.MessageID != messageID {
		return nil, r.queue.remove(tx, messageID)
	}
	if err != nil {
		return nil, err
	}
	if job.State == store.JobRunning && r.runs[job.ID] == nil {
		// It was begun in a commit that failed after all, or seemed to.
		job.State = store.JobQueued
		if err := tx.UpdateJob(job); err != nil {
			return nil, err
		}
	}
	jobs, err := tx.Jobs(job.TripID)
	if err != nil {
		return nil, err
	}
	if r.busy(job.TripID, jobs) {
		return nil, nil // hidden since it was received, until that job ends
	}
	first := next(jobs, tx.Now)
	if first == nil {
		return nil, r.queue.hide(tx, messageID, job.DueAt.Sub(tx.Now))
	}
	if ok, err := r.take(tx, first); !ok || err != nil {
		return nil, err
	}
	if first.ID == jobID {
		return first, nil
	}
	return first, r.queue.hide(tx, first.MessageID, hidden)
}

// busy says that a job of a trip runs: in the table, or in the hands of a
// handler that does not know yet that nobody wants it any more.
func (r *Runner) busy(tripID string, jobs []store.Job) bool {
	for _, j := range jobs {
		if j.State == store.JobRunning {
			return true
		}
	}
	for _, run := range r.runs {
		if run.job.TripID == tripID && run.working.Load() {
			return true
		}
	}
	return false
}

// take makes a job that waits a running one, unless that has no sense any more:
// then the job is over. The caller hides the message.
func (r *Runner) take(tx *store.Tx, job *store.Job) (ok bool, err error) {
	generation, err := tx.Generation(job.TripID)
	if err != nil {
		return false, err
	}
	state, reason, message := store.JobSuperseded, "", "job superseded"
	switch {
	case generation != job.Generation:
	case r.handlers[job.Kind] == nil:
		state, reason, message = store.JobFailed, ReasonUnknownKind, "job of an unknown kind"
		job.LastError = "no handler for this kind"
	default:
		job.State, job.Attempts, job.StartedAt = store.JobRunning, job.Attempts+1, tx.Now
		if err := tx.UpdateJob(*job); err != nil {
			return false, err
		}
		return true, nil
	}
	if err := r.queue.end(tx, job, state, reason); err != nil {
		return false, err
	}
	attrs := jobOf(*job).attrs()
	tx.OnCommit(func() { r.log.Warn(message, attrs...) })
	return false, r.queue.release(tx, job.TripID)
}
