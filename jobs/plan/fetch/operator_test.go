package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParseOperator(t *testing.T) {
	for text, want := range map[string]Operator{
		"http://localhost:8002":             {"http", "localhost", "8002"},
		"HTTP://LocalHost.:8002/valhalla/":  {"http", "localhost", "8002"},
		"http://10.0.0.5":                   {"http", "10.0.0.5", "80"},
		"https://overpass.example/api":      {"https", "overpass.example", "443"},
		"https://overpass.example:8443/api": {"https", "overpass.example", "8443"},
		"http://[::1]:8002":                 {"http", "::1", "8002"},
	} {
		if got, err := ParseOperator(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "localhost:8002", "localhost", "//localhost:8002", "ftp://localhost:8002", "unix:///run/x.sock", "http://", "http://:8002",
		"http://me:s3cret@localhost:8002", "http://localhost:8002/?key=s3cret", "http://localhost:8002?", "http://localhost:8002/#s3cret", "http://localhost:s3cret/", "http://[::1/s3cret",
	} {
		o, err := ParseOperator(text)
		wantError(t, err, ErrRefused)
		if o != (Operator{}) || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "http://localhost:8002") && !strings.Contains(text, "%") {
			t.Errorf("%s: got %v, %v", text, o, err)
		}
	}
}

// operated is a real service on this machine, and a client whose operator has
// named it.
func operated(t *testing.T, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	o, err := ParseOperator(s.URL + "/base")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Operator: []Operator{o}, Jitter: func() float64 { return 0 }})
	t.Cleanup(c.unguarded.(*http.Transport).CloseIdleConnections)
	return c, s.URL
}

func TestOperatorIsExempt(t *testing.T) {
	// Were it not ignored, nothing would be reached.
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	c, base := operated(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+r.URL.Path+string(body))
	})
	res, err := c.Get(t.Context(), base+"/route", Policy{Operator: true})
	if err != nil || string(res.Body) != "GET/route" {
		t.Errorf("got %v, %v", res, err)
	}
	res, err = c.Post(t.Context(), base+"/route", "application/json", []byte("{}"), Policy{Operator: true, Query: true})
	if err != nil || string(res.Body) != "POST/route{}" {
		t.Errorf("got %v, %v", res, err)
	}
}

// TestOperatorIsExemptAlone: not for addresses that others name, and neither
// another scheme, host or port.
func TestOperatorIsExemptAlone(t *testing.T) {
	c, base := operated(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	port := base[strings.LastIndexByte(base, ':'):]
	_, err := c.Get(t.Context(), base+"/route", Policy{})
	wantError(t, err, ErrRefused)
	for _, address := range []string{
		"https://127.0.0.1" + port, "http://localhost" + port, "https://localhost/", "http://127.0.0.1/", "http://127.0.0.1:1/",
		"http://[::1]" + port, "http://127.0.0.2" + port, "http://me@127.0.0.1" + port, "http://me:pw@127.0.0.1" + port,
		"http://[::ffff:127.0.0.1]" + port, "http://example.org/", "https://127.0.0.1/", "ftp://127.0.0.1" + port,
	} {
		_, err := c.Get(t.Context(), address, Policy{Operator: true, Hosts: []string{"127.0.0.1", "localhost"}})
		wantError(t, err, ErrRefused)
	}
}

func TestOperatorIsNotRedirected(t *testing.T) {
	asked := 0
	c, base := operated(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/there", http.StatusFound)
	})
	_, err := c.Get(t.Context(), base+"/route", Policy{Operator: true, Hosts: []string{"127.0.0.1"}})
	if wantError(t, err, ErrRefused); !errors.Is(err, errNoRedirect) || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// TestRedirectToTheOperator: a host of the world does not lead there, be it one
// that a policy for the operator asks.
func TestRedirectToTheOperator(t *testing.T) {
	o, err := ParseOperator("http://example.org:8002")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Operator: []Operator{o}, Transport: world(func(r *http.Request) (*http.Response, error) {
		if r.URL.Port() != "" {
			t.Errorf("asked for %s", r.URL)
		}
		return answer(302, "", "Location", "http://example.org:8002/"), nil
	})})
	_, err = c.Get(t.Context(), "https://example.org/", Policy{Operator: true})
	wantError(t, err, ErrRefused)
}

// TestPaceOfServices: two services of one host are two.
func TestPaceOfServices(t *testing.T) {
	asked := map[string]int{}
	var named []Operator
	for _, base := range []string{"http://localhost:1", "http://localhost:2"} {
		o, _ := ParseOperator(base)
		named = append(named, o)
	}
	c := New(Options{Operator: named, Transport: world(func(r *http.Request) (*http.Response, error) {
		asked[r.URL.Host]++
		return answer(429, "", "Retry-After", "60"), nil
	})})
	for _, host := range []string{"localhost:1", "localhost:1", "localhost:2"} {
		_, err := c.Get(t.Context(), "http://"+host+"/", Policy{Operator: true})
		if e := wantError(t, err, ErrRateLimited); e.Host != host {
			t.Errorf("got %+v", e)
		}
	}
	if asked["localhost:1"] != 1 || asked["localhost:2"] != 1 {
		t.Errorf("asked %v", asked)
	}
}
