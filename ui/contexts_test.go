package ui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
)

// TestContexts: the context of a type is JSON-LD that any page may read, and there
// is none of what is no type.
func TestContexts(t *testing.T) {
	r := chi.NewRouter()
	Contexts(r)
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		return w
	}
	w := ask("/contexts/Trip")
	var document struct {
		Context map[string]string `json:"@context"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil || document.Context["title"] != "https://schema.org/name" || document.Context["@vocab"] == "" {
		t.Errorf("%v: %s", err, w.Body)
	}
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/ld+json" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, path := range []string{"/contexts/trip", "/contexts/", "/contexts/Nothing", "/contexts/Trip/x"} {
		if w := ask(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
