package fetch

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"sync"
	"time"
)

// request is what makes two requests equal.
type request struct {
	url, hosts, accept string
	maxBytes           int64
	timeout            time.Duration
}

func requestOf(u *url.URL, p Policy) request {
	return request{u.String(), strings.Join(p.Hosts, "\n"), p.Accept, p.MaxBytes, p.Timeout}
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
	answer  *Response     // one of answer and problem, not written after done
	problem *Error
}

// join waits for the answer to r, which get fetches unless it is under way
// already. Its errors are an *Error, or that of ctx.
func (s *flights) join(ctx context.Context, r request, get func(context.Context) (*Response, *Error)) (*Response, error) {
	s.mu.Lock()
	f := s.flying[r]
	if f == nil {
		f = s.start(ctx, r, get)
	}
	f.waiters++
	s.mu.Unlock()

	select {
	case <-f.done:
		return f.copy()
	case <-ctx.Done():
		s.leave(r, f)
		return nil, ctx.Err()
	}
}

// start needs mu. The context of the first who asks does not end the request
// for those who join.
func (s *flights) start(ctx context.Context, r request, get func(context.Context) (*Response, *Error)) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, done: make(chan struct{})}
	s.flying[r] = f
	go func() {
		defer cancel()
		f.answer, f.problem = get(ctx)
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

// copy is the outcome of a flight that is done. Nothing in it is shared.
func (f *flight) copy() (*Response, error) {
	if f.problem != nil {
		e := *f.problem
		return nil, &e
	}
	return &Response{
		URL:    f.answer.URL,
		Header: f.answer.Header.Clone(),
		Body:   bytes.Clone(f.answer.Body),
	}, nil
}
