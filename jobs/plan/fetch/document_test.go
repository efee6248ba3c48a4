package fetch

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// documentPolicy is that of the metadata document of a client.
var documentPolicy = Policy{Document: true, NoRedirect: true, MaxBytes: 64 << 10, Timeout: 5 * time.Second}

// TestDocument asks for a document once, at any port, and takes no compressed one.
func TestDocument(t *testing.T) {
	for name, c := range map[string]struct {
		url    string
		answer *http.Response
		kind   Kind // empty for an answer
	}{
		"as it is":      {"https://client.example:8443/a.json", answer(200, "{}"), ""},
		"named so":      {"https://client.example/a.json", answer(200, "{}", "Content-Encoding", "identity"), ""},
		"gzip":          {"https://client.example/a.json", answer(200, "{}", "Content-Encoding", "gzip"), ErrUnavailable},
		"br":            {"https://client.example/a.json", answer(200, "{}", "Content-Encoding", "br"), ErrUnavailable},
		"moved":         {"https://client.example/a.json", answer(302, "", "Location", "https://client.example/b.json"), ErrRefused},
		"moved nowhere": {"https://client.example/a.json", answer(301, ""), ErrStatus},
		"not modified":  {"https://client.example/a.json", answer(304, ""), ErrStatus},
		"created":       {"https://client.example/a.json", answer(201, "{}"), ErrStatus},
		"busy":          {"https://client.example/a.json", answer(503, ""), ErrUnavailable},
		"too often":     {"https://client.example/a.json", answer(429, "", "Retry-After", "60"), ErrRateLimited},
		"too large":     {"https://client.example/a.json", answer(200, strings.Repeat("x", 64<<10+1)), ErrTooLarge},
		"just so":       {"https://client.example/a.json", answer(200, strings.Repeat("x", 64<<10)), ""},
		"private":       {"https://10.0.0.1:8443/a.json", answer(200, "{}"), ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			client := client(world(func(r *http.Request) (*http.Response, error) {
				if asked++; r.Header.Get("Accept-Encoding") != "identity" {
					t.Errorf("asked for %v", r.Header)
				}
				return c.answer, nil
			}))
			_, err := client.Get(t.Context(), c.url, documentPolicy)
			if c.kind == "" && err != nil {
				t.Fatal(err)
			}
			if c.kind != "" {
				wantError(t, err, c.kind)
			}
			if asked > 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// TestDocumentOfABusyHost is asked for again as soon as somebody wants it: how
// often that may be is not for its host to say.
func TestDocumentOfABusyHost(t *testing.T) {
	status := http.StatusServiceUnavailable
	c := client(world(func(*http.Request) (*http.Response, error) { return answer(status, "{}"), nil }))
	if _, err := c.Get(t.Context(), "https://client.example/a.json", documentPolicy); !errors.Is(err, ErrUnavailable) {
		t.Fatal(err)
	}
	status = http.StatusOK
	if _, err := c.Get(t.Context(), "https://client.example/a.json", documentPolicy); err != nil {
		t.Error(err)
	}
}

// TestDocumentTakesItsTime gives up on a host that sends a document byte by byte.
func TestDocumentTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(serve(t, func(w http.ResponseWriter, r *http.Request) {
			for linger(r, time.Second) {
				w.Write([]byte(" "))
				w.(http.Flusher).Flush()
			}
		}))
		start := time.Now()
		_, err := c.Get(t.Context(), "https://client.example/a.json", documentPolicy)
		wantError(t, err, ErrUnavailable)
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
