package oauth

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestRegistered: attacks 7 to 9: what differs from what is registered by anything
// but the port of this computer is another place.
func TestRegistered(t *testing.T) {
	uris := []string{"https://client.example/cb", "https://client.example:8443/cb?a=b", "http://127.0.0.1:5/cb", "http://[::1]/cb?a=b", "http://localhost/cb", "com.example.app:/cb"}
	for asked, want := range map[string]bool{
		"https://client.example/cb": true, "https://client.example:8443/cb?a=b": true, "com.example.app:/cb": true,
		"http://127.0.0.1:5/cb": true, "http://127.0.0.1:6/cb": true, "http://127.0.0.1/cb": true, "http://127.0.0.1:65535/cb": true,
		"http://[::1]:1/cb?a=b": true, "http://[::1]:11/cb?a=b": true, "http://localhost:33418/cb": true,

		"": false, "https://client.example/CB": false, "https://Client.example/cb": false, "https://client.example/cb/": false, "https://client.example/cb?": false,
		"https://client.example/c%62": false, "https://client.example:443/cb": false, "https://client.example@evil.example/cb": false, "https://client.example/cb#f": false,
		"https://client.example:8444/cb?a=b": false, "https://client.example:8443/cb?a=b&c=d": false, "https://client.example:8443/cb": false, "http://client.example/cb": false,
		"http://127.0.0.1:6/cb2": false, "http://127.0.0.1:6/cb?x=1": false, "https://127.0.0.1:6/cb": false, "http://127.0.0.2:6/cb": false,
		"http://127.0.0.1.evil.example:6/cb": false, "http://[::1]:6/cb": false, "http://localhost:6/cb2": false, "http://2130706433:6/cb": false,
		"http://127.0.0.1:0/cb": false, "http://127.0.0.1:99999/cb": false, "http://127.0.0.1:/cb": false, "http://127.0.0.1:080/cb": false, "http://127.0.0.1: 80/cb": false,
		"http://127.0.0.1:6/cb\r\n": false, "http://user@127.0.0.1:6/cb": false, "http://LOCALHOST:6/cb": false, "com.example.app:/cb2": false, "javascript:alert(1)": false,
	} {
		if got := registered(uris, asked); got != want {
			t.Errorf("%q: %v", asked, got)
		}
	}
}

// FuzzRegistered: nothing is registered that the plain reading does not find: the
// same text once the digits behind the literal of this computer are cut away.
func FuzzRegistered(f *testing.F) {
	for _, seed := range []string{"http://127.0.0.1:5/cb", "http://[::1]:5/cb", "http://localhost/cb", "https://client.example/cb", "http://127.0.0.1:5:6/cb", "http://127.0.0.1:5@x/cb"} {
		f.Add(seed, seed)
	}
	port := regexp.MustCompile(`^(http://(?:127\.0\.0\.1|\[::1\]|localhost)):[1-9][0-9]{0,4}(/|\?|$)`)
	f.Fuzz(func(t *testing.T, uri, asked string) {
		if registered([]string{uri}, asked) && uri != asked && port.ReplaceAllString(uri, "$1$2") != port.ReplaceAllString(asked, "$1$2") {
			t.Errorf("%q is taken for %q", asked, uri)
		}
	})
}

// TestAnswerTo: what stands in a redirect URI stays, and state cannot add to it.
func TestAnswerTo(t *testing.T) {
	s := &Server{issuer: testURI}
	state := "a b&code=x\r\nLocation: https://evil.example é"
	for uri, between := range map[string]string{"https://c.example/cb": "?", "https://c.example/cb?a=%20b": "&", "com.example.app:/cb": "?"} {
		got := s.answerTo(uri, &state, url.Values{"code": {"abc"}})
		rest, ok := strings.CutPrefix(got, uri+between)
		told, err := url.ParseQuery(rest)
		if !ok || err != nil || len(told) != 3 || told.Get("state") != state || told.Get("code") != "abc" || told.Get("iss") != testURI || strings.ContainsAny(got, "\r\n ") {
			t.Errorf("%s", got)
		}
	}
	if got := s.answerTo("https://c.example/cb", nil, url.Values{"error": {"access_denied"}}); got != "https://c.example/cb?error=access_denied&iss=https%3A%2F%2Ftrips.example" {
		t.Error(got)
	}
}
