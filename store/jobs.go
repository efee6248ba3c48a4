package store

import (
	"database/sql"
	"time"
)

// A JobState is how far a job is.
type JobState string

// The states of a job. A queued or running one is active and has a message.
const (
	JobQueued     JobState = "queued"
	JobRunning    JobState = "running"
	JobDone       JobState = "done"
	JobFailed     JobState = "failed"     // for good: it is not tried again
	JobSuperseded JobState = "superseded" // by a newer generation of its trip
)

// A Job is the latest piece of work of one kind that is done for a trip in the
// background.
type Job struct {
	ID         int64 // in the order of asking, never used again
	TripID     string
	Kind       string
	Generation int // of the trip when it was asked for
	State      JobState
	Attempts   int    // begun so far
	Crashes    int    // attempts that ended with the process
	Reason     string // for the rider: why it failed, or what to know about its result; empty for none
	LastError  string // for the operator: of the last attempt that failed; empty for none
	MessageID  string // in the queue; empty unless active
	DueAt      time.Time
	EnqueuedAt time.Time
	StartedAt  time.Time // of the last attempt; zero for none
	FinishedAt time.Time // zero while active
}

// Active says that the job waits or runs.
func (j Job) Active() bool { return j.State == JobQueued || j.State == JobRunning }

// jobColumns are the columns of a job in the order of scanJob.
const jobColumns = `id, trip_id, kind, generation, state, attempts, crashes, reason, last_error, message_id,
 due_at, enqueued_at, started_at, finished_at`

// insertJob gives the job no message yet, which the table asks of a queued one:
// the message holds the id that comes of this.
const insertJob query = `
INSERT OR REPLACE INTO job (trip_id, kind, generation, state, attempts, crashes, reason, last_error, message_id,
 due_at, enqueued_at) VALUES (?1, ?2, ?3, 'queued', 0, 0, '', '', 'none yet', ?4, ?4)
RETURNING ` + jobColumns

// CreateJob keeps a new queued job, due at once, in place of the one of that
// trip and kind. Its message is the caller's to send, in the same transaction:
// UpdateJob keeps the id. A trip that does not exist is ErrNotFound.
func (tx *Tx) CreateJob(tripID, kind string, generation int) (Job, error) {
	if _, err := tx.Generation(tripID); err != nil {
		return Job{}, during("create job", err)
	}
	j, err := one(tx, scanJob, insertJob, tripID, kind, generation, tx.Now.UnixMilli())
	return j, during("create job", err)
}

const selectJob query = `
SELECT ` + jobColumns + ` FROM job WHERE id = ?`

// Job is the job of that id, ErrNotFound where it was replaced or its trip
// removed.
func (tx *Tx) Job(id int64) (Job, error) {
	j, err := one(tx, scanJob, selectJob, id)
	return j, during("read job", err)
}

const selectJobs query = `
SELECT ` + jobColumns + ` FROM job WHERE trip_id = ? ORDER BY id`

// Jobs are the jobs of a trip in the order of asking, those that are over among
// them.
func (tx *Tx) Jobs(tripID string) ([]Job, error) {
	jobs, err := many(tx, scanJob, selectJobs, tripID)
	return jobs, during("list jobs", err)
}

const selectActiveJobs query = `
SELECT ` + jobColumns + ` FROM job WHERE state IN ('queued', 'running') ORDER BY id`

// ActiveJobs are the jobs of all trips that wait or run, in the order of asking.
func (tx *Tx) ActiveJobs() ([]Job, error) {
	jobs, err := many(tx, scanJob, selectActiveJobs)
	return jobs, during("list active jobs", err)
}

const updateJob query = `
UPDATE job SET state = ?2, attempts = ?3, crashes = ?4, reason = ?5, last_error = ?6, message_id = ?7,
 due_at = ?8, started_at = ?9, finished_at = ?10
WHERE id = ?1`

// UpdateJob keeps all of j that may change once it is asked for; one that is
// gone is ErrNotFound.
func (tx *Tx) UpdateJob(j Job) error {
	err := tx.change(updateJob, j.ID, string(j.State), j.Attempts, j.Crashes, j.Reason, j.LastError, j.MessageID,
		j.DueAt.UnixMilli(), instantValue(j.StartedAt), instantValue(j.FinishedAt))
	return during("update job", err)
}

const selectGeneration query = `
SELECT generation FROM trip WHERE id = ?`

// Generation is the analysis run that a trip is at, whoever owns it. A trip that
// does not exist is ErrNotFound.
func (tx *Tx) Generation(tripID string) (int, error) {
	scan := func(row scanner) (n int, err error) { err = row.Scan(&n); return n, err }
	generation, err := one(tx, scan, selectGeneration, tripID)
	return generation, during("read generation", err)
}

const selectJobsWithoutMessage query = `
SELECT ` + jobColumns + ` FROM job
WHERE state IN ('queued', 'running') AND NOT EXISTS (SELECT 1 FROM goqite WHERE goqite.id = job.message_id)
ORDER BY id`

// JobsWithoutMessage are the active jobs that nobody would ever hear of.
func (tx *Tx) JobsWithoutMessage() ([]Job, error) {
	jobs, err := many(tx, scanJob, selectJobsWithoutMessage)
	return jobs, during("list jobs without a message", err)
}

const selectMessagesWithoutJob query = `
SELECT id FROM goqite
WHERE queue = ? AND NOT EXISTS (SELECT 1 FROM job WHERE job.id = CAST(goqite.body AS INTEGER) AND job.message_id = goqite.id)`

// MessagesWithoutJob are the ids of the messages of a queue whose job is gone or
// has another message.
func (tx *Tx) MessagesWithoutJob(queue string) ([]string, error) {
	scan := func(row scanner) (id string, err error) { err = row.Scan(&id); return id, err }
	ids, err := many(tx, scan, selectMessagesWithoutJob, queue)
	return ids, during("list messages without a job", err)
}

func scanJob(row scanner) (Job, error) {
	var j Job
	var due, enqueued int64
	var started, finished sql.NullInt64
	err := row.Scan(&j.ID, &j.TripID, &j.Kind, &j.Generation, &j.State, &j.Attempts, &j.Crashes, &j.Reason, &j.LastError,
		&j.MessageID, &due, &enqueued, &started, &finished)
	if err != nil {
		return Job{}, err
	}
	j.DueAt, j.EnqueuedAt = instant(due), instant(enqueued)
	j.StartedAt, j.FinishedAt = parseInstant(started), parseInstant(finished)
	return j, nil
}

// parseInstant is a stored instant, the zero time for NULL.
func parseInstant(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return instant(ms.Int64)
}

// instantValue is an instant as it is stored, NULL for none.
func instantValue(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}
