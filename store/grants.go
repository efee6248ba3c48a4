package store

import (
	"database/sql"
	"strings"
	"time"
)

// A Grant is what a person has granted to an application.
type Grant struct {
	ID           string
	UserID       string
	ClientID     string
	ClientName   string // as the person saw it
	RedirectHost string // where the answer went; empty: handed out by the operator
	Scopes       []string
	CreatedAt    time.Time
	LastUsedAt   time.Time // to the minute or so; zero: never
	RevokedAt    time.Time // zero: alive
	RevokeReason string    // empty: alive
}

// grantColumns are the columns of a grant in the order of scanGrant.
const grantColumns = `id, user_id, client_id, client_name, redirect_host, scopes, created_at, last_used_at, revoked_at, revoke_reason`

const insertGrant query = `
INSERT INTO grant (` + grantColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, '')`

// CreateGrant keeps a new grant and fills in its id and time. A user who does
// not exist is ErrNotFound.
func (tx *Tx) CreateGrant(g *Grant) error {
	id := tx.NewID()
	_, err := tx.exec(insertGrant, id, g.UserID, g.ClientID, g.ClientName, g.RedirectHost, strings.Join(g.Scopes, " "), tx.Now.UnixMilli())
	if err != nil {
		return during("create grant", err)
	}
	g.ID, g.CreatedAt = id, tx.Now
	return nil
}

// A LiveGrant is what the bearer of a token may do at present.
type LiveGrant struct {
	Email  string // of the person
	Scopes []string
}

const selectLiveGrant query = `
SELECT user.email, grant.scopes FROM grant JOIN user ON user.id = grant.user_id
WHERE grant.id = ? AND grant.user_id = ? AND grant.client_id = ? AND grant.revoked_at IS NULL`

// LiveGrant is the grant of that id if it is that person's to that application
// and not revoked, ErrNotFound else.
func (tx *Tx) LiveGrant(id, userID, clientID string) (LiveGrant, error) {
	scan := func(row scanner) (g LiveGrant, err error) {
		var scopes string
		err = row.Scan(&g.Email, &scopes)
		g.Scopes = strings.Fields(scopes)
		return g, err
	}
	g, err := one(tx, scan, selectLiveGrant, id, userID, clientID)
	return g, during("read grant", err)
}

const selectGrants query = `
SELECT ` + grantColumns + ` FROM grant WHERE user_id = ? AND client_id = ? ORDER BY created_at, id`

// Grants are what a person has granted to an application, oldest first, those
// that are revoked included.
func (tx *Tx) Grants(userID, clientID string) ([]Grant, error) {
	grants, err := many(tx, scanGrant, selectGrants, userID, clientID)
	return grants, during("list grants", err)
}

const selectLiveGrants query = `
SELECT ` + grantColumns + ` FROM grant WHERE user_id = ? AND revoked_at IS NULL ORDER BY created_at, id`

// LiveGrants are what a person has granted and not taken back, oldest first.
func (tx *Tx) LiveGrants(userID string) ([]Grant, error) {
	grants, err := many(tx, scanGrant, selectLiveGrants, userID)
	return grants, during("list grants", err)
}

const selectGrant query = `
SELECT ` + grantColumns + ` FROM grant WHERE id = ?`

// Grant is the grant of that id, revoked or not.
func (tx *Tx) Grant(id string) (Grant, error) {
	g, err := one(tx, scanGrant, selectGrant, id)
	return g, during("read grant", err)
}

const revokeGrant query = `
UPDATE grant SET revoked_at = ?2, revoke_reason = ?3 WHERE id = ?1 AND revoked_at IS NULL`

// RevokeGrant revokes a grant from now on, for a reason in a word or two. One
// that is not alive is ErrNotFound.
func (tx *Tx) RevokeGrant(id, reason string) error {
	return during("revoke grant", tx.change(revokeGrant, id, tx.Now.UnixMilli(), reason))
}

const revokeGrantsOfTo query = `
UPDATE grant SET revoked_at = ?3, revoke_reason = ?4 WHERE user_id = ?1 AND client_id = ?2 AND revoked_at IS NULL`

const deleteRequestsOfFrom query = `
DELETE FROM authorization_request WHERE user_id = ? AND client_id = ?`

// RevokeGrantsTo revokes all that a person has granted to an application, or has
// been asked for by it, for a reason in a word or two.
func (tx *Tx) RevokeGrantsTo(userID, clientID, reason string) error {
	_, err := tx.exec(revokeGrantsOfTo, userID, clientID, tx.Now.UnixMilli(), reason)
	if err == nil {
		_, err = tx.exec(deleteRequestsOfFrom, userID, clientID)
	}
	return during("revoke grants", err)
}

const touchGrant query = `
UPDATE grant SET last_used_at = max(coalesce(last_used_at, 0), ?2) WHERE id = ?1`

// TouchGrant says that a grant was used at that time. One that is gone stays
// gone.
func (tx *Tx) TouchGrant(id string, at time.Time) error {
	_, err := tx.exec(touchGrant, id, at.UnixMilli())
	return during("touch grant", err)
}

func scanGrant(row scanner) (Grant, error) {
	var g Grant
	var scopes string
	var created int64
	var used, revoked sql.NullInt64
	err := row.Scan(&g.ID, &g.UserID, &g.ClientID, &g.ClientName, &g.RedirectHost, &scopes, &created, &used, &revoked, &g.RevokeReason)
	if err != nil {
		return Grant{}, err
	}
	g.Scopes, g.CreatedAt = strings.Fields(scopes), instant(created)
	g.LastUsedAt, g.RevokedAt = parseInstant(used), parseInstant(revoked)
	return g, nil
}
