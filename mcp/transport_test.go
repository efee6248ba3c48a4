package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What the transport of mcp-go gets wrong without sessions, which is why the
// endpoint is our own. Each check finds the defect there and none here: where it
// finds none there any more, the library has mended it.
func TestTransport(t *testing.T) {
	for name, find := range map[string]func(t *testing.T, s *httptest.Server, waiting *waitingRoom) string{
		"a call is cancelled by somebody else":   cancelledByAnother,
		"what is told of the progress is lost":   lostProgress,
		"large ids come back as other ones":      roundedID,
		"a session that there is not is deleted": deletedSession,
	} {
		t.Run(name, func(t *testing.T) {
			w := &waitingRoom{started: make(chan struct{}, 1), release: make(chan struct{})}
			ours := newBench(t, func(o *Options) { o.Tools = append(o.Tools[:1], stepsTool(), tool("sit", "trips:read", w.ours)) }).serve(t)
			if found := find(t, ours, w); found != "" {
				t.Errorf("here: %s", found)
			}
			w = &waitingRoom{started: make(chan struct{}, 1), release: make(chan struct{})}
			theirs := httptest.NewServer(w.transport())
			defer theirs.Close()
			if find(t, theirs, w) == "" {
				t.Error("the transport of mcp-go does it right by now")
			}
		})
	}
}

// A waitingRoom holds the callers of the tool sit, here and there.
type waitingRoom struct{ started, release chan struct{} }

// sit waits until it is let go, or its context ends.
func (w *waitingRoom) sit(ctx context.Context) error {
	w.started <- struct{}{}
	select {
	case <-w.release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *waitingRoom) ours(ctx context.Context, _ *Call) (json.RawMessage, error) {
	return json.RawMessage(`{"sat":true}`), w.sit(ctx)
}

// transport is the transport of mcp-go at its best, with tools like ours.
func (w *waitingRoom) transport() http.Handler {
	s := server.NewMCPServer(ServerName, ServerVersion, server.WithToolCapabilities(false))
	s.AddTool(mcpgo.NewTool("sit"), func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText(`{"sat":true}`), w.sit(ctx)
	})
	s.AddTool(mcpgo.NewTool("steps"), func(ctx context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		for i := range 3 {
			err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1})
			if err != nil {
				return nil, err
			}
		}
		return mcpgo.NewToolResultText(`{"steps":3}`), nil
	})
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableLocalhostProtection(true))
}

// cancelledByAnother: bob's call ends because ann cancels one with its id.
func cancelledByAnother(t *testing.T, s *httptest.Server, w *waitingRoom) string {
	answers := make(chan string, 1)
	go func() {
		_, body, err := legacyCall("bob-both", "1", "sit", "{}").try(t.Context(), s)
		answers <- fmt.Sprint(body, err)
	}()
	<-w.started
	post{token: "ann-both", body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`}.send(t, s)
	select {
	case got := <-answers:
		return "the call of another ends with " + got
	case <-time.After(200 * time.Millisecond): // nothing has ended it
	}
	close(w.release)
	if got := <-answers; !strings.Contains(got, "sat") {
		return "the call of another ends with " + got
	}
	return ""
}

// lostProgress: of three notifications one does not come before the answer.
func lostProgress(t *testing.T, s *httptest.Server, _ *waitingRoom) string {
	p := withToken(legacyCall("ann-both", "1", "steps", `{"steps":3}`), `"t"`)
	for range 600 {
		if _, body := p.send(t, s); strings.Count(body, `"method":"notifications/progress"`) != 3 || !strings.Contains(body[strings.LastIndex(body, "data: "):], `"id":1`) {
			return "a call answers " + body
		}
	}
	return ""
}

// roundedID: an id above 2^53 comes back as another one.
func roundedID(t *testing.T, s *httptest.Server, _ *waitingRoom) string {
	_, body := post{token: "ann-both", body: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`}.send(t, s)
	if !strings.Contains(body, `"id":9007199254740993`) {
		return body
	}
	return ""
}

// deletedSession: DELETE succeeds, as though there were something to delete.
func deletedSession(t *testing.T, s *httptest.Server, _ *waitingRoom) string {
	status, _ := post{method: http.MethodDelete, token: "ann-both"}.send(t, s)
	if status != http.StatusMethodNotAllowed {
		return fmt.Sprint("status ", status)
	}
	return ""
}
