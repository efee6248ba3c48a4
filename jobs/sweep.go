package jobs

import "biketrip/store"

// crashed is the error of an attempt that no handler could tell of.
const crashed = "the process ended during the attempt"

// takeOver makes sense of what another process has left: the lock of the file
// says that it is over. What ran then has had its attempt. What was put aside
// behind it, or hidden by a clock that went wrong, is shown.
func (r *Runner) takeOver(tx *store.Tx) error {
	active, err := tx.ActiveJobs()
	if err != nil {
		return err
	}
	clear(r.suspects)
	for _, job := range active {
		if job.State == store.JobRunning {
			if err := r.crash(tx, &job); err != nil {
				return err
			}
		}
		if !job.Active() {
			continue
		}
		if job.Crashes > 0 {
			r.suspects[job.ID] = true
		}
		if err := r.queue.hide(tx, job.MessageID, job.DueAt.Sub(tx.Now)); err != nil {
			return err
		}
	}
	return r.advance(tx, active)
}

// advance makes jobs due that wait for a time no clock should have given them.
func (r *Runner) advance(tx *store.Tx, active []store.Job) error {
	for _, job := range active {
		if job.State != store.JobQueued || job.DueAt.Sub(tx.Now) <= noWait {
			continue
		}
		job.DueAt = tx.Now
		if err := tx.UpdateJob(job); err != nil {
			return err
		}
		if err := r.queue.release(tx, job.TripID); err != nil {
			return err
		}
	}
	return nil
}

// crash counts an attempt that ended with its process.
func (r *Runner) crash(tx *store.Tx, job *store.Job) error {
	job.Crashes++
	job.LastError = crashed
	attrs := jobOf(*job).attrs("error", crashed)
	if job.Attempts >= r.maxAttempts {
		tx.OnCommit(func() { r.log.Error("job failed for good", attrs...) })
		return r.queue.end(tx, job, store.JobFailed, ReasonGaveUp)
	}
	tx.OnCommit(func() { r.log.Warn("job failed, to be tried again", attrs...) })
	job.State, job.DueAt = store.JobQueued, tx.Now
	return tx.UpdateJob(*job)
}

// sweep mends what does not fit together: messages whose job went with its trip,
// jobs whose message is lost, and those due in another age.
func (r *Runner) sweep(tx *store.Tx) error {
	active, err := tx.ActiveJobs()
	if err != nil {
		return err
	}
	if err := r.advance(tx, active); err != nil {
		return err
	}
	messages, err := tx.MessagesWithoutJob(queueName)
	if err != nil {
		return err
	}
	for _, id := range messages {
		if err := r.queue.remove(tx, id); err != nil {
			return err
		}
	}
	jobs, err := tx.JobsWithoutMessage()
	if err != nil {
		return err
	}
	for _, job := range jobs {
		delay := hidden
		if job.State == store.JobQueued {
			delay = max(0, job.DueAt.Sub(tx.Now))
		}
		if err := r.queue.send(tx, job, delay); err != nil {
			return err
		}
		attrs := jobOf(job).attrs()
		tx.OnCommit(func() { r.log.Warn("message of a job was lost and is sent again", attrs...) })
	}
	return nil
}
