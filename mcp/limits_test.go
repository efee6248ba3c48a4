package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"biketrip/store/limit"
)

// A hand moves a clock.
type hand struct{ now time.Time }

func (h *hand) time() time.Time { return h.now }

// TestCallLimits: calls are counted by user and client, those that change
// something twice, each message of a batch for itself, and nothing that is refused
// before. Source: contract, "Rate limits".
func TestCallLimits(t *testing.T) {
	clock := &hand{time.Unix(1_800_000_000, 0)}
	s := newBench(t, func(o *Options) {
		o.Calls, o.Writes = limit.New(5, time.Minute, clock.time), limit.New(2, time.Minute, clock.time)
	}).serve(t)
	call := func(token, tool string) string {
		t.Helper()
		p := post{token: token, header: map[string]string{headerVersion: string(lastLegacy)}}
		p.body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool)
		_, body := p.send(t, s)
		return body
	}
	passes := func(token, tool string) {
		t.Helper()
		if body := call(token, tool); !strings.Contains(body, `"result"`) {
			t.Errorf("%s of %s: %s", tool, token, body)
		}
	}
	waits := func(token, tool string, seconds int) {
		t.Helper()
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"rate_limited: too many calls from this agent. Retry in %d seconds. Wait %d seconds; do not repeat the call before.","data":{"error":"rate_limited","retryAfter":%d,"code":"rate_limited","hint":"Wait %d seconds; do not repeat the call before."}}}`, seconds, seconds, seconds, seconds)
		if body := call(token, tool); body != want {
			t.Errorf("%s of %s: %s\nwant %s", tool, token, body, want)
		}
	}
	passes("ann-both", "create_trip")
	clock.now = clock.now.Add(10 * time.Second)
	passes("ann-both", "create_trip")
	for range 3 {
		waits("ann-both", "create_trip", 50) // the writes are at their limit, and the call does not count
		call("ann-both", "nothing")          // nor does what is refused before
	}
	for range 3 {
		passes("ann-both", "list_trips")
	}
	waits("ann-both", "list_trips", 50)
	passes("ben-both", "create_trip") // another user is another one
	clock.now = clock.now.Add(49*time.Second + time.Millisecond)
	waits("ann-both", "list_trips", 1)
	clock.now = clock.now.Add(time.Second)
	passes("ann-both", "create_trip")
	p := post{token: "cat-both", header: map[string]string{headerVersion: string(lastLegacy)}}
	one := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_trips"}}`
	p.body = "[" + strings.Repeat(one+",", 6) + one + "]"
	if _, body := p.send(t, s); strings.Count(body, `"result"`) != 5 || strings.Count(body, `"retryAfter":60`) != 2 {
		t.Errorf("a batch of seven: %s", body)
	}
}

// TestEnvelope: so many requests to the endpoint from an address, and then 429
// before anything else is looked at. Source: contract, "HTTP errors".
func TestEnvelope(t *testing.T) {
	clock := &hand{time.Unix(1_800_000_000, 0)}
	b := newBench(t)
	address := "a"
	b.handler = Envelope(limit.New(3, time.Minute, clock.time), func(*http.Request) string { return address })(b.handler)
	s := b.serve(t)
	evil := post{host: "evil.example", body: "{}"}
	for range 3 {
		if status, _ := evil.send(t, s); status != http.StatusForbidden {
			t.Errorf("status %d", status)
		}
	}
	clock.now = clock.now.Add(time.Second / 2)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		evil.method = method
		res, err := s.Client().Do(evil.request(t.Context(), s.URL))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") != "60" || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", method, res.Status, res.Header)
		}
	}
	address = "b"
	if status, body := (post{token: "ann-both", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`}).send(t, s); status != http.StatusOK {
		t.Errorf("another address: %d %s", status, body)
	}
	address = "a"
	res, err := http.Get(s.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("another route: %s", res.Status)
	}
}
