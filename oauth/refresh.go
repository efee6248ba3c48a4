package oauth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"biketrip/store"
)

// rotationGrace is how long a rotated refresh token may come again without its
// family being revoked: several processes of one client share what they keep, and
// one of them is late.
const rotationGrace = 10 * time.Second

// refresh gives new tokens for a refresh token and puts another one in its place
// (RFC 6749, section 6; OAuth 2.1, section 4.3). One that is rotated already is
// never good again; where it comes late, somebody has stolen it, and its family is
// revoked.
func (s *Server) refresh(ctx context.Context, clientID string, form url.Values) (tokens, error) {
	old, err := required(form, "refresh_token")
	if err != nil {
		return tokens{}, err
	}
	if err := s.checkAlive(ctx, HashOf(old), clientID); err != nil {
		return tokens{}, err
	}
	refreshToken, hash, err := NewSecret(s.random, refreshPrefix)
	if err != nil {
		return tokens{}, err
	}
	var g store.Grant
	var scopes []string
	err = s.update(ctx, func(tx *store.Tx) (kept *refusal, err error) {
		t, err := tx.RefreshToken(HashOf(old))
		if errors.Is(err, store.ErrNotFound) {
			return nil, invalidGrant()
		}
		if err != nil {
			return nil, err
		}
		if g, err = read(tx, t.GrantID, clientID); err != nil {
			return nil, err
		}
		switch {
		case !t.RotatedAt.IsZero() && tx.Now.Sub(t.RotatedAt) > rotationGrace:
			s.log.Warn("a refresh token is used again, and its grant is revoked", "grant", g.ID, "client", g.ClientID)
			return invalidGrant(), tx.RevokeGrant(g.ID, "refresh token used twice")
		case !t.RotatedAt.IsZero(), !tx.Now.Before(t.ExpiresAt):
			return nil, invalidGrant()
		}
		if scopes, err = s.narrowed(g.Scopes, form.Get("scope")); err != nil {
			return nil, err
		}
		if err := tx.RotateRefreshToken(t.Hash); err != nil {
			return nil, err
		}
		return nil, tx.CreateRefreshToken(store.RefreshToken{Hash: hash, GrantID: g.ID, ExpiresAt: tx.Now.Add(refreshLife)})
	})
	if err != nil {
		return tokens{}, err
	}
	return s.hand(g, scopes, refreshToken)
}

// checkAlive refuses a token that is good for nothing without writing: some
// clients try one again and again.
func (s *Server) checkAlive(ctx context.Context, hash store.Hash, clientID string) error {
	return s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.RefreshToken(hash)
		if errors.Is(err, store.ErrNotFound) {
			return invalidGrant()
		}
		if err != nil {
			return err
		}
		_, err = read(tx, t.GrantID, clientID)
		return err
	})
}

// narrowed are the scopes that an access token is asked for, all that are granted
// where none of ours is named. One that is not granted is refused; what is no scope
// here counts for nothing.
func (s *Server) narrowed(granted []string, asked string) ([]string, error) {
	var named []string
	for _, scope := range strings.Fields(asked) {
		switch {
		case !slices.Contains(s.scopes, scope):
			continue
		case !slices.Contains(granted, scope):
			return nil, invalidScope("The scope is more than was granted.")
		}
		named = append(named, scope)
	}
	if len(named) == 0 {
		named = granted
	}
	return s.common(granted, named), nil
}
