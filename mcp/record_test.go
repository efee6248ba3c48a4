package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store/limit"
)

// recorded are the records of what is sent to an endpoint with tools that say of
// their calls what there is to say.
func recorded(t *testing.T, change func(*Options), posts ...post) (records []Record) {
	t.Helper()
	b := newBench(t, func(o *Options) {
		o.Record = func(r Record) { records = append(records, r) }
		o.Tools = append(o.Tools, stepsTool(), tool("coerce", "trips:read", func(_ context.Context, c *Call) (json.RawMessage, error) {
			c.Coerced, c.NearMiss = []string{"page"}, "itemsPerPage"
			return nil, NewProblem(CodeParameters, "No.", "", Text("code", "invalid_parameters"))
		}))
		if change != nil {
			change(o)
		}
	})
	for _, p := range posts {
		b.handler.ServeHTTP(httptest.NewRecorder(), p.request(t.Context(), testURI))
	}
	return records
}

// TestRecords: each call is one record, however it ends; what asks for something
// else is none.
func TestRecords(t *testing.T) {
	body := func(token, body string) post { return post{token: token, body: body} }
	named := post{token: "ann-read", body: "{}", header: map[string]string{headerName: "create_trip"}}
	nobody := modernCall("", "1", "echo", "{}")
	for name, c := range map[string]struct {
		post post
		want []Record
	}{
		"answered":           {legacyCall("ann-read", "1", "echo", "{}"), []Record{{Tool: "echo", Outcome: Answered}}},
		"answered by events": {withToken(modernCall("ann-read", "1", "steps", `{"steps":2}`), "1"), []Record{{Tool: "steps", Outcome: Answered}}},
		"refused":            {modernCall("ann-read", "1", "refuse", "{}"), []Record{{Tool: "refuse", Outcome: Refused, Code: "stale_version"}}},
		"coerced":            {legacyCall("ann-read", "1", "coerce", "{}"), []Record{{Tool: "coerce", Outcome: Refused, Code: "invalid_parameters", Coerced: []string{"page"}, NearMiss: "itemsPerPage"}}},
		"failed":             {legacyCall("ann-read", "1", "fail", "{}"), []Record{{Tool: "fail", Outcome: Failed, Code: "internal", Reference: "0000000000"}}},
		"burst":              {withToken(legacyCall("ann-read", "1", "burst", "{}"), "1"), []Record{{Tool: "burst", Outcome: Failed, Code: "internal", Reference: "0000000000"}}},
		"no scope":           {legacyCall("ann-read", "1", "create_trip", "{}"), []Record{{Tool: "create_trip", Outcome: Refused, Code: "insufficient_scope"}}},
		"no scope by header": {named, []Record{{Tool: "create_trip", Outcome: Refused, Code: "insufficient_scope"}}},
		"no such tool":       {legacyCall("ann-read", "1", "list_trip", "{}"), []Record{{Outcome: Refused, Code: "unknown_tool", NearMiss: "list_trips"}}},
		"no name":            {body("ann-read", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`), []Record{{Outcome: Refused, Code: "-32602"}}},
		"no token":           {nobody, []Record{{Tool: "echo", Outcome: Unauthenticated, Code: "invalid_token", Reason: "no bearer token was sent, or more than one"}}},
		"a bad token":        {legacyCall("ann-nothing", "1", "echo", "{}"), []Record{{Outcome: Unauthenticated, Code: "invalid_token", Reason: ErrInvalidToken.Error()}}},
		"a token unlooked":   {legacyCall("ann-down", "1", "echo", "{}"), []Record{{Outcome: Failed, Code: "temporarily_unavailable"}}},
		"another page":       {post{token: "ann-read", body: "{}", header: map[string]string{"Origin": "null"}}, []Record{{Outcome: Refused, Code: "invalid_origin"}}},
		"another type":       {post{token: "ann-read", body: "{}", header: map[string]string{"Content-Type": "text/plain"}}, []Record{{Outcome: Refused, Code: "unsupported_media_type"}}},
		"too much":           {body("ann-read", strings.Repeat(" ", maxBodyBytes+1)), []Record{{Outcome: Refused, Code: "request_too_large"}}},
		"no JSON":            {body("ann-read", "{"), []Record{{Outcome: Refused, Code: "-32700"}}},
		"headers that lie":   {post{token: "ann-read", body: modernCall("", "1", "echo", "{}").body, header: map[string]string{headerVersion: string(firstModern), headerMethod: "tools/list"}}, []Record{{Tool: "echo", Outcome: Refused, Code: "-32020"}}},
		"a batch":            {body("ann-read", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"refuse"}},5]`), []Record{{Tool: "echo", Outcome: Answered}, {Tool: "refuse", Outcome: Refused, Code: "stale_version"}, {Outcome: Refused, Code: "-32600"}}},
		"a list":             {body("ann-read", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), nil},
		"no such method":     {body("ann-read", `{"jsonrpc":"2.0","id":1,"method":"trips"}`), nil},
		"a notification":     {body("ann-read", `{"jsonrpc":"2.0","method":"notifications/initialized"}`), nil},
		"a look around":      {post{method: "GET"}, nil},
	} {
		if d := cmp.Diff(c.want, recorded(t, func(o *Options) { o.Now = func() time.Time { return time.Unix(0, 0) } }, c.post)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestRecordsOfResults: a refusal is one, however it is rendered.
func TestRecordsOfResults(t *testing.T) {
	change := func(o *Options) {
		o.RefusalsAsResults = true
		o.Calls = limit.New(2, time.Minute, nil)
		o.Now = func() time.Time { return time.Unix(0, 0) }
	}
	want := []Record{{Tool: "refuse", Outcome: Refused, Code: "stale_version"}, {Tool: "fail", Outcome: Failed, Code: "internal", Reference: "0000000000"}, {Tool: "echo", Outcome: Refused, Code: "rate_limited"}}
	got := recorded(t, change, legacyCall("ann-read", "1", "refuse", "{}"), modernCall("ann-read", "1", "fail", "{}"), legacyCall("ann-read", "1", "echo", "{}"))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestDurations: a call is timed from before its token is looked at until it is
// answered.
func TestDurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(o *Options) {
			o.Verify = func(ctx context.Context, token string) (Caller, error) {
				time.Sleep(3 * time.Second)
				return verify(ctx, token)
			}
			o.Tools = append(o.Tools, tool("slow", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
				time.Sleep(4 * time.Second)
				return json.RawMessage("{}"), nil
			}))
		}
		records := recorded(t, slow, legacyCall("ann-read", "1", "slow", "{}"), withToken(legacyCall("ann-read", "1", "slow", "{}"), "1"), legacyCall("ann-nothing", "1", "slow", "{}"))
		var got []time.Duration
		for _, r := range records {
			got = append(got, r.Duration)
		}
		if want := []time.Duration{7 * time.Second, 7 * time.Second, 3 * time.Second}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestRecordOfTheAbandoned: a caller who goes away is neither refused nor failed.
func TestRecordOfTheAbandoned(t *testing.T) {
	eachEra(t, func(t *testing.T, call func(token, id, name, arguments string) post) {
		records := make(chan Record, 1)
		b := newBench(t, func(o *Options) { o.Record = func(r Record) { records <- r } })
		s := b.serve(t)
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, _, err := call("bob-both", "1", "wait", "{}").try(ctx, s)
			ended <- err
		}()
		<-b.started
		leave()
		<-ended
		if r := <-records; r.Tool != "wait" || r.Outcome != Abandoned || r.Code != "" {
			t.Errorf("%+v", r)
		}
	})
}

// TestRecordingFails: a call is answered whatever becomes of its record.
func TestRecordingFails(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Record = func(Record) { panic("no room") } })
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, legacyCall("ann-read", "1", "echo", "{}").request(t.Context(), testURI))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"user":"ann"`) || !strings.Contains(b.log.String(), "no room") {
		t.Errorf("%s, log: %s", fmt.Sprint(w.Code, w.Body), b.log)
	}
}
