package store

import "time"

// An Answer of the outside world that may be used again.
type Answer struct {
	Request     [32]byte // SHA-256 of what was asked
	Subject     string   // what it is about, such as the link of a trip: it is removed with the trip; empty for none
	URL         string   // that answered, after redirects
	ContentType string
	Body        []byte // gzip
}

const selectAnswer query = `
SELECT subject, url, content_type, body FROM answer WHERE request = ? AND expires_at > ?`

// Answer is the answer to a request, ErrNotFound where none is kept or its time
// is over.
func (tx *Tx) Answer(request [32]byte) (Answer, error) {
	scan := func(row scanner) (a Answer, err error) {
		a.Request = request
		err = row.Scan(&a.Subject, &a.URL, &a.ContentType, &a.Body)
		return a, err
	}
	a, err := one(tx, scan, selectAnswer, request[:], tx.Now.UnixMilli())
	return a, during("read answer", err)
}

const upsertAnswer query = `
INSERT INTO answer (request, subject, url, content_type, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (request) DO UPDATE SET subject = excluded.subject, url = excluded.url,
 content_type = excluded.content_type, body = excluded.body, expires_at = excluded.expires_at`

// KeepAnswer keeps an answer for so long, in place of an older one.
func (tx *Tx) KeepAnswer(a Answer, lifetime time.Duration) error {
	_, err := tx.exec(upsertAnswer, a.Request[:], a.Subject, a.URL, a.ContentType, a.Body, tx.Now.Add(lifetime).UnixMilli())
	return during("keep answer", err)
}

const deleteAnswers query = `
DELETE FROM answer WHERE expires_at <= ?`

// SweepAnswers removes the answers whose time is over and counts them.
func (tx *Tx) SweepAnswers() (removed int64, err error) {
	removed, err = tx.exec(deleteAnswers, tx.Now.UnixMilli())
	return removed, during("sweep answers", err)
}
