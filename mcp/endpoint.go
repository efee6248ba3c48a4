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
	case strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz_") != "" || t.Name == "":
		return "is not named in small letters and _"
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
	if !e.home.fromHome(w, r) {
		return
	}
	c, ok := e.authenticate(w, r)
	if !ok || !isPost(w, r) || !isJSON(w, r) || !e.scopeByHeader(w, r, c) {
		return
	}
	if body, ok := readBody(w, r); ok {
		e.answer(w, r, c, body)
	}
}

func isPost(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodPost {
		return true
	}
	w.Header().Set("Allow", http.MethodPost)
	writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", "Send a POST: there are no sessions and no event stream here.")
	return false
}

func isJSON(w http.ResponseWriter, r *http.Request) bool {
	kinds := r.Header.Values("Content-Type")
	if len(kinds) == 1 {
		if kind, _, err := mime.ParseMediaType(kinds[0]); err == nil && kind == "application/json" {
			return true
		}
	}
	writeError(w, http.StatusUnsupportedMediaType, "unsupported_media_type", "Content-Type must be application/json.")
	return false
}

// readBody reads what was sent, as long as it is not too much and does not take
// for ever.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if r.ContentLength > maxBodyBytes {
		writeTooLarge(w)
		return nil, false
	}
	// Where there is no connection, as in a benchmark, there is nothing to wait
	// for. The deadline is lifted again: it would end the call, too.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_ = connection.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, true
	case errors.As(err, &tooLarge):
		writeTooLarge(w)
	case errors.Is(err, os.ErrDeadlineExceeded):
		writeError(w, http.StatusRequestTimeout, "request_timeout", fmt.Sprintf("The body did not arrive within %d seconds.", bodyTime/time.Second))
	default:
		problemOf(http.StatusBadRequest, nil, notJSON()).write(w)
	}
	return nil, false
}

func writeTooLarge(w http.ResponseWriter) {
	writeError(w, http.StatusRequestEntityTooLarge, "request_too_large", fmt.Sprintf("The body has more than %d bytes.", maxBodyBytes))
}

// answer answers what was sent: one message, or, in the earlier eras, several.
func (e *Endpoint) answer(w http.ResponseWriter, r *http.Request, c Caller, body []byte) {
	if isBatch(body) {
		e.replyToAll(r, c, body).write(w)
		return
	}
	m, p := readMessage(body)
	if p != nil {
		problemOf(http.StatusBadRequest, nil, p).write(w)
		return
	}
	era, p := eraOf(r.Header, m)
	if p != nil {
		problemOf(http.StatusBadRequest, m.replyID(), p).write(w)
		return
	}
	e.reply(r.Context(), c, era, m).write(w)
}

// reply takes one message of an era through its checks and, if it asks for
// something, gives what it gets.
func (e *Endpoint) reply(ctx context.Context, c Caller, era era, m message) reply {
	switch p := m.shape(); {
	case p != nil && m.id == nil:
		// It asks for no answer, so that only the status tells of it.
		return problemOf(http.StatusBadRequest, nil, p)
	case p != nil:
		return problemOf(era.status(http.StatusBadRequest), m.replyID(), p)
	case m.isSilent():
		// Nothing is running under its id that it could end: a call ends with
		// its request, and the request is another one.
		return reply{status: http.StatusAccepted}
	case !era.serves(m.method):
		return problemOf(era.status(http.StatusNotFound), m.id, unknownMethod(m.method))
	}
	t := &turn{caller: c, era: era, method: m.method, asked: text(m.params["protocolVersion"])}
	var result json.RawMessage
	var p *Problem
	if m.method == methodCall {
		t.call, p = e.admit(c, m)
	}
	if p == nil {
		result, p = e.run(ctx, t)
	}
	if p != nil {
		return problemOf(http.StatusOK, m.id, p)
	}
	return resultOf(m.id, result)
}
