package oauth

import (
	"context"
	"errors"
	"net/url"

	"biketrip/store"
)

// redeem gives tokens for an authorization code (RFC 6749, section 4.1.3). A code
// that is not proven to be the client's stays good: some clients try twice. One
// that is proven and was used before revokes what it has granted: somebody else
// has had it, too.
func (s *Server) redeem(ctx context.Context, clientID string, form url.Values) (tokens, error) {
	code, err := required(form, "code")
	if err != nil {
		return tokens{}, err
	}
	refreshToken, hash, err := NewSecret(s.random, refreshPrefix)
	if err != nil {
		return tokens{}, err
	}
	var g store.Grant
	err = s.update(ctx, func(tx *store.Tx) (kept *refusal, err error) {
		c, err := tx.Code(HashOf(code))
		if errors.Is(err, store.ErrNotFound) {
			return nil, invalidGrant()
		}
		if err != nil {
			return nil, err
		}
		if g, err = read(tx, c.GrantID, clientID); err != nil {
			return nil, err
		}
		switch {
		case form.Has("redirect_uri") && form.Get("redirect_uri") != c.RedirectURI, !proves(form.Get("code_verifier"), c.Challenge):
			return nil, invalidGrant()
		case !c.UsedAt.IsZero():
			s.log.Warn("a code is used again, and its grant is revoked", "grant", g.ID, "client", g.ClientID)
			return invalidGrant(), tx.RevokeGrant(g.ID, "code used twice")
		case !tx.Now.Before(c.ExpiresAt):
			return nil, invalidGrant()
		}
		if err := tx.UseCode(c.Hash); err != nil {
			return nil, err
		}
		return nil, tx.CreateRefreshToken(store.RefreshToken{Hash: hash, GrantID: g.ID, ExpiresAt: tx.Now.Add(refreshLife)})
	})
	if err != nil {
		return tokens{}, err
	}
	return s.hand(g, s.common(g.Scopes, g.Scopes), refreshToken)
}
