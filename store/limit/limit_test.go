package limit

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// A clock is what time a test says it is.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestSliding: calls leave the window one by one, to the nanosecond, and the wait
// is until the next one does.
func TestSliding(t *testing.T) {
	c := &clock{now: time.Unix(1_800_000_000, 0)}
	l := New(3, time.Minute, c.time)
	for i, want := range []time.Duration{0, 0, 0} {
		if got := l.Take("a"); got != want {
			t.Errorf("call %d waits %v", i, got)
		}
		c.pass(10 * time.Second)
	}
	for range 5 { // what is refused does not count
		if got := l.Take("a"); got != 30*time.Second {
			t.Errorf("the fourth waits %v", got)
		}
	}
	if got := l.Take("b"); got != 0 {
		t.Errorf("another key waits %v", got)
	}
	c.pass(30*time.Second - 1)
	if got := l.Take("a"); got != 1 {
		t.Errorf("a nanosecond too early it waits %v", got)
	}
	c.pass(1)
	if got := l.Take("a"); got != 0 {
		t.Errorf("then it waits %v", got)
	}
	if got := l.Take("a"); got != 10*time.Second {
		t.Errorf("until the second leaves: %v", got)
	}
}

// TestTakeAll: of two limiters none is charged where one is at its limit, and
// the wait is the longer one.
func TestTakeAll(t *testing.T) {
	c := &clock{now: time.Unix(1_800_000_000, 0)}
	wide, narrow := New(4, time.Minute, c.time), New(2, 2*time.Minute, c.time)
	for range 2 {
		if got := TakeAll("a", wide, narrow); got != 0 {
			t.Fatal(got)
		}
	}
	for range 9 {
		if got := TakeAll("a", wide, narrow); got != 2*time.Minute {
			t.Errorf("waits %v", got)
		}
	}
	for i, want := range []time.Duration{0, 0, time.Minute} {
		if got := wide.Take("a"); got != want {
			t.Errorf("call %d of the wide one waits %v, want %v", i, got, want)
		}
	}
	if got := TakeAll("a", wide, narrow); got != 2*time.Minute {
		t.Errorf("the longer wait is %v", got)
	}
}

// TestForgetting: memory is bounded, and who was charged last is remembered.
func TestForgetting(t *testing.T) {
	l := New(1, time.Hour, nil)
	l.Take("first")
	l.Take("second")
	for i := range maxKeys - 2 {
		l.Take(fmt.Sprint(i))
	}
	if l.Take("first") == 0 {
		t.Error("the first is forgotten too early")
	}
	l.Take("one more")
	if len(l.keys) != maxKeys || l.idle.Len() != maxKeys {
		t.Errorf("%d keys, %d in order", len(l.keys), l.idle.Len())
	}
	if l.Take("first") != 0 {
		t.Error("the first, charged longest ago, is remembered")
	}
	if l.Take("1") == 0 || l.Take("one more") == 0 {
		t.Error("others are forgotten")
	}
}

// TestConcurrent: however many call at once, no more than the limit get through.
func TestConcurrent(t *testing.T) {
	l, other := New(50, time.Hour, nil), New(60, time.Hour, nil)
	var through sync.Map
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if TakeAll("a", l, other) == 0 {
				through.Store(i, true)
			}
		})
	}
	all.Wait()
	n := 0
	through.Range(func(any, any) bool { n++; return true })
	if n != 50 {
		t.Errorf("%d calls got through", n)
	}
}

func TestSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]int{0: 1, 1: 1, time.Second: 1, time.Second + 1: 2, time.Minute: 60} {
		if got := Seconds(wait); got != want {
			t.Errorf("%v is %d seconds", wait, got)
		}
	}
}

func TestAddressKey(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::1%eth0": "2001:db8:1:2::/64",
		"2001:db8:1:3:ffff::1": "2001:db8:1:3::/64",
	} {
		if got := AddressKey(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}

func BenchmarkTakeAll(b *testing.B) {
	l, other := New(60, time.Minute, nil), New(20, time.Minute, nil)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		TakeAll(fmt.Sprint(i%maxKeys), l, other)
		i++
	}
}
