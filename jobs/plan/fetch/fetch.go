// Package fetch is the one HTTP client to the outside world. What it may do is
// an argument of every request; who answers, how much and how late is bounded.
package fetch

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// userAgent names the program to the hosts it asks; several of them refuse the
// agent of a library.
const userAgent = "Biketrip/1.0"

// What the zero Policy stands for.
const (
	defaultMaxBytes = 1_000_000
	defaultTimeout  = 10 * time.Second
)

// Policy is what a request may do. The zero value is the strictest: its own
// host only, no redirect elsewhere, 1 MB, 10 seconds.
type Policy struct {
	Hosts    []string      // hosts it may be redirected to besides its own
	Accept   string        // the Accept header, empty for */*
	MaxBytes int64         // of the body, both as sent and decompressed; 0 for 1 MB
	Timeout  time.Duration // of the whole request, retries included; 0 for 10 s
}

// Response is an answer with status 200.
type Response struct {
	URL    string // after redirects
	Header http.Header
	Body   []byte // decompressed
}

// Options are what a client is made of.
type Options struct {
	Transport http.RoundTripper // nil for the network, guarded: public addresses only
	Now       func() time.Time  // nil for time.Now; runs as fast as real time
	Jitter    func() float64    // in [0, 1), spreads the retries; nil for random
}

// Client fetches. It is safe for concurrent use.
type Client struct {
	transport http.RoundTripper
	now       func() time.Time
	jitter    func() float64
	pace      pace
	flights   flights
}

// New is a client. Without a transport it asks the network and nobody but
// public addresses.
func New(o Options) *Client {
	c := &Client{
		transport: o.Transport,
		now:       o.Now,
		jitter:    o.Jitter,
		pace:      pace{until: map[string]time.Time{}},
		flights:   flights{flying: map[request]*flight{}},
	}
	if c.transport == nil {
		c.transport = guardedTransport()
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.jitter == nil {
		c.jitter = rand.Float64
	}
	return c
}

// Get fetches an https address. Its errors are an *Error, or that of ctx.
//
// Equal requests at the same time are one to the host; each caller has an
// answer of its own, to change as it likes.
func (c *Client) Get(ctx context.Context, url string, p Policy) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	u, refused := address(url)
	if refused != nil {
		return nil, refused
	}
	p = p.withDefaults()
	return c.flights.join(ctx, requestOf(u, p), func(ctx context.Context) (*Response, *Error) {
		return c.persist(ctx, u, p)
	})
}

// address reads an address that a request starts with. A fragment is not part
// of what is asked for.
func address(text string) (*url.URL, *Error) {
	u, err := url.Parse(text)
	if err != nil {
		// The words of url.Parse quote the address, query and all.
		return nil, &Error{Kind: ErrRefused, Cause: errNoAddress}
	}
	u.Fragment, u.RawFragment = "", ""
	if err := checkAddress(u); err != nil {
		return nil, &Error{Kind: ErrRefused, Host: hostOf(u), Cause: err}
	}
	return u, nil
}

// hostOf is the host as it is compared: in lower case, without the final dot of
// a fully qualified name, without port.
func hostOf(u *url.URL) string { return hostName(u.Hostname()) }

func hostName(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// withDefaults is p in full, apart from the caller's own, who may leave before
// the request ends.
func (p Policy) withDefaults() Policy {
	p.Hosts = slices.Clone(p.Hosts)
	if p.Accept == "" {
		p.Accept = "*/*"
	}
	if p.MaxBytes <= 0 {
		p.MaxBytes = defaultMaxBytes
	}
	if p.Timeout <= 0 {
		p.Timeout = defaultTimeout
	}
	return p
}

// allows says whether a request to the host own may be redirected to host.
func (p Policy) allows(own, host string) bool {
	return host == own || slices.ContainsFunc(p.Hosts, func(h string) bool { return hostName(h) == host })
}
