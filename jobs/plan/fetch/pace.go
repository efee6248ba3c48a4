package fetch

import (
	"sync"
	"time"
)

// pace remembers which hosts want to be left alone, and until when.
type pace struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// rest is how long host is still to be left alone, 0 where it may be asked.
func (p *pace) rest(host string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.until[host].Sub(now), 0)
}

// hold leaves host alone for wait. It forgets the hosts whose time is over, so
// that the map holds no more than the hosts that complained lately.
func (p *pace) hold(host string, now time.Time, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for h, t := range p.until {
		if !t.After(now) {
			delete(p.until, h)
		}
	}
	if end := now.Add(wait); wait > 0 && end.After(p.until[host]) {
		p.until[host] = end
	}
}
