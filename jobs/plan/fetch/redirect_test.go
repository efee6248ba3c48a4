package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moving answers 302 from /n to /n-1 until /0, which has the text "there".
func moving(r *http.Request) (*http.Response, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return answer(200, "there"), nil
	}
	return answer(302, "", "Location", fmt.Sprintf("/%d?at=%d", n-1, n)), nil
}

func TestRedirects(t *testing.T) {
	c := client(world(moving))
	res, err := c.Get(t.Context(), "https://example.org/5", Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if string(res.Body) != "there" || res.URL != "https://example.org/0?at=1" {
		t.Errorf("got %s from %s", res.Body, res.URL)
	}

	_, err = c.Get(t.Context(), "https://example.org/6", Policy{})
	want := &Error{Kind: ErrRefused, Host: "example.org", Status: 302, Location: "https://example.org/0"}
	got := *wantError(t, err, ErrRefused)
	got.Cause = nil
	if d := cmp.Diff(want, &got); d != "" {
		t.Error(d)
	}
}

func TestEveryRedirectStatus(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := client(world(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/there" {
				return answer(200, r.Method), nil
			}
			return answer(status, "", "Location", "there"), nil
		}))
		res, err := c.Get(t.Context(), "https://example.org/", Policy{})
		if err != nil || string(res.Body) != "GET" {
			t.Errorf("%d: got %v, %v", status, res, err)
		}
	}
}

func TestRedirectTargets(t *testing.T) {
	hosts := []string{"www.Example.net", "api.example.org.", "127.0.0.1"}
	for to, refused := range map[string]string{ // the location of the refusal, empty where it is followed
		"https://example.org/there":              "",
		"https://EXAMPLE.ORG./there":             "",
		"https://example.org:443/there":          "",
		"//www.example.net/there":                "",
		"https://api.example.org/there":          "",
		"there?a=b#c":                            "",
		"https://example.net/there":              "https://example.net/there",
		"https://example.org.example.com/":       "https://example.org.example.com/",
		"https://notexample.org/":                "https://notexample.org/",
		"https://a.example.org/?token=1#2":       "https://a.example.org/",
		"https://example.org../":                 "https://example.org../",
		"http://example.org/there":               "http://example.org/there",
		"http://www.example.net/there":           "http://www.example.net/there",
		"ftp://example.org/there":                "ftp://example.org/there",
		"https://example.org:8443/there":         "https://example.org:8443/there",
		"https://me:pw@example.org/there":        "https://example.org/there",
		"https://127.0.0.1/there":                "https://127.0.0.1/there",
		"https://[::1]/there":                    "https://[::1]/there",
		"https://169.254.169.254/latest":         "https://169.254.169.254/latest",
		"https://93.184.215.14/":                 "https://93.184.215.14/",
		"javascript:alert(1)":                    "javascript:",
		"https:///there":                         "https:///there",
		"https://example.net/a%2Fb/%0Ac?d=e":     "https://example.net/a%2Fb/%0Ac",
		"https://example.net/" + "é\u2028" + "x": "https://example.net/%C3%A9%E2%80%A8x",
	} {
		var asked []string
		c := client(world(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.String())
			for _, h := range []string{"Referer", "Cookie", "Authorization"} {
				if r.Header.Get(h) != "" {
					t.Errorf("%s: sent %s", to, h)
				}
			}
			if r.URL.Path == "/there" {
				return answer(200, ""), nil
			}
			return answer(302, "", "Location", to, "Set-Cookie", "a=b"), nil
		}))
		res, err := c.Get(t.Context(), "https://example.org/?token=s3cret", Policy{Hosts: hosts})
		if refused == "" {
			if err != nil || len(asked) != 2 || res.URL != asked[1] {
				t.Errorf("%s: got %v after %v", to, err, asked)
			}
			continue
		}
		if e := wantError(t, err, ErrRefused); e.Location != refused || e.Host != "example.org" || e.Status != 302 {
			t.Errorf("%s: got %+v", to, e)
		}
		if len(asked) != 1 {
			t.Errorf("%s: asked %v", to, asked)
		}
	}
}

// TestRedirectBackAndForth: what may be reached is told by the first address,
// not by the one that leads there.
func TestRedirectBackAndForth(t *testing.T) {
	next := map[string]string{"a.example": "https://b.example", "b.example": "https://a.example/end", "c.example": "https://b.example"}
	c := client(world(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/end" {
			return answer(404, ""), nil
		}
		return answer(301, "", "Location", next[r.URL.Host]), nil
	}))
	_, err := c.Get(t.Context(), "https://a.example", Policy{Hosts: []string{"b.example"}})
	if e := wantError(t, err, ErrNotFound); e.Host != "a.example" {
		t.Errorf("got %+v", e)
	}
	_, err = c.Get(t.Context(), "https://c.example", Policy{Hosts: []string{"b.example"}})
	if e := wantError(t, err, ErrRefused); e.Host != "b.example" || e.Location != "https://a.example/end" {
		t.Errorf("got %+v", e)
	}
}

func TestUnreadableRedirect(t *testing.T) {
	c := client(world(func(*http.Request) (*http.Response, error) {
		return answer(302, "", "Location", "https://[::1/there"), nil
	}))
	_, err := c.Get(t.Context(), "https://example.org/", Policy{})
	if e := wantError(t, err, ErrRefused); e.Location != "" || e.Status != 302 {
		t.Errorf("got %+v", e)
	}
}

func TestRedirectTextsHaveNoPath(t *testing.T) {
	c := client(world(func(*http.Request) (*http.Response, error) {
		return answer(302, "", "Location", "https://example.net/token/s3cret/login"), nil
	}))
	_, err := c.Get(t.Context(), "https://example.org/", Policy{})
	e := wantError(t, err, ErrRefused)
	if strings.Contains(e.Error(), "s3cret") || !strings.Contains(e.Error(), "redirect to https://example.net: another host") {
		t.Errorf("%q", e)
	}
	if e.Location != "https://example.net/token/s3cret/login" {
		t.Errorf("location %q", e.Location)
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://example.org/", "https://[::1]/", "https://me@h:443", "//x", "https://1.2.3.4./?q#f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := address(s, false)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q", err)
			}
			return
		}
		again, parseErr := url.Parse(u.String())
		if parseErr != nil || checkAddress(again) != nil {
			t.Errorf("%q is sent as %q, which is refused", s, u)
		}
	})
}
