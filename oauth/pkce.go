package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// The length of a code verifier (RFC 7636, section 4.1).
const (
	minVerifier = 43
	maxVerifier = 128
)

// proves says whether a verifier is the one that a challenge was made of, by S256,
// the only method there is here (RFC 7636, section 4.6).
func proves(verifier, challenge string) bool {
	if len(verifier) < minVerifier || len(verifier) > maxVerifier || strings.Trim(verifier, unreserved) != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// unreserved are the characters that need no encoding (RFC 3986, section 2.3).
const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
