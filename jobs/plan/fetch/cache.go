package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"biketrip/store"
)

// Lifetime is how long an answer may be used again.
type Lifetime time.Duration

// The lifetimes. The documents of clients have none: they are not kept here.
const (
	Routes    = Lifetime(10 * time.Minute)
	Weather   = Lifetime(time.Hour)
	Places    = Lifetime(24 * time.Hour)
	Geocoding = Lifetime(30 * 24 * time.Hour)
)

const (
	// maxKept is the longest body that is kept, in bytes, decompressed: that of
	// a route of 100,000 points. Longer ones are rare, and the file and its
	// replica would carry them.
	maxKept = 8 << 20
	// maxFileWait is how long a request waits for the file, to be given an
	// answer or to keep one. It goes without rather than wait for other writers.
	maxFileWait = time.Second
)

// keepable is an answer as it may be kept, once for all who were given it.
type keepable struct {
	once     sync.Once
	answer   store.Answer
	lifetime time.Duration
}

// Keep keeps an answer for as long as its policy says, in place of an older one
// to the same request. It is for whoever has read the answer and found in it
// what was asked for: hosts also say 200 to what they do not answer. What is
// kept is what the host sent, whatever became of res since.
//
// It does nothing where the policy keeps nothing, for an answer that was kept
// already, and for one of more than 8 MB. That it fails is for the log alone.
func (c *Client) Keep(ctx context.Context, res *Response) {
	k := res.keepable
	if k == nil {
		return
	}
	k.once.Do(func() {
		wait, cancel := context.WithTimeout(ctx, maxFileWait)
		defer cancel()
		err := c.store.Update(wait, func(tx *store.Tx) error { return tx.KeepAnswer(k.answer, k.lifetime) })
		if err != nil && ctx.Err() == nil {
			c.log.Warn("an answer of the outside world is not kept", "error", err)
		}
	})
}

// keeps says whether answers to q are kept.
func (c *Client) keeps(q question) bool { return c.store != nil && q.policy.Keep > 0 && q.safe() }

// keepable is res as it may be kept, nil where it is not.
func (c *Client) keepable(q question, res *Response) *keepable {
	if !c.keeps(q) || len(res.Body) > maxKept {
		return nil
	}
	return &keepable{lifetime: time.Duration(q.policy.Keep), answer: store.Answer{
		Request:     sumOf(q),
		Subject:     q.policy.Subject,
		URL:         res.URL,
		ContentType: res.Header.Get("Content-Type"),
		Body:        compressed(res.Body),
	}}
}

// recall is the answer to q that was kept, nil where there is none: none whose
// time is not over, none that can be read, none that q may have.
func (c *Client) recall(ctx context.Context, q question) *Response {
	if !c.keeps(q) {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, maxFileWait)
	defer cancel()
	var a store.Answer
	err := c.store.View(wait, func(tx *store.Tx) (err error) {
		a, err = tx.Answer(sumOf(q))
		return err
	})
	var body []byte
	if err == nil && q.mayHave(a) {
		body, err = decompressed(a.Body, min(q.policy.MaxBytes, maxKept))
		if err == nil {
			return &Response{URL: a.URL, Header: http.Header{"Content-Type": {a.ContentType}}, Body: body}
		}
	}
	tooLarge := errors.As(err, new(*http.MaxBytesError))
	if err != nil && !tooLarge && !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
		c.log.Warn("a kept answer of the outside world is not to be had", "error", err)
	}
	return nil
}

// mayHave says whether q might have been redirected to where a came from.
func (q question) mayHave(a store.Answer) bool {
	u, err := url.Parse(a.URL)
	return err == nil && (a.URL == q.url.String() || !q.stays() && q.mayBeAt(u) == nil)
}

// sumOf tells requests apart whose answers differ, and what is removed with one
// trip from what is removed with another.
func sumOf(q question) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range []string{q.method, strconv.FormatBool(q.exempt), q.url.String(), q.contentType, q.body, q.policy.Accept, q.policy.Subject} {
		binary.Write(h, binary.BigEndian, uint64(len(part)))
		io.WriteString(h, part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// compressed is b as gzip.
func compressed(b []byte) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// decompressed is what was compressed. The error is an *http.MaxBytesError where
// that is more than limit bytes, or what is wrong with b.
func decompressed(b []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(http.MaxBytesReader(nil, z, limit))
}
