package mcp

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// eachEra runs a test with the calls of either era.
func eachEra(t *testing.T, test func(t *testing.T, call func(token, id, name, arguments string) post)) {
	t.Run("legacy", func(t *testing.T) { test(t, legacyCall) })
	t.Run("modern", func(t *testing.T) { test(t, modernCall) })
}

// TestCancelledByAnother: a notification that names the id of a running call
// ends it neither for another caller nor for its own: only its own request does.
// Source: MCP 2026-07-28, "Cancellation".
func TestCancelledByAnother(t *testing.T) {
	eachEra(t, func(t *testing.T, call func(token, id, name, arguments string) post) {
		b := newBench(t)
		s := b.serve(t)
		answers := make(chan string, 1)
		go func() {
			_, body, err := call("bob-both", "1", "wait", `{"of":"bob"}`).try(t.Context(), s)
			answers <- fmt.Sprint(body, err)
		}()
		<-b.started
		for _, token := range []string{"ann-both", "bob-both"} {
			for _, header := range []map[string]string{nil, {headerVersion: string(firstModern)}, {headerVersion: string(firstModern), headerMethod: "notifications/cancelled"}} {
				p := post{token: token, header: header, body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}}`}
				if status, body := p.send(t, s); status != 202 || body != "" {
					t.Errorf("%s: %d %s", token, status, body)
				}
			}
		}
		select {
		case got := <-answers:
			t.Fatalf("the call ended with %s", got)
		default:
		}
		close(b.release)
		if got := <-answers; !strings.Contains(got, `"structuredContent":{"user":"bob","arguments":{"of":"bob"}}`) {
			t.Errorf("got %s", got)
		}
	})
}

// TestManyCallers: each of a hundred callers with the same ids gets its own
// answers, and an error where it alone is at fault.
func TestManyCallers(t *testing.T) {
	const callers, calls = 100, 6
	b := newBench(t)
	close(b.release)
	s := b.serve(t)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			name := fmt.Sprintf("caller%d", i)
			for j := range calls {
				call := legacyCall
				if (i+j)%2 == 0 {
					call = modernCall
				}
				p, want := call(name+"-both", "1", "echo", fmt.Sprintf(`{"n":%d}`, j)), fmt.Sprintf(`"structuredContent":{"user":"%s","arguments":{"n":%d}}`, name, j)
				switch (i + j) % 5 {
				case 1:
					p = call(name+"-both", "1", "wait", fmt.Sprintf(`{"n":%d}`, j))
				case 2:
					p, want = call(name+"-both", "1", "refuse", "{}"), `"code":"stale_version"`
				case 3:
					p, want = legacyCall(name+"-read", "1", "create_trip", "{}"), `"scope":"trips:write"`
				case 4:
					p, want = post{token: name + "-write", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}, `"tools":[{"annotations":{"title":"Title of create_trip"`
				}
				if _, body, err := p.try(t.Context(), s); err != nil || !strings.Contains(body, want) || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":1,`) {
					t.Errorf("%s: want %s, got %s, %v", name, want, body, err)
				}
			}
		})
	}
	all.Wait()
}

// TestGone: a caller who goes away ends its call, of which the log says nothing.
func TestGone(t *testing.T) {
	eachEra(t, func(t *testing.T, call func(token, id, name, arguments string) post) {
		b := newBench(t)
		s := b.serve(t)
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, _, err := call("bob-both", "1", "wait", "{}").try(ctx, s)
			ended <- err
		}()
		<-b.started
		leave()
		if err := <-ended; err == nil {
			t.Error("the caller got an answer")
		}
		s.Close() // waits for the call
		if got := b.log.String(); got != "" {
			t.Errorf("log: %s", got)
		}
	})
}

// TestGoneBeforeItsToken: nor does the log say anything of a token that was not
// looked up because its caller left.
func TestGoneBeforeItsToken(t *testing.T) {
	b := newBench(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, legacyCall("ann-both", "1", "echo", "{}").request(ctx, testURI))
	if got := b.log.String(); w.Code != 503 || got != "" {
		t.Errorf("%d, log: %s", w.Code, got)
	}
}

// TestFailureIsLoggedOnce: what breaks is told to the caller as a reference, and
// to the log once, with all there is to know.
func TestFailureIsLoggedOnce(t *testing.T) {
	for name, known := range map[string]string{"fail": "no such table", "burst": "stack=", "astray": "no JSON"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			s := b.serve(t)
			_, body := legacyCall("ann-both", "1", name, "{}").send(t, s)
			if strings.Contains(body, secret) || !strings.Contains(body, "reference 0000000000") {
				t.Errorf("the caller is told %s", body)
			}
			line := b.log.String()
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, "reference=0000000000") || !strings.Contains(line, "tool="+name) || !strings.Contains(line, known) {
				t.Errorf("log: %s", line)
			}
		})
	}
}

// TestSpeechIsNotLogged: what is refused is no matter of the log, and no line of
// it holds a token or an address.
func TestSpeechIsNotLogged(t *testing.T) {
	b := newBench(t)
	s := b.serve(t)
	for _, p := range []post{
		legacyCall("ann-nothing", "1", "echo", "{}"), legacyCall("ann-read", "1", "create_trip", "{}"),
		legacyCall("ann-both", "1", "refuse", "{}"), legacyCall("ann-both", "1", "echo", "[]"), {token: "ann-both", body: "["},
	} {
		p.send(t, s)
	}
	if got := b.log.String(); got != "" {
		t.Errorf("log: %s", got)
	}
	legacyCall("ann-down", "1", "echo", "{}").send(t, s)
	legacyCall("ann-both", "1", "fail", "{}").send(t, s)
	if got := b.log.String(); strings.Count(got, "\n") != 2 || strings.Contains(got, "ann-") || strings.Contains(got, "@") {
		t.Errorf("log: %s", got)
	}
}

// TestIDs: an id comes back byte for byte. Source: JSON-RPC 2.0 section 5.
func TestIDs(t *testing.T) {
	s := newBench(t).serve(t)
	for _, id := range []string{
		"0", "1", "-1", "-0", "9007199254740993", "-9223372036854775809", strings.Repeat("9", 200),
		`""`, `"1"`, `"a b"`, `"<&>"`, `"\u00e9\u2028\/"`, `"é"`, `"` + strings.Repeat("x", maxIDBytes-2) + `"`,
	} {
		eachEra(t, func(t *testing.T, call func(token, id, name, arguments string) post) {
			for name, then := range map[string]string{"echo": `"result":`, "refuse": `"error":`, "fail": `"error":`, "nothing": `"error":`} {
				want := `{"jsonrpc":"2.0","id":` + id + `,` + then
				if _, body := call("ann-both", id, name, "{}").send(t, s); !strings.HasPrefix(body, want) {
					t.Errorf("%s %s: got %.300s", name, id, body)
				}
			}
		})
	}
	for _, id := range []string{"null", "1.0", "1e2", "true", "{}", "[]", `"` + strings.Repeat("x", maxIDBytes-1) + `"`} {
		if _, body := legacyCall("ann-both", id, "echo", "{}").send(t, s); !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
			t.Errorf("%s: got %.300s", id, body)
		}
	}
}
