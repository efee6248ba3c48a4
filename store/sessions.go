package store

import "time"

const upsertLink query = `
INSERT INTO sign_in_link (hash, user_id, expires_at) VALUES (?, ?, ?)
ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`

// CreateLink keeps a link with which a person signs in once, in place of the one
// before. A user who does not exist is ErrNotFound.
func (tx *Tx) CreateLink(hash Hash, userID string, expiresAt time.Time) error {
	_, err := tx.exec(upsertLink, hash[:], userID, expiresAt.UnixMilli())
	return during("create sign-in link", err)
}

const selectLinkUser query = `
SELECT user.id, user.email, user.language, user.created_at FROM sign_in_link JOIN user ON user.id = sign_in_link.user_id
WHERE sign_in_link.hash = ? AND sign_in_link.expires_at > ?`

// LinkUser is who signs in with a link. One that is used or expired is
// ErrNotFound.
func (tx *Tx) LinkUser(hash Hash) (User, error) {
	u, err := one(tx, scanUser, selectLinkUser, hash[:], tx.Now.UnixMilli())
	return u, during("read sign-in link", err)
}

const deleteLink query = `
DELETE FROM sign_in_link WHERE hash = ?`

// UseLink says that a link is used. One that is used already is ErrNotFound.
func (tx *Tx) UseLink(hash Hash) error {
	return during("use sign-in link", tx.change(deleteLink, hash[:]))
}

const insertSession query = `
INSERT INTO session (hash, user_id, expires_at) VALUES (?, ?, ?)`

// CreateSession keeps a browser in which a person is signed in. A user who does
// not exist is ErrNotFound.
func (tx *Tx) CreateSession(hash Hash, userID string, expiresAt time.Time) error {
	_, err := tx.exec(insertSession, hash[:], userID, expiresAt.UnixMilli())
	return during("create session", err)
}

const selectSessionUser query = `
SELECT user.id, user.email, user.language, user.created_at FROM session JOIN user ON user.id = session.user_id
WHERE session.hash = ? AND session.expires_at > ?`

// SessionUser is who is signed in in a browser, ErrNotFound for nobody.
func (tx *Tx) SessionUser(hash Hash) (User, error) {
	u, err := one(tx, scanUser, selectSessionUser, hash[:], tx.Now.UnixMilli())
	return u, during("read session", err)
}

const deleteSession query = `
DELETE FROM session WHERE hash = ?`

// EndSession signs a browser out. One in which nobody is signed in stays so.
func (tx *Tx) EndSession(hash Hash) error {
	_, err := tx.exec(deleteSession, hash[:])
	return during("end session", err)
}

const deleteSessions query = `
DELETE FROM session WHERE expires_at < ?`

// ForgetSessions forgets the sessions that have expired before then.
func (tx *Tx) ForgetSessions(then time.Time) error {
	_, err := tx.exec(deleteSessions, then.UnixMilli())
	return during("forget sessions", err)
}
