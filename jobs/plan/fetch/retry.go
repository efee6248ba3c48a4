package fetch

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	maxRetries = 2
	firstPause = 500 * time.Millisecond // before the first retry, doubled before the next

	// maxWait bounds what a host may ask for, so that a slip of its clock does
	// not shut it out until the server restarts.
	maxWait = 24 * time.Hour

	// longestPause is the longest pause that is made for another try: whoever
	// asks has better to do than to wait for a host that wants more.
	longestPause = 5 * time.Second

	// restUnsaid is how long a host is left alone that asks for it without
	// saying how long. Overpass asks for as much after a 429.
	restUnsaid = 30 * time.Second

	// firstUnixTime is where a number in X-RateLimit-Reset is no longer a count
	// of seconds but an instant: 2001, or a wait of 31 years.
	firstUnixTime = 1_000_000_000

	// firstUnixMilli is where it is one in milliseconds: 2001, or the year
	// 33658 in seconds.
	firstUnixMilli = 1_000_000_000_000
)

// persist asks until there is an answer, a failure that lasts, or no time left
// for another try. A host that keeps saying 503 is then left alone, as is at
// once one that says 429.
func (c *Client) persist(ctx context.Context, q question) outcome {
	ctx, cancel := context.WithTimeout(ctx, q.policy.Timeout)
	defer cancel()
	for n := 0; ; n++ {
		res, err := c.ask(ctx, q)
		if err == nil {
			return outcome{answer: res}
		}
		late := ctx.Err() != nil
		if n < maxRetries && q.safe() && !q.policy.Document && retriable(err) {
			wait := max(err.RetryAfter, c.backOff(n))
			if wait <= longestPause {
				if pause(ctx, wait) {
					continue
				}
				late = wait < q.policy.Timeout
			}
		}
		if err.Status == http.StatusServiceUnavailable && err.RetryAfter == 0 && !q.policy.Document {
			err.RetryAfter = restUnsaid
			c.pace.hold(err.Host, c.now(), restUnsaid)
		}
		return outcome{problem: err, late: late}
	}
}

// retriable says whether another try may help at once: after a 429, or in place
// of one while the host is left alone, a 5xx that tells of a moment's trouble,
// no answer, or one that breaks off.
func retriable(e *Error) bool {
	switch e.Kind {
	case ErrRateLimited:
		return true
	case ErrUnavailable:
		switch e.Status {
		case 0, http.StatusOK, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return !e.hopeless()
		}
	}
	return false
}

// backOff is the pause before retry n, from 0. It is up to half as long again,
// so that those who failed together do not return together.
func (c *Client) backOff(n int) time.Duration {
	d := firstPause << n
	return d + time.Duration(c.jitter()*float64(d)/2)
}

// pause waits for d. It is false, at once, where ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wantedWait is how long the host of an answer is left alone. A 503 may be one
// moment's: unless it says more, it is asked again first.
func wantedWait(status int, h http.Header, now time.Time) time.Duration {
	wait, said := askedWait(status, h, now)
	if !said && status == http.StatusTooManyRequests {
		return restUnsaid
	}
	return wait
}

// askedWait is how long the host of an answer says it wants to be left alone.
// Source: Retry-After of RFC 9110 section 10.2.3, seconds or a
// date; after a 429 also X-RateLimit-Reset, which no standard defines: seconds
// or Unix time, in seconds or milliseconds.
func askedWait(status int, h http.Header, now time.Time) (wait time.Duration, said bool) {
	after := h.Get("Retry-After")
	if n, ok := wholeNumber(after); ok {
		return inSeconds(n), true
	}
	if at, err := http.ParseTime(after); err == nil {
		return bounded(at.Sub(now)), true
	}
	n, ok := wholeNumber(h.Get("X-RateLimit-Reset"))
	switch {
	case !ok || status != http.StatusTooManyRequests:
		return 0, false
	case n >= firstUnixMilli:
		return bounded(time.UnixMilli(n).Sub(now)), true
	case n >= firstUnixTime:
		return bounded(time.Unix(n, 0).Sub(now)), true
	}
	return inSeconds(n), true
}

func wholeNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}

func inSeconds(n int64) time.Duration {
	return time.Duration(min(n, int64(maxWait/time.Second))) * time.Second
}

func bounded(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }
