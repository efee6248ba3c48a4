package jobs

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"biketrip/store"

	"maragu.dev/goqite"
)

// queueName tells the messages of this queue from others in their table.
const queueName = "job"

// hidden is how long a message is received by nobody else: three times as long
// as the time after which that is said again of one whose job still runs.
const hidden = 30 * time.Second

// A Queue takes jobs. It is safe for concurrent use.
type Queue struct {
	messages *goqite.Queue
	woken    chan struct{} // holds one word that there may be something to do
}

// NewQueue is a queue, for one store and its runner.
func NewQueue() *Queue {
	return &Queue{
		messages: goqite.New(goqite.NewOpts{
			// Nothing of it is ever used: messages move in transactions of the store.
			DB: new(sql.DB),
			// The job table counts attempts. A message that was received too often
			// would stay in its table for good, seen by nobody.
			MaxReceive: 1 << 30,
			Name:       queueName,
			Timeout:    hidden,
		}),
		woken: make(chan struct{}, 1),
	}
}

// Wake tells the runner to look for jobs at once. Another process may have
// asked for some, which the runner sees within a second by itself.
func (q *Queue) Wake() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// Enqueue asks for work of a kind for a trip at that generation, and wakes the
// runner once tx is committed. There is one job of a kind and trip: an older
// one, be it running, is replaced, while one of that generation that still
// waits or runs is left as it is. What waits or runs for older generations of
// the trip is superseded. A trip that does not exist is store.ErrNotFound.
func (q *Queue) Enqueue(tx *store.Tx, tripID, kind string, generation int) error {
	if err := q.enqueue(tx, tripID, kind, generation); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			return store.ErrNotFound
		}
		return fmt.Errorf("enqueue %s: %w", kind, err)
	}
	return nil
}

func (q *Queue) enqueue(tx *store.Tx, tripID, kind string, generation int) error {
	jobs, err := tx.Jobs(tripID)
	if err != nil {
		return err
	}
	jobs = slices.DeleteFunc(jobs, func(j store.Job) bool { return !j.Active() })
	asked := false
	for _, j := range jobs {
		switch {
		case j.Kind == kind && j.Generation == generation:
			asked = true
		case j.Kind == kind || j.Generation < generation:
			if err := q.end(tx, &j, store.JobSuperseded, ""); err != nil {
				return err
			}
		}
	}
	if asked {
		return nil
	}
	job, err := tx.CreateJob(tripID, kind, generation)
	if err != nil {
		return err
	}
	tx.OnCommit(q.Wake)
	return q.send(tx, job, 0)
}

// send sends the message of an active job, to be received after the delay. One
// that is to be tried again stands behind those that have not had a turn.
func (q *Queue) send(tx *store.Tx, job store.Job, delay time.Duration) error {
	ctx, sqlTx := tx.SQL()
	body := strconv.AppendInt(nil, job.ID, 10)
	message := goqite.Message{Body: body, Delay: delay}
	if job.Attempts > 0 {
		message.Priority = -1
	}
	id, err := q.messages.SendAndGetIDTx(ctx, sqlTx, message)
	if err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	job.MessageID = string(id)
	return tx.UpdateJob(job)
}

// receive is the next message that is not hidden, hidden from now on, and the
// id of its job; empty where there is none.
func (q *Queue) receive(tx *store.Tx) (messageID string, jobID int64, err error) {
	ctx, sqlTx := tx.SQL()
	m, err := q.messages.ReceiveTx(ctx, sqlTx)
	if err != nil {
		return "", 0, fmt.Errorf("receive a message: %w", err)
	}
	if m == nil {
		return "", 0, nil
	}
	// A body that is no number is that of no job.
	jobID, _ = strconv.ParseInt(string(m.Body), 10, 64)
	return string(m.ID), jobID, nil
}

// hide keeps a message from being received for so long; 0 shows it at once.
func (q *Queue) hide(tx *store.Tx, messageID string, d time.Duration) error {
	ctx, sqlTx := tx.SQL()
	if err := q.messages.ExtendTx(ctx, sqlTx, goqite.ID(messageID), max(0, d)); err != nil {
		return fmt.Errorf("hide a message: %w", err)
	}
	return nil
}

// remove removes a message.
func (q *Queue) remove(tx *store.Tx, messageID string) error {
	ctx, sqlTx := tx.SQL()
	if err := q.messages.DeleteTx(ctx, sqlTx, goqite.ID(messageID)); err != nil {
		return fmt.Errorf("remove a message: %w", err)
	}
	return nil
}

// end ends an active job.
func (q *Queue) end(tx *store.Tx, job *store.Job, state store.JobState, reason string) error {
	if err := q.remove(tx, job.MessageID); err != nil {
		return err
	}
	job.State, job.Reason, job.MessageID, job.FinishedAt = state, reason, "", tx.Now
	return tx.UpdateJob(*job)
}

// release shows the message of the job of a trip that is the next to begin,
// which may have been put aside while another one ran.
func (q *Queue) release(tx *store.Tx, tripID string) error {
	jobs, err := tx.Jobs(tripID)
	if err != nil {
		return err
	}
	if job := next(jobs, tx.Now); job != nil {
		return q.hide(tx, job.MessageID, 0)
	}
	return nil
}

// next is the job of a trip that begins next: of those that wait and are due
// the one asked for first. nil where none is.
func next(jobs []store.Job, now time.Time) *store.Job {
	for i, j := range jobs {
		if j.State == store.JobQueued && !j.DueAt.After(now) {
			return &jobs[i]
		}
	}
	return nil
}
