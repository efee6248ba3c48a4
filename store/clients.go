package store

import (
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
}

const insertClient query = `
INSERT INTO client (id, kind, name, redirect_uris, created_at) VALUES (?, ?, ?, ?, ?)`

// CreateClient keeps a new client and fills in its time, and the id of one that
// has none. An id that is taken is ErrClientTaken.
func (tx *Tx) CreateClient(c *Client) error {
	created := *c
	if created.ID == "" {
		created.ID = tx.NewID()
	}
	created.CreatedAt = tx.Now
	uris, err := json.Marshal(append([]string{}, created.RedirectURIs...))
	if err != nil {
		return during("create client", err)
	}
	_, err = tx.exec(insertClient, created.ID, string(created.Kind), created.Name, string(uris), created.CreatedAt.UnixMilli())
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY) {
		err = ErrClientTaken
	}
	if err != nil {
		return during("create client", err)
	}
	*c = created
	return nil
}

const selectClient query = `
SELECT id, kind, name, redirect_uris, created_at FROM client WHERE id = ?`

// Client is the client of that id.
func (tx *Tx) Client(id string) (Client, error) {
	c, err := one(tx, scanClient, selectClient, id)
	return c, during("read client", err)
}

const selectClients query = `
SELECT id, kind, name, redirect_uris, created_at FROM client ORDER BY created_at, id`

// Clients are all clients, oldest first.
func (tx *Tx) Clients() ([]Client, error) {
	clients, err := many(tx, scanClient, selectClients)
	return clients, during("list clients", err)
}

func scanClient(row scanner) (c Client, err error) {
	var uris string
	var created int64
	if err := row.Scan(&c.ID, &c.Kind, &c.Name, &uris, &created); err != nil {
		return Client{}, err
	}
	if err := json.Unmarshal([]byte(uris), &c.RedirectURIs); err != nil {
		return Client{}, fmt.Errorf("redirect URIs of client %s: %w", c.ID, err)
	}
	c.CreatedAt = instant(created)
	return c, nil
}
