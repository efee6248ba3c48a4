package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/limit"
)

// TestDocumentAttacks are the attacks by way of client documents, by their number,
// and what they get.
func TestDocumentAttacks(t *testing.T) {
	for name, attack := range map[string]func(h *hall){
		"2 to 6 addresses that name no document": func(h *hall) {
			for _, id := range []string{
				"http://client.example/a.json", "HTTPS://client.example/a.json", "https:client.example/a.json", "https:///a.json", "https://",
				"https://client.example", "https://client.example/", "https://client.example?x", "https://client.example/#", "https://client.example/a#b", "https://client.example/a#",
				"https://user@client.example/a", "https://user:pw@client.example/a", "https://@client.example/a", "https://:@client.example/a",
				"https://trips.example/a", "https://TRIPS.example/a", "https://trips.example:8443/a", "https://trips.example./a", "https://Trips.Example.:443/a",
				"https://client.example/a/../b", "https://client.example/a/./b", "https://client.example/%2e%2e/b", "https://client.example/a/%2E", "https://client.example/.", "https://client.example/..",
				"https://client.example/a\\b", "https://client.example/a\tb", "https://client.example/a b", "https://client.example/é", "https://clïent.example/a", "https://client.example/a\r\nX: y", "https://client.example/\x00",
				"https://client.example:/a", "https://client.example:0/a", "https://client.example:99999/a", "https://client.example:080/a", "https://client.example./a", "https://client.example/" + strings.Repeat("x", 2048),
				"https://client.example/%zz", "https://[::1/a", "https://client.example/\"a\"", "https://client.example/<a>",
			} {
				if h.admitted(id) {
					h.t.Errorf("%q is admitted", id)
				}
			}
			if len(h.asked) != 0 {
				h.t.Errorf("asked for %v", h.asked)
			}
			for _, id := range []string{testDocument, "https://client.example:8443/a", "https://client.example/a?", "https://client.example/a?redirect_uri=x", "https://client.example//", "https://Client.Example/a%41", "https://client.example/..a"} {
				if !h.admitted(id) {
					h.t.Errorf("%q is refused", id)
				}
			}
		},
		"10, 97 redirect URIs and names": func(h *hall) {
			many := func(n int) (uris []string) {
				for i := range n {
					uris = append(uris, fmt.Sprintf("http://127.0.0.1/cb%d", i))
				}
				return uris
			}
			ours := []string{"http://127.0.0.1/cb"}
			for what, c := range map[string]struct {
				others fields
				ok     bool
			}{
				"https beside it":                 {fields{"redirect_uris": append([]string{"https://client.example/cb"}, ours...)}, true},
				"ten":                             {fields{"redirect_uris": append(many(9), ours...)}, true},
				"eleven":                          {fields{"redirect_uris": append(many(10), ours...)}, false},
				"none":                            {fields{"redirect_uris": []string{}}, false},
				"no member":                       {fields{"redirect_uris": nil}, false},
				"a text":                          {fields{"redirect_uris": "http://127.0.0.1/cb"}, false},
				"a number":                        {fields{"redirect_uris": []any{"http://127.0.0.1/cb", 5}}, false},
				"null among them":                 {fields{"redirect_uris": []any{"http://127.0.0.1/cb", json.RawMessage("null")}}, false},
				"javascript":                      {fields{"redirect_uris": append([]string{"javascript:alert(1)"}, ours...)}, false},
				"data":                            {fields{"redirect_uris": append([]string{"data:text/html,x"}, ours...)}, false},
				"file":                            {fields{"redirect_uris": append([]string{"file:///etc/passwd"}, ours...)}, false},
				"cursor":                          {fields{"redirect_uris": append([]string{"cursor://x/cb"}, ours...)}, false},
				"http elsewhere":                  {fields{"redirect_uris": append([]string{"http://client.example/cb"}, ours...)}, false},
				"another loopback":                {fields{"redirect_uris": append([]string{"http://127.0.0.2/cb"}, ours...)}, false},
				"a fragment":                      {fields{"redirect_uris": append([]string{"https://client.example/cb#x"}, ours...)}, false},
				"an answer behind half a percent": {fields{"redirect_uris": append([]string{"https://client.example/cb?code=%zz"}, ours...)}, false},
				"an answer behind a semicolon":    {fields{"redirect_uris": append([]string{"https://client.example/cb?a;code=evil"}, ours...)}, false},
				"a host that is none":             {fields{"redirect_uris": append([]string{"https://a\"><script>/cb"}, ours...)}, false},
				"dots":                            {fields{"redirect_uris": append([]string{"https://127.0.0.1.../cb"}, ours...)}, false},
				"all of a domain":                 {fields{"redirect_uris": append([]string{"https://*.client.example/cb"}, ours...)}, false},
				"an answer in it":                 {fields{"redirect_uris": append([]string{"https://client.example/cb?code=x"}, ours...)}, false},
				"localhost":                       {fields{"redirect_uris": append([]string{"http://localhost/cb"}, ours...)}, false},
				"LOCALHOST":                       {fields{"redirect_uris": append([]string{"http://LocalHost:3/cb"}, ours...)}, false},
				"no name":                         {fields{"client_name": nil}, false},
				"an empty name":                   {fields{"client_name": ""}, false},
				"space":                           {fields{"client_name": " \t\u00a0\u3000"}, false},
				"nothing to see":                  {fields{"client_name": "\u200b\u200d\ufeff\u202e\u2066\u00ad\u3164\u115f\u2800\ufe0f\U000e0041"}, false},
				"a name of a number":              {fields{"client_name": 5}, false},
				"128 characters":                  {fields{"client_name": strings.Repeat("é", 128)}, true},
				"129 characters":                  {fields{"client_name": strings.Repeat("é", 129)}, false},
				"other members":                   {fields{"logo_uri": "http://10.0.0.1/", "grant_types": []string{"device_code"}, "x": fields{"y": 1}}, true},
				"another client_id":               {fields{"client_id": testDocument + "/"}, false},
				"client_id of another":            {fields{"client_id": []string{testDocument}}, false},
				"no client_id":                    {fields{"client_id": nil}, false},
			} {
				h := newHall(h.t)
				h.answer = says(200, metadataOf(testDocument, c.others))
				if h.admitted(testDocument) != c.ok {
					h.t.Errorf("%s: %v", what, !c.ok)
				}
			}
		},
		"41 names that mislead": func(h *hall) {
			for name, want := range map[string]string{
				"<img src=x onerror=alert(1)>":   "<img src=x onerror=alert(1)>", // the page escapes it
				"Bike\u202eTrip\u202c":           "BikeTrip",
				" Agent\u0000\n\u200b of\tAnna ": "Agent of Anna",
			} {
				h := newHall(h.t)
				h.answer = says(200, metadataOf(testDocument, fields{"client_name": name}))
				shown, err := h.server.Request(context.Background(), h.people["anna"], strings.TrimPrefix(h.ask(testDocument).to(), ConsentPath))
				if err != nil || shown.ClientName != want {
					h.t.Errorf("%q is shown as %q, %v", name, shown.ClientName, err)
				}
			}
		},
		"82 to 86 addresses that are not public": func(h *hall) {
			h.server.client = fetch.New(fetch.Options{}) // the network, guarded as it is
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				h.t.Fatal(err)
			}
			defer l.Close()
			_, port, _ := net.SplitHostPort(l.Addr().String())
			for _, to := range []string{
				"127.0.0.1", "localhost", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1",
				"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]", "[fec0::1]", "[fd00::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[::ffff:169.254.169.254]",
				"2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "0", "127.0.0.1.",
			} {
				if h.admitted("https://" + to + ":" + port + "/a.json") {
					h.t.Errorf("%s is asked", to)
				}
			}
			if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
				h.t.Fatal(err)
			}
			if c, err := l.Accept(); err == nil {
				h.t.Errorf("%v was let in", c.RemoteAddr())
			}
		},
		"87, 88 other answers than 200": func(h *hall) {
			for _, status := range []int{201, 202, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 429, 500, 502, 503} {
				h := newHall(h.t)
				good := metadataOf(testDocument, nil)
				h.answer = says(status, good, "Location", "https://client.example/elsewhere.json", "Retry-After", "1")
				if h.admitted(testDocument) || len(h.asked) != 1 {
					h.t.Errorf("%d is taken, asked for %v", status, h.asked)
				}
				h.answer = says(200, good)
				if !h.admitted(testDocument) {
					h.t.Errorf("%d is kept", status)
				}
			}
		},
		"89 to 91 too large, compressed": func(h *hall) {
			padded := func(n int) string {
				text := metadataOf(testDocument, fields{"pad": ""})
				return strings.Replace(text, `"pad":""`, `"pad":"`+strings.Repeat("x", n-len(text))+`"`, 1)
			}
			for what, c := range map[string]struct {
				answer func(*http.Request) *http.Response
				ok     bool
			}{
				"64 KiB":                 {says(200, padded(64<<10)), true},
				"one byte more":          {says(200, padded(64<<10+1)), false},
				"gzip":                   {says(200, metadataOf(testDocument, nil), "Content-Encoding", "gzip"), false},
				"an encoding of its own": {says(200, metadataOf(testDocument, nil), "Content-Encoding", "x"), false},
				"endless": {func(*http.Request) *http.Response {
					return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(endless{})}
				}, false},
				"a length that is no truth": {func(*http.Request) *http.Response {
					return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: 10, Body: io.NopCloser(endless{})}
				}, false},
			} {
				h := newHall(h.t)
				h.answer = c.answer
				if h.admitted(testDocument) != c.ok {
					h.t.Errorf("%s: %v", what, !c.ok)
				}
			}
		},
		"95 what is no document": func(h *hall) {
			good := metadataOf(testDocument, nil)
			for _, text := range []string{
				"", "null", "[]", "[" + good + "]", good + good, good + "x", good + "\n{}", `"` + testDocument + `"`, "\ufeff" + good, strings.Replace(good, "Anna", "\xff", 1),
				strings.Replace(good, `{`, `{"client_id":"https://evil.example/a",`, 1), strings.Replace(good, `{`, `{"client_id":"`+testDocument+`",`, 1), strings.Replace(good, `{`, `{"client\u005fid":"x",`, 1),
				strings.Replace(good, "client_id", "Client_ID", 1), good[:len(good)-1], strings.Replace(good, `{`, `{"x":`+strings.Repeat("[", 10000)+strings.Repeat("]", 10000)+`,`, 1),
				"<!DOCTYPE html><title>Just a moment...</title>",
			} {
				h := newHall(h.t)
				h.answer = says(200, text)
				if h.admitted(testDocument) {
					h.t.Errorf("%.100q is taken", text)
				}
			}
			h.answer = says(200, " \n"+good+"\r\n", "Content-Type", "text/plain")
			if !h.admitted(testDocument) {
				h.t.Error("space around it, or its type, count")
			}
		},
		"96 nearly its address": func(h *hall) {
			for _, other := range []string{testDocument + "/", "https://Client.example/oauth/client.json", "https://client.example/oauth/client%2Ejson", "https://client.example:443/oauth/client.json", testDocument + "?", "https://client.example/oauth/%63lient.json"} {
				h := newHall(h.t)
				h.answer = says(200, metadataOf(other, nil))
				if h.admitted(testDocument) {
					h.t.Errorf("%s passes for it", other)
				}
			}
		},
		"98 how long it is good": func(h *hall) {
			for _, c := range []struct {
				fields []string
				want   time.Duration
			}{
				{nil, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=0"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=1"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=-600"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=x"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=600.5"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=600"}, 10 * time.Minute},
				{[]string{"Cache-Control", `public, Max-Age="600"`}, 10 * time.Minute},
				{[]string{"Cache-Control", "public", "Cache-Control", "max-age=600"}, 10 * time.Minute},
				{[]string{"Cache-Control", "max-age=600, max-age=9000"}, 10 * time.Minute},
				{[]string{"Cache-Control", "s-maxage=9000, max-age=600"}, 10 * time.Minute},
				{[]string{"Cache-Control", "no-store, max-age=600"}, 5 * time.Minute},
				{[]string{"Cache-Control", "no-cache"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=86400, no-store"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=86400", "Cache-Control", "NO-CACHE"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=1000", "Age", "400"}, 10 * time.Minute},
				{[]string{"Cache-Control", "max-age=1000", "Age", "x"}, 1000 * time.Second},
				{[]string{"Cache-Control", "max-age=1000", "Age", "9999999"}, 5 * time.Minute},
				{[]string{"Cache-Control", "max-age=1000000000000"}, 24 * time.Hour},
				{[]string{"Cache-Control", "max-age=99999999999999999999999999"}, 24 * time.Hour},
				{[]string{"Cache-Control", "max-age=86400"}, 24 * time.Hour},
			} {
				h := newHall(h.t)
				h.answer = says(200, metadataOf(testDocument, nil), c.fields...)
				h.admitted(testDocument)
				h.now = h.now.Add(c.want - time.Millisecond)
				h.admitted(testDocument)
				before := len(h.asked)
				h.now = h.now.Add(time.Millisecond)
				if h.admitted(testDocument); before != 1 || len(h.asked) != 2 {
					h.t.Errorf("%v: asked %d times before and %d in all", c.fields, before, len(h.asked))
				}
			}
		},
		"98 one that is too old, and its host is gone": func(h *hall) {
			h.admitted(testDocument)
			h.answer = says(500, "")
			h.now = h.now.Add(shortestLife)
			if h.admitted(testDocument) {
				h.t.Error("it is taken")
			}
			h.answer = says(200, metadataOf(testDocument, fields{"client_name": "Another name", "redirect_uris": []string{"http://127.0.0.1/other"}}))
			if g := h.ask(testDocument); g.status != 400 || !strings.Contains(g.body, "redirect_uri") {
				h.t.Errorf("what it says now does not count: %d %s", g.status, g.body)
			}
		},
		"99 too many new ones": func(h *hall) {
			clock := func() time.Time { return h.now }
			h.server.documentsByUser, h.server.documentsByHost = limit.New(20, time.Hour, clock), limit.New(60, time.Hour, clock)
			for i := range 20 {
				if !h.admitted(fmt.Sprintf("https://client.example/%d", i)) {
					h.t.Errorf("%d is refused", i)
				}
			}
			g := h.ask("https://other.example/a")
			h.refusedHere("one more", g, 429, "rate_limited")
			if g.header.Get("Retry-After") != "3600" {
				h.t.Errorf("%v", g.header)
			}
			if !h.admitted("https://client.example/7") {
				h.t.Error("one that is known costs something")
			}
			h.now = h.now.Add(shortestLife)
			if !h.admitted("https://client.example/7") {
				h.t.Error("one that was known costs something")
			}
			for i := range 40 {
				h.server.documentsByHost.Take("client.example")
				_ = i
			}
			ben := func(id string) got {
				return h.visit("ben", h.wish("client_id", id, "redirect_uri", testCallback).Encode())
			}
			h.refusedHere("of that host", ben("https://CLIENT.example:8443/a"), 429, "rate_limited")
			if g := ben("https://other.example/a"); g.status != 302 {
				h.t.Errorf("of another host: %d %s", g.status, g.body)
			}
		},
		"100 many at once": func(h *hall) {
			var all sync.WaitGroup
			h.server.documentsByUser, h.server.documentsByHost = limit.New(20, time.Hour, nil), limit.New(60, time.Hour, nil)
			for range 100 {
				all.Go(func() {
					if !h.admitted(testDocument) {
						h.t.Error("refused")
					}
				})
			}
			all.Wait()
			// Who comes when the one before has just kept it.
			if _, err := h.server.fetchOnce(h.t.Context(), h.people["anna"], testDocument); err != nil || len(h.asked) != 1 {
				h.t.Errorf("asked %d times, %v", len(h.asked), err)
			}
		},
		"101 clients that are not public": func(h *hall) {
			for _, c := range []struct {
				others fields
				ok     bool
			}{
				{fields{"token_endpoint_auth_method": "none"}, true},
				{fields{"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": []string{"none", "private_key_jwt"}}, true},
				{fields{"token_endpoint_auth_method": "private_key_jwt"}, false},
				{fields{"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": []string{"private_key_jwt"}}, false},
				{fields{"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": "none"}, false},
				{fields{"token_endpoint_auth_method": "client_secret_basic"}, false},
				{fields{"token_endpoint_auth_method": "client_secret_post", "token_endpoint_auth_methods_supported": []string{"none"}}, false},
				{fields{"token_endpoint_auth_method": 5}, false},
				{fields{"client_secret": "x"}, false},
				{fields{"client_secret_expires_at": 0}, false},
			} {
				h := newHall(h.t)
				h.answer = says(200, metadataOf(testDocument, c.others))
				if h.admitted(testDocument) != c.ok {
					h.t.Errorf("%v: %v", c.others, !c.ok)
				}
			}
		},
		"19 nothing is fetched for somebody who is signed out": func(h *hall) {
			if g := h.visit("", h.wish("client_id", testDocument).Encode()); g.to() != "/login" || len(h.asked) != 0 {
				h.t.Errorf("%s, asked for %v", g.to(), h.asked)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { attack(newHall(t)) })
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestSlowDocument: a host that answers byte by byte is given up after five
// seconds.
func TestSlowDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := fetch.New(fetch.Options{Transport: &host{answer: func(r *http.Request) *http.Response {
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: &dripping{r.Context()}}
		}}})
		start := time.Now()
		_, err := c.Get(ctx, testDocument, documentPolicy)
		if took := time.Since(start); err == nil || took != 5*time.Second {
			t.Errorf("90 after %v: %v", took, err)
		}
	})
}

// A dripping body sends a byte a second until nobody wants it.
type dripping struct{ ctx context.Context }

func (d *dripping) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	}
}

func (d *dripping) Close() error { return nil }

// FuzzDocument: what is taken for a document is one to every reader of JSON, and
// has what every client has.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(metadataOf(testDocument, nil)))
	f.Add([]byte(metadataOf(testDocument, fields{"client_name": "\u202e\u3164", "token_endpoint_auth_methods_supported": []string{"none"}})))
	f.Add([]byte(`{"client_id":"x","client_id":"y"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseDocument(testDocument, text)
		if err != nil {
			return
		}
		var other struct {
			ID   string   `json:"client_id"`
			URIs []string `json:"redirect_uris"`
		}
		if err := json.Unmarshal(text, &other); err != nil {
			t.Fatalf("%q is no JSON: %v", text, err)
		}
		if checkClientName(c.Name) != nil || len(c.RedirectURIs) < 1 || len(c.RedirectURIs) > maxRedirectURIs {
			t.Errorf("%q: %+v", text, c)
		}
		for _, uri := range c.RedirectURIs {
			if checkRedirectURI(uri) != nil || !strings.HasPrefix(strings.ToLower(uri), "http") {
				t.Errorf("%q: %s", text, uri)
			}
		}
	})
}

// FuzzDocumentURL: what may be fetched is https, elsewhere, and the same address
// to everybody.
func FuzzDocumentURL(f *testing.F) {
	for _, s := range []string{testDocument, "https://a@b/c", "https://trips.example./x", "https://a/%2e%2e/b", "https://[::1]:5/a?b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if checkDocumentURL(id, "trips.example") != nil {
			return
		}
		u, err := url.Parse(id)
		if err != nil || u.Scheme != "https" || u.User != nil || len(u.Path) < 2 || u.String() != id || strings.EqualFold(strings.Trim(u.Hostname(), "."), "trips.example") {
			t.Errorf("%q", id)
		}
	})
}
