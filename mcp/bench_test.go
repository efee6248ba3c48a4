package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

// BenchmarkCall is a tools/call from the request to the answer, with a small
// answer and with one as long as a trip of 30 days.
func BenchmarkCall(b *testing.B) {
	day := `{"dayNumber":1,"distance":72.4,"elevation":640,"label":"from here to <there>","startPoint":{"lat":47.1,"lon":-1.5,"ele":12}},`
	for size, days := range map[string]int{"small": 1, "30days": 30 * 4} {
		answer := json.RawMessage(`{"stages":[` + strings.TrimSuffix(strings.Repeat(day, days), ",") + `]}`)
		router := chi.NewRouter()
		router.Use(Guard(testURI))
		router.Handle(Path, New(Options{DefaultURI: testURI, Scopes: testScopes, Verify: verify, Log: slog.New(slog.DiscardHandler), Tools: []Tool{
			tool("get_trip", "trips:read", func(context.Context, *Call) (json.RawMessage, error) { return answer, nil }),
		}}))
		for name, call := range map[string]func(token, id, name, arguments string) post{"legacy": legacyCall, "modern": modernCall} {
			p := call("ann-read", "1", "get_trip", `{"id":"0198c1f0-0000-7000-8000-000000000000"}`)
			b.Run(name+"/"+size, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(answer)))
				for b.Loop() {
					w := httptest.NewRecorder()
					router.ServeHTTP(w, p.request(b.Context(), testURI))
					if w.Code != 200 {
						b.Fatal(w.Body)
					}
				}
			})
		}
	}
}

// BenchmarkChallenge is what a request without a token costs.
func BenchmarkChallenge(b *testing.B) {
	handler := newBench(b).handler
	p := post{method: "GET"}
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, p.request(b.Context(), testURI))
		if w.Code != 401 {
			b.Fatal(w.Code)
		}
	}
}
