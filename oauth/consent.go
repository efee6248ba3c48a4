package oauth

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"biketrip/store"
)

// codeLife is how long a code is good. Source: MCP server reference, "Tokens".
const codeLife = 2 * time.Minute

// ErrNoRequest says that there is no request of that handle for that person in
// that browser: none ever was, it is somebody else's, or its time is over. ErrDecided
// says that the person has decided already.
var (
	ErrNoRequest = errors.New("there is no such authorization request")
	ErrDecided   = errors.New("the authorization request is decided already")
)

// A Request is what an application asks a person for, as the person is shown it.
type Request struct {
	ClientName   string // third-party text
	Kind         store.ClientKind
	ClientHost   string // of a client_id that is an address, empty for any other
	Scopes       []string
	RedirectHost string // where the answer goes, with its port
	Loopback     bool   // every answer to this client stays on the computer it was asked on
}

// Request is a request that a person may decide. Its error is ErrDecided for one that
// is decided, and ErrNoRequest for any other.
func (s *Server) Request(ctx context.Context, person Person, handle string) (shown Request, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		r, err := pending(tx, person, handle)
		if err != nil {
			return err
		}
		client, err := tx.Client(r.ClientID)
		if err == nil {
			client, err = s.admit(client)
		}
		if err != nil {
			return s.orGone(err)
		}
		if r.Decision != store.Undecided {
			return ErrDecided
		}
		shown = Request{ClientName: unquoted(client.Name), Kind: client.Kind, ClientHost: DocumentHost(r.ClientID), Scopes: r.Scopes, RedirectHost: hostOf(r.RedirectURI), Loopback: allLoopback(client.RedirectURIs)}
		return nil
	})
	return shown, err
}

// unquoted is a name without the marks that pages put around it.
func unquoted(name string) string {
	return strings.NewReplacer("“", "'", "”", "'", "„", "'", "‟", "'", "«", "'", "»", "'").Replace(name)
}

// orGone is err, but ErrNoRequest for a client that is gone or cannot be used any
// more.
func (s *Server) orGone(err error) error {
	if errors.As(err, new(*refusal)) {
		return ErrNoRequest
	}
	return instead(err, ErrNoRequest)
}

// pending is a request of a person that is still good.
func pending(tx *store.Tx, person Person, handle string) (store.AuthorizationRequest, error) {
	r, err := tx.Request(HashOf(handle), person.UserID, person.Session)
	if errors.Is(err, store.ErrNotFound) || err == nil && !tx.Now.Before(r.ExpiresAt) {
		return store.AuthorizationRequest{}, ErrNoRequest
	}
	return r, err
}

// Decide keeps what a person has decided, and gives where the browser goes next.
// The same decision again is the same; another one is ErrDecided, and a request
// that is not the person's ErrNoRequest.
func (s *Server) Decide(ctx context.Context, person Person, handle string, d store.Decision) (to string, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		r, err := pending(tx, person, handle)
		switch {
		case err != nil:
			return err
		case r.Decision == d:
			return nil
		case r.Decision != store.Undecided:
			return ErrDecided
		}
		return tx.DecideRequest(r.Hash, d)
	})
	return authorizePath + "?" + url.Values{"request": {handle}}.Encode(), err
}

// deliver tells an application what a person has decided, once. An undecided
// request leads back to its page.
func (s *Server) deliver(ctx context.Context, person Person, handle string) (to string, err error) {
	code, hash, err := NewSecret(s.random, "")
	if err != nil {
		return "", err
	}
	granted := false
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		r, err := pending(tx, person, handle)
		switch {
		case errors.Is(err, ErrNoRequest):
			return malformed("This request is not known, or its time is over.")
		case err != nil:
			return err
		case !r.DeliveredAt.IsZero():
			return malformed("This request is answered already.")
		case r.Decision == store.Undecided:
			to = ConsentPath + handle
			return nil
		}
		client, err := tx.Client(r.ClientID)
		if err == nil {
			client, err = s.admit(client)
		}
		if s.orGone(err) == ErrNoRequest || err == nil && !registered(client.RedirectURIs, r.RedirectURI) {
			return badRequest("invalid_client", "This application has changed meanwhile.")
		}
		if err != nil {
			return err
		}
		if err := tx.DeliverRequest(r.Hash); err != nil {
			return err
		}
		if r.Decision == store.Refuse {
			to = s.answerTo(r.RedirectURI, r.State, url.Values{"error": {"access_denied"}, "error_description": {"The person has refused."}})
			return nil
		}
		to, granted = s.answerTo(r.RedirectURI, r.State, url.Values{"code": {code}}), true
		return give(tx, r, client.Name, hash)
	})
	if err == nil && granted {
		s.settle(ctx)
	}
	return to, err
}

// settle waits a moment for the replica to have what was granted.
func (s *Server) settle(ctx context.Context) {
	if err := s.store.Settle(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("the replica does not have what was granted yet", "error", err)
	}
}

// give grants what was asked for, and keeps the code with which it is fetched.
func give(tx *store.Tx, r store.AuthorizationRequest, clientName string, code store.Hash) error {
	g := store.Grant{UserID: r.UserID, ClientID: r.ClientID, ClientName: clientName, RedirectHost: hostOf(r.RedirectURI), Scopes: r.Scopes}
	if err := tx.CreateGrant(&g); err != nil {
		return err
	}
	return tx.CreateCode(store.AuthorizationCode{Hash: code, GrantID: g.ID, RedirectURI: r.RedirectURI, Challenge: r.Challenge, ExpiresAt: tx.Now.Add(codeLife)})
}
