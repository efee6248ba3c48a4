package store

import (
	"database/sql"
	"time"
)

// A Hash is the SHA-256 of a secret: what the file keeps in its place.
type Hash [32]byte

// An AuthorizationCode is a code with which an application fetches, once, what a
// person has granted to it. Source: RFC 6749 section 4.1.2.
type AuthorizationCode struct {
	Hash        Hash
	GrantID     string
	RedirectURI string // where it was sent, as it was asked for
	Challenge   string // S256, RFC 7636 section 4.2
	ExpiresAt   time.Time
	UsedAt      time.Time // zero: not yet
}

const insertCode query = `
INSERT INTO authorization_code (hash, grant_id, redirect_uri, challenge, expires_at) VALUES (?, ?, ?, ?, ?)`

// CreateCode keeps a new code. A grant that does not exist is ErrNotFound.
func (tx *Tx) CreateCode(c AuthorizationCode) error {
	_, err := tx.exec(insertCode, c.Hash[:], c.GrantID, c.RedirectURI, c.Challenge, c.ExpiresAt.UnixMilli())
	return during("create authorization code", err)
}

const selectCode query = `
SELECT hash, grant_id, redirect_uri, challenge, expires_at, used_at FROM authorization_code WHERE hash = ?`

// Code is the code of that hash.
func (tx *Tx) Code(hash Hash) (AuthorizationCode, error) {
	scan := func(row scanner) (c AuthorizationCode, err error) {
		var hash []byte
		var expires int64
		var used sql.NullInt64
		err = row.Scan(&hash, &c.GrantID, &c.RedirectURI, &c.Challenge, &expires, &used)
		copy(c.Hash[:], hash)
		c.ExpiresAt, c.UsedAt = instant(expires), parseInstant(used)
		return c, err
	}
	c, err := one(tx, scan, selectCode, hash[:])
	return c, during("read authorization code", err)
}

const useCode query = `
UPDATE authorization_code SET used_at = ?2 WHERE hash = ?1 AND used_at IS NULL`

// UseCode says that a code is used now. One that is used already is ErrNotFound.
func (tx *Tx) UseCode(hash Hash) error {
	return during("use authorization code", tx.change(useCode, hash[:], tx.Now.UnixMilli()))
}

const deleteCodes query = `
DELETE FROM authorization_code WHERE expires_at < ?`

// ForgetCodes forgets the codes that have expired before then.
func (tx *Tx) ForgetCodes(then time.Time) error {
	_, err := tx.exec(deleteCodes, then.UnixMilli())
	return during("forget authorization codes", err)
}
