package store

import "time"

// A Creation is which trip a request to create one has made.
type Creation struct {
	UserID    string
	Key       string   // that the client chose, else one made of the request
	Request   [32]byte // SHA-256 of what was asked for
	TripID    string
	CreatedAt time.Time
}

const selectCreation query = `
SELECT request, trip_id, created_at FROM creation WHERE user_id = ? AND key = ?`

// Creation is what a user's request of that key has made, ErrNotFound where
// there was none or its trip was removed.
func (tx *Tx) Creation(userID, key string) (Creation, error) {
	scan := func(row scanner) (Creation, error) {
		c := Creation{UserID: userID, Key: key}
		var request []byte
		var created int64
		err := row.Scan(&request, &c.TripID, &created)
		copy(c.Request[:], request)
		c.CreatedAt = instant(created)
		return c, err
	}
	c, err := one(tx, scan, selectCreation, userID, key)
	return c, during("read creation", err)
}

const upsertCreation query = `
INSERT INTO creation (user_id, key, request, trip_id, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (user_id, key) DO UPDATE SET request = excluded.request, trip_id = excluded.trip_id, created_at = excluded.created_at`

// SaveCreation keeps what a request has made, from now on, in place of an
// earlier one of that key. A user or a trip that does not exist is ErrNotFound.
func (tx *Tx) SaveCreation(c Creation) error {
	_, err := tx.exec(upsertCreation, c.UserID, c.Key, c.Request[:], c.TripID, tx.Now.UnixMilli())
	return during("save creation", err)
}

const deleteCreations query = `
DELETE FROM creation WHERE user_id = ? AND created_at < ?`

// ForgetCreations forgets what a user's requests before that time have made.
func (tx *Tx) ForgetCreations(userID string, before time.Time) error {
	_, err := tx.exec(deleteCreations, userID, before.UnixMilli())
	return during("forget creations", err)
}
