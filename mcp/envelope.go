package mcp

import (
	"fmt"
	"net/http"
	"strconv"

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
					seconds := limit.Seconds(wait)
					w.Header().Set("Retry-After", strconv.Itoa(seconds))
					writeError(w, http.StatusTooManyRequests, "rate_limited", fmt.Sprintf("Too many requests from this address. Retry in %d seconds.", seconds))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
