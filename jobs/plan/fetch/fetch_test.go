package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// world answers in place of the outside world.
type world func(*http.Request) (*http.Response, error)

func (w world) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// answer is one with a body and header fields, in turn name and value.
func answer(status int, body string, fields ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
}

// client asks w, and retries without jitter.
func client(w http.RoundTripper) *Client {
	return New(Options{Transport: w, Jitter: func() float64 { return 0 }})
}

// listener accepts the connections it is sent.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l listener) Close() error   { close(l); return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// serve is a real HTTP server and transport with pipes between them, so that
// they live in the time of a synctest bubble. There is no TLS on the pipes.
func serve(t *testing.T, handler http.HandlerFunc) *http.Transport {
	t.Helper()
	l := make(listener)
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	transport := &http.Transport{DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		l <- theirs
		return ours, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return transport
}

// wantError checks that err is an *Error of the kind alone, on one line, and
// that it is never taken for the end of a context.
func wantError(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want one of kind %q", err, kind)
	}
	for _, k := range []Kind{ErrNotFound, ErrForbidden, ErrRateLimited, ErrUnavailable, ErrTooLarge, ErrRefused, ErrStatus} {
		if errors.Is(err, k) != (k == kind) {
			t.Errorf("errors.Is(%q, %q) = %v", err, k, k != kind)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("%q is taken for the end of a context", err)
	}
	if strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%q is more than a line", err)
	}
	return e
}

func TestAnswer(t *testing.T) {
	var sent *http.Request
	c := client(world(func(r *http.Request) (*http.Response, error) {
		sent = r
		return answer(200, "hello", "Content-Type", "text/plain"), nil
	}))
	got, err := c.Get(t.Context(), "https://example.org/a%2Fb?token=s3cret#part", Policy{Accept: "application/json"})
	if err != nil {
		t.Fatal(err)
	}
	want := &Response{
		URL:    "https://example.org/a%2Fb?token=s3cret",
		Header: http.Header{"Content-Type": {"text/plain"}},
		Body:   []byte("hello"),
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Response{})); d != "" {
		t.Error(d)
	}
	wantSent := http.Header{"User-Agent": {"Biketrip/1.0"}, "Accept": {"application/json"}, "Accept-Encoding": {"gzip"}}
	if d := cmp.Diff(wantSent, sent.Header); d != "" || sent.Method != "GET" {
		t.Error(sent.Method, d)
	}
	if sent.URL.String() != want.URL {
		t.Errorf("asked for %s", sent.URL)
	}
}

func TestAcceptDefaultsToAll(t *testing.T) {
	c := client(world(func(r *http.Request) (*http.Response, error) {
		return answer(200, r.Header.Get("Accept")), nil
	}))
	got, err := c.Get(t.Context(), "https://example.org", Policy{})
	if err != nil || string(got.Body) != "*/*" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestStatuses(t *testing.T) {
	for status, c := range map[int]struct {
		kind  Kind
		tries int
	}{
		201: {ErrStatus, 1}, 202: {ErrStatus, 1}, 204: {ErrStatus, 1}, 206: {ErrStatus, 1},
		300: {ErrStatus, 1}, 302: {ErrStatus, 1}, 304: {ErrStatus, 1}, // without a Location
		400: {ErrStatus, 1}, 401: {ErrForbidden, 1}, 402: {ErrStatus, 1}, 403: {ErrForbidden, 1},
		404: {ErrNotFound, 1}, 405: {ErrStatus, 1}, 410: {ErrNotFound, 1}, 418: {ErrStatus, 1},
		429: {ErrRateLimited, 1}, 451: {ErrStatus, 1},
		500: {ErrUnavailable, 3}, 501: {ErrUnavailable, 1}, 502: {ErrUnavailable, 3}, 503: {ErrUnavailable, 3},
		504: {ErrUnavailable, 3}, 505: {ErrUnavailable, 1}, 520: {ErrUnavailable, 1}, 600: {ErrStatus, 1},
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				cl := client(world(func(*http.Request) (*http.Response, error) {
					tries++
					return answer(status, "no\nway"), nil
				}))
				res, err := cl.Get(t.Context(), "https://example.org/", Policy{})
				e := wantError(t, err, c.kind)
				rest := time.Duration(0)
				if status == 429 || status == 503 {
					rest = restUnsaid
				}
				if res != nil || e.Status != status || e.Host != "example.org" || e.RetryAfter != rest {
					t.Errorf("got %v, %+v", res, e)
				}
				if tries != c.tries {
					t.Errorf("asked %d times, want %d", tries, c.tries)
				}
			})
		})
	}
}

func TestAddresses(t *testing.T) {
	asked := false
	c := client(world(func(*http.Request) (*http.Response, error) {
		asked = true
		return answer(200, ""), nil
	}))
	for _, a := range []string{
		"https://example.org", "https://example.org:443/", "HTTPS://EXAMPLE.ORG/", "https://example.org./",
		"https://93.184.215.14/", "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
	} {
		if _, err := c.Get(t.Context(), a, Policy{}); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	for _, a := range []string{
		"", "example.org", "//example.org/", "/path", "https:example.org", "https://", "https:///path", "https://.", "https://:443/",
		"http://example.org/", "ftp://example.org/", "file:///etc/passwd", "data:text/plain,x", "gopher://example.org:443/",
		"https://me@example.org/", "https://me:pw@example.org/", "https://@example.org/", "https://example.org@10.0.0.1/",
		"https://example.org:80/", "https://example.org:8443/", "https://example.org:0443/", "https://example.org:99999/",
		"https://127.0.0.1/", "https://127.0.0.1./", "https://10.1.2.3:443/", "https://169.254.169.254/latest/", "https://0.0.0.0/",
		"https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[fd00::1]/", "https://[2002:7f00:1::]/",
		"https://example.org/\n", "https://exa mple.org/", "https://[::1/", "https://%zz/",
	} {
		asked = false
		_, err := c.Get(t.Context(), a, Policy{})
		wantError(t, err, ErrRefused)
		if asked {
			t.Errorf("%s was asked", a)
		}
	}
}

// TestQueryStaysSecret fails in every way with an address whose query, user and
// password are secret, as the ones of redirects are.
func TestQueryStaysSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			address string
			world   world
		}{
			"scheme":        {"http://example.org/?s3cret", nil},
			"port":          {"https://example.org:1/?s3cret", nil},
			"user":          {"https://s3cret:s3cret@example.org/", nil},
			"no address":    {"https://example.org/%zz\n?s3cret", nil},
			"bad port":      {"https://example.org:s3cret/?s3cret", nil},
			"not found":     {"https://example.org/?s3cret", func(*http.Request) (*http.Response, error) { return answer(404, "s3cret"), nil }},
			"no connection": {"https://example.org/?s3cret", func(*http.Request) (*http.Response, error) { return nil, io.EOF }},
			"foreign redirect": {"https://example.org/?s3cret", func(*http.Request) (*http.Response, error) {
				return answer(302, "", "Location", "https://s3cret:s3cret@example.net/login?next=s3cret#s3cret"), nil
			}},
			"no redirect": {"https://example.org/?s3cret", func(*http.Request) (*http.Response, error) {
				return answer(302, "", "Location", "https://example.net:s3cret/%zz?s3cret"), nil
			}},
			"opaque redirect": {"https://example.org/?s3cret", func(*http.Request) (*http.Response, error) {
				return answer(302, "", "Location", "mailto:s3cret?s3cret"), nil
			}},
			"redirect loop": {"https://example.org/?s3cret", func(r *http.Request) (*http.Response, error) {
				return answer(302, "", "Location", r.URL.String()), nil
			}},
			"hanging": {"https://example.org/?s3cret", func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}},
		} {
			_, err := client(c.world).Get(t.Context(), c.address, Policy{})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: got %v", name, err)
			}
			if strings.Contains(err.Error()+e.Location, "s3cret") {
				t.Errorf("%s: %q, location %q", name, err, e.Location)
			}
		}
	})
}

func TestErrorText(t *testing.T) {
	long := &Error{Kind: ErrUnavailable, Host: "example.org", Cause: errors.New(strings.Repeat("é", 1000))}
	for want, e := range map[string]*Error{
		"example.org: not found (status 404)":        {Kind: ErrNotFound, Host: "example.org", Status: 404},
		"refused: not an address":                    {Kind: ErrRefused, Cause: errNoAddress},
		"example.org: unavailable: a  b\u00a0c d":    {Kind: ErrUnavailable, Host: "example.org", Cause: errors.New("a\r\nb\u00a0c\u2028d")},
		string([]rune(long.Error())[:300]) + "…":     long,
		"example.org: unavailable: unexpected EOF":   {Kind: ErrUnavailable, Host: "example.org", Cause: io.ErrUnexpectedEOF},
		"rate limited (status 429): unexpected EOF":  {Kind: ErrRateLimited, Status: 429, Cause: io.ErrUnexpectedEOF},
		"example.org: refused (status 302): a\u0020": {Kind: ErrRefused, Host: "example.org", Status: 302, Cause: errors.New("a\x00")},
	} {
		if e.Error() != want {
			t.Errorf("got %q, want %q", e, want)
		}
	}
	if err := error(&Error{Kind: ErrUnavailable, Cause: io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}

func TestCallersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := client(world(func(r *http.Request) (*http.Response, error) {
			asked++
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Get(ended, "https://example.org/", Policy{}); err != context.Canceled || asked != 0 {
			t.Errorf("got %v, asked %d times", err, asked)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := c.Get(short, "https://example.org/", Policy{}); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("left after %v", took)
		}
		synctest.Wait()
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}
