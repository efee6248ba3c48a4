package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"biketrip/store/limit"
)

// The bounds of a body.
const (
	maxBodyBytes = 1 << 20
	bodyTime     = 30 * time.Second
)

// The types of a body. Source: MCP 2026-07-28, "Streamable HTTP".
const (
	mediaJSON   = "application/json"
	mediaStream = "text/event-stream"
)

// Options are what an endpoint is made of.
type Options struct {
	DefaultURI string   // scheme and host, no trailing slash
	Scopes     []string // all there are, as the challenge names them
	Tools      []Tool   // in the published order

	// Verify says who calls with a token. An error that is ErrInvalidToken is
	// the caller's, any other ours. It is called on every request.
	Verify func(ctx context.Context, token string) (Caller, error)

	// Calls and Writes are how many calls of tools, and how many of those that
	// change something, a user may make through a client; nil for any number.
	Calls, Writes *limit.Limiter

	// Instructions are what a model is told before it calls anything; nil for
	// nothing.
	Instructions func(Caller) string

	// Origins are the web sites whose pages may call from a browser, besides our
	// own: scheme and host, as browsers write them.
	Origins []string

	// RefusalsAsResults renders what a tool refuses as a result that is an error,
	// not as an error of JSON-RPC.
	RefusalsAsResults bool

	// Record takes what is known of each call once it is over; nil for nobody.
	Record func(Record)

	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger
	Random io.Reader // for references to the log, read by several at once; nil for crypto/rand
}

// Endpoint answers at /mcp. It keeps nothing between two requests.
type Endpoint struct {
	home      home
	challenge string
	verify    func(context.Context, string) (Caller, error)
	calls     *limit.Limiter
	writes    *limit.Limiter
	instruct  func(Caller) string
	asResult  bool // what a tool refuses
	record    func(Record)
	now       func() time.Time
	log       *slog.Logger
	random    io.Reader

	tools    map[string]*Tool
	names    []string // of the tools, in their order
	versions []string // served, as mcp-go tells them
	server   *server.MCPServer
	requests atomic.Uint64 // counted, to tell them apart
}

// New makes an endpoint. It panics where what it is made of is at fault: a tool
// without a scope, a schema that is not of an object, one name twice.
func New(o Options) *Endpoint {
	e := &Endpoint{
		home:     newHome(o.DefaultURI),
		verify:   o.Verify,
		calls:    o.Calls,
		writes:   o.Writes,
		instruct: o.Instructions,
		asResult: o.RefusalsAsResults,
		record:   o.Record,
		now:      o.Now,
		log:      o.Log,
		random:   o.Random,
		tools:    map[string]*Tool{},
	}
	if e.verify == nil || e.log == nil || len(o.Scopes) == 0 {
		panic("mcp: an endpoint needs scopes, a verifier of tokens and a log")
	}
	if e.random == nil {
		e.random = rand.Reader
	}
	if e.now == nil {
		e.now = time.Now
	}
	e.home.origins = append(e.home.origins, o.Origins...)
	e.challenge = e.home.challenge(o.Scopes)
	for _, era := range eras {
		e.versions = append(e.versions, string(era))
	}
	for i, tool := range o.Tools {
		if fault := faultOf(tool, o.Scopes); fault != "" {
			panic(fmt.Sprintf("mcp: tool %d, %q, %s", i+1, tool.Name, fault))
		}
		if e.tools[tool.Name] != nil {
			panic(fmt.Sprintf("mcp: there are two tools named %q", tool.Name))
		}
		e.tools[tool.Name] = &tool
		e.names = append(e.names, tool.Name)
	}
	e.server = e.newServer(o.Tools)
	return e
}

// faultOf is what is wrong with a tool, "" for nothing.
func faultOf(t Tool, scopes []string) string {
	ofObject := func(schema json.RawMessage) bool { return text(object(schema)["type"]) == "object" }
	switch {
	case strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || t.Name == "":
		return "is not named in small letters, digits and _"
	case t.Title == "" || t.Description == "":
		return "has no title or no description"
	case !slices.Contains(scopes, t.Scope):
		return fmt.Sprintf("needs the scope %q, which is none", t.Scope)
	case !ofObject(t.Input) || !ofObject(t.Output):
		return "has a schema that is not of an object"
	case t.Call == nil:
		return "does nothing"
	}
	return ""
}

// ServeHTTP takes a request through the checks, of which Guard has done the first:
// Origin 403, token 401, method 405, type 415, scope by header 403, body 413, and
// then those of the message. An earlier one wins: a client that looks around with
// a GET must see the challenge.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := e.now()
	f := e.home.checkOrigin(r)
	if f == nil && share(w, r) {
		return
	}
	var c Caller
	var body []byte
	if f == nil {
		c, body, f = e.enter(w, r)
	}
	var records []Record
	if f != nil {
		f.write(w)
		records = e.recordFault(r, f)
	} else {
		records = e.answer(w, r, c, body)
	}
	for _, record := range records {
		record.Duration = e.now().Sub(begun)
		e.tell(record)
	}
}

// enter is who calls, and with what.
func (e *Endpoint) enter(w http.ResponseWriter, r *http.Request) (c Caller, body []byte, f *fault) {
	c, f = e.authenticate(r)
	if f == nil {
		f = checkMethod(r)
	}
	if f == nil {
		f = checkType(r)
	}
	if f == nil {
		f = e.checkScope(r, c)
	}
	if f == nil {
		body, f = readBody(w, r)
	}
	return c, body, f
}

func checkMethod(r *http.Request) *fault {
	if r.Method != http.MethodPost {
		return noPost()
	}
	return nil
}

func checkType(r *http.Request) *fault {
	kinds := r.Header.Values("Content-Type")
	if len(kinds) == 1 {
		if kind, _, err := mime.ParseMediaType(kinds[0]); err == nil && kind == mediaJSON {
			return nil
		}
	}
	return noJSON()
}

// readBody reads what was sent, as long as it is not too much and does not take
// for ever.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *fault) {
	if r.ContentLength > maxBodyBytes {
		return nil, tooLarge()
	}
	// Where there is no connection, as in a benchmark, there is nothing to wait
	// for. The deadline is lifted again: it would end the call, too.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_ = connection.SetReadDeadline(time.Time{})
	var larger *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &larger):
		return nil, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, tooSlow()
	}
	return nil, brokenOff()
}

// answer answers what was sent: one message, or, in the earlier eras, several.
func (e *Endpoint) answer(w http.ResponseWriter, r *http.Request, c Caller, body []byte) []Record {
	if isBatch(body) {
		return e.replyToAll(r, c, body).write(w)
	}
	m, p := readMessage(body)
	if p != nil {
		return e.refuse(http.StatusBadRequest, m, p).write(w)
	}
	era, p := eraOf(r.Header, m)
	if p != nil {
		return e.refuse(http.StatusBadRequest, m, p).write(w)
	}
	t, told := e.take(c, era, m)
	switch {
	case t == nil:
		return told.write(w)
	case wantsStream(r.Header, m):
		return e.stream(r.Context(), w, t)
	}
	return e.perform(r.Context(), t).write(w)
}

// take takes one message of an era through its checks: what it asks for, if it
// does and may have it, and else what it is told.
func (e *Endpoint) take(c Caller, era era, m message) (*turn, reply) {
	switch p := m.shape(); {
	case p != nil:
		return nil, e.refuse(era.status(http.StatusBadRequest), m, p)
	case m.isSilent():
		// Nothing is running under its id that it could end: a call ends with
		// its request, and the request is another one.
		return nil, reply{status: http.StatusAccepted}
	case !era.serves(m.method):
		return nil, e.refuse(era.status(http.StatusNotFound), m, unknownMethod(m.method))
	}
	t := &turn{caller: c, era: era, id: m.id, method: m.method, asked: text(m.params["protocolVersion"]), token: m.meta[progressToken]}
	var p *Problem
	switch m.method {
	case methodCall:
		t.call, p = e.admit(c, m)
	case methodRead:
		p = noResource(era, text(m.params["uri"]))
	}
	if p != nil {
		return nil, t.reply(p)
	}
	return t, reply{}
}

// perform does what is asked for.
func (e *Endpoint) perform(ctx context.Context, t *turn) reply {
	result, p := e.run(ctx, t)
	if p != nil {
		return t.reply(p)
	}
	return t.replyWith(result)
}
