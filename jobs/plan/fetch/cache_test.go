package fetch

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"biketrip/store"
)

// cached is a client that keeps answers in a file, and how often it asked.
type cached struct {
	*Client
	store *store.Store
	asked atomic.Int32
	log   bytes.Buffer
	now   time.Time // of the file
	mu    sync.Mutex
}

// newCached asks w.
func newCached(t *testing.T, w world) *cached {
	t.Helper()
	c := &cached{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	var err error
	c.store, err = store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "trips.db"), Now: c.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.store.Close() })
	c.Client = New(Options{
		Transport: world(func(r *http.Request) (*http.Response, error) { c.asked.Add(1); return w(r) }),
		Store:     c.store,
		Log:       slog.New(slog.NewTextHandler(&c.log, nil)),
	})
	return c
}

func (c *cached) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *cached) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// get fetches an address, keeps the answer, and checks how many requests it all
// took so far.
func (c *cached) get(t *testing.T, url string, p Policy, asked int32) *Response {
	t.Helper()
	res, err := c.Get(t.Context(), url, p)
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(t.Context(), res)
	if n := c.asked.Load(); n != asked {
		t.Errorf("%s: asked %d times, want %d", url, n, asked)
	}
	return res
}

const site = "https://example.org/a?b=c"

var routes = Policy{Keep: Routes}

func plain(*http.Request) (*http.Response, error) {
	return answer(200, "hello", "Content-Type", "text/plain", "Etag", "1"), nil
}

func TestAnswersAreKept(t *testing.T) {
	c := newCached(t, plain)
	c.get(t, site, routes, 1)
	res := c.get(t, site+"#part", routes, 1)
	if string(res.Body) != "hello" || res.URL != site || res.Header.Get("Content-Type") != "text/plain" || len(res.Header) != 1 {
		t.Errorf("got %+v", res)
	}
	c.pass(10*time.Minute - time.Millisecond)
	c.get(t, site, routes, 1) // does not lengthen its life
	c.pass(time.Millisecond)
	c.get(t, site, routes, 2)
	c.get(t, site, routes, 2)
	if c.log.Len() > 0 {
		t.Errorf("logged %s", &c.log)
	}
}

func TestLifetimes(t *testing.T) {
	for lifetime, want := range map[Lifetime]time.Duration{Routes: 10 * time.Minute, Weather: time.Hour, Places: 24 * time.Hour, Geocoding: 720 * time.Hour} {
		c := newCached(t, plain)
		p := Policy{Keep: lifetime}
		c.get(t, site, p, 1)
		c.pass(want - time.Millisecond)
		c.get(t, site, p, 1)
		c.pass(time.Millisecond)
		c.get(t, site, p, 2)
	}
}

// TestWhatIsNotKept: the zero policy, answers nobody has understood, failures,
// and what is too long.
func TestWhatIsNotKept(t *testing.T) {
	c := newCached(t, plain)
	c.get(t, site, Policy{}, 1)
	c.get(t, site, Policy{}, 2)
	for n := range int32(2) {
		if _, err := c.Get(t.Context(), site, routes); err != nil || c.asked.Load() != 3+n {
			t.Errorf("an answer that was not kept: %v, asked %d times", err, c.asked.Load())
		}
	}
	for _, status := range []int{404, 201} {
		c = newCached(t, func(*http.Request) (*http.Response, error) { return answer(status, "no"), nil })
		for n := range int32(2) {
			if _, err := c.Get(t.Context(), site, routes); err == nil || c.asked.Load() != n+1 {
				t.Errorf("%d: %v, asked %d times", status, err, c.asked.Load())
			}
		}
	}
	for size, asked := range map[int]int32{maxKept: 1, maxKept + 1: 2} {
		c = newCached(t, func(*http.Request) (*http.Response, error) { return answer(200, strings.Repeat("x", size)), nil })
		p := Policy{Keep: Routes, MaxBytes: 2 * maxKept}
		c.get(t, site, p, 1)
		if res := c.get(t, site, p, asked); len(res.Body) != size {
			t.Errorf("%d of %d bytes", len(res.Body), size)
		}
		err := c.store.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Answer(sumOf(question{method: "GET", url: mustParse(t, site), policy: p.withDefaults()}))
			return err
		})
		if (err == nil) != (size <= maxKept) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	c = newCached(t, plain)
	c.Client.store = nil
	c.get(t, site, routes, 1)
	c.get(t, site, routes, 2)
}

// TestOtherRequestsAreKeptApart: whatever may change the answer, and what it is
// removed with.
func TestOtherRequestsAreKeptApart(t *testing.T) {
	c := newCached(t, plain)
	c.get(t, site, routes, 1)
	c.get(t, site, Policy{Keep: Routes, Accept: "text/html"}, 2)
	c.get(t, site, Policy{Keep: Routes, Subject: "a"}, 3)
	c.get(t, site, Policy{Keep: Routes, Subject: "b"}, 4)
	c.get(t, site+"d", routes, 5)
	for n, body := range []string{"a", "b", "a"} {
		res, err := c.Post(t.Context(), site, "text/plain", []byte(body), Policy{Keep: Routes, Query: true})
		if err != nil {
			t.Fatal(err)
		}
		c.Keep(t.Context(), res)
		if want := 6 + int32(min(n, 1)); c.asked.Load() != want {
			t.Errorf("asked %d times, want %d", c.asked.Load(), want)
		}
	}
	if _, err := c.Post(t.Context(), site, "text/html", []byte("a"), Policy{Keep: Routes, Query: true}); err != nil || c.asked.Load() != 8 {
		t.Errorf("another type of body: %v, asked %d times", err, c.asked.Load())
	}
	// What may change something is sent each time.
	for n := range int32(2) {
		res, err := c.Post(t.Context(), site, "text/plain", []byte("a"), routes)
		if err != nil {
			t.Fatal(err)
		}
		if c.Keep(t.Context(), res); c.asked.Load() != 9+n {
			t.Errorf("asked %d times", c.asked.Load())
		}
	}
	c.get(t, site, Policy{Keep: Weather, Timeout: time.Second, MaxBytes: 5, Hosts: []string{"x"}}, 10)
}

// TestOperatorsAnswersAreKeptApart: what was read past the guard is not given to
// who must not get past it.
func TestOperatorsAnswersAreKeptApart(t *testing.T) {
	o, err := ParseOperator("https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	c := newCached(t, plain)
	c.operators = []Operator{o}
	c.get(t, site, Policy{Keep: Routes, Operator: true}, 1)
	c.get(t, site, Policy{Keep: Routes, Operator: true}, 1)
	c.get(t, site, routes, 2)
}

// TestKeptAnswersPassTheChecks: those of the policy that asks for them.
func TestKeptAnswersPassTheChecks(t *testing.T) {
	moved := func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "example.org" && r.URL.Path == "/a" {
			return answer(302, "", "Location", "https://example.net/there"), nil
		}
		return answer(200, "hello"), nil
	}
	c := newCached(t, moved)
	there := Policy{Keep: Routes, Hosts: []string{"example.net"}}
	if res := c.get(t, site, there, 2); res.URL != "https://example.net/there" {
		t.Errorf("got %s", res.URL)
	}
	if res := c.get(t, site, there, 2); res.URL != "https://example.net/there" {
		t.Errorf("kept as %s", res.URL)
	}
	_, err := c.Get(t.Context(), site, routes)
	wantError(t, err, ErrRefused)
	there.NoRedirect = true
	_, err = c.Get(t.Context(), site, there)
	wantError(t, err, ErrRefused)
	there.NoRedirect, there.MaxBytes = false, 4
	_, err = c.Get(t.Context(), site, there)
	wantError(t, err, ErrTooLarge)
	if c.log.Len() > 0 {
		t.Errorf("logged %s", &c.log)
	}
}

// TestKeptAnswersAreNotShared: whoever changes what was given changes it for
// nobody else, neither before nor after it was kept.
func TestKeptAnswersAreNotShared(t *testing.T) {
	c := newCached(t, plain)
	spoil := func(res *Response) {
		res.Body[0], res.URL = 'j', "https://evil.example/"
		res.Header.Set("Content-Type", "text/evil")
	}
	res, err := c.Get(t.Context(), site, routes)
	if err != nil {
		t.Fatal(err)
	}
	spoil(res)
	c.Keep(t.Context(), res)
	spoil(res)
	for range 2 {
		res := c.get(t, site, routes, 1)
		if string(res.Body) != "hello" || res.URL != site || res.Header.Get("Content-Type") != "text/plain" {
			t.Errorf("got %+v, %s", res, res.Body)
		}
		spoil(res)
	}
}

// TestEqualMissesAreOne: many who miss the same at the same time ask once and
// write once.
func TestEqualMissesAreOne(t *testing.T) {
	open, arrived := make(chan struct{}), make(chan struct{})
	c := newCached(t, func(*http.Request) (*http.Response, error) {
		close(arrived)
		<-open
		return answer(200, "hello"), nil
	})
	var all, kept sync.WaitGroup
	results := make(chan *Response, 20)
	get := func() {
		res, err := c.Get(t.Context(), site, routes)
		if err != nil {
			t.Error(err)
		}
		results <- res
	}
	all.Go(get)
	<-arrived
	for range 19 {
		all.Go(get)
	}
	key := requestOf(question{method: "GET", url: mustParse(t, site), policy: routes.withDefaults()})
	for waiting := 0; waiting < 20; {
		c.flights.mu.Lock()
		waiting = c.flights.flying[key].waiters
		c.flights.mu.Unlock()
	}
	close(open)
	all.Wait()
	close(results)
	first := <-results
	c.Keep(t.Context(), first)
	// Were it written again, it would be there again.
	if err := c.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.KeepAnswer(first.keepable.answer, -time.Hour)
	}); err != nil {
		t.Fatal(err)
	}
	for res := range results {
		kept.Go(func() { c.Keep(t.Context(), res) })
	}
	kept.Wait()
	err := c.store.View(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Answer(first.keepable.answer.Request)
		return err
	})
	if err != store.ErrNotFound || c.asked.Load() != 1 {
		t.Errorf("written twice: %v, asked %d times", err, c.asked.Load())
	}
}

// TestSubjectIsKept: the row says what it is removed with.
func TestSubjectIsKept(t *testing.T) {
	c := newCached(t, plain)
	res := c.get(t, site, Policy{Keep: Routes, Subject: "https://example.org/trip"}, 1)
	if s := res.keepable.answer.Subject; s != "https://example.org/trip" {
		t.Errorf("subject %q", s)
	}
}

// TestDamagedRows are as good as none, and said once.
func TestDamagedRows(t *testing.T) {
	for name, damage := range map[string]func(*store.Answer){
		"no gzip":     func(a *store.Answer) { a.Body = []byte("hello") },
		"empty":       func(a *store.Answer) { a.Body = []byte{} },
		"cut short":   func(a *store.Answer) { a.Body = a.Body[:len(a.Body)-3] },
		"wrong sum":   func(a *store.Answer) { a.Body = slices.Clone(a.Body); a.Body[len(a.Body)-6] ^= 1 },
		"no address":  func(a *store.Answer) { a.URL = "https://%zz/" },
		"other host":  func(a *store.Answer) { a.URL = "https://example.net/" },
		"other port":  func(a *store.Answer) { a.URL = "https://example.org:8443/" },
		"not public":  func(a *store.Answer) { a.URL = "https://127.0.0.1/" },
		"not https":   func(a *store.Answer) { a.URL = "http://example.org/" },
		"a gzip bomb": func(a *store.Answer) { a.Body = compressed(make([]byte, 2*maxKept)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCached(t, plain)
			a := c.get(t, site, routes, 1).keepable.answer
			damage(&a)
			err := c.store.Update(t.Context(), func(tx *store.Tx) error { return tx.KeepAnswer(a, time.Minute) })
			if err != nil {
				t.Fatal(err)
			}
			p := Policy{Keep: Routes, MaxBytes: 4 * maxKept, Hosts: []string{"127.0.0.1"}}
			if res := c.get(t, site, p, 2); string(res.Body) != "hello" {
				t.Errorf("got %q", res.Body)
			}
			lines := strings.Count(c.log.String(), "\n")
			if byBody := !strings.HasPrefix(a.URL, site) || name == "a gzip bomb"; byBody != (lines == 0) || lines > 1 {
				t.Errorf("logged %q", &c.log)
			}
			c.get(t, site, routes, 2) // kept anew
		})
	}
}

// TestFileOutOfOrder: neither reading nor keeping fails a request.
func TestFileOutOfOrder(t *testing.T) {
	c := newCached(t, plain)
	if err := c.store.Close(); err != nil {
		t.Fatal(err)
	}
	if res := c.get(t, site+"&token=s3cret", routes, 1); string(res.Body) != "hello" {
		t.Errorf("got %q", res.Body)
	}
	if n := strings.Count(c.log.String(), "level=WARN"); n != 2 || strings.Contains(c.log.String(), "s3cret") {
		t.Errorf("logged %d lines: %s", n, &c.log)
	}
}

// TestBusyFile: who keeps an answer does not wait long for other writers.
func TestBusyFile(t *testing.T) {
	c := newCached(t, plain)
	busy, release := make(chan struct{}), make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		c.store.Update(t.Context(), func(*store.Tx) error { close(busy); <-release; return nil })
	})
	<-busy
	c.get(t, site, routes, 1) // for ever, if it waited for the writer
	close(release)
	writer.Wait()
	if !strings.Contains(c.log.String(), "not kept") {
		t.Errorf("logged %q", &c.log)
	}
	c.get(t, site, routes, 2)
	c.get(t, site, routes, 2)
}

// TestDecompressedErrors are told apart: too much, and damage.
func TestDecompressedErrors(t *testing.T) {
	if _, err := decompressed(compressed([]byte("hello")), 4); !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("got %v", err)
	}
	if _, err := decompressed(nil, 4); err != io.EOF {
		t.Errorf("got %v", err)
	}
}
