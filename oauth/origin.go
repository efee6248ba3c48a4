package oauth

import (
	"net/http"
	"slices"
)

// fromOrigins lets the pages of some web sites ask for what programs ask for, with
// the permission to ask where a browser wants it first (Fetch, CORS preflight). No
// cookie counts there, and so none is allowed along.
func (s *Server) fromOrigins(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if len(s.origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		if !slices.Contains(s.origins, origin) {
			serve(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
		if r.Method != http.MethodOptions {
			serve(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Methods", http.MethodPost)
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
		w.Header().Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	}
}
