package ui

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/jobs/plan/view"
)

// Contexts mounts /contexts/{Type}: what the names in answers mean, for programs
// that read JSON-LD, wherever they run.
func Contexts(r chi.Router) {
	contexts := view.Contexts()
	r.Get("/contexts/{type}", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		text, known := contexts[chi.URLParam(r, "type")]
		if !known {
			http.NotFound(w, r)
			return
		}
		h.Set("Content-Type", "application/ld+json")
		h.Set("Cache-Control", "public, max-age=3600")
		w.Write(text)
	})
}
