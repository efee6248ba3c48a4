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
func (c *Client) ask(ctx context.Context, start *url.URL, p Policy) (*Response, *Error) {
	u := start
	for hop := 0; ; hop++ {
		res, err := c.send(ctx, u, p)
		if err != nil {
			return nil, err
		}
		if !isRedirect(res) {
			return c.receive(ctx, u, res, p)
		}
		res.Body.Close()
		next, err := redirect(u, res)
		if err != nil {
			return nil, err
		}
		if reason := p.mayFollow(start, next, hop); reason != nil {
			return nil, refusedRedirect(u, res, next, reason)
		}
		u = next
	}
}

// send makes one request to one host, unless the host wants to be left alone.
// It carries no credentials, no cookies and no Referer.
func (c *Client) send(ctx context.Context, u *url.URL, p Policy) (*http.Response, *Error) {
	host := hostOf(u)
	if rest := c.pace.rest(host, c.now()); rest > 0 {
		return nil, &Error{Kind: ErrRateLimited, Host: host, RetryAfter: rest}
	}
	req := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{
		"User-Agent": {userAgent},
		"Accept":     {p.Accept},
		// Asking for it by name makes the transport leave the body alone, so
		// that readBody bounds both sides of the decompression.
		"Accept-Encoding": {"gzip"},
	}}).WithContext(ctx)
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, failure(ctx, host, 0, err, p)
	}
	return res, nil
}

// receive turns the answer at u into a response, or its status into an error.
func (c *Client) receive(ctx context.Context, u *url.URL, res *http.Response, p Policy) (*Response, *Error) {
	defer res.Body.Close()
	host := hostOf(u)
	if res.StatusCode != http.StatusOK {
		now := c.now()
		e := &Error{
			Kind:       kindOf(res.StatusCode),
			Host:       host,
			Status:     res.StatusCode,
			RetryAfter: askedWait(res.StatusCode, res.Header, now),
		}
		if e.Kind == ErrRateLimited || e.Status == http.StatusServiceUnavailable {
			c.pace.hold(host, now, e.RetryAfter)
		}
		return nil, e
	}
	body, err := readBody(res, p.MaxBytes)
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
		e.Cause = fmt.Errorf("no whole answer within %v", p.Timeout)
	}
	return e
}

// readBody reads the whole body, decompressed. Neither what is sent nor what it
// decompresses to may be longer than limit bytes, else the error is an
// *http.MaxBytesError: a few bytes may stand for gigabytes, and gigabytes for
// nothing.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	if res.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	sent := http.MaxBytesReader(nil, res.Body, limit)
	switch coding := strings.ToLower(res.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return io.ReadAll(sent)
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(sent)
		if err != nil {
			return nil, fmt.Errorf("gzip body: %w", err)
		}
		res.Header.Del("Content-Encoding")
		res.Header.Del("Content-Length")
		return io.ReadAll(http.MaxBytesReader(nil, z, limit))
	default:
		return nil, fmt.Errorf("a content coding nobody asked for: %q", coding)
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
		return nil, &Error{Kind: ErrRefused, Host: hostOf(u), Status: res.StatusCode, Cause: errNoAddress}
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// mayFollow is why the redirect after hop others must not be followed, or nil.
func (p Policy) mayFollow(start, next *url.URL, hop int) error {
	switch {
	case hop == maxRedirects:
		return errTooMany
	case !p.allows(hostOf(start), hostOf(next)):
		return errForeignHost
	}
	return checkAddress(next)
}

// refusedRedirect tells where the redirect led: without the query, which may
// hold what the host knows of the asker, and without a user or password.
func refusedRedirect(u *url.URL, res *http.Response, next *url.URL, reason error) *Error {
	to := (&url.URL{Scheme: next.Scheme, Host: next.Host, Path: next.Path, RawPath: next.RawPath}).String()
	return &Error{
		Kind:     ErrRefused,
		Host:     hostOf(u),
		Status:   res.StatusCode,
		Location: to,
		Cause:    fmt.Errorf("redirect to %s: %w", to, reason),
	}
}
