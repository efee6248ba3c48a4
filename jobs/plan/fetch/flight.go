package fetch

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// request is what makes two requests equal.
type request struct {
	method, host, url, contentType, body string
	exempt, noRedirect, document         bool
	hosts, accept                        string
	maxBytes                             int64
	timeout                              time.Duration
	keep                                 Lifetime
	subject                              string
	alone                                *byte // of its own, for a request that is never one with another
}

func requestOf(q question) request {
	p := q.policy
	r := request{
		method: q.method, host: peerOf(q.url), url: q.url.String(), contentType: q.contentType, body: q.body,
		exempt: q.exempt, noRedirect: p.NoRedirect, document: p.Document,
		hosts: strings.Join(p.Hosts, "\n"), accept: p.Accept,
		maxBytes: p.MaxBytes, timeout: p.Timeout,
		keep: p.Keep, subject: p.Subject,
	}
	if !q.safe() {
		r.alone = new(byte)
	}
	return r
}

// outcome is how a request ended: one of answer and problem.
type outcome struct {
	answer  *Response
	problem *Error
	late    bool // for want of time: with more of it there may have been an answer
}

// flights are the requests under way, one for all who ask the same.
type flights struct {
	mu     sync.Mutex
	flying map[request]*flight
}

// flight is a request under way. It lives as long as somebody waits for it.
type flight struct {
	waiters int // guarded by flights.mu
	cancel  context.CancelFunc
	done    chan struct{} // closed when the answer is there
	outcome outcome       // not written after done
	handing sync.Mutex    // held while one of the waiters is handed the outcome
}

// join waits for the answer to r, which get fetches unless it is under way
// already. Its errors are an *Error, or that of ctx.
//
// Who joins late has time left when that of the flight is over, and asks again.
func (s *flights) join(ctx context.Context, r request, get func(context.Context) outcome) (*Response, error) {
	end := time.Now().Add(r.timeout)
	var over <-chan time.Time // the first flight ends before end
	for {
		f, started := s.board(ctx, r, get)
		select {
		case <-f.done:
			if !f.outcome.late || started || time.Until(end) < firstPause {
				return s.take(f)
			}
			s.leave(r, f)
		case <-ctx.Done():
			s.leave(r, f)
			return nil, ctx.Err()
		case <-over:
			s.leave(r, f)
			return nil, &Error{Kind: ErrUnavailable, Host: r.host, Cause: noTimeLeft(r.timeout)}
		}
		if over == nil {
			t := time.NewTimer(time.Until(end))
			defer t.Stop()
			over = t.C
		}
	}
}

// board joins the flight for r, or starts it.
func (s *flights) board(ctx context.Context, r request, get func(context.Context) outcome) (f *flight, started bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f = s.flying[r]
	if f == nil {
		f, started = s.start(ctx, r, get), true
	}
	f.waiters++
	return f, started
}

// start needs mu. The context of the first who asks does not end the request
// for those who join.
func (s *flights) start(ctx context.Context, r request, get func(context.Context) outcome) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, done: make(chan struct{})}
	s.flying[r] = f
	go func() {
		defer cancel()
		f.outcome = get(ctx)
		s.mu.Lock()
		s.land(r, f)
		s.mu.Unlock()
		close(f.done)
	}()
	return f
}

// leave ends a request that nobody waits for any more.
func (s *flights) leave(r request, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiters--
	if f.waiters == 0 {
		f.cancel()
		s.land(r, f)
	}
}

// land needs mu. Another flight may have started in the place of one that was
// left.
func (s *flights) land(r request, f *flight) {
	if s.flying[r] == f {
		delete(s.flying, r)
	}
}

// take hands the outcome of a flight that is done to one of its waiters. Nothing
// in it is shared: the last has the answer itself, which nobody copies any more,
// the others copies.
func (s *flights) take(f *flight) (*Response, error) {
	f.handing.Lock()
	defer f.handing.Unlock()
	s.mu.Lock()
	f.waiters--
	last := f.waiters == 0
	s.mu.Unlock()
	switch {
	case f.outcome.problem != nil:
		e := *f.outcome.problem
		return nil, &e
	case last:
		return f.outcome.answer, nil
	}
	res := *f.outcome.answer
	res.Header, res.Body = res.Header.Clone(), bytes.Clone(res.Body)
	return &res, nil
}

// noTimeLeft is the cause of an error for want of an answer in time.
func noTimeLeft(timeout time.Duration) error { return fmt.Errorf("no whole answer within %v", timeout) }
