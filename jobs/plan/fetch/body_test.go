package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Bytes()
}

// route is the text of the bodies below, 800 bytes.
var route = []byte(strings.Repeat("a route ", 100))

// write answers with b, without saying how long it is where parts is true.
func write(parts bool, b []byte, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		if parts {
			w.(http.Flusher).Flush()
		}
		w.Write(b)
	}
}

func TestBodies(t *testing.T) {
	const coding = "Content-Encoding"
	for name, c := range map[string]struct {
		limit   int64
		handler http.HandlerFunc
	}{
		"at the limit":                 {800, write(false, route)},
		"no limit to speak of":         {1<<63 - 1, write(false, route)},
		"length unknown, at the limit": {800, write(true, route)},
		"gzip":                         {800, write(false, zipped(t, route), coding, "gzip")},
		"gzip, other spelling":         {800, write(false, zipped(t, route), coding, "X-GZIP")},
		"gzip, length unknown":         {800, write(true, zipped(t, route), coding, "gzip")},
		"identity":                     {800, write(false, route, coding, "identity")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res, err := client(serve(t, c.handler)).Get(t.Context(), "https://example.org/", Policy{MaxBytes: c.limit})
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(res.Body, route) {
					t.Errorf("got %d bytes", len(res.Body))
				}
				if left := res.Header.Get(coding); strings.Contains(strings.ToLower(left), "gzip") {
					t.Errorf("%s: %s is left", coding, left)
				}
			})
		})
	}
}

func TestBadBodies(t *testing.T) {
	const coding = "Content-Encoding"
	full := zipped(t, route)
	damaged := append(bytes.Clone(full[:len(full)-5]), 1, 2, 3, 4, 5)
	nothing := bytes.Repeat(zipped(t, nil), 100) // 2 kB that decompress to no byte
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(route); err != nil {
				return
			}
		}
	}
	aborted := func(w http.ResponseWriter, r *http.Request) {
		write(true, route)(w, r)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	for name, c := range map[string]struct {
		limit   int64
		handler http.HandlerFunc
		kind    Kind
	}{
		"over the limit":                      {799, write(false, route), ErrTooLarge},
		"length unknown, over the limit":      {799, write(true, route), ErrTooLarge},
		"endless":                             {0, endless, ErrTooLarge},
		"more said than sent, over the limit": {800, write(false, route[:10], "Content-Length", "801"), ErrTooLarge},
		"truncated":                           {800, write(false, route[:799], "Content-Length", "800"), ErrUnavailable},
		"truncated, length unknown":           {800, aborted, ErrUnavailable},
		"gzip over the limit":                 {799, write(false, full, coding, "gzip"), ErrTooLarge},
		"gzip truncated":                      {800, write(false, full[:len(full)-1], coding, "gzip"), ErrUnavailable},
		"gzip damaged":                        {800, write(false, damaged, coding, "gzip"), ErrUnavailable},
		"gzip of nothing":                     {800, write(false, nil, coding, "gzip"), ErrUnavailable},
		"not gzip":                            {800, write(false, route, coding, "gzip"), ErrUnavailable},
		"gzip bomb":                           {0, write(false, zipped(t, make([]byte, 10_000_000)), coding, "gzip"), ErrTooLarge},
		"gzip that swells up to nothing":      {800, write(true, nothing, coding, "gzip"), ErrTooLarge},
		"unknown coding":                      {800, write(false, route, coding, "br"), ErrUnavailable},
		"two codings":                         {800, write(false, zipped(t, full), coding, "gzip, gzip"), ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := client(serve(t, c.handler)).Get(t.Context(), "https://example.org/", Policy{MaxBytes: c.limit})
				if e := wantError(t, err, c.kind); e.Status != 200 {
					t.Errorf("status %d", e.Status)
				}
			})
		})
	}
}

// TestBombStaysSmall reads no more of a bomb than its policy allows.
func TestBombStaysSmall(t *testing.T) {
	bomb := bytes.NewReader(zipped(t, make([]byte, 20_000_000)))
	size := bomb.Len()
	c := client(world(func(*http.Request) (*http.Response, error) {
		res := answer(200, "", "Content-Encoding", "gzip")
		res.ContentLength, res.Body = -1, io.NopCloser(bomb)
		return res, nil
	}))
	_, err := c.Get(t.Context(), "https://example.org/", Policy{})
	wantError(t, err, ErrTooLarge)
	if read := size - bomb.Len(); read > 6_000 {
		t.Errorf("read %d of %d bytes", read, size)
	}
}

// linger waits as a host does that is slow. It is false where the asker left.
func linger(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// TestLateAnswers lets a host keep its answer back, at each step of it.
func TestLateAnswers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"hanging": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"stuck in the body": func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"dripping": func(w http.ResponseWriter, r *http.Request) {
			for linger(r, time.Second) {
				w.Write([]byte("a"))
				w.(http.Flusher).Flush()
			}
		},
		"failing late": func(w http.ResponseWriter, r *http.Request) {
			if linger(r, 4*time.Second) {
				w.WriteHeader(503)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := client(serve(t, handler)).Get(t.Context(), "https://example.org/", Policy{Timeout: 8 * time.Second})
				e := wantError(t, err, ErrUnavailable)
				if took := time.Since(start); took != 8*time.Second {
					t.Errorf("took %v: %v", took, err)
				}
				if want := "no whole answer within 8s"; !strings.Contains(e.Error(), want) {
					t.Errorf("%q does not say %q", e, want)
				}
			})
		})
	}
}

// timeouts of net and net/http call themselves context.DeadlineExceeded.
func TestForeignTimeoutIsNotTheCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
		c := client(world(func(*http.Request) (*http.Response, error) { return nil, late }))
		_, err := c.Get(t.Context(), "https://example.org/", Policy{})
		wantError(t, err, ErrUnavailable)

		c = client(world(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }))
		_, err = c.Get(t.Context(), "https://example.org/", Policy{})
		if wantError(t, err, ErrUnavailable); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q has lost its cause", err)
		}
	})
}
