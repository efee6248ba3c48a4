package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"biketrip/store"
	"biketrip/store/limit"
)

const (
	// refreshLife is how long a refresh token is good. Source: MCP server
	// reference, "Tokens": a month.
	refreshLife = 30 * 24 * time.Hour
	// refreshPrefix tells a refresh token from any other secret.
	refreshPrefix = "rt_"
)

// tokens are what a client gets (RFC 6749, section 5.1). The scope is always told.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// serveToken is the token endpoint (RFC 6749, section 3.2): a code for tokens, or
// a refresh token for new ones.
func (s *Server) serveToken(w http.ResponseWriter, r *http.Request) {
	if !isPost(w, r) {
		return
	}
	got, err := s.answerToken(w, r)
	if err != nil {
		s.refusalOf(r, err).write(w)
		return
	}
	answer(w, http.StatusOK, document(got))
}

// answerToken gives what a request asks for. Its error is a *refusal where the
// client is at fault.
func (s *Server) answerToken(w http.ResponseWriter, r *http.Request) (tokens, error) {
	if wait := s.exchanges.Take(s.address(r)); wait > 0 {
		return tokens{}, tooOften(limit.Seconds(wait))
	}
	form, told := readForm(w, r)
	if told != nil {
		return tokens{}, told
	}
	clientID, told := clientOf(r, form)
	if told != nil {
		return tokens{}, told
	}
	if form.Has("resource") && !s.isOurs(form.Get("resource")) {
		return tokens{}, invalidTarget(s.resource)
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		return s.redeem(r.Context(), clientID, form)
	case "refresh_token":
		return s.refresh(r.Context(), clientID, form)
	case "":
		return tokens{}, malformed("grant_type is missing.")
	}
	return tokens{}, unsupportedGrant()
}

// hand gives tokens of a grant: an access token of the scopes, and the refresh
// token that is in the file by now.
func (s *Server) hand(g store.Grant, scopes []string, refreshToken string) (tokens, error) {
	issued, err := s.sign(claims{UserID: g.UserID, ClientID: g.ClientID, GrantID: g.ID}, scopes)
	if err != nil {
		return tokens{}, err
	}
	return tokens{
		AccessToken:  issued.Token,
		TokenType:    "Bearer",
		ExpiresIn:    int(tokenLife / time.Second),
		RefreshToken: refreshToken,
		Scope:        strings.Join(issued.Scopes, " "),
	}, nil
}

// read is the grant that a secret belongs to, if it is that client's and alive. A
// secret that nobody knows is no more than one of somebody else's.
func read(tx *store.Tx, grantID, clientID string) (store.Grant, error) {
	g, err := tx.Grant(grantID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (g.ClientID != clientID || !g.RevokedAt.IsZero()) {
		return store.Grant{}, invalidGrant()
	}
	return g, err
}

// update is store.Update for what may end in a refusal that is to be kept: what fn
// has written is committed with it.
func (s *Server) update(ctx context.Context, fn func(*store.Tx) (kept *refusal, err error)) error {
	var kept *refusal
	err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
		kept, err = fn(tx)
		return err
	})
	if err == nil && kept != nil {
		return kept
	}
	return err
}

// required is a field that must be there.
func required(form url.Values, field string) (string, error) {
	if value := form.Get(field); value != "" {
		return value, nil
	}
	return "", malformed(field + " is missing.")
}
