// Package jobs does work for trips in the background: a queue that is part of
// the file, filled in the transaction that asks for the work, and its runner.
//
// The messages are those of goqite, which gives a message to somebody and hides
// it meanwhile. Everything else is known from the table job: what is asked for,
// how often it was tried, who waits for whom.
package jobs

import (
	"context"
	"strings"
	"time"

	"biketrip/store"
)

// A Job is what a handler works on.
type Job struct {
	ID         int64
	TripID     string
	Kind       string
	Generation int // of the trip when the job was asked for
	Attempt    int // from 1
}

// A Result is what an attempt has found.
type Result struct {
	// Save keeps it, in the transaction in which the job becomes done, and only
	// if the trip still has the job's generation and nobody has replaced the job.
	// The job is done already where Save looks at it, so that Save may ask for
	// the same kind again. Its error undoes all of it and counts as that of the
	// attempt. nil for nothing to save.
	Save func(*store.Tx) error
	// Reason tells the rider what to know about the result; empty for nothing.
	Reason string
}

// A Handler makes one attempt at a job, outside of any transaction. ctx ends
// when the server stops, when the time of the attempt is over, or when nobody
// wants the result any more.
type Handler func(ctx context.Context, job Job) (Result, error)

// What the rider is told of a job that failed where its handler gives no reason.
const (
	ReasonGaveUp      = "Something went wrong on our side, several times. You can ask for it again."
	ReasonUnknownKind = "This server does not know how to do this."
)

// A Failure is an error with a say in what happens next. Any other error of a
// handler is tried again; after the last attempt the rider hears ReasonGaveUp.
type Failure struct {
	Reason string        // for the rider; empty for ReasonGaveUp
	Final  bool          // no other attempt would help
	After  time.Duration // wait at least so long before the next attempt
	Err    error         // for the operator; nil where Reason says it all
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Reason
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// maxLastError bounds what is kept of an error, in code points.
const maxLastError = 300

// oneLine is the text of an error as it is kept.
func oneLine(err error) string {
	text := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "\uFFFD")), " "))
	if len(text) > maxLastError {
		text = append(text[:maxLastError-1], '…')
	}
	return string(text)
}
