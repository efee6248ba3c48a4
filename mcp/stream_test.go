package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stepsTool tells so many steps as it is asked for, and then does what it is told
// to, or answers how many they were.
func stepsTool() Tool {
	return tool("steps", "trips:read", func(ctx context.Context, c *Call) (json.RawMessage, error) {
		given := object(c.Arguments)
		steps, _ := strconv.Atoi(string(given["steps"]))
		for i := range steps {
			c.Progress.Step(fmt.Sprintf("%s: step\x00 %d of <%d>", c.Caller.UserID, i+1, steps))
		}
		switch text(given["then"]) {
		case "refuse":
			return nil, NewProblem(CodeRefusal, "No.", "Yes.")
		case "burst":
			panic(secret)
		case "wait":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.RawMessage(fmt.Sprintf(`{"steps":%d}`, steps)), nil
	})
}

// TestTicks: a tick soon after another notification is left out, a step never is,
// and what is told is counted without a gap. Source: issue of the wire, MCP
// "Progress".
func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgress(json.RawMessage(`"t"`), time.Now)
		p.Tick("first")
		p.Tick("too soon")
		p.Step("a step")
		time.Sleep(tickTime - 1)
		p.Tick("too soon after the step")
		time.Sleep(time.Nanosecond)
		p.Tick("in time")
		want := []string{"first", "a step", "in time"}
		got := p.take()
		for i, n := range got {
			if line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":%d,"message":%q}}`, i+1, want[i]); string(n) != line {
				t.Errorf("got %s, want %s", n, line)
			}
		}
		if len(got) != len(want) || len(p.take()) != 0 {
			t.Errorf("%d notifications", len(got))
		}
	})
}

// TestUnheard: to tell never waits, whoever listens.
func TestUnheard(t *testing.T) {
	var nobody *Progress
	nobody.Step("a step")
	nobody.Tick("a tick")
	p := newProgress(json.RawMessage("1"), time.Now)
	for range maxUntold + 5 {
		p.Step("a step")
	}
	if got := len(p.take()); got != maxUntold {
		t.Errorf("%d wait", got)
	}
	p.Step("heard again")
	if got := p.take(); len(got) != 1 || !strings.Contains(string(got[0]), fmt.Sprintf(`"progress":%d`, maxUntold+1)) {
		t.Errorf("%s", got)
	}
}

// TestProgressAtOnce: what is told arrives while the tool is still at work.
func TestProgressAtOnce(t *testing.T) {
	eachEra(t, func(t *testing.T, call func(token, id, name, arguments string) post) {
		b := newBench(t, func(o *Options) {
			o.Tools = append(o.Tools, stepsTool())
		})
		s := b.serve(t)
		p := withToken(call("ann-read", "1", "steps", `{"steps":2,"then":"wait"}`), "7")
		ctx, leave := context.WithCancel(t.Context())
		res, err := s.Client().Do(p.request(ctx, s.URL))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var got strings.Builder
		for strings.Count(got.String(), "\n\n") < 2 {
			var part [512]byte
			n, err := res.Body.Read(part[:])
			got.Write(part[:n])
			if err != nil {
				t.Fatalf("%v after %q", err, got.String())
			}
		}
		if !strings.Contains(got.String(), `"progress":2,"message":"ann: step 2 of <2>"`) {
			t.Errorf("%q", got.String())
		}
		leave()
		s.Close() // waits for the call, which ends because its caller has left
	})
}

// TestStreamWithoutAConnection: where nothing can be written at once, it is
// written all the same.
func TestStreamWithoutAConnection(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Tools = append(o.Tools, stepsTool()) })
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, withToken(legacyCall("ann-read", "1", "steps", `{"steps":5}`), `"x"`).request(t.Context(), testURI))
	if got := w.Body.String(); strings.Count(got, "event: message\ndata: ") != 6 || !strings.HasSuffix(got, `"structuredContent":{"steps":5}}}`+"\n\n") {
		t.Errorf("%q", got)
	}
}

// withToken is a call that asks to be told of its progress.
func withToken(p post, token string) post {
	if strings.Contains(p.body, `"_meta":{`) {
		p.body = strings.Replace(p.body, `"_meta":{`, `"_meta":{"progressToken":`+token+`,`, 1)
	} else {
		p.body = strings.Replace(p.body, `"params":{`, `"params":{"_meta":{"progressToken":`+token+`},`, 1)
	}
	header := map[string]string{"Accept": "application/json, text/event-stream"}
	for name, value := range p.header {
		header[name] = value
	}
	p.header = header
	return p
}
