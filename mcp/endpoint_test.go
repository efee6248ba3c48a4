package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

// TestFaultyTools: what is wrong with a tool stops the boot and names the tool.
func TestFaultyTools(t *testing.T) {
	good := Options{DefaultURI: testURI, Scopes: testScopes, Verify: verify, Log: slog.New(slog.DiscardHandler)}
	sound := tool("echo", "trips:read", echo)
	faulty := func(change func(*Tool)) []Tool {
		second := tool("second", "trips:read", echo)
		change(&second)
		return []Tool{sound, second}
	}
	for want, tools := range map[string][]Tool{
		"":                                     {sound},
		`two tools named "echo"`:               {sound, sound},
		`tool 2, "", is not named`:             faulty(func(t *Tool) { t.Name = "" }),
		`tool 2, "Second", is not named`:       faulty(func(t *Tool) { t.Name = "Second" }),
		`tool 2, "second", has no title`:       faulty(func(t *Tool) { t.Title = "" }),
		`"second", has no title or no descr`:   faulty(func(t *Tool) { t.Description = "" }),
		`"second", needs the scope ""`:         faulty(func(t *Tool) { t.Scope = "" }),
		`"second", needs the scope "trips"`:    faulty(func(t *Tool) { t.Scope = "trips" }),
		`"second", has a schema that is not`:   faulty(func(t *Tool) { t.Input = nil }),
		`d", has a schema that is not`:         faulty(func(t *Tool) { t.Output = nil }),
		`nd", has a schema that is not`:        faulty(func(t *Tool) { t.Input = json.RawMessage(`{"type":"array"}`) }),
		`ond", has a schema that is not of an`: faulty(func(t *Tool) { t.Output = json.RawMessage(`{"type":"object"`) }),
		`"second", does nothing`:               faulty(func(t *Tool) { t.Call = nil }),
	} {
		o := good
		o.Tools = tools
		if got := panicOf(func() { New(o) }); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	for _, change := range []func(*Options){
		func(o *Options) { o.Verify = nil }, func(o *Options) { o.Log = nil }, func(o *Options) { o.Scopes = nil },
		func(o *Options) { o.DefaultURI = "" }, func(o *Options) { o.DefaultURI = "localhost:8080" }, func(o *Options) { o.DefaultURI = "ftp://localhost" },
		func(o *Options) { o.DefaultURI = "http://localhost:8080/" }, func(o *Options) { o.DefaultURI = "http://a@localhost" },
	} {
		o := good
		change(&o)
		if panicOf(func() { New(o) }) == "" {
			t.Errorf("no panic: %+v", o)
		}
	}
}

// panicOf is what f panics with, "" for nothing.
func panicOf(f func()) (said string) {
	defer func() {
		if value := recover(); value != nil {
			said = value.(string)
		}
	}()
	f()
	return ""
}

// TestReferencesDiffer: without randomness of its own an endpoint takes that of
// the system.
func TestReferencesDiffer(t *testing.T) {
	log := &safeBuffer{}
	router := chi.NewRouter()
	router.Handle(Path, New(Options{DefaultURI: testURI, Scopes: testScopes, Verify: verify, Log: slog.New(slog.NewTextHandler(log, nil)), Tools: []Tool{
		tool("fail", "trips:read", func(context.Context, *Call) (json.RawMessage, error) { return nil, io.ErrNoProgress }),
	}}))
	var bodies []string
	for range 3 {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, legacyCall("ann-both", "1", "fail", "{}").request(t.Context(), testURI))
		bodies = append(bodies, w.Body.String())
	}
	slices.Sort(bodies)
	if len(slices.Compact(bodies)) != 3 || strings.Contains(bodies[0], "reference 0000000000") {
		t.Errorf("answers %q", bodies)
	}
}

// TestHosts: a host may be named with the port of its scheme or without it, and
// another loopback name leads home only where home is loopback. Source: MCP
// server reference, "Accepted Host".
func TestHosts(t *testing.T) {
	reached := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, test := range []struct {
		uri, host string
		want      int
	}{
		{"https://trips.example", "trips.example", 204},
		{"https://trips.example", "Trips.Example:443", 204},
		{"https://trips.example", "trips.example:80", 403},
		{"https://trips.example", "trips.example.", 403},
		{"https://trips.example", "www.trips.example", 403},
		{"https://trips.example", "localhost", 403},
		{"https://trips.example", "127.0.0.1:443", 403},
		{"https://trips.example", "", 403},
		{"https://trips.example:443", "trips.example", 204},
		{"http://localhost", "localhost:80", 204},
		{"http://localhost", "127.0.0.1", 307},
		{"http://localhost", "127.0.0.1:80", 307},
		{"http://localhost", "[::1]", 307},
		{"http://localhost", "127.0.0.1:8080", 403},
		{"http://127.0.0.1:8080", "localhost:8080", 307},
		{"http://127.0.0.1:8080", "127.0.0.2:8080", 403},
		{"http://[::1]:8080", "[::1]:8080", 204},
		{"http://[::1]:8080", "localhost:8080", 307},
		{"http://[::1]:8080", "localhost:8080@evil.example", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/trips", nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		Guard(test.uri)(reached).ServeHTTP(w, r)
		to := w.Header().Get("Location")
		if w.Code != test.want || test.want == 307 && to != test.uri+"/trips" || test.want != 307 && to != "" {
			t.Errorf("%s asked as %q: %d %s", test.uri, test.host, w.Code, to)
		}
	}
}
