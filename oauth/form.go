package oauth

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// maxForm bounds the body of a request to the token endpoint.
const maxForm = 16 << 10

// tokenFields are what the token endpoint reads. None may be sent twice (RFC 6749,
// section 3.2).
var tokenFields = [...]string{"grant_type", "code", "redirect_uri", "client_id", "code_verifier", "refresh_token", "scope", "resource", "client_secret", "client_assertion", "client_assertion_type"}

// isPost says whether a request is a POST, and refuses any other.
func isPost(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodPost {
		return true
	}
	w.Header().Set("Allow", http.MethodPost)
	answerError(w, http.StatusMethodNotAllowed, "invalid_request", "Send a POST.")
	return false
}

// readForm is what a client has sent to the token endpoint: the fields of the
// body, each once. Those of the address count for nothing.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, malformed("Send the parameters in the body, as application/x-www-form-urlencoded.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err != nil {
		return nil, malformed("The body is too long, or broke off before its end.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, malformed("The body is not application/x-www-form-urlencoded.")
	}
	return form, once(form, tokenFields[:])
}

// once refuses what has one of some fields more than once.
func once(values url.Values, fields []string) *refusal {
	for _, field := range fields {
		if len(values[field]) > 1 {
			return malformed(field + " is there more than once.")
		}
	}
	return nil
}

// clientOf is who sends a request to the token endpoint: client_id or, since some
// clients try that first, a user of Basic without a password. It proves nothing,
// which PKCE and rotation do. Source: RFC 6749 sections 2.3.1 and 3.2.1.
func clientOf(r *http.Request, form url.Values) (string, *refusal) {
	id := form.Get("client_id")
	if form.Get("client_secret") != "" || form.Has("client_assertion") || form.Has("client_assertion_type") {
		return "", invalidClient(false)
	}
	if r.Header.Get("Authorization") != "" {
		user, password, ok := r.BasicAuth()
		name, err := url.QueryUnescape(user)
		switch {
		case !ok || err != nil || password != "" || name == "":
			return "", invalidClient(true)
		case id != "" && id != name:
			return "", malformed("client_id is not the client of the Authorization header.")
		}
		id = name
	}
	if id == "" {
		return "", malformed("client_id is missing.")
	}
	return id, nil
}

// isOurs says whether a resource is the one that tokens are for: the letters of
// scheme and host count for nothing (RFC 3986, section 6.2.2.1), all else for what
// it is.
func (s *Server) isOurs(resource string) bool {
	path := strings.TrimPrefix(s.resource, s.issuer)
	base, ours := strings.CutSuffix(resource, path)
	return ours && strings.EqualFold(base, s.issuer)
}
