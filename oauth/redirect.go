package oauth

import (
	"net/url"
	"slices"
	"strings"
)

// registered says whether a redirect URI is one of a client's: the same bytes but
// for the port where it leads to this computer, since a program there takes the
// port that is free. 127.0.0.1, [::1] and localhost are three different places.
// Source: OAuth 2.1 section 2.3.1, RFC 8252 section 7.3.
func registered(uris []string, asked string) bool {
	if slices.Contains(uris, asked) {
		return true
	}
	bare, ok := withoutPort(asked)
	return ok && slices.ContainsFunc(uris, func(uri string) bool {
		own, ok := withoutPort(uri)
		return ok && own == bare
	})
}

// withoutPort is a redirect URI to this computer without its port, in the text as
// it is.
func withoutPort(uri string) (string, bool) {
	if checkRedirectURI(uri) != nil {
		return "", false
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return "", false
	}
	host := strings.TrimSuffix(u.Host, ":"+u.Port())
	return strings.Replace(uri, u.Host, host, 1), true
}

// answerTo is a redirect URI with what its client is told behind what stands there
// already, and who tells it (RFC 9207, section 2). State goes back as it came.
func (s *Server) answerTo(uri string, state *string, told url.Values) string {
	told.Set("iss", s.issuer)
	if state != nil {
		told.Set("state", *state)
	}
	between := "?"
	if strings.Contains(uri, "?") {
		between = "&"
	}
	return uri + between + told.Encode()
}
