package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const form = "application/x-www-form-urlencoded"

func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			for _, s := range []string{r.Method, r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), strconv.FormatInt(r.ContentLength, 10), string(body)} {
				io.WriteString(w, s+" ")
			}
		}))
		res, err := c.Post(t.Context(), "https://example.org/", form, []byte("data=x"), Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if want := "POST application/x-www-form-urlencoded Biketrip/1.0 6 data=x "; string(res.Body) != want {
			t.Errorf("got %q, want %q", res.Body, want)
		}
	})
}

// TestPostRetries: only a query is repeated, whole each time.
func TestPostRetries(t *testing.T) {
	for name, c := range map[string]struct {
		answer func() (*http.Response, error)
		kind   Kind
		tries  int // of a query
	}{
		"500":            {says(500), ErrUnavailable, 3},
		"503":            {says(503), ErrUnavailable, 3},
		"503, says":      {says(503, "Retry-After", "1"), ErrUnavailable, 3},
		"429":            {says(429, "Retry-After", "1"), ErrRateLimited, 3},
		"no connection":  {fails(errors.New("no route")), ErrUnavailable, 3},
		"broken off":     {breaksOff, ErrUnavailable, 3},
		"not found":      {says(404), ErrNotFound, 1},
		"the host rests": {says(429), ErrRateLimited, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, query := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					var sent []string
					cl := client(world(func(r *http.Request) (*http.Response, error) {
						body, _ := io.ReadAll(r.Body)
						sent = append(sent, string(body))
						return c.answer()
					}))
					_, err := cl.Post(t.Context(), "https://example.org/", form, []byte("data=x"), Policy{Query: query})
					wantError(t, err, c.kind)
					want := []string{"data=x"}
					if query {
						want = strings.Fields(strings.Repeat("data=x ", c.tries))
					}
					if d := cmp.Diff(want, sent); d != "" {
						t.Errorf("query %v: %s", query, d)
					}
				})
			}
		})
	}
}

func TestPostIsNotRedirected(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		asked := 0
		c := client(world(func(*http.Request) (*http.Response, error) {
			asked++
			return answer(status, "", "Location", "/there"), nil
		}))
		_, err := c.Post(t.Context(), "https://example.org/", form, nil, Policy{Query: true, Hosts: []string{"example.org"}})
		if e := wantError(t, err, ErrRefused); asked != 1 || e.Status != status || !errors.Is(err, errNoRedirect) {
			t.Errorf("%d: asked %d times, %v", status, asked, err)
		}
	}
}

func TestNoRedirectAtAll(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		asked := 0
		c := client(world(func(*http.Request) (*http.Response, error) {
			asked++
			return answer(status, "", "Location", "/there"), nil
		}))
		_, err := c.Get(t.Context(), "https://example.org/", Policy{NoRedirect: true, Hosts: []string{"example.org"}})
		if e := wantError(t, err, ErrRefused); asked != 1 || e.Location != "https://example.org/there" {
			t.Errorf("%d: asked %d times, %+v", status, asked, e)
		}
	}
	res, err := client(world(moving)).Get(t.Context(), "https://example.org/0", Policy{NoRedirect: true})
	if err != nil || string(res.Body) != "there" {
		t.Errorf("got %v, %v", res, err)
	}
}

// TestEqualPostsAreOne where they are queries, and each alone where they are
// not.
func TestEqualPostsAreOne(t *testing.T) {
	for query, want := range map[bool]int32{true: 3, false: 6} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(hello)
			c := client(g)
			var all sync.WaitGroup
			for _, s := range []struct{ kind, body string }{{form, "a"}, {form, "a"}, {form, "b"}, {"text/plain", "a"}, {form, "b"}, {form, "a"}} {
				all.Go(func() {
					body := []byte(s.body)
					if _, err := c.Post(t.Context(), "https://example.org/", s.kind, body, Policy{Query: query}); err != nil {
						t.Error(err)
					}
					body[0] = 'z'
				})
			}
			synctest.Wait()
			close(g.open)
			all.Wait()
			if n := g.asked.Load(); n != want {
				t.Errorf("query %v: asked %d times, want %d", query, n, want)
			}
		})
	}
}
