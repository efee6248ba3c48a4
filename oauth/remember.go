package oauth

import (
	"sync"
	"time"

	"biketrip/store"
)

// maxRemembered is how many verified tokens are remembered at the same time.
const maxRemembered = 10_000

// A memory holds tokens whose signature was found to be right, by their hash,
// since looking at a signature costs more than all the rest of a call's check.
// It is safe for concurrent use.
type memory struct {
	mu     sync.Mutex
	tokens map[store.Hash]signed
}

// signed is what stands in a token and the id of the key it is signed with.
type signed struct {
	claims claims
	keyID  string
}

// recall is the token of that hash, if it is remembered.
func (m *memory) recall(h store.Hash) (t signed, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok = m.tokens[h]
	return t, ok
}

// remember keeps a token, in place of any other where there are too many.
func (m *memory) remember(h store.Hash, t signed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tokens == nil {
		m.tokens = map[store.Hash]signed{}
	}
	for other := range m.tokens {
		if len(m.tokens) < maxRemembered {
			break
		}
		delete(m.tokens, other)
	}
	m.tokens[h] = t
}

// sweep forgets the tokens that have expired.
func (m *memory) sweep(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for h, t := range m.tokens {
		if !now.Before(t.claims.ExpiresAt.Time()) {
			delete(m.tokens, h)
		}
	}
}

// forget forgets a token.
func (m *memory) forget(h store.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.tokens, h)
}
