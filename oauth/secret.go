package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"biketrip/store"
)

// NewSecret is a secret of 256 bits in letters, behind a prefix, and the hash that
// is kept in its place. There is nothing to guess in it, so that one round of
// SHA-256 will do. It fails where there is no randomness.
func NewSecret(random io.Reader, prefix string) (secret string, hash store.Hash, err error) {
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", hash, fmt.Errorf("random bytes of a secret: %w", err)
	}
	secret = prefix + base64.RawURLEncoding.EncodeToString(b[:])
	return secret, HashOf(secret), nil
}

// HashOf is what is kept of a secret.
func HashOf(secret string) store.Hash { return sha256.Sum256([]byte(secret)) }
