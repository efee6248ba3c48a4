package oauth

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"biketrip/store"
	"biketrip/store/limit"
)

// registerPath is where clients register themselves, if they may.
const registerPath = "/oauth/register"

const (
	// maxRegistration bounds the body of a registration.
	maxRegistration = 16 << 10
	// maxRegistrations is how many clients are kept that have registered themselves
	// and that nobody has granted anything.
	maxRegistrations = 1000
	// idleRegistration is how long each of them is kept, and a document that has
	// expired.
	idleRegistration = 24 * time.Hour
)

// A registration is what a client is told of itself (RFC 7591, section 3.2.1).
// Whatever it has asked for, it is a public client of all scopes.
type registration struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"` // seconds since 1970
	ClientName    string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Scope         string   `json:"scope"`
}

// serveRegister is the client registration endpoint (RFC 7591, section 3).
func (s *Server) serveRegister(w http.ResponseWriter, r *http.Request) {
	if !isPost(w, r) {
		return
	}
	c, err := s.register(w, r)
	if err != nil {
		s.refusalOf(r, err).write(w)
		return
	}
	answer(w, http.StatusCreated, document(registration{
		ClientID: c.ID, IssuedAt: c.CreatedAt.Unix(), ClientName: c.Name, RedirectURIs: c.RedirectURIs,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		AuthMethod: "none", Scope: strings.Join(s.scopes, " "),
	}))
}

// register keeps a client that registers itself. Its error is a *refusal where the
// client is at fault.
func (s *Server) register(w http.ResponseWriter, r *http.Request) (store.Client, error) {
	if wait := s.registrations.Take(s.address(r)); wait > 0 {
		return store.Client{}, tooOften(limit.Seconds(wait))
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return store.Client{}, badRequest("invalid_client_metadata", "Send the metadata in the body, as application/json.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
	if err != nil {
		return store.Client{}, badRequest("invalid_client_metadata", "The body is too long, or broke off before its end.")
	}
	c, err := s.parseRegistration(body)
	if err != nil {
		return store.Client{}, err
	}
	err = s.keepRegistration(r.Context(), &c)
	return c, err
}

// parseRegistration is the client that registers itself by a body.
func (s *Server) parseRegistration(body []byte) (store.Client, error) {
	told, err := readObject(body)
	if err != nil {
		return store.Client{}, badRequest("invalid_client_metadata", "The body cannot be read: "+err.Error()+".")
	}
	c := store.Client{Kind: store.ClientDynamic, Name: "unnamed"}
	if err = told.read("client_name", &c.Name); err == nil {
		c.Name, err = shownName(c.Name)
	}
	if err != nil {
		return store.Client{}, badRequest("invalid_client_metadata", "client_name must be a text of 1 to 128 characters.")
	}
	if c.RedirectURIs, err = told.redirectURIs(); err == nil {
		_, err = s.localhost.Among(c.RedirectURIs)
	}
	if err != nil {
		return store.Client{}, badRequest("invalid_redirect_uri", "It cannot be registered: "+err.Error()+".")
	}
	return c, nil
}

func (s *Server) keepRegistration(ctx context.Context, c *store.Client) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.CreateClient(c); err != nil {
			return err
		}
		return tx.KeepRegistrations(maxRegistrations)
	})
}
