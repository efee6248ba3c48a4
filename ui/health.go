// Package ui is what a person sees in a browser, and what those who run the
// server ask it.
package ui

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
)

// readyTime is how long the question whether the server is ready may take.
const readyTime = 2 * time.Second

// Health answers whether the server lives and whether it is ready for work.
type Health struct {
	Ready func(context.Context) bool
}

// Routes mounts /healthz, which says that the process answers, and /readyz,
// which says whether it is ready (200) or not (503). Neither says why.
func (h Health) Routes(r chi.Router) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		r.MethodFunc(method, "/healthz", alive)
		r.MethodFunc(method, "/readyz", h.ready)
	}
}

func alive(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok\n") }

func (h Health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if !h.Ready(ctx) {
		answer(w, http.StatusServiceUnavailable, "not ready\n")
		return
	}
	answer(w, http.StatusOK, "ready\n")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, text)
}
