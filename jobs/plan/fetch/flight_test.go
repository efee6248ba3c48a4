package fetch

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// gate answers all requests when it is opened.
type gate struct {
	asked, ended atomic.Int32 // requests, and those whose context ended
	open         chan struct{}
	answer       func() *http.Response
}

func newGate(answer func() *http.Response) *gate {
	return &gate{open: make(chan struct{}), answer: answer}
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	g.asked.Add(1)
	select {
	case <-g.open:
		return g.answer(), nil
	case <-r.Context().Done():
		g.ended.Add(1)
		return nil, r.Context().Err()
	}
}

func hello() *http.Response { return answer(200, "hello", "Etag", "1") }

func TestEqualRequestsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(hello)
		c := client(g)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				res, err := c.Get(t.Context(), "https://example.org/?a=b", Policy{Hosts: []string{"example.net"}})
				if err != nil {
					t.Error(err)
					return
				}
				if string(res.Body) != "hello" || res.Header.Get("Etag") != "1" || res.URL != "https://example.org/?a=b" {
					t.Errorf("got %+v", res)
				}
				// Were anything shared, the others would see it, and -race this.
				res.Body[0] = 'j'
				res.Header["Etag"][0] = "2"
				res.Header.Set("A", "b")
			})
		}
		synctest.Wait()
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if len(c.flights.flying) != 0 {
			t.Error("the flight is kept")
		}
		if _, err := c.Get(t.Context(), "https://example.org/?a=b", Policy{}); err != nil || g.asked.Load() != 2 {
			t.Errorf("a later request: %v, asked %d times", err, g.asked.Load())
		}
	})
}

func TestErrorsAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(func() *http.Response { return answer(404, "") })
		c := client(g)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, err := c.Get(t.Context(), "https://example.org/", Policy{})
				e := wantError(t, err, ErrNotFound)
				if e.Host != "example.org" {
					t.Errorf("got %+v", e)
				}
				e.Host = "mine"
			})
		}
		synctest.Wait()
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestOtherRequestsAreNotOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(hello)
		c := client(g)
		var all sync.WaitGroup
		get := func(url string, p Policy) {
			all.Go(func() {
				if _, err := c.Get(t.Context(), url, p); err != nil {
					t.Error(err)
				}
			})
		}
		get("https://example.org/", Policy{})
		get("https://example.org/#part", Policy{Accept: "*/*", MaxBytes: 1_000_000, Timeout: 10 * time.Second}) // the same
		get("https://example.org/?", Policy{})
		get("https://example.org/a", Policy{})
		get("https://example.org/", Policy{Accept: "text/html"})
		get("https://example.org/", Policy{MaxBytes: 5})
		get("https://example.org/", Policy{Timeout: time.Second})
		get("https://example.org/", Policy{Hosts: []string{"a"}})
		get("https://example.org/", Policy{Hosts: []string{"a", "b"}})
		synctest.Wait()
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 8 {
			t.Errorf("asked %d times, want 8", n)
		}
	})
}

func TestOneLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(hello)
		c := client(g)
		first, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.Get(first, "https://example.org/", Policy{}); err != context.Canceled {
				t.Errorf("who leaves gets %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if _, err := c.Get(t.Context(), "https://example.org/", Policy{}); err != nil {
				t.Errorf("who stays gets %v", err)
			}
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		if g.ended.Load() != 0 {
			t.Error("the request ended with the first who asked")
		}
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(hello)
		c := client(g)
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := c.Get(ctx, "https://example.org/", Policy{}); err != context.Canceled {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		leave()
		all.Wait()
		synctest.Wait()
		if g.ended.Load() != 1 {
			t.Error("the request outlives those who wait for it")
		}
		all.Go(func() {
			if _, err := c.Get(t.Context(), "https://example.org/", Policy{}); err != nil {
				t.Errorf("who comes after gets %v", err)
			}
		})
		synctest.Wait()
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestLeftRequestLingers: who asks while a request that all have left is still
// ending has one of their own, which its end leaves alone.
func TestLeftRequestLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := client(world(func(r *http.Request) (*http.Response, error) {
			asked++
			if asked == 1 {
				<-r.Context().Done()
				time.Sleep(time.Second)
				return nil, r.Context().Err()
			}
			time.Sleep(3 * time.Second)
			return hello(), nil
		}))
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Get(short, "https://example.org/", Policy{}); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		var all sync.WaitGroup
		get := func() {
			if _, err := c.Get(t.Context(), "https://example.org/", Policy{}); err != nil {
				t.Error(err)
			}
		}
		all.Go(get)
		time.Sleep(2 * time.Second)
		all.Go(get)
		all.Wait()
		if asked != 2 {
			t.Errorf("asked %d times, want 2", asked)
		}
	})
}

// TestAllLeaveDuringPause: nobody is asked again for people who are gone.
func TestAllLeaveDuringPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newScript(says(503, "Retry-After", "5"), says(200))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client(host).Get(ctx, "https://example.org/", Policy{}); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		if len(host.asked) != 1 {
			t.Errorf("asked at %v", host.asked)
		}
	})
}

// TestLateJoiner joins a request that has nearly used its time, and does not
// fail with it.
func TestLateJoiner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := client(world(func(r *http.Request) (*http.Response, error) {
			asked++
			if asked == 1 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			time.Sleep(3 * time.Second)
			return hello(), nil
		}))
		var all sync.WaitGroup
		get := func(fails bool) {
			_, err := c.Get(t.Context(), "https://example.org/", Policy{})
			if fails {
				wantError(t, err, ErrUnavailable)
			} else if err != nil {
				t.Error(err)
			}
		}
		all.Go(func() { get(true) })
		time.Sleep(9 * time.Second)
		for range 5 {
			all.Go(func() { get(false) })
		}
		all.Wait()
		if asked != 2 {
			t.Errorf("asked %d times, want 2", asked)
		}
	})
}

// TestLateJoinerHasNoMoreThanItsTime, however often it asks again.
func TestLateJoinerHasNoMoreThanItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(hello)
		c := client(g)
		var all sync.WaitGroup
		get := func() {
			start := time.Now()
			_, err := c.Get(t.Context(), "https://example.org/", Policy{})
			if e := wantError(t, err, ErrUnavailable); time.Since(start) != 10*time.Second || e.Host != "example.org" || !strings.Contains(e.Error(), "within 10s") {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		}
		for range 4 {
			all.Go(get)
			time.Sleep(4 * time.Second)
		}
		all.Wait()
		synctest.Wait()
		if asked, ended := g.asked.Load(), g.ended.Load(); asked != ended || asked != 3 {
			t.Errorf("asked %d times, %d ended", asked, ended)
		}
		if len(c.flights.flying) != 0 {
			t.Error("a flight is kept")
		}
	})
}

// TestJoinersDoNotRepeatWhatFailed: only for want of time.
func TestJoinersDoNotRepeatWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(func() *http.Response { return answer(500, "") })
		c := client(g)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, err := c.Get(t.Context(), "https://example.org/", Policy{})
				wantError(t, err, ErrUnavailable)
			})
		}
		synctest.Wait()
		close(g.open)
		all.Wait()
		if n := g.asked.Load(); n != 3 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestSingleWaiterHasTheAnswerItself: nobody copies 25 MB for one.
func TestSingleWaiterHasTheAnswerItself(t *testing.T) {
	s := flights{flying: map[request]*flight{}}
	body := []byte("hello")
	get := func(n int) (same int) {
		f := &flight{waiters: n, outcome: outcome{answer: &Response{Body: body}}}
		for range n {
			if res, _ := s.take(f); &res.Body[0] == &body[0] {
				same++
			}
		}
		return same
	}
	for _, n := range []int{1, 2, 5} {
		if same := get(n); same != 1 {
			t.Errorf("%d of %d have the answer itself", same, n)
		}
	}
}

// BenchmarkManyWaiters has 40 wait for one answer of 26 MB. bytes/op tells what
// they hold: each has an answer of its own.
func BenchmarkManyWaiters(b *testing.B) {
	body := strings.Repeat("x", 26_000_000)
	for _, waiters := range []int{1, 40} {
		b.Run(strconv.Itoa(waiters), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := newGate(func() *http.Response { return answer(200, body) })
				c := client(g)
				var all sync.WaitGroup
				for range waiters {
					all.Go(func() {
						if _, err := c.Get(b.Context(), "https://example.org/", Policy{MaxBytes: 27_000_000}); err != nil {
							b.Error(err)
						}
					})
				}
				for aboard := 0; aboard < waiters; {
					aboard = 0
					c.flights.mu.Lock()
					for _, f := range c.flights.flying {
						aboard += f.waiters
					}
					c.flights.mu.Unlock()
				}
				close(g.open)
				all.Wait()
			}
		})
	}
}
