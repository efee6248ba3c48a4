package oauth

import (
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"biketrip/store"
)

const (
	// tokenLife is how long an access token lives.
	tokenLife = 15 * time.Minute
	// tokenType tells an access token from every other JWT (RFC 9068, section 2.1).
	tokenType = "at+jwt"
	// maxToken is the longest token in bytes that is looked at.
	maxToken = 4096
	// maxClientID is the longest client_id in bytes.
	maxClientID = 2048
)

// Access is what the bearer of a token may do.
type Access struct {
	GrantID, UserID, ClientID string
	Email                     string   // of the user
	Scopes                    []string // those of the token that the grant allows at present, in the order of Options.Scopes; may be none
}

// claims are those of an access token (RFC 9068, section 2.2, and gid).
type claims struct {
	Issuer    string           `json:"iss"`
	Audience  audience         `json:"aud"`
	UserID    string           `json:"sub"`
	ClientID  string           `json:"client_id"`
	Scope     string           `json:"scope"` // separated by spaces
	GrantID   string           `json:"gid"`
	ID        string           `json:"jti"`
	IssuedAt  *jwt.NumericDate `json:"iat"`
	ExpiresAt *jwt.NumericDate `json:"exp"`
}

// audience is written as an array and read as an array or a string (RFC 7519,
// section 4.1.3).
type audience []string

func (a *audience) UnmarshalJSON(text []byte) error { return (*jwt.Audience)(a).UnmarshalJSON(text) }

// Verify is what a token allows right now: its grant is read on every call. Its
// error is ErrInvalidToken, with the reason, for all that is the fault of the
// token. Any other error says that the server could not look.
func (s *Server) Verify(ctx context.Context, token string) (Access, error) {
	c, err := s.read(token)
	if err != nil {
		return Access{}, err
	}
	var live store.LiveGrant
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		live, err = tx.LiveGrant(c.GrantID, c.UserID, c.ClientID)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Access{}, invalid("its grant is revoked or gone")
	}
	if err != nil {
		return Access{}, err
	}
	s.use(c.GrantID)
	return Access{
		GrantID:  c.GrantID,
		UserID:   c.UserID,
		ClientID: c.ClientID,
		Email:    live.Email,
		Scopes:   s.common(strings.Fields(c.Scope), live.Scopes),
	}, nil
}

// common are the scopes that are in both lists, in the order of the server.
func (s *Server) common(a, b []string) []string {
	out := []string{}
	for _, scope := range s.scopes {
		if slices.Contains(a, scope) && slices.Contains(b, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// read is what stands in a token that this server has signed, that is for it,
// and that has not expired. Its error is ErrInvalidToken, for an unknown key even
// where the key file cannot be read: that is the operator's to know, and the keys
// that are known go on.
func (s *Server) read(token string) (claims, error) {
	if len(token) > maxToken {
		return claims{}, invalid("it is too long")
	}
	hash := HashOf(token)
	t, known := s.verified.recall(hash)
	if !known {
		var err error
		if t.keyID, err = keyIDOf(token); err != nil {
			return claims{}, err
		}
	}
	// The key of a remembered token may be gone from the file.
	public, err := s.keys.find(t.keyID)
	if err != nil {
		s.log.Warn("the key file cannot be read", "error", err)
	}
	if public == nil {
		return claims{}, invalid("its key is unknown")
	}
	if !known {
		if t.claims, err = verifySignature(token, public); err != nil {
			return claims{}, err
		}
	}
	if err := s.check(t.claims); err != nil {
		s.verified.forget(hash)
		return claims{}, err
	}
	if !known {
		s.verified.remember(hash, t)
	}
	return t.claims, nil
}

// verifySignature is what stands in a token that is signed with the key. Its
// error is ErrInvalidToken.
func verifySignature(token string, public *ecdsa.PublicKey) (claims, error) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return claims{}, invalid("it is no JWT under ES256")
	}
	var c claims
	switch err := parsed.Claims(public, &c); {
	case errors.Is(err, jose.ErrCryptoFailure):
		return claims{}, invalid("its signature is wrong")
	case err != nil:
		return claims{}, invalid("its claims are malformed")
	}
	return c, nil
}

// keyIDOf is the kid of a token whose header has exactly what that of an access
// token has: alg, typ and kid. So none brings a key along or asks for an
// extension (jwk, jku, x5u, x5c, crit, b64). Its error is ErrInvalidToken.
func keyIDOf(token string) (string, error) {
	if strings.ContainsAny(token, "\r\n") { // which Base64 decoders pass over
		return "", invalid("it is no JWT")
	}
	encoded, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", invalid("it is no JWT")
	}
	var header map[string]string
	if err := json.Unmarshal(text, &header); err != nil {
		return "", invalid("its header is not that of an access token")
	}
	id := header["kid"]
	switch {
	case header["alg"] != string(jose.ES256):
		return "", invalid("it is not signed with ES256")
	case header["typ"] != tokenType:
		return "", invalid("its type is not " + tokenType)
	case !isKeyID(id):
		return "", invalid("its kid is missing or malformed")
	case len(header) != 3:
		return "", invalid("its header has more than that of an access token")
	}
	return id, nil
}

// check holds the claims of a token against what this server would issue. There
// is no leeway: it is the clock of one and the same machine.
func (s *Server) check(c claims) error {
	now := s.now()
	switch {
	case c.Issuer != s.issuer:
		return invalid("its issuer is another")
	case !slices.Contains(c.Audience, s.resource):
		return invalid("it is for another resource")
	case c.ExpiresAt == nil:
		return invalid("it never expires")
	case !now.Before(c.ExpiresAt.Time()):
		return invalid("it has expired")
	case c.IssuedAt == nil:
		return invalid("it does not say when it was issued")
	case c.ExpiresAt.Time().Sub(c.IssuedAt.Time()) > tokenLife:
		return invalid("it lives too long")
	case now.Before(c.IssuedAt.Time()):
		return invalid("it was issued in the future")
	case !isID(c.UserID):
		return invalid("its sub is malformed")
	case !isID(c.GrantID):
		return invalid("its gid is malformed")
	case !isClientID(c.ClientID):
		return invalid("its client_id is malformed")
	}
	return nil
}

// isID says whether s may be the id of a user or a grant.
func isID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

// isClientID says whether s may be a client_id.
func isClientID(s string) bool {
	return s != "" && len(s) <= maxClientID && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
