package mcp

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// tickTime is how long after a notification no tick is told.
	tickTime = 500 * time.Millisecond
	// maxUntold is how many notifications wait for a caller that does not read.
	maxUntold = 1000
)

// Progress is how a tool tells that it is at work. Telling never waits for the
// caller to listen, and a nil Progress tells nobody. Each notification is counted,
// without a total: what there is to do is often not known before it is done.
// Source: MCP 2026-07-28, "Progress".
type Progress struct {
	token json.RawMessage
	now   func() time.Time
	wake  chan struct{} // holds one while something waits to be written

	mu     sync.Mutex
	count  int
	last   time.Time
	untold []json.RawMessage
}

func newProgress(token json.RawMessage, now func() time.Time) *Progress {
	return &Progress{token: token, now: now, wake: make(chan struct{}, 1)}
}

// Step tells that a part is done. It is not left out unless very many wait.
func (p *Progress) Step(message string) { p.tell(message, 0) }

// Tick tells that a part is still under way. It may be called at every turn of a
// loop: what comes soon after another notification is left out.
func (p *Progress) Tick(message string) { p.tell(message, tickTime) }

// tell tells a message, unless another one was told less than apart ago.
func (p *Progress) tell(message string, apart time.Duration) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.count > 0 && now.Sub(p.last) < apart || len(p.untold) == maxUntold {
		return
	}
	p.count++
	p.last = now
	p.untold = append(p.untold, p.notification(p.count, message))
	select {
	case p.wake <- struct{}{}:
	default: // it holds one already
	}
}

// take is what was told since the last time, in its order.
func (p *Progress) take() []json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	untold := p.untold
	p.untold = nil
	return untold
}

func (p *Progress) notification(count int, message string) json.RawMessage {
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Message  string          `json:"message,omitempty"`
	}
	return mustJSON(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", "notifications/progress", params{p.token, count, withoutControls(message)}})
}

// withoutControls is a text without its control characters.
func withoutControls(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, s)
}
