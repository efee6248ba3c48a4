package mcp

import (
	"net/http"

	"biketrip/store/limit"
)

// Envelope lets pass so many requests to the endpoint from one address as the
// limiter allows, before anything else is looked at. What comes from where is
// told by address; nil for a limiter is any number. Source: contract, "Rate
// limits", mcp_envelope.
func Envelope(requests *limit.Limiter, address func(*http.Request) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests != nil && r.URL.Path == Path {
				if wait := requests.Take(address(r)); wait > 0 {
					tooManyRequests(limit.Seconds(wait)).write(w)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
