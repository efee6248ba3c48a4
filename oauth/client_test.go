package oauth

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/store"
)

func TestAddClient(t *testing.T) {
	o := newOffice(t)
	uris := []string{"https://client.example/cb?a=b", "cursor://anysphere.cursor-mcp/oauth"}
	added, err := AddClient(t.Context(), o.file, "  Anna's agent 🚲 ", uris)
	if err != nil {
		t.Fatal(err)
	}
	want := store.Client{ID: added.ID, Kind: store.ClientOperator, Name: "Anna's agent 🚲", RedirectURIs: uris, CreatedAt: added.CreatedAt}
	var got store.Client
	o.update(func(tx *store.Tx) (err error) {
		got, err = tx.Client(added.ID)
		return err
	})
	if d := cmp.Diff(want, got); d != "" || added.ID == "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for name, c := range map[string]struct {
		name string
		uris []string
		says string // empty: it is added
	}{
		"longest name":    {strings.Repeat("é", 128), nil, ""},
		"most URIs":       {"x", make10("https://client.example/cb"), ""},
		"name too long":   {strings.Repeat("é", 129), nil, "129 characters, at most 128"},
		"no name":         {" \t ", nil, "empty"},
		"name of lines":   {"a\nb", nil, "cannot be shown"},
		"name in Latin-1": {"a\xffb", nil, "cannot be shown"},
		"too many URIs":   {"x", append(make10("https://client.example/cb"), "https://client.example/cb"), "at most 10 redirect URIs, got 11"},
		"one of two":      {"x", []string{"https://client.example/cb", "http://client.example/cb"}, `redirect URI "http://client.example/cb": http is for this computer only`},
	} {
		client, err := AddClient(t.Context(), o.file, c.name, c.uris)
		if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || client.ID != "") {
			t.Errorf("%s: %v, %v", name, client, err)
		}
	}
}

func make10(uri string) (uris []string) {
	for range 10 {
		uris = append(uris, uri)
	}
	return uris
}

func TestRedirectURIs(t *testing.T) {
	for _, good := range []string{
		"https://client.example/cb",
		"https://client.example",
		"https://client.example:8443/cb?x=y&z=%20",
		"https://localhost/cb",
		"https://[2001:db8::1]/cb",
		"HTTPS://client.example/cb",
		"http://127.0.0.1/cb",
		"http://127.0.0.1:34567/cb?x",
		"http://[::1]:1/",
		"http://localhost:65535/callback",
		"cursor://anysphere.cursor-mcp/oauth",
		"com.example.app:/cb",
		"vscode://x",
		"https://client.example/" + strings.Repeat("p", 2048-len("https://client.example/")),
	} {
		if err := checkRedirectURI(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, says := range map[string]string{
		"": "not absolute",
		"https://client.example/" + strings.Repeat("p", 2048): "at most 2048",
		"/cb":                           "not absolute",
		"//client.example/cb":           "not absolute",
		"client.example/cb":             "not absolute",
		"https://client.example/cb#":    "fragment",
		"https://client.example/cb#x":   "fragment",
		"https://client.example\\@evil": "backslashes",
		"https://client.example/a b":    "spaces",
		" https://client.example/cb":    "spaces",
		"https://client.example/cb\n":   "spaces",
		"https://client.example/\x00":   "spaces",
		"https://client.example/é":      "ASCII",
		"https://clïent.example/":       "ASCII",
		"https://good@evil.example/cb":  "user or password",
		"https://u:p@evil.example/cb":   "user or password",
		"cursor://u@x":                  "user or password",
		"https:///cb":                   "no host",
		"https:cb":                      "no host",
		"https://:443/cb":               "no host",
		"https://client.example:/cb":    "port",
		"https://client.example:0/cb":   "port",
		"https://client.example:080/cb": "port",
		"https://client.example:65536/": "port",
		"https://client.example:x/":     "not a URI",
		"https://%zz/":                  "not a URI",
		"127.0.0.1:8080/cb":             "not a URI",
		"http://client.example/cb":      "use https",
		"http://127.0.0.2/cb":           "use https",
		"http://127.0.0.1.evil.example": "use https",
		"http://0.0.0.0/cb":             "use https",
		"http://localhost.evil.example": "use https",
		"http:///cb":                    "use https",
		"javascript:alert(1)":           "javascript",
		"JavaScript://x/%0aalert(1)":    "javascript",
		"data:text/html,x":              "data",
		"file:///etc/passwd":            "file",
		"vbscript:x":                    "vbscript",
		"blob:https://x/1":              "blob",
		"about:blank":                   "about",
		"ftp://x/y":                     "ftp",
		"ws://x/y":                      "ws",
		"wss://x/y":                     "wss",
		"mailto:a@example.org":          "mailto",
		"urn:ietf:wg:oauth:2.0:oob":     "urn",
		"localhost:8080/cb":             "after its scheme",
		"cursor:":                       "after its scheme",
		"cursor://":                     "after its scheme",
	} {
		if err := checkRedirectURI(bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if long := cut(strings.Repeat("é", 2000)); len(long) > 300 {
		t.Errorf("an error quotes %d bytes", len(long))
	}
}
