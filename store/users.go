package store

import (
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	sqlite3 "modernc.org/sqlite/lib"
)

// A User is a person who plans trips here.
type User struct {
	ID        string
	Email     string // as typed; compared without the case of ASCII letters
	Language  string // of pages, mails and alerts: en or fr
	CreatedAt time.Time
}

// maxEmail is the longest address in bytes that mail can be sent to
// (RFC 5321, section 4.5.3.1.3, less the angle brackets of the path).
const maxEmail = 254

const insertUser query = `
INSERT INTO user (id, email, language, created_at, language_known) VALUES (?, ?, ?, ?, ?)`

// CreateUser keeps a new user. Without a language it is English, until the user
// first signs in. Its errors wrap ErrEmailInvalid, ErrEmailTaken and
// ErrLanguageUnknown.
func (tx *Tx) CreateUser(email, language string) (User, error) {
	email, err := parseEmail(email)
	if err != nil {
		return User{}, during("create user", err)
	}
	known := language != ""
	if !known {
		language = "en"
	}
	if err := checkLanguage(language); err != nil {
		return User{}, during("create user", err)
	}
	u := User{ID: tx.NewID(), Email: email, Language: language, CreatedAt: tx.Now}
	_, err = tx.exec(insertUser, u.ID, u.Email, u.Language, u.CreatedAt.UnixMilli(), known)
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE) {
		err = ErrEmailTaken
	}
	if err != nil {
		return User{}, during("create user", err)
	}
	return u, nil
}

func checkLanguage(language string) error {
	if language != "en" && language != "fr" {
		return ErrLanguageUnknown
	}
	return nil
}

const updateLanguage query = `
UPDATE user SET language = ?, language_known = 1 WHERE id = ?`

// SetLanguage changes the language of a user. Its errors wrap ErrLanguageUnknown
// and, for a user who does not exist, ErrNotFound.
func (tx *Tx) SetLanguage(id, language string) error {
	if err := checkLanguage(language); err != nil {
		return during("set language", err)
	}
	return during("set language", tx.change(updateLanguage, language, id))
}

const updateFirstLanguage query = `
UPDATE user SET language = ?, language_known = 1 WHERE id = ? AND language_known = 0`

// FirstLanguage is SetLanguage for a user whose language nobody has said yet, and
// changes that of no other.
func (tx *Tx) FirstLanguage(id, language string) error {
	if err := checkLanguage(language); err != nil {
		return during("set language", err)
	}
	_, err := tx.exec(updateFirstLanguage, language, id)
	return during("set language", err)
}

// CheckEmail is ErrEmailInvalid for what CreateUser takes for no e-mail address.
func CheckEmail(email string) error {
	_, err := parseEmail(email)
	return err
}

// parseEmail is the bare address that s is, without the space around it.
func parseEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	address, err := mail.ParseAddress(s)
	unprintable := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	if err != nil || address.Address != s || len(s) > maxEmail || unprintable {
		return "", ErrEmailInvalid
	}
	return s, nil
}

const selectUser query = `
SELECT id, email, language, created_at FROM user WHERE id = ?`

// User is the user of that id.
func (tx *Tx) User(id string) (User, error) {
	u, err := one(tx, scanUser, selectUser, id)
	return u, during("read user", err)
}

const selectUserByEmail query = `
SELECT id, email, language, created_at FROM user WHERE email = ?`

// UserByEmail is the user of that address, whatever its case.
func (tx *Tx) UserByEmail(email string) (User, error) {
	u, err := one(tx, scanUser, selectUserByEmail, strings.TrimSpace(email))
	return u, during("read user", err)
}

const selectUsers query = `
SELECT id, email, language, created_at FROM user ORDER BY id`

// Users are all users, oldest first.
func (tx *Tx) Users() ([]User, error) {
	users, err := many(tx, scanUser, selectUsers)
	return users, during("list users", err)
}

const updateEmail query = `
UPDATE user SET email = ?2 WHERE id = ?1`

const revokeGrantsOfUser query = `
UPDATE grant SET revoked_at = ?2, revoke_reason = ?3 WHERE user_id = ?1 AND revoked_at IS NULL`

const deleteRequestsOfUser query = `
DELETE FROM authorization_request WHERE user_id = ?`

const deleteSessionsOfUser query = `
DELETE FROM session WHERE user_id = ?`

const deleteLinkOfUser query = `
DELETE FROM sign_in_link WHERE user_id = ?`

// ChangeEmail gives a user another address. What was granted to applications is
// revoked with it, and every browser signed out: who could read the old address may
// be somebody else. Its errors wrap ErrEmailInvalid, and ErrEmailTaken for that of
// another user, or of this one already. Source: MCP server reference, "Tokens".
func (tx *Tx) ChangeEmail(id, email string) error {
	email, err := parseEmail(email)
	var u User
	if err == nil {
		u, err = tx.User(id)
	}
	switch {
	case err == nil && strings.EqualFold(u.Email, email):
		err = ErrEmailTaken
	case err == nil:
		err = tx.change(updateEmail, id, email)
	}
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE) {
		err = ErrEmailTaken
	}
	if err == nil {
		_, err = tx.exec(revokeGrantsOfUser, id, tx.Now.UnixMilli(), "e-mail address changed")
	}
	for _, q := range []query{deleteRequestsOfUser, deleteSessionsOfUser, deleteLinkOfUser} {
		if err == nil {
			_, err = tx.exec(q, id)
		}
	}
	return during("change e-mail address", err)
}

const deleteAnswersOfUser query = `
DELETE FROM answer WHERE subject <> '' AND subject IN (SELECT source_url FROM trip WHERE owner_id = ?)`

const deleteUser query = `
DELETE FROM user WHERE id = ?`

// DeleteUser removes a user, all that is theirs, and what the sources of their
// trips have answered. Tokens of theirs are worth nothing from then on.
func (tx *Tx) DeleteUser(id string) error {
	if _, err := tx.exec(deleteAnswersOfUser, id); err != nil {
		return during("delete user", err)
	}
	return during("delete user", tx.change(deleteUser, id))
}

func scanUser(row scanner) (u User, err error) {
	var created int64
	err = row.Scan(&u.ID, &u.Email, &u.Language, &created)
	u.CreatedAt = instant(created)
	return u, err
}
