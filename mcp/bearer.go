package mcp

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// ErrInvalidToken is what Options.Verify answers for a token that opens nothing,
// whatever the reason: the caller is not told more.
var ErrInvalidToken = errors.New("the access token is not valid")

// maxTokenBytes bounds a token before anything looks into it.
const maxTokenBytes = 8 << 10

// unauthorized is the body of the challenge. Source: MCP server
// reference, "Discovery".
const unauthorized = `{"error":"invalid_token","error_description":"A valid access token for this resource is required."}`

// metadata is where the protected resource says who gives tokens for it.
func (h home) metadata() string { return h.uri + "/.well-known/oauth-protected-resource" + Path }

// challenge is WWW-Authenticate of a request without a good token. It names all
// scopes: some clients ask for those of the challenge and no others.
func (h home) challenge(scopes []string) string {
	return `Bearer resource_metadata="` + h.metadata() + `", scope="` + strings.Join(scopes, " ") + `"`
}

// authenticate says who calls, or answers the request.
func (e *Endpoint) authenticate(w http.ResponseWriter, r *http.Request) (Caller, bool) {
	token, ok := bearer(r.Header)
	if !ok {
		e.demandToken(w)
		return Caller{}, false
	}
	c, err := e.verify(r.Context(), token)
	switch {
	case err == nil:
		return c, true
	case errors.Is(err, ErrInvalidToken):
		e.demandToken(w)
	default:
		if !gone(r.Context()) {
			e.log.Error("an access token cannot be verified", "error", err)
		}
		writeError(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The access token cannot be verified at the moment. Try again in a minute.")
	}
	return Caller{}, false
}

func (e *Endpoint) demandToken(w http.ResponseWriter) {
	setChallenge(w, e.challenge)
	writeJSON(w, http.StatusUnauthorized, []byte(unauthorized))
}

// setChallenge names the header in the very letters that are published, which
// Header.Set would change.
func setChallenge(w http.ResponseWriter, challenge string) {
	w.Header()["WWW-Authenticate"] = []string{challenge}
}

// bearer is the token of a request that carries exactly one, in the header, the
// only place for it. Source: RFC 6750 section 2.1, RFC 9110 section 11.
func bearer(h http.Header) (string, bool) {
	sent := h.Values("Authorization")
	if len(sent) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxTokenBytes {
		return "", false
	}
	for _, c := range []byte(token) {
		if !isTokenByte(c) {
			return "", false
		}
	}
	return token, true
}

// isTokenByte says whether c may stand in a token. Source: RFC 9110 section
// 11.2, token68.
func isTokenByte(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte("-._~+/=", c) >= 0
}

// gone says whether nobody waits for the answer any more.
func gone(ctx context.Context) bool { return ctx.Err() != nil }
