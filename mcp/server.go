package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"unicode/utf8"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A turn is one request on its way through mcp-go, from the gate to its tool.
type turn struct {
	caller Caller
	era    era
	id     json.RawMessage
	method string
	asked  string          // the revision that initialize asks for
	token  json.RawMessage // by which the caller knows what is told of the progress
	call   *Call           // of a tools/call

	answer    json.RawMessage // what the tool said
	problem   *Problem        // or why it did not
	reference string          // to the log, where something broke
	gone      bool            // nobody waits for the answer any more
}

// turnKey is where the context of a request holds its turn.
type turnKey struct{}

func turnOf(ctx context.Context) *turn { return ctx.Value(turnKey{}).(*turn) }

// newServer is mcp-go with the tools. Its own recovery, validation and logging
// stay off: the first two tell the caller of our insides, the last one is shared
// among callers.
func (e *Endpoint) newServer(tools []Tool) *server.MCPServer {
	s := server.NewMCPServer(ServerName, ServerVersion,
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithToolFilter(e.allowed),
		server.WithCacheHints(0, mcpgo.CacheScopePrivate))
	for _, t := range tools {
		s.AddTool(published(t), e.handle)
	}
	return s
}

// published is a tool as mcp-go lists it.
func published(t Tool) mcpgo.Tool {
	p := mcpgo.NewToolWithRawSchema(t.Name, t.Description, t.Input)
	p.RawOutputSchema = t.Output
	p.Title = t.Title
	a := t.Annotations
	p.Annotations = mcpgo.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    &a.ReadOnly,
		DestructiveHint: &a.Destructive,
		IdempotentHint:  &a.Idempotent,
		OpenWorldHint:   &a.OpenWorld,
	}
	return p
}

// allowed is which tools a caller may use, in the published order; mcp-go has
// them by name.
func (e *Endpoint) allowed(ctx context.Context, tools []mcpgo.Tool) []mcpgo.Tool {
	c := turnOf(ctx).caller
	tools = slices.DeleteFunc(tools, func(t mcpgo.Tool) bool { return !c.May(e.tools[t.Name].Scope) })
	slices.SortFunc(tools, func(a, b mcpgo.Tool) int {
		return cmp.Compare(slices.Index(e.names, a.Name), slices.Index(e.names, b.Name))
	})
	return tools
}

// A session is one request's own: mcp-go files what runs under the id of its
// session, where callers who share one could reach each other's calls.
type session string

func (session) Initialize()                                           {}
func (session) Initialized() bool                                     { return true }
func (session) NotificationChannel() chan<- mcpgo.JSONRPCNotification { return nil }
func (s session) SessionID() string                                   { return string(s) }

// run lets mcp-go answer a request with a result.
func (e *Endpoint) run(ctx context.Context, t *turn) (result json.RawMessage, p *Problem) {
	defer e.mend(t, &p)
	ctx = context.WithValue(ctx, turnKey{}, t)
	ctx = e.server.WithContext(ctx, session(strconv.FormatUint(e.requests.Add(1), 36)))
	ctx = server.WithSupportedProtocolVersions(ctx, e.versions)
	reply := e.server.HandleMessage(ctx, t.message())
	response, ok := reply.(mcpgo.JSONRPCResponse)
	switch {
	case !ok && t.problem != nil:
		return nil, t.problem
	case !ok:
		return nil, e.broken(t, fmt.Errorf("mcp-go does not serve %s: %+v", t.method, reply))
	}
	switch result := response.Result.(type) {
	case *mcpgo.CallToolResult:
		if t.problem != nil {
			return refusalResult(result, t.problem.Message), nil
		}
		return callResult(result, t.answer), nil
	case mcpgo.InitializeResult:
		result.Instructions = e.instructions(t.caller)
		return mustJSON(result), nil
	case mcpgo.DiscoverResult:
		result.Instructions = e.instructions(t.caller)
		return mustJSON(result), nil
	}
	return mustJSON(response.Result), nil
}

// instructions are what the model of a caller is told, empty for nothing.
func (e *Endpoint) instructions(c Caller) string {
	if e.instruct == nil {
		return ""
	}
	return e.instruct(c)
}

// handle is what mcp-go calls for every tool. The answer and the problem go past
// mcp-go, which would round numbers, and tell errors in words of its own.
func (e *Endpoint) handle(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
	t := turnOf(ctx)
	t.answer, t.problem = e.do(ctx, t)
	if t.problem == nil || e.asResult && t.problem.Code == CodeRefusal {
		return &mcpgo.CallToolResult{}, nil
	}
	return nil, t.problem
}

// broken logs what went wrong, which the caller must not see, and gives the
// caller the reference to it.
func (e *Endpoint) broken(t *turn, err error, more ...any) *Problem {
	var b [5]byte
	reference := "none"
	if _, failed := io.ReadFull(e.random, b[:]); failed == nil {
		reference = hex.EncodeToString(b[:])
	}
	attrs := []any{"reference", reference, "method", t.method}
	if t.call != nil {
		attrs = append(attrs, "tool", t.call.tool.Name)
	}
	t.reference = reference
	e.log.Error("a call failed", append(append(attrs, "error", err), more...)...)
	return internal(reference)
}

// mend makes a problem of a panic. It is deferred.
func (e *Endpoint) mend(t *turn, p **Problem) {
	if value := recover(); value != nil {
		*p = e.broken(t, fmt.Errorf("panic: %v", value), "stack", string(debug.Stack()))
	}
}

// compact is an answer without spaces between its parts. One that is no JSON
// object is the fault of its tool.
func compact(answer json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	b.Grow(len(answer))
	if err := json.Compact(&b, answer); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if b.Bytes()[0] != '{' || !utf8.Valid(b.Bytes()) {
		return nil, errors.New("the answer is no JSON object in UTF-8")
	}
	return b.Bytes(), nil
}

// message is the request that mcp-go gets: made anew of what was read, so that
// it cannot read anything else. Its id is of no account, the session is.
func (t *turn) message() json.RawMessage {
	type params struct {
		Name    string                     `json:"name,omitempty"`
		Version string                     `json:"protocolVersion,omitempty"`
		Meta    map[string]json.RawMessage `json:"_meta,omitempty"`
	}
	var p params
	switch t.method {
	case methodCall:
		p.Name = t.call.tool.Name
	case methodInitialize:
		p.Version = string(negotiate(t.asked))
	}
	if t.era.isModern() {
		p.Meta = map[string]json.RawMessage{
			mcpgo.MetaKeyProtocolVersion:    mustJSON(t.era),
			mcpgo.MetaKeyClientCapabilities: json.RawMessage("{}"),
		}
	}
	return mustJSON(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", 1, t.method, p})
}
