package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// A refusal is an error of OAuth, told to the client as it stands (RFC 6749,
// section 5.2). What it says of secrets is the same for whatever is wrong with
// them.
type refusal struct {
	status            int
	code, description string
	header            http.Header // what else is told
}

func (r *refusal) Error() string { return r.code + ": " + r.description }

// refusalOf is what a client is told of an error: a refusal as it is, and of
// anything else no more than that it is our fault.
func (s *Server) refusalOf(r *http.Request, err error) *refusal {
	var told *refusal
	if errors.As(err, &told) {
		return told
	}
	if r.Context().Err() == nil {
		s.log.Error("a request of OAuth is not answered", "path", r.URL.Path, "error", err)
	}
	return unavailable()
}

// writeHeader writes what is told beside the error.
func (r *refusal) writeHeader(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
}

func (r *refusal) write(w http.ResponseWriter) {
	r.writeHeader(w)
	answerError(w, r.status, r.code, r.description)
}

func badRequest(code, description string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, description: description}
}

// malformed: a request that cannot be understood, "invalid_request".
func malformed(description string) *refusal { return badRequest("invalid_request", description) }

func invalidGrant() *refusal {
	return badRequest("invalid_grant", "The code or refresh token is not valid: it was used, has expired, is revoked, or belongs to another client or request.")
}

// invalidTarget: tokens are for one resource alone (RFC 8707, section 2).
func invalidTarget(resource string) *refusal {
	return badRequest("invalid_target", "Tokens are for "+resource+" only.")
}

func invalidScope(description string) *refusal { return badRequest("invalid_scope", description) }

// invalidClient: a client that shows a secret, which none here has. Who has shown
// it in the header is told so there (RFC 6749, section 5.2).
func invalidClient(inHeader bool) *refusal {
	r := badRequest("invalid_client", "Clients are public here: send client_id and no secret.")
	if inHeader {
		r.status = http.StatusUnauthorized
		r.header = http.Header{"Www-Authenticate": {`Basic realm="oauth"`}}
	}
	return r
}

func unsupportedGrant() *refusal {
	return badRequest("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
}

// tooOften: the limit of requests is reached for so many seconds.
func tooOften(seconds int) *refusal {
	return &refusal{status: http.StatusTooManyRequests, code: "rate_limited", description: fmt.Sprintf("Too many requests. Retry in %d seconds.", seconds),
		header: http.Header{"Retry-After": {strconv.Itoa(seconds)}}}
}

// unavailable: it is our fault, and may be over in a moment.
func unavailable() *refusal {
	return &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "The server cannot answer at the moment. Try again in a minute."}
}
