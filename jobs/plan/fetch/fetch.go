// Package fetch is the one HTTP client to the outside world. What it may do is
// an argument of every request; who answers, how much and how late is bounded.
package fetch

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"biketrip/store"
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
// host only, public and over https, no redirect elsewhere, 1 MB, 10 seconds,
// nothing repeated that may change something, nothing kept.
type Policy struct {
	Hosts      []string      // hosts it may be redirected to besides its own
	NoRedirect bool          // it is not even redirected to its own
	Operator   bool          // the address may be under one of Options.Operator; never set for an address that a user, a document or a host named
	Accept     string        // the Accept header, empty for */*
	MaxBytes   int64         // of the body, both as sent and decompressed; 0 for 1 MB
	Timeout    time.Duration // of the whole request, retries included; 0 for 10 s
	Query      bool          // a Post that only asks: it may be repeated, be one with an equal one, and its answer be kept
	Keep       Lifetime      // how long the answer may be used again once Client.Keep was called; 0 for never
	Document   bool          // it is the metadata document that a stranger is named by: at any port of a public host, asked for once however busy the host, over a connection of its own, uncompressed, with a header of at most 16 KiB
	Subject    string        // what the answer is about, such as the link of a trip: what is kept of it is removed with the trip; empty for none
}

// Response is an answer with status 200.
type Response struct {
	URL    string      // after redirects
	Header http.Header // of an answer that was kept, Content-Type alone
	Body   []byte      // decompressed

	keepable *keepable // nil for an answer that is not kept
}

// Options are what a client is made of.
type Options struct {
	Transport http.RoundTripper // nil for the network, guarded: public addresses and those of Operator only
	Operator  []Operator        // what the operator has named, for a Policy with Operator
	Store     *store.Store      // where answers are kept; nil for nowhere
	Log       *slog.Logger      // of a file that fails to keep or give an answer; nil for none
	Now       func() time.Time  // nil for time.Now; runs as fast as real time
	Jitter    func() float64    // in [0, 1), spreads the retries; nil for random
}

// Client fetches. It is safe for concurrent use.
type Client struct {
	transport http.RoundTripper // guarded
	documents http.RoundTripper // guarded, for a Policy with Document
	unguarded http.RoundTripper // for what the operator has named
	operators []Operator
	store     *store.Store
	log       *slog.Logger
	now       func() time.Time
	jitter    func() float64
	pace      pace
	flights   flights
}

// New is a client. Without a transport it asks the network, and there nobody
// but public addresses and those of the operator.
func New(o Options) *Client {
	c := &Client{
		transport: o.Transport,
		documents: o.Transport,
		unguarded: o.Transport,
		operators: slices.Clone(o.Operator),
		store:     o.Store,
		log:       o.Log,
		now:       o.Now,
		jitter:    o.Jitter,
		pace:      pace{until: map[string]time.Time{}},
		flights:   flights{flying: map[request]*flight{}},
	}
	if c.transport == nil {
		c.transport, c.documents, c.unguarded = guardedTransport(), documentTransport(), network(nil)
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
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
	return c.do(ctx, url, question{method: http.MethodGet, policy: p})
}

// Post sends a body to an https address and is otherwise like Get. Redirects of
// it are refused. It is sent once and stands alone, unless the policy says that
// it is a query.
func (c *Client) Post(ctx context.Context, url, contentType string, body []byte, p Policy) (*Response, error) {
	return c.do(ctx, url, question{method: http.MethodPost, contentType: contentType, body: string(body), policy: p})
}

// question is a request as it is sent.
type question struct {
	method, contentType, body string
	url                       *url.URL
	exempt                    bool // from the guard: the address is one of the operator's
	policy                    Policy
}

// safe says whether asking changes nothing at the host.
func (q question) safe() bool { return q.method == http.MethodGet || q.policy.Query }

func (c *Client) do(ctx context.Context, text string, q question) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var exempt []Operator
	if q.policy.Operator {
		exempt = c.operators
	}
	u, refused := address(text, q.policy.Document, exempt...)
	if refused != nil {
		return nil, refused
	}
	q.url, q.exempt, q.policy = u, isOperator(u, exempt), q.policy.withDefaults()
	return c.flights.join(ctx, requestOf(q), func(ctx context.Context) outcome { return c.answer(ctx, q) })
}

// answer is the answer to q out of the file, or else that of its host.
func (c *Client) answer(ctx context.Context, q question) outcome {
	if res := c.recall(ctx, q); res != nil {
		return outcome{answer: res}
	}
	o := c.persist(ctx, q)
	if o.problem == nil {
		o.answer.keepable = c.keepable(q, o.answer)
	}
	return o
}

// address reads an address that a request starts with. A fragment is not part of
// what is asked for.
func address(text string, anyPort bool, exempt ...Operator) (*url.URL, *Error) {
	u, err := url.Parse(text)
	if err != nil {
		// The words of url.Parse quote the address, query and all.
		return nil, &Error{Kind: ErrRefused, Cause: errNoAddress}
	}
	u.Fragment, u.RawFragment = "", ""
	if isOperator(u, exempt) {
		return u, nil
	}
	err = checkAddress(u)
	if anyPort && errors.Is(err, errPort) {
		err = checkHost(u)
	}
	if err != nil {
		return nil, &Error{Kind: ErrRefused, Host: hostOf(u), Cause: err}
	}
	return u, nil
}

// hostOf is the host as it is compared: in lower case, without the final dot of
// a fully qualified name, without port.
func hostOf(u *url.URL) string { return hostName(u.Hostname()) }

func hostName(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// peerOf is hostOf with the port, where it is another than that of https.
func peerOf(u *url.URL) string {
	if port := portOf(u); port != httpsPortText {
		return net.JoinHostPort(hostOf(u), port)
	}
	return hostOf(u)
}

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
