package store

import (
	"database/sql"
	"time"
)

// A RefreshToken is a token with which an application gets new access tokens of a
// grant. Source: RFC 6749 section 1.5.
type RefreshToken struct {
	Hash      Hash
	GrantID   string
	ExpiresAt time.Time
	RotatedAt time.Time // from then on another one is in its place; zero: it is the last
}

const insertRefreshToken query = `
INSERT INTO refresh_token (hash, grant_id, expires_at) VALUES (?, ?, ?)`

// CreateRefreshToken keeps a new token. A grant that does not exist is
// ErrNotFound.
func (tx *Tx) CreateRefreshToken(t RefreshToken) error {
	_, err := tx.exec(insertRefreshToken, t.Hash[:], t.GrantID, t.ExpiresAt.UnixMilli())
	return during("create refresh token", err)
}

const selectRefreshToken query = `
SELECT hash, grant_id, expires_at, rotated_at FROM refresh_token WHERE hash = ?`

// RefreshToken is the token of that hash.
func (tx *Tx) RefreshToken(hash Hash) (RefreshToken, error) {
	scan := func(row scanner) (t RefreshToken, err error) {
		var hash []byte
		var expires int64
		var rotated sql.NullInt64
		err = row.Scan(&hash, &t.GrantID, &expires, &rotated)
		copy(t.Hash[:], hash)
		t.ExpiresAt, t.RotatedAt = instant(expires), parseInstant(rotated)
		return t, err
	}
	t, err := one(tx, scan, selectRefreshToken, hash[:])
	return t, during("read refresh token", err)
}

const rotateRefreshToken query = `
UPDATE refresh_token SET rotated_at = ?2 WHERE hash = ?1 AND rotated_at IS NULL`

// RotateRefreshToken says that another token is in its place from now on. One that
// is rotated already is ErrNotFound.
func (tx *Tx) RotateRefreshToken(hash Hash) error {
	return during("rotate refresh token", tx.change(rotateRefreshToken, hash[:], tx.Now.UnixMilli()))
}

const deleteRefreshTokens query = `
DELETE FROM refresh_token WHERE expires_at < ?`

// ForgetRefreshTokens forgets the tokens that have expired before then.
func (tx *Tx) ForgetRefreshTokens(then time.Time) error {
	_, err := tx.exec(deleteRefreshTokens, then.UnixMilli())
	return during("forget refresh tokens", err)
}
