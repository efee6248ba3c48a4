package ui

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
)

// TestHealth: the public learns whether the server is ready, and never why not.
func TestHealth(t *testing.T) {
	ready := true
	r := chi.NewRouter()
	Health{Ready: func(ctx context.Context) bool {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("the question may take for ever")
		}
		return ready
	}}.Routes(r)
	server := httptest.NewServer(r)
	defer server.Close()
	ask := func(method, path string, wantStatus int, wantBody string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != wantStatus || string(body) != wantBody {
			t.Errorf("%s %s: %d %q, %v", method, path, res.StatusCode, body, err)
		}
	}
	ask("GET", "/healthz", 200, "ok\n")
	ask("GET", "/readyz", 200, "ready\n")
	ready = false
	ask("GET", "/healthz", 200, "ok\n")
	ask("GET", "/readyz", 503, "not ready\n")
	ask("HEAD", "/healthz", 200, "")
	ask("HEAD", "/readyz", 503, "")
	ask("POST", "/readyz", 405, "")
}
