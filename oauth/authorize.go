package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"biketrip/store"
	"biketrip/store/limit"
)

// Where people are asked.
const (
	authorizePath = "/oauth/authorize"
	// ConsentPath is what the page of a request begins with, its handle behind it.
	ConsentPath = "/oauth/consent/"
	// LoginPath is where people sign in.
	LoginPath = "/login"
)

const (
	// requestLife is how long a person may think about a request. Source: MCP
	// server reference, "Authorization flow".
	requestLife = 10 * time.Minute
	// maxState bounds what is kept for a client until it is answered.
	maxState = 2048
	// MaxEmail is the longest address, in characters, of a person who can grant
	// anything. Source: there, "HTTP errors".
	MaxEmail = 128
)

// A Person is who is signed in in a browser.
type Person struct {
	UserID, Email string
	Session       store.Hash // of the browser
}

// authorizeFields are what the authorization endpoint reads. None may be sent
// twice (RFC 6749, section 3.1).
var authorizeFields = [...]string{"client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method", "resource", "request"}

// serveAuthorize is the authorization endpoint (RFC 6749, section 3.1). A browser
// comes twice: with what an application asks for, which is kept until the person
// has decided, and with the decision.
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	to, err := s.authorize(r)
	if err == nil {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
		return
	}
	told := s.refusalOf(r, err)
	if s.errorPage == nil || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		told.write(w)
		return
	}
	told.writeHeader(w)
	s.errorPage(w, told.status, told.description)
}

// authorize is where a browser is sent. Its error is a *refusal where nobody may
// hear of it but who sits there.
func (s *Server) authorize(r *http.Request) (to string, err error) {
	switch {
	case r.Method != http.MethodGet:
		return "", &refusal{status: http.StatusMethodNotAllowed, code: "invalid_request", description: "Open this address in a browser.", header: http.Header{"Allow": {http.MethodGet}}}
	case strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch"):
		return "", &refusal{status: http.StatusServiceUnavailable, code: "invalid_request", description: "Nothing is fetched here before it is wanted."}
	}
	person, ok := s.signedIn(r)
	if !ok {
		return LoginPath, nil
	}
	if wait := s.authorizations.Take(person.UserID); wait > 0 {
		return "", tooOften(limit.Seconds(wait))
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", malformed("The address is broken.")
	}
	if told := once(query, authorizeFields[:]); told != nil {
		return "", told
	}
	if query.Has("request") {
		return s.deliver(r.Context(), person, query.Get("request"))
	}
	return s.park(r.Context(), person, query)
}

// park keeps what an application asks a person for, and gives the page where the
// person decides. What is wrong is told to the application where it is known to be
// one, and else to the person alone.
func (s *Server) park(ctx context.Context, person Person, query url.Values) (to string, err error) {
	uri := query.Get("redirect_uri")
	client, err := s.resolve(ctx, person, query.Get("client_id"))
	if err != nil {
		return "", err
	}
	if !registered(client.RedirectURIs, uri) {
		s.log.Warn("an authorization request is refused", "client", logged(client.ID), "reason", "its redirect_uri is not registered (biketrip client add --redirect-uri registers one)", "asked", logged(uri), "registered", cut(strings.Join(client.RedirectURIs, " ")))
		return "", malformed("redirect_uri is not one of this application's.")
	}
	state, err := stateOf(query)
	if err != nil {
		return "", err
	}
	if code, description := unlike(query); code != "" {
		return s.answerTo(uri, state, url.Values{"error": {code}, "error_description": {description}}), nil
	}
	scopes := s.common(s.scopes, strings.Fields(query.Get("scope")))
	switch {
	case query.Has("resource") && !s.isOurs(query.Get("resource")):
		return "", invalidTarget(s.resource)
	case len(scopes) == 0:
		return "", invalidScope("The application must ask for at least one of " + strings.Join(s.scopes, ", ") + ".")
	case utf8.RuneCountInString(person.Email) > MaxEmail:
		return "", badRequest("server_error", "The e-mail address of this account is too long to grant anything to an application: ask whoever runs this server for another one.")
	}
	handle, hash, err := NewSecret(s.random, "")
	if err != nil {
		return "", err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		return tx.CreateRequest(store.AuthorizationRequest{
			Hash: hash, UserID: person.UserID, Session: person.Session, ClientID: query.Get("client_id"), RedirectURI: uri,
			Scopes: scopes, State: state, Challenge: query.Get("code_challenge"), ExpiresAt: tx.Now.Add(requestLife),
		})
	})
	return ConsentPath + handle, err
}

// stateOf is the state of an application, nil for none.
func stateOf(query url.Values) (*string, error) {
	if !query.Has("state") {
		return nil, nil
	}
	state := query.Get("state")
	if len(state) > maxState {
		return nil, malformed("state is too long.")
	}
	return &state, nil
}

// unlike is what a request has that is not asked for here, as the application is
// told: anything but a code, proven by S256. Source: RFC 6749 section 4.1.2.1, RFC
// 7636 section 4.4.1.
func unlike(query url.Values) (code, description string) {
	challenge := query.Get("code_challenge")
	switch {
	case query.Get("response_type") != "code":
		return "unsupported_response_type", "response_type must be code."
	case query.Get("code_challenge_method") != "S256":
		return "invalid_request", "code_challenge_method must be S256."
	case len(challenge) != challengeLength || strings.Trim(challenge, base64URL) != "":
		return "invalid_request", "code_challenge must be the 43 characters that S256 gives."
	}
	return "", ""
}

const (
	// challengeLength is that of SHA-256 in base64url without padding.
	challengeLength = 43
	base64URL       = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
)

// hostOf is where an answer goes, as people are shown it: in small letters, of which
// none looks like another.
func hostOf(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return ""
	}
	if u.Host == "" { // of the private scheme of an application
		return u.Scheme + ":"
	}
	return strings.ToLower(u.Host)
}

// allLoopback says whether every answer to a client stays on the computer it is
// asked on, where any program may have asked.
func allLoopback(uris []string) bool {
	return len(uris) > 0 && !slices.ContainsFunc(uris, func(uri string) bool {
		u, err := url.Parse(uri)
		return err != nil || !isLoopback(u.Hostname())
	})
}
