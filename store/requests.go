package store

import (
	"database/sql"
	"strings"
	"time"
)

// A Decision is what a person has answered to an application.
type Decision string

// The decisions.
const (
	Undecided Decision = ""
	Authorize Decision = "authorize"
	Refuse    Decision = "refuse"
)

// An AuthorizationRequest is what an application has asked a person for. It does
// not change but for the decision. Source: RFC 6749 section 4.1.1.
type AuthorizationRequest struct {
	Hash        Hash // of its handle
	UserID      string
	Session     Hash // in which it was asked
	ClientID    string
	RedirectURI string // as it was asked for
	Scopes      []string
	State       *string // of the application; nil for none
	Challenge   string  // S256, RFC 7636 section 4.2
	ExpiresAt   time.Time
	Decision    Decision
	DeliveredAt time.Time // when the application has heard of it; zero: not yet
}

const insertRequest query = `
INSERT INTO authorization_request (hash, user_id, session, client_id, redirect_uri, scopes, state, challenge, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// CreateRequest keeps a new request. A user who does not exist is ErrNotFound.
func (tx *Tx) CreateRequest(r AuthorizationRequest) error {
	_, err := tx.exec(insertRequest, r.Hash[:], r.UserID, r.Session[:], r.ClientID, r.RedirectURI, strings.Join(r.Scopes, " "), r.State, r.Challenge, r.ExpiresAt.UnixMilli())
	return during("create authorization request", err)
}

const selectRequest query = `
SELECT hash, user_id, session, client_id, redirect_uri, scopes, state, challenge, expires_at, coalesce(decision, ''), delivered_at
FROM authorization_request WHERE hash = ? AND user_id = ? AND session = ?`

// Request is the request of that handle, if it was asked of that person in that
// session; any other is ErrNotFound.
func (tx *Tx) Request(hash Hash, userID string, session Hash) (AuthorizationRequest, error) {
	scan := func(row scanner) (r AuthorizationRequest, err error) {
		var hash, session []byte
		var scopes string
		var expires int64
		var delivered sql.NullInt64
		err = row.Scan(&hash, &r.UserID, &session, &r.ClientID, &r.RedirectURI, &scopes, &r.State, &r.Challenge, &expires, &r.Decision, &delivered)
		copy(r.Hash[:], hash)
		copy(r.Session[:], session)
		r.Scopes, r.ExpiresAt, r.DeliveredAt = strings.Fields(scopes), instant(expires), parseInstant(delivered)
		return r, err
	}
	r, err := one(tx, scan, selectRequest, hash[:], userID, session[:])
	return r, during("read authorization request", err)
}

const decideRequest query = `
UPDATE authorization_request SET decision = ?2 WHERE hash = ?1 AND decision IS NULL`

// DecideRequest keeps what the person has decided. A request that is decided
// already is ErrNotFound.
func (tx *Tx) DecideRequest(hash Hash, d Decision) error {
	return during("decide authorization request", tx.change(decideRequest, hash[:], string(d)))
}

const deliverRequest query = `
UPDATE authorization_request SET delivered_at = ?2 WHERE hash = ?1 AND decision IS NOT NULL AND delivered_at IS NULL`

// DeliverRequest says that the application hears of the decision now. A request
// that is not decided, or delivered already, is ErrNotFound.
func (tx *Tx) DeliverRequest(hash Hash) error {
	return during("deliver authorization request", tx.change(deliverRequest, hash[:], tx.Now.UnixMilli()))
}

const deleteRequests query = `
DELETE FROM authorization_request WHERE expires_at < ?`

// ForgetRequests forgets the requests that have expired before then.
func (tx *Tx) ForgetRequests(then time.Time) error {
	_, err := tx.exec(deleteRequests, then.UnixMilli())
	return during("forget authorization requests", err)
}
