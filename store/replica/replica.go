package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	// longestWait is the longest time between two tries while they fail.
	longestWait = 15 * time.Second
	// closeEvery is the time between two tries of Close.
	closeEvery = 500 * time.Millisecond
)

// A Replica keeps the copy of one database file up to date. It is safe for
// concurrent use.
type Replica struct {
	config Config
	path   string
	log    *slog.Logger
	opened time.Time

	// The next two belong to the goroutine of run, and to Close once that has
	// ended.
	engine   *engine
	verified time.Time // the last time the copy was found whole
	wake     chan struct{}
	cancel   context.CancelFunc
	ended    chan struct{} // closed at the end of run

	mu       sync.Mutex
	closed   bool
	waiting  *attempt  // the next one, nil while nobody waits for it
	lastSync time.Time // the last time at which the copy had everything
	err      error     // of the last attempt
}

// An attempt is a sync that is about to begin, and those who wait for its end.
type attempt struct {
	done chan struct{}
	err  error // set before done is closed
}

// Open starts replication of the database file at db, an absolute path, which
// exists and may be empty. It does not wait for the replica, whose state is
// told by Health. Litestream adds its tables _litestream_seq and
// _litestream_lock to the file. The Replica is closed after every other
// connection of this process to the file.
func Open(ctx context.Context, c Config, db string, log *slog.Logger) (*Replica, error) {
	if !c.On() {
		return nil, errors.New("open the replica: it is off")
	}
	e, err := startEngine(ctx, c, db, log)
	if err != nil {
		return nil, fmt.Errorf("open the replica: %w", err)
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &Replica{
		config: c, path: db, log: log, opened: time.Now(),
		engine: e, wake: make(chan struct{}, 1), cancel: cancel, ended: make(chan struct{}),
	}
	go r.run(run)
	return r, nil
}

// Sync waits until everything that is committed by now is acknowledged by the
// replica. Callers at the same time share one upload. Its error is that of ctx,
// that of the attempt, or ErrClosed; the commits themselves are not touched by
// it and go to the replica later.
func (r *Replica) Sync(ctx context.Context) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return ErrClosed
	}
	if r.waiting == nil {
		r.waiting = &attempt{done: make(chan struct{})}
	}
	a := r.waiting
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // it is awake
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return fmt.Errorf("wait for the replica: %w", ctx.Err())
	}
}

// run syncs at the intervals of the settings, whenever somebody waits for it,
// and more and more rarely while it fails.
func (r *Replica) run(ctx context.Context) {
	defer close(r.ended)
	var sent time.Time
	wait := r.config.monitor
	timer := time.NewTimer(r.firstWait())
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-r.wake:
		}
		// Whoever asks from here on waits for the next one: its commit may be
		// too late for this one.
		a := r.take()
		begun := time.Now()
		upload := a != nil || begun.Sub(sent) >= r.config.sync-r.config.monitor/2
		err := r.sync(ctx, upload)
		if ctx.Err() != nil {
			a.finish(ErrClosed)
			return
		}
		if upload && err == nil {
			sent = begun
		}
		if upload || err != nil {
			r.record(err)
		}
		a.finish(err)
		if err == nil {
			wait = r.config.monitor
		} else {
			wait = min(2*wait, max(longestWait, r.config.monitor))
		}
		timer.Reset(max(wait-time.Since(begun), 0))
	}
}

// firstWait is the time before the first sync. What an earlier process has left
// in the log is as old as its end and goes at once; a new file is left alone
// while it is turned to a log at all, which takes it for oneself.
func (r *Replica) firstWait() time.Duration {
	if fileSize(r.path) > 0 {
		return 0
	}
	return r.config.monitor
}

// take is the attempt that somebody waits for, nil where nobody does.
func (r *Replica) take() *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.waiting
	r.waiting = nil
	return a
}

func (a *attempt) finish(err error) {
	if a == nil {
		return
	}
	a.err = err
	close(a.done)
}

// sync reads what is new in the file and, with upload, sends it.
func (r *Replica) sync(ctx context.Context, upload bool) error {
	if r.engine == nil {
		e, err := startEngine(ctx, r.config, r.path, r.log)
		if err != nil {
			return err
		}
		r.engine = e
	}
	err := r.engine.read(ctx)
	if err == nil && upload {
		err = r.engine.send(ctx)
	}
	if err == nil && upload && time.Since(r.verified) >= r.engine.verifyEvery() {
		if err = r.verify(ctx); err == nil {
			r.verified = time.Now()
		}
	}
	if err != nil && ctx.Err() == nil && r.engine.lost(err) {
		return errors.Join(err, r.begin(err))
	}
	return err
}

// verify looks whether the copy is whole, and mends it where it is not.
func (r *Replica) verify(ctx context.Context) error {
	err := r.engine.verify(ctx)
	if !errors.Is(err, errIncomplete) {
		return err
	}
	r.log.Warn("the replica is not whole: a whole copy is sent", "error", err)
	if err := r.engine.complete(ctx); err != nil {
		return err
	}
	return r.engine.verify(ctx)
}

// begin lets the next sync begin with a whole copy, since Litestream's own
// files beside the database are no longer what it left there. The database
// itself has everything, and the older copies stay where they are.
func (r *Replica) begin(why error) error {
	r.log.Warn("litestream's files beside the database are gone or damaged: a whole copy is sent", "error", why)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	// What fails here is what cannot be sent any more.
	_ = r.engine.close(over)
	r.engine = nil
	return os.RemoveAll(metaPath(r.path))
}

// record keeps the outcome of an attempt for Health and logs where it changes.
func (r *Replica) record(err error) {
	r.mu.Lock()
	before := r.err
	r.err = err
	if err == nil {
		r.lastSync = time.Now()
	}
	r.mu.Unlock()
	switch {
	case err != nil && before == nil:
		r.log.Error("the replica is not up to date", "error", err)
	case err == nil && before != nil:
		r.log.Info("the replica is up to date again")
	}
}

// Close brings the replica up to date and ends replication. Where it cannot
// within shutdown-sync-timeout, 10 seconds unless set, its error wraps
// ErrBehind.
func (r *Replica) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.mu.Unlock()
	if again {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.config.shutdown)
	defer cancel()
	r.cancel()
	<-r.ended
	r.take().finish(ErrClosed)
	r.verified = time.Time{}
	err := r.lastTries(ctx)
	if err != nil {
		cancel()
	}
	if r.engine != nil {
		// Its own last try has nothing left to send where ours has succeeded,
		// and is cut short where it has not.
		if closeErr := r.engine.close(ctx); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fmt.Errorf("close the replica: %w: %w", ErrBehind, err)
	}
	return nil
}

// lastTries syncs until it succeeds or ctx is over.
func (r *Replica) lastTries(ctx context.Context) error {
	var last error
	for {
		err := r.sync(ctx, true)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // rather than that the time was over
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(closeEvery):
		}
	}
}
