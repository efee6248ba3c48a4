package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// caller makes a call of a tool in the way of an era.
type caller func(token, id, name, arguments string) post

// What the transport of mcp-go gets wrong without sessions, which is why the
// endpoint is our own. Each check finds the defect there and none here: where it
// finds none there any more, the library has mended it, and one reason for an
// endpoint of our own is gone. DELETE it gets wrong in the earlier eras alone.
func TestTransport(t *testing.T) {
	for _, defect := range []struct {
		name  string
		find  func(*testing.T, *httptest.Server, *waitingRoom, caller) error
		there map[string]bool // by era, where the transport of mcp-go has it
	}{
		{"a call is cancelled by somebody else", cancelledByAnother, map[string]bool{"legacy": true, "modern": true}},
		{"what is told of the progress is lost", lostProgress, map[string]bool{"legacy": true, "modern": true}},
		{"large ids come back as other ones", roundedID, map[string]bool{"legacy": true, "modern": true}},
		{"a session that there is not is deleted", deletedSession, map[string]bool{"legacy": true}},
	} {
		for era, call := range map[string]caller{"legacy": legacyCall, "modern": modernCall} {
			t.Run(defect.name+"/"+era, func(t *testing.T) {
				w := newWaitingRoom()
				ours := newBench(t, func(o *Options) { o.Tools = append(o.Tools[:1], stepsTool(), tool("sit", "trips:read", w.ours)) }).serve(t)
				if found := defect.find(t, ours, w, call); found != nil {
					t.Errorf("here: %v", found)
				}
				w = newWaitingRoom()
				theirs := httptest.NewServer(w.transport())
				defer theirs.Close()
				if found := defect.find(t, theirs, w, call); (found != nil) != defect.there[era] {
					t.Errorf("the transport of mcp-go is another one by now: %v", found)
				} else {
					t.Logf("there: %v", found)
				}
			})
		}
	}
}

// A waitingRoom holds the callers of the tool sit, here and there.
type waitingRoom struct{ started, release chan struct{} }

func newWaitingRoom() *waitingRoom {
	return &waitingRoom{started: make(chan struct{}, 1), release: make(chan struct{})}
}

// sit waits until it is let go, and then says whether its context has ended in the
// meantime.
func (w *waitingRoom) sit(ctx context.Context) error {
	w.started <- struct{}{}
	<-w.release
	return ctx.Err()
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
	var versions []string
	for _, e := range eras {
		versions = append(versions, string(e))
	}
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithStreamableHTTPProtocolVersions(versions...))
}

// cancelledByAnother: bob's call ends because ann cancels one with its id.
func cancelledByAnother(t *testing.T, s *httptest.Server, w *waitingRoom, call caller) error {
	answers := make(chan string, 1)
	go func() {
		_, body, err := call("bob-both", "1", "sit", "{}").try(t.Context(), s)
		answers <- fmt.Sprint(body, err)
	}()
	<-w.started
	p := call("ann-both", "", "", "")
	p.body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{` + modernMeta + `,"requestId":1}}`
	if p.header == nil {
		p.body = strings.Replace(p.body, modernMeta+",", "", 1)
	} else {
		p.header = map[string]string{headerVersion: string(firstModern), headerMethod: "notifications/cancelled"}
	}
	status, body := p.send(t, s) // once it is answered, it has done what it does
	close(w.release)
	if status != http.StatusAccepted {
		t.Fatalf("a notification gets %d %s", status, body)
	}
	switch got := <-answers; {
	case strings.Contains(got, `"error":{"code":-32603`):
		return errors.New("the call of another ends with " + got)
	case !strings.Contains(got, "sat"):
		t.Fatalf("the call of another ends with %s", got)
	}
	return nil
}

// lostProgress: of three notifications one does not come before the answer. Some
// calls lose one, but not each.
func lostProgress(t *testing.T, s *httptest.Server, _ *waitingRoom, call caller) error {
	p := withToken(call("ann-both", "1", "steps", `{"steps":3}`), `"t"`)
	for range 400 {
		_, body := p.send(t, s)
		told, answer, ok := strings.Cut(body, `"result":{`)
		if !ok {
			t.Fatalf("a call is not answered: %s", body)
		}
		if strings.Count(told, `"method":"notifications/progress"`) != 3 || strings.Contains(answer, "data: ") {
			return errors.New("a call is answered " + body)
		}
	}
	return nil
}

// roundedID: an id above 2^53 comes back as another one.
func roundedID(t *testing.T, s *httptest.Server, w *waitingRoom, call caller) error {
	const id = "9007199254740993"
	close(w.release)
	_, body := call("ann-both", id, "sit", "{}").send(t, s)
	if !strings.Contains(body, "sat") {
		t.Fatal(body)
	}
	if !strings.Contains(body, `"id":`+id+`,"result":`) {
		return errors.New(body)
	}
	return nil
}

// deletedSession: DELETE succeeds, as though there were something to delete.
func deletedSession(t *testing.T, s *httptest.Server, _ *waitingRoom, call caller) error {
	p := call("ann-both", "1", "sit", "{}")
	p.method, p.body = http.MethodDelete, ""
	switch status, body := p.send(t, s); status {
	case http.StatusOK:
		return errors.New("it succeeds")
	case http.StatusMethodNotAllowed:
	default:
		t.Fatalf("status %d %s", status, body)
	}
	return nil
}
