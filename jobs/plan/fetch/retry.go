package fetch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	maxRetries = 2
	firstPause = 500 * time.Millisecond // before the first retry, doubled before the next

	// maxWait bounds what a host may ask for, so that a slip of its clock does
	// not shut it out until the server restarts.
	maxWait = 24 * time.Hour

	// firstUnixTime is where a number in X-RateLimit-Reset is no longer a count
	// of seconds but an instant: 2001, or a wait of 31 years.
	firstUnixTime = 1_000_000_000
)

// persist asks until there is an answer, a failure that lasts, or no time left
// for another try.
func (c *Client) persist(ctx context.Context, u *url.URL, p Policy) (*Response, *Error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	for n := 0; ; n++ {
		res, err := c.ask(ctx, u, p)
		if err == nil {
			return res, nil
		}
		if n == maxRetries || !passing(err) || !pause(ctx, max(err.RetryAfter, c.backOff(n))) {
			return nil, err
		}
	}
}

// passing says whether another try may help: after a 429, or in place of one
// while the host is left alone, a 5xx that tells of a moment's trouble, no
// answer, or one that breaks off.
func passing(e *Error) bool {
	switch e.Kind {
	case ErrRateLimited:
		return true
	case ErrUnavailable:
		switch e.Status {
		case 0, http.StatusOK, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
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

// askedWait is how long the host of an answer wants to be left alone, 0 for
// nothing said. Source: Retry-After of RFC 9110 section 10.2.3, seconds or a
// date; after a 429 also X-RateLimit-Reset, which no standard defines: seconds
// or Unix time in seconds.
func askedWait(status int, h http.Header, now time.Time) time.Duration {
	after := h.Get("Retry-After")
	if n, ok := wholeNumber(after); ok {
		return inSeconds(n)
	}
	if at, err := http.ParseTime(after); err == nil {
		return bounded(at.Sub(now))
	}
	if n, ok := wholeNumber(h.Get("X-RateLimit-Reset")); ok && status == http.StatusTooManyRequests {
		if n >= firstUnixTime {
			return bounded(time.Unix(n, 0).Sub(now))
		}
		return inSeconds(n)
	}
	return 0
}

func wholeNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}

func inSeconds(n int64) time.Duration {
	return time.Duration(min(n, int64(maxWait/time.Second))) * time.Second
}

func bounded(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }
