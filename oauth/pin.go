package oauth

import (
	"context"
	"errors"
	"fmt"

	"biketrip/store"
)

// ErrNotPinned says that no document is pinned for a client.
var ErrNotPinned = errors.New("no document is pinned for it")

// Pin keeps the document of a client, which is never fetched from then on, and
// gives what it says. Its error says what is wrong with the address or the document.
func Pin(ctx context.Context, file *store.Store, issuer, clientID string, text []byte) (store.Client, error) {
	if err := checkDocumentURL(clientID, hostnameOf(issuer)); err != nil {
		return store.Client{}, fmt.Errorf("%s names no document: %w", cut(clientID), err)
	}
	if len(text) > MaxDocument {
		return store.Client{}, fmt.Errorf("the document of %s has more than %d bytes", cut(clientID), MaxDocument)
	}
	c, err := parseDocument(clientID, text)
	if err != nil {
		return store.Client{}, fmt.Errorf("the document of %s cannot be used: %w", cut(clientID), err)
	}
	return c, file.Update(ctx, func(tx *store.Tx) error { return tx.KeepDocument(c) })
}

// Unpin has the document of a client fetched again when it is needed. The error is
// ErrNotPinned where it was anyway.
func Unpin(ctx context.Context, file *store.Store, clientID string) error {
	return file.Update(ctx, func(tx *store.Tx) error {
		c, err := tx.Client(clientID)
		if errors.Is(err, store.ErrNotFound) || err == nil && (c.Kind != store.ClientDocument || !c.ExpiresAt.IsZero()) {
			return ErrNotPinned
		}
		if err != nil {
			return err
		}
		c.ExpiresAt = tx.Now
		return tx.KeepDocument(c)
	})
}
