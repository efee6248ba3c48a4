// Package limit counts calls in sliding windows, in memory: how many of a key
// came within the last so many seconds.
package limit

import (
	"container/list"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxKeys is how many keys a limiter keeps in mind. Of more, those are forgotten
// that were charged longest ago.
const maxKeys = 100_000

// A Limiter allows each key so many calls in any window of time, a nil one any
// number. It is safe for concurrent use.
type Limiter struct {
	calls  int
	window time.Duration
	now    func() time.Time

	mu   sync.Mutex
	keys map[string]*list.Element // of idle
	idle *list.List               // of *history, the one charged last in front
}

// A history is when a key was charged within the last window, oldest first.
type history struct {
	key   string
	times []time.Time
}

// New is a limiter of so many calls in a window of time. A nil now is time.Now.
func New(calls int, window time.Duration, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{calls: calls, window: window, now: now, keys: map[string]*list.Element{}, idle: list.New()}
}

// Take charges a call of a key, and gives 0; or, where the key is at its limit,
// charges nothing and gives how long it must wait.
func (l *Limiter) Take(key string) time.Duration { return TakeAll(key, l) }

// TakeAll charges a call of a key to every limiter, and gives 0; or, where the
// key is at the limit of one, charges none and gives the longest wait. Limiters
// that are used together are always named in the same order.
func TakeAll(key string, limiters ...*Limiter) (wait time.Duration) {
	charges := make([]Charge, len(limiters))
	for i, l := range limiters {
		charges[i] = Charge{l, key}
	}
	return TakeEach(charges...)
}

// A Charge is a call of a key, to be charged to a limiter.
type Charge struct {
	Limiter *Limiter
	Key     string
}

// TakeEach is TakeAll for limiters of which each has a key of its own.
func TakeEach(charges ...Charge) (wait time.Duration) {
	charges = slices.DeleteFunc(charges, func(c Charge) bool { return c.Limiter == nil })
	for _, c := range charges {
		c.Limiter.mu.Lock()
		defer c.Limiter.mu.Unlock()
		wait = max(wait, c.Limiter.wait(c.Key))
	}
	if wait > 0 {
		return wait
	}
	for _, c := range charges {
		c.Limiter.charge(c.Key)
	}
	return 0
}

// wait is how long a key must wait, 0 for not at all.
func (l *Limiter) wait(key string) time.Duration {
	e := l.keys[key]
	if e == nil {
		return 0
	}
	h, now := e.Value.(*history), l.now()
	past := 0
	for past < len(h.times) && now.Sub(h.times[past]) >= l.window {
		past++
	}
	h.times = h.times[past:]
	if len(h.times) < l.calls {
		return 0
	}
	return l.window - now.Sub(h.times[len(h.times)-l.calls])
}

// charge counts a call of a key.
func (l *Limiter) charge(key string) {
	now := l.now()
	for oldest := l.idle.Back(); oldest != nil && oldest.Value.(*history).over(now, l.window); oldest = l.idle.Back() {
		l.forget(oldest)
	}
	e := l.keys[key]
	if e == nil {
		if len(l.keys) == maxKeys {
			l.forget(l.idle.Back())
		}
		e = l.idle.PushFront(&history{key: key})
		l.keys[key] = e
	}
	h := e.Value.(*history)
	h.times = append(h.times, now)
	l.idle.MoveToFront(e)
}

func (l *Limiter) forget(e *list.Element) { delete(l.keys, l.idle.Remove(e).(*history).key) }

// over says that a key was charged too long ago to count.
func (h *history) over(now time.Time, window time.Duration) bool {
	return len(h.times) == 0 || now.Sub(h.times[len(h.times)-1]) >= window
}

// Seconds is a wait in whole seconds, at least one (RFC 9110, section 10.2.3).
func Seconds(wait time.Duration) int {
	return max(1, int((wait+time.Second-1)/time.Second))
}

// AddressKey is the key of a client by its address: of IPv6 the network of 64
// bits, which one client commonly has whole.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if network, err := a.Prefix(64); err == nil {
			return network.String()
		}
	}
	return a.String()
}
