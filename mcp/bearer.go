package mcp

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// ErrInvalidToken is what Options.Verify answers for a token that opens nothing,
// wrapped in the reason, of which the caller is not told.
var ErrInvalidToken = errors.New("the access token is not valid")

// maxTokenBytes bounds a token before anything looks into it.
const maxTokenBytes = 8 << 10

// metadata is where the protected resource says who gives tokens for it.
func (h home) metadata() string { return h.uri + "/.well-known/oauth-protected-resource" + Path }

// challenge is WWW-Authenticate of a request without a good token. It names all
// scopes: some clients ask for those of the challenge and no others.
func (h home) challenge(scopes []string) string {
	return `Bearer resource_metadata="` + h.metadata() + `", scope="` + strings.Join(scopes, " ") + `"`
}

// authenticate says who calls.
func (e *Endpoint) authenticate(r *http.Request) (Caller, *fault) {
	token, ok := bearer(r.Header)
	if !ok {
		return Caller{}, noToken(e.challenge, "no bearer token was sent, or more than one")
	}
	c, err := e.verify(r.Context(), token)
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, ErrInvalidToken):
		return Caller{}, noToken(e.challenge, err.Error())
	case !gone(r.Context()):
		e.log.Error("an access token cannot be verified", "error", err)
	}
	return Caller{}, tokenUnverified()
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
