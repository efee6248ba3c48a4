package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"biketrip/store"
)

// Issued is an access token that was handed out.
type Issued struct {
	Token     string
	ExpiresAt time.Time // from then on it is refused
	Scopes    []string  // in the order of Options.Scopes
}

// Issue hands out a token of a user to a client without asking the user: the
// operator has. It is under a living grant that was made this way and
// allows all of the scopes, or under a new one. Its errors wrap ErrNoScope, ErrUnknownScope,
// ErrUnknownUser or ErrUnknownClient.
func (s *Server) Issue(ctx context.Context, userID, clientID string, scopes []string) (Issued, error) {
	scopes, err := s.known(scopes)
	if err != nil {
		return Issued{}, err
	}
	var grantID string
	err = s.store.Update(ctx, func(tx *store.Tx) (err error) {
		grantID, err = grant(tx, userID, clientID, scopes)
		return err
	})
	if err != nil {
		return Issued{}, err
	}
	return s.sign(claims{UserID: userID, ClientID: clientID, GrantID: grantID}, scopes)
}

// known are the scopes in the order of the server, each once.
func (s *Server) known(scopes []string) ([]string, error) {
	if len(scopes) == 0 {
		return nil, ErrNoScope
	}
	for _, scope := range scopes {
		if !slices.Contains(s.scopes, scope) {
			return nil, fmt.Errorf("%w: %q; there are %s", ErrUnknownScope, scope, strings.Join(s.scopes, ", "))
		}
	}
	return s.common(scopes, scopes), nil
}

// grant is the id of the oldest living grant that the operator has made of a user
// to a client and that allows the scopes, or else of a new one. What the user has
// granted by consent is the user's.
func grant(tx *store.Tx, userID, clientID string, scopes []string) (string, error) {
	if _, err := tx.User(userID); err != nil {
		return "", instead(err, ErrUnknownUser)
	}
	client, err := tx.Client(clientID)
	if err != nil {
		return "", instead(err, ErrUnknownClient)
	}
	grants, err := tx.Grants(userID, clientID)
	if err != nil {
		return "", err
	}
	for _, g := range grants {
		lacks := func(scope string) bool { return !slices.Contains(g.Scopes, scope) }
		if g.RedirectHost == "" && g.RevokedAt.IsZero() && !slices.ContainsFunc(scopes, lacks) {
			return g.ID, nil
		}
	}
	g := store.Grant{UserID: userID, ClientID: clientID, ClientName: client.Name, Scopes: scopes}
	err = tx.CreateGrant(&g)
	return g.ID, err
}

// instead is err, but unknown where it says that a row is not there.
func instead(err, unknown error) error {
	if errors.Is(err, store.ErrNotFound) {
		return unknown
	}
	return err
}

// sign makes a token of claims that name user, client and grant.
func (s *Server) sign(c claims, scopes []string) (Issued, error) {
	var id [16]byte
	if _, err := io.ReadFull(s.random, id[:]); err != nil {
		return Issued{}, fmt.Errorf("random bytes of a token: %w", err)
	}
	issued := s.now().Truncate(time.Second)
	expires := issued.Add(tokenLife)
	c.Issuer, c.Audience, c.Scope = s.issuer, audience{s.resource}, strings.Join(scopes, " ")
	c.ID = base64.RawURLEncoding.EncodeToString(id[:])
	c.IssuedAt, c.ExpiresAt = jwt.NewNumericDate(issued), jwt.NewNumericDate(expires)
	k := s.keys.signing()
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: k.private, KeyID: k.id}},
		(&jose.SignerOptions{}).WithType(tokenType))
	if err != nil {
		return Issued{}, fmt.Errorf("sign a token: %w", err)
	}
	token, err := jwt.Signed(signer).Claims(c).Serialize()
	if err != nil {
		return Issued{}, fmt.Errorf("sign a token: %w", err)
	}
	return Issued{Token: token, ExpiresAt: expires.UTC(), Scopes: scopes}, nil
}
