package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many a request follows.
const maxRedirects = 5

// ask tries once, along all redirects.
func (c *Client) ask(ctx context.Context, q question) (*Response, *Error) {
	u := q.url
	for hop := 0; ; hop++ {
		res, err := c.send(ctx, u, q)
		if err != nil {
			return nil, err
		}
		if !isRedirect(res) {
			return c.receive(ctx, u, res, q.policy)
		}
		res.Body.Close()
		next, err := redirect(u, res)
		if err != nil {
			return nil, err
		}
		if reason := q.mayFollow(next, hop); reason != nil {
			return nil, refusedRedirect(u, res, next, reason)
		}
		u = next
	}
}

// send makes one request to one host, unless the host wants to be left alone.
// It carries no credentials, no cookies and no Referer.
func (c *Client) send(ctx context.Context, u *url.URL, q question) (*http.Response, *Error) {
	host := peerOf(u)
	if rest := c.pace.rest(host, c.now()); rest > 0 && !q.policy.Document {
		return nil, &Error{Kind: ErrRateLimited, Host: host, RetryAfter: rest}
	}
	req := (&http.Request{Method: q.method, URL: u, Header: http.Header{
		"User-Agent": {userAgent},
		"Accept":     {q.policy.Accept},
		// Asking for it by name makes the transport leave the body alone, so
		// that readBody bounds both sides of the decompression.
		"Accept-Encoding": {"gzip"},
	}}).WithContext(ctx)
	if q.policy.Document {
		req.Header.Set("Accept-Encoding", "identity")
	}
	if q.method == http.MethodPost {
		req.Header.Set("Content-Type", q.contentType)
		req.ContentLength = int64(len(q.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(q.body)), nil }
		req.Body, _ = req.GetBody()
	}
	transport := c.transport
	switch {
	case q.exempt:
		transport = c.unguarded
	case q.policy.Document:
		transport = c.documents
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, failure(ctx, host, 0, err, q.policy)
	}
	return res, nil
}

// receive turns the answer at u into a response, or its status into an error.
func (c *Client) receive(ctx context.Context, u *url.URL, res *http.Response, p Policy) (*Response, *Error) {
	defer res.Body.Close()
	host := peerOf(u)
	if res.StatusCode != http.StatusOK {
		now := c.now()
		e := &Error{
			Kind:       kindOf(res.StatusCode),
			Host:       host,
			Status:     res.StatusCode,
			RetryAfter: wantedWait(res.StatusCode, res.Header, now),
		}
		if (e.Kind == ErrRateLimited || e.Status == http.StatusServiceUnavailable) && !p.Document {
			c.pace.hold(host, now, e.RetryAfter)
		}
		return nil, e
	}
	body, err := readBody(res, p)
	if err != nil {
		return nil, failure(ctx, host, res.StatusCode, err, p)
	}
	return &Response{URL: u.String(), Header: res.Header, Body: body}, nil
}

// kindOf is the kind of error that a status other than 200 is.
func kindOf(status int) Kind {
	switch {
	case status == http.StatusNotFound, status == http.StatusGone:
		return ErrNotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ErrForbidden
	case status == http.StatusTooManyRequests:
		return ErrRateLimited
	case status >= 500 && status <= 599:
		return ErrUnavailable
	}
	return ErrStatus
}

// failure is an answer that did not come, or not whole. The end of ctx is here
// that of the policy's time, or nobody waits for the error.
func failure(ctx context.Context, host string, status int, err error, p Policy) *Error {
	e := &Error{Kind: ErrUnavailable, Host: host, Status: status, Cause: asCause(err)}
	switch {
	case errors.Is(err, ErrRefused):
		e.Kind = ErrRefused
	case errors.As(err, new(*http.MaxBytesError)):
		e.Kind = ErrTooLarge
		e.Cause = fmt.Errorf("more than %d bytes", p.MaxBytes)
	case ctx.Err() != nil:
		e.Cause = noTimeLeft(p.Timeout)
	}
	return e
}

// readBody reads the whole body, decompressed. Neither what is sent nor what it
// decompresses to may be longer than the policy allows, else the error is an
// *http.MaxBytesError: a few bytes may stand for gigabytes, and gigabytes for
// nothing. A document is not decompressed at all.
func readBody(res *http.Response, p Policy) ([]byte, error) {
	limit := p.MaxBytes
	if res.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	sent := http.MaxBytesReader(nil, res.Body, limit)
	coding := strings.ToLower(res.Header.Get("Content-Encoding"))
	switch {
	case coding == "", coding == "identity":
		return io.ReadAll(sent)
	case !p.Document && (coding == "gzip" || coding == "x-gzip"):
		z, err := gzip.NewReader(sent)
		if err != nil {
			return nil, fmt.Errorf("gzip body: %w", err)
		}
		res.Header.Del("Content-Encoding")
		res.Header.Del("Content-Length")
		return io.ReadAll(http.MaxBytesReader(nil, z, limit))
	default:
		return nil, fmt.Errorf("%w: %q", errCoding, coding)
	}
}

func isRedirect(res *http.Response) bool {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return res.Header.Get("Location") != ""
	}
	return false
}

// redirect is where the answer at u leads to.
func redirect(u *url.URL, res *http.Response) (*url.URL, *Error) {
	next, err := u.Parse(res.Header.Get("Location"))
	if err != nil {
		return nil, &Error{Kind: ErrRefused, Host: peerOf(u), Status: res.StatusCode, Cause: errNoAddress}
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// mayFollow is why the redirect after hop others must not be followed, or nil.
func (q question) mayFollow(next *url.URL, hop int) error {
	switch {
	case q.stays():
		return errNoRedirect
	case hop == maxRedirects:
		return errTooMany
	}
	return q.mayBeAt(next)
}

// stays says whether q must not be redirected at all.
func (q question) stays() bool { return q.policy.NoRedirect || q.exempt || q.method != http.MethodGet }

// mayBeAt is why the answer to q must not come from u, or nil.
func (q question) mayBeAt(u *url.URL) error {
	if !q.policy.allows(hostOf(q.url), hostOf(u)) {
		return errForeignHost
	}
	return checkAddress(u)
}

// refusedRedirect tells where the redirect led: without the query, which may
// hold what the host knows of the asker, and without a user or password. Its
// text has no path either: some hosts write keys into that.
func refusedRedirect(u *url.URL, res *http.Response, next *url.URL, reason error) *Error {
	to := url.URL{Scheme: next.Scheme, Host: next.Host}
	text := to.String()
	to.Path, to.RawPath = next.Path, next.RawPath
	return &Error{
		Kind:     ErrRefused,
		Host:     peerOf(u),
		Status:   res.StatusCode,
		Location: to.String(),
		Cause:    fmt.Errorf("redirect to %s: %w", text, reason),
	}
}
