package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// A ClientKind is who has registered an application.
type ClientKind string

// The kinds of client.
const (
	ClientOperator ClientKind = "operator" // the operator of the server
	ClientDocument ClientKind = "document" // its own metadata document
	ClientDynamic  ClientKind = "dynamic"  // itself, by dynamic registration
)

// A Client is an application that may ask people for access to their trips.
type Client struct {
	ID           string // its client_id; filled in for one of the operator's
	Kind         ClientKind
	Name         string   // 1 to 128 characters, third-party text
	RedirectURIs []string // at most 10; none: it cannot ask, a token is handed to it
	CreatedAt    time.Time
	ExpiresAt    time.Time // from when its document is fetched again; zero: never
}

// clientColumns are the columns of a client in the order of scanClient.
const clientColumns = `id, kind, name, redirect_uris, created_at, expires_at`

const insertClient query = `
INSERT INTO client (` + clientColumns + `) VALUES (?, ?, ?, ?, ?, ?)`

// CreateClient keeps a new client and fills in its time, and the id of one that
// has none. An id that is taken is ErrClientTaken.
func (tx *Tx) CreateClient(c *Client) error {
	created := *c
	if created.ID == "" {
		created.ID = tx.NewID()
	}
	created.CreatedAt = tx.Now
	err := tx.writeClient(insertClient, created)
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY) {
		err = ErrClientTaken
	}
	if err != nil {
		return during("create client", err)
	}
	*c = created
	return nil
}

const upsertDocument query = insertClient + `
ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris, expires_at = excluded.expires_at`

// KeepDocument keeps what the metadata document of a client says, in place of what
// an older one has said.
func (tx *Tx) KeepDocument(c Client) error {
	c.Kind, c.CreatedAt = ClientDocument, tx.Now
	return during("keep client document", tx.writeClient(upsertDocument, c))
}

func (tx *Tx) writeClient(q query, c Client) error {
	uris, err := json.Marshal(append([]string{}, c.RedirectURIs...))
	if err != nil {
		return err
	}
	_, err = tx.exec(q, c.ID, string(c.Kind), c.Name, string(uris), c.CreatedAt.UnixMilli(), instantValue(c.ExpiresAt))
	return err
}

const deleteClient query = `
DELETE FROM client WHERE id = ?`

const revokeGrantsToClient query = `
UPDATE grant SET revoked_at = ?2, revoke_reason = ?3 WHERE client_id = ?1 AND revoked_at IS NULL`

// DeleteClient removes a client and revokes what was granted to it, for a reason in
// a word or two.
func (tx *Tx) DeleteClient(id, reason string) error {
	if err := tx.change(deleteClient, id); err != nil {
		return during("delete client", err)
	}
	_, err := tx.exec(revokeGrantsToClient, id, tx.Now.UnixMilli(), reason)
	return during("delete client", err)
}

// strangers are the clients that nobody has added, and to whom nobody has granted
// anything, or is about to.
const strangers = `kind <> 'operator' AND id NOT IN (SELECT client_id FROM grant) AND id NOT IN (SELECT client_id FROM authorization_request)`

const deleteStrangers query = `
DELETE FROM client WHERE ` + strangers + ` AND CASE kind WHEN 'document' THEN expires_at ELSE created_at END < ?`

// ForgetClients forgets the clients to whom nobody has granted anything, that have
// registered themselves before then, or whose document was too old then.
func (tx *Tx) ForgetClients(then time.Time) error {
	_, err := tx.exec(deleteStrangers, then.UnixMilli())
	return during("forget clients", err)
}

const deleteOldestRegistrations query = `
DELETE FROM client WHERE id IN (
  SELECT id FROM client WHERE kind = 'dynamic' AND ` + strangers + ` ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)`

// KeepRegistrations forgets the oldest of the clients that have registered
// themselves and to whom nobody has granted anything, but for so many.
func (tx *Tx) KeepRegistrations(most int) error {
	_, err := tx.exec(deleteOldestRegistrations, most)
	return during("forget registrations", err)
}

const selectClient query = `
SELECT ` + clientColumns + ` FROM client WHERE id = ?`

// Client is the client of that id.
func (tx *Tx) Client(id string) (Client, error) {
	c, err := one(tx, scanClient, selectClient, id)
	return c, during("read client", err)
}

const selectClients query = `
SELECT ` + clientColumns + ` FROM client ORDER BY created_at, id`

// Clients are all clients, oldest first.
func (tx *Tx) Clients() ([]Client, error) {
	clients, err := many(tx, scanClient, selectClients)
	return clients, during("list clients", err)
}

func scanClient(row scanner) (c Client, err error) {
	var uris string
	var created int64
	var expires sql.NullInt64
	if err := row.Scan(&c.ID, &c.Kind, &c.Name, &uris, &created, &expires); err != nil {
		return Client{}, err
	}
	if err := json.Unmarshal([]byte(uris), &c.RedirectURIs); err != nil {
		return Client{}, fmt.Errorf("redirect URIs of client %s: %w", c.ID, err)
	}
	c.CreatedAt, c.ExpiresAt = instant(created), parseInstant(expires)
	return c, nil
}
