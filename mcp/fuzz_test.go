package mcp

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzBody: whatever is sent with a good token, the answer is JSON, events that
// are, or empty, its status is none of 5xx, and it is the answer to one message.
func FuzzBody(f *testing.F) {
	b := newBench(f)
	close(b.release)
	seed := func(p post) {
		f.Add(p.body, p.header[headerVersion], p.header[headerMethod], p.header[headerName], p.header["Accept"])
	}
	for _, call := range []func(token, id, name, arguments string) post{legacyCall, modernCall} {
		for _, name := range []string{"list_trips", "echo", "create_trip", "refuse", "fail", "burst", "astray", "nothing"} {
			seed(call("", "1", name, `{"answer":"{}"}`))
			seed(withToken(call("", "1", name, `{"answer":"{}"}`), `"t"`))
		}
	}
	for _, body := range []string{
		"", "[]", "null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"echo","name":"create_trip","arguments":{"\u0000":1e999}}}`,
	} {
		f.Add(body, "", "", "", "")
		f.Add(body, "2026-07-28", "tools/list", "=?base64?Z?=", "text/event-stream")
	}
	f.Fuzz(func(t *testing.T, body, version, method, name, accept string) {
		r := post{token: "ann-read", body: body}.request(t.Context(), testURI)
		for header, value := range map[string]string{headerVersion: version, headerMethod: method, headerName: name, "Accept": accept} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		w := httptest.NewRecorder()
		b.handler.ServeHTTP(w, r)
		got := w.Body.String()
		if w.Header().Get("Content-Type") == mediaStream {
			for event := range strings.SplitSeq(strings.TrimSuffix(got, "\n\n"), "\n\n") {
				if data, ok := strings.CutPrefix(event, "event: message\ndata: "); !ok || !json.Valid([]byte(data)) {
					t.Errorf("event %q", event)
				}
			}
			return
		}
		switch {
		case w.Code >= 500:
			t.Errorf("status %d: %s", w.Code, got)
		case w.Code == 202 && got != "", w.Code != 202 && !json.Valid(w.Body.Bytes()):
			t.Errorf("status %d: %q", w.Code, got)
		case w.Code == 200 && strings.Contains(got, `"user":`) && strings.Contains(got, "Title of create_trip"):
			t.Errorf("a tool beyond the scopes is listed: %s", got)
		}
	})
}
