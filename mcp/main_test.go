package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
)

var update = flag.Bool("update", false, "write the golden files anew")

// home of all tests, whatever port they really listen at.
const testURI = "http://localhost:8080"

var testScopes = []string{"trips:read", "trips:write"}

// secret stands in everything that must not reach a caller.
const secret = "s3cret"

// anyObject is the schema of everything a tool of the tests takes or gives.
const anyObject = `{"type":"object","properties":{"zulu":{"type":"string"},"alpha":{"type":"integer"}}}`

// A bench is an endpoint with its guard, and what it writes to its log.
type bench struct {
	handler http.Handler
	log     *safeBuffer
	started chan string   // who waits in the tool wait
	release chan struct{} // closed to let them go
}

// newBench is an endpoint with tools that do what their name says, but for what
// change makes of it.
func newBench(tb testing.TB, change ...func(*Options)) *bench {
	tb.Helper()
	b := &bench{log: &safeBuffer{}, started: make(chan string, 1000), release: make(chan struct{})}
	router := chi.NewRouter()
	router.Use(Guard(testURI))
	o := Options{
		DefaultURI: testURI,
		Scopes:     testScopes,
		Verify:     verify,
		Tools:      b.tools(),
		Log:        slog.New(slog.NewTextHandler(b.log, nil)),
		Random:     zeros{},
		Instructions: func(c Caller) string {
			return "You act for " + c.UserID + " with " + strings.Join(c.Scopes, " ") + "."
		},
	}
	for _, c := range change {
		c(&o)
	}
	router.Handle(Path, New(o))
	router.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	router.Get("/page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page\n") })
	b.handler = router
	return b
}

// serve lets the endpoint answer on a port of its own.
func (b *bench) serve(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(b.handler)
	t.Cleanup(s.Close)
	return s
}

// zeros are no randomness at all.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// verify knows the token NAME-read, NAME-write and NAME-both of everybody. It
// looks no further than to the end of the word, so that what is no token would
// pass if it came this far.
func verify(ctx context.Context, token string) (Caller, error) {
	if err := ctx.Err(); err != nil {
		return Caller{}, err
	}
	name, rest, _ := strings.Cut(token, "-")
	what, _, _ := strings.Cut(strings.ReplaceAll(rest, ",", " "), " ")
	c := Caller{UserID: name, ClientID: "client", Email: name + "@example.org"}
	switch what {
	case "read":
		c.Scopes = testScopes[:1]
	case "write":
		c.Scopes = testScopes[1:]
	case "both":
		c.Scopes = testScopes
	case "none":
	case "down":
		return Caller{}, errors.New("the file does not answer: " + secret)
	default:
		return Caller{}, ErrInvalidToken
	}
	return c, nil
}

// tools are of both scopes, and not in the order of their names.
func (b *bench) tools() []Tool {
	return []Tool{
		tool("list_trips", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
			return json.RawMessage(`{ "z": 9007199254740993, "a": "<é> & \"x\"", "price": 1.10 }`), nil
		}),
		tool("echo", "trips:read", echo),
		tool("create_trip", "trips:write", echo),
		tool("add_waypoint", "trips:write", echo),
		tool("refuse", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
			return nil, NewProblem(CodeRefusal, "Trip 5 has moved on.", "Call get_trip.", Number("yourVersion", 3), Number("currentVersion", 9007199254740993), Text("code", "stale_version"))
		}),
		tool("fail", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
			return nil, errors.New("no such table: " + secret)
		}),
		tool("burst", "trips:read", func(context.Context, *Call) (json.RawMessage, error) { panic(secret) }),
		tool("misuse", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
			return nil, NewProblem(CodeParameters, "Invalid parameters for tool 'misuse': \"a\" is required.", "Send it.", Text("code", "invalid_parameters"))
		}),
		tool("astray", "trips:read", func(_ context.Context, c *Call) (json.RawMessage, error) {
			return json.RawMessage(text(object(c.Arguments)["answer"])), nil
		}),
		tool("wait", "trips:read", b.wait),
	}
}

func tool(name, scope string, call func(context.Context, *Call) (json.RawMessage, error)) Tool {
	return Tool{
		Name: name, Title: "Title of " + name, Description: "Does " + name + ".", Scope: scope,
		Annotations: Annotations{ReadOnly: scope == "trips:read", OpenWorld: true},
		Input:       json.RawMessage(anyObject), Output: json.RawMessage(anyObject), Call: call,
	}
}

// echo answers who called, and with what.
func echo(_ context.Context, c *Call) (json.RawMessage, error) {
	return json.RawMessage(`{"user":"` + c.Caller.UserID + `","arguments":` + string(c.Arguments) + `}`), nil
}

// wait echoes once it is let go.
func (b *bench) wait(ctx context.Context, c *Call) (json.RawMessage, error) {
	b.started <- c.Caller.UserID
	select {
	case <-b.release:
		return echo(ctx, c)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A safeBuffer is written and read by several at once.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// modernMeta is the _meta of a request of 2026-07-28.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// A post is a request to the endpoint, good unless it is told otherwise.
type post struct {
	method, host, token, body string
	header                    map[string]string
}

// legacyCall is a call of a tool in the way of 2025-11-25.
func legacyCall(token, id, name, arguments string) post {
	return post{token: token, body: `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`}
}

// modernCall is the same in the way of 2026-07-28.
func modernCall(token, id, name, arguments string) post {
	p := legacyCall(token, id, name, arguments)
	p.body = strings.Replace(p.body, `"params":{`, `"params":{`+modernMeta+`,`, 1)
	p.header = map[string]string{headerVersion: string(firstModern), headerMethod: methodCall, headerName: name}
	return p
}

// request is p as it is sent to a server at base.
func (p post) request(ctx context.Context, base string) *http.Request {
	method := p.method
	if method == "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, base+Path, strings.NewReader(p.body))
	if err != nil {
		panic(err)
	}
	r.Host = strings.TrimPrefix(testURI, "http://")
	if p.host != "" {
		r.Host = p.host
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range p.header {
		r.Header.Set(name, value)
	}
	return r
}

// send is the status and the body of the answer to p.
func (p post) send(t *testing.T, s *httptest.Server) (int, string) {
	t.Helper()
	status, body, err := p.try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

func (p post) try(ctx context.Context, s *httptest.Server) (int, string, error) {
	res, err := s.Client().Do(p.request(ctx, s.URL))
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}
