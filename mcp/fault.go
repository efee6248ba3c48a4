package mcp

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A fault is why a request is refused before its message is read. It is told the
// way OAuth tells errors, in HTTP and a JSON object. Source: MCP server
// reference, "HTTP errors"; RFC 6750 section 3; RFC 9110 section 15.
type fault struct {
	status            int
	code, description string
	header            http.Header // what else is told, as it is written
	reason            string      // what the caller is not told, for the Record
}

func (f *fault) write(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range f.header {
		header[name] = values
	}
	if f.status != http.StatusUnauthorized { // the challenge is published whole
		header.Set("Cache-Control", "no-store")
	}
	writeJSON(w, f.status, mustJSON(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{f.code, f.description}))
}

// withChallenge names WWW-Authenticate in the very letters that are published,
// which Header.Set would change.
func withChallenge(challenge string) http.Header {
	return http.Header{"WWW-Authenticate": {challenge}}
}

func tooManyRequests(seconds int) *fault {
	return &fault{status: http.StatusTooManyRequests, code: "rate_limited", description: fmt.Sprintf("Too many requests from this address. Retry in %d seconds.", seconds),
		header: http.Header{"Retry-After": {strconv.Itoa(seconds)}}}
}

func otherHost(home string) *fault {
	return &fault{status: http.StatusForbidden, code: "invalid_host", description: "This server answers at " + home + " only."}
}

func otherOrigin(home string) *fault {
	return &fault{status: http.StatusForbidden, code: "invalid_origin", description: "Only pages of " + home + ", and those that the operator names with --mcp-origins, may call this endpoint from a browser."}
}

func noToken(challenge, reason string) *fault {
	return &fault{status: http.StatusUnauthorized, code: "invalid_token", description: "A valid access token for this resource is required.", header: withChallenge(challenge), reason: reason}
}

func tokenUnverified() *fault {
	return &fault{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "The access token cannot be verified at the moment. Try again in a minute."}
}

func noPost() *fault {
	return &fault{status: http.StatusMethodNotAllowed, code: "method_not_allowed", description: "Send a POST: there are no sessions and no event stream here.",
		header: http.Header{"Allow": {http.MethodPost}}}
}

func noJSON() *fault {
	return &fault{status: http.StatusUnsupportedMediaType, code: "unsupported_media_type", description: "Content-Type must be application/json."}
}

func beyondScopes(tool *Tool, metadata string) *fault {
	return &fault{status: http.StatusForbidden, code: "insufficient_scope", description: fmt.Sprintf("The access token does not allow %s; it needs %s.", tool.Name, tool.Scope),
		header: withChallenge(fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s", resource_metadata="%s"`, tool.Scope, metadata))}
}

func tooLarge() *fault {
	return &fault{status: http.StatusRequestEntityTooLarge, code: "request_too_large", description: fmt.Sprintf("The body has more than %d bytes.", maxBodyBytes)}
}

func tooSlow() *fault {
	return &fault{status: http.StatusRequestTimeout, code: "request_timeout", description: fmt.Sprintf("The body did not arrive within %d seconds.", bodyTime/time.Second)}
}

func brokenOff() *fault {
	return &fault{status: http.StatusBadRequest, code: "invalid_request", description: "The body broke off before its end."}
}
