package cli

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A consenter is a person in a browser who is signed in at a server.
type consenter struct {
	*browser
	server *server
	db     string
}

// newConsenter adds anna and signs her in.
func newConsenter(t *testing.T, s *server, dir string) *consenter {
	t.Helper()
	v := &consenter{newBrowser(t), s, dbIn(dir)}
	var added struct{ Link string }
	v.read(&added, "user", "add", "anna@example.org", "--json", "--default-uri", s.address)
	if got := v.do(http.MethodPost, added.Link, nil); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return v
}

// read runs a verb beside the server and reads what it prints.
func (v *consenter) read(into any, args ...string) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.run(args...)), into); err != nil {
		v.t.Fatal(err)
	}
}

// run runs a verb beside the server.
func (v *consenter) run(args ...string) string {
	v.t.Helper()
	code, out, errs := biketrip("", append(args, "--db", v.db)...)
	if code != exitOK {
		v.t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	return out
}

// asked is what comes of a wish of an application.
func (v *consenter) asked(clientID, redirectURI string) seen {
	v.t.Helper()
	return v.open(v.wish(clientID, redirectURI), "Accept", "application/json")
}

// wish is what an application opens in the browser.
func (v *consenter) wish(clientID, redirectURI string) string {
	return v.server.address + "/oauth/authorize?" + url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"trips:read trips:write"},
		"code_challenge": {pkceChallenge}, "code_challenge_method": {"S256"},
	}.Encode()
}

var nextPage = regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]+)"`)

// grant grants what an application wants, and gives its tokens.
func (v *consenter) grant(clientID, redirectURI string) (access, refresh string) {
	v.t.Helper()
	answer, err := v.decide(v.wish(clientID, redirectURI), "authorize")
	if err != nil || answer.Get("code") == "" {
		v.t.Fatalf("%v, %v", answer, err)
	}
	return v.exchange(url.Values{"grant_type": {"authorization_code"}, "client_id": {clientID}, "code": {answer.Get("code")}, "code_verifier": {pkceVerifier}})
}

// exchange asks for tokens, empty for none.
func (v *consenter) exchange(form url.Values) (access, refresh string) {
	v.t.Helper()
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(newBrowser(v.t).do(http.MethodPost, v.server.address+"/oauth/token", form).body), &got); err != nil {
		v.t.Fatal(err)
	}
	return got.Access, got.Refresh
}

// opens says whether a token opens the endpoint.
func (v *consenter) opens(token string) bool {
	v.t.Helper()
	a, err := connect(v.t.Context(), v.server.address+"/mcp", token)
	if err != nil {
		return false
	}
	defer a.close()
	return true
}

func TestClientFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args, env []string
		says      string // in the error
	}{
		"another way":        {[]string{"--oauth-localhost-redirects", "no"}, nil, `--oauth-localhost-redirects must be refuse, ignore or allow, got "no"`},
		"neither":            {[]string{"--oauth-dynamic-registration", "yes"}, nil, `--oauth-dynamic-registration must be off or on, got "yes"`},
		"no list":            {[]string{"--clients", "claude.ai"}, nil, `--clients must be any, or hosts=HOST,HOST, got "claude.ai"`},
		"no host":            {nil, []string{"BIKETRIP_CLIENTS=hosts="}, `--clients`},
		"an address":         {[]string{"--clients", "hosts=claude.ai,https://a.example/x"}, nil, `"https://a.example/x"`},
		"hosts, and whoever": {[]string{"--clients", "hosts=claude.ai", "--oauth-dynamic-registration", "on"}, nil, "leave --oauth-dynamic-registration off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, t.TempDir(), c.env, c.args...)
			if code := s.wait(); code != exitUsage || !strings.Contains(s.text(), c.says) {
				t.Errorf("exit %d: %s", code, s.text())
			}
		})
	}
	for uri, want := range map[string]string{"http://localhost:8080": "allow", "http://127.0.0.1": "allow", "https://trips.example.org": "refuse"} {
		if r, err := (clientsFlag{}).rules(uri); err != nil || string(r.localhost) != want || r.registration || r.hosts != nil {
			t.Errorf("%s: %+v, %v", uri, r, err)
		}
	}
	if r, err := (clientsFlag{Clients: "hosts=Claude.ai, chatgpt.com", Localhost: "ignore"}).rules(defaultPublic); err != nil || strings.Join(r.hosts, " ") != "claude.ai chatgpt.com" || r.localhost != "ignore" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestPinnedClient: an application whose document the operator has pinned asks for
// access, under the rules of the server.
func TestPinnedClient(t *testing.T) {
	dir := t.TempDir()
	const id, to = "https://claude.ai/oauth/claude-code-client-metadata", "http://localhost:7777/callback"
	file := filepath.Join(dir, "claude.json")
	text := `{"client_id":"` + id + `","client_name":"Claude Code","redirect_uris":["http://localhost/callback","http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, dir, nil)
	v := newConsenter(t, s, dir)
	if got := v.asked(id, to); got.status != 400 || !strings.HasPrefix(got.body, `{"error":"invalid_client"`) {
		t.Errorf("it is known: %d %s", got.status, got.body) // the made-up world has no such host
	}
	if out := v.run("client", "pin", id, file); !strings.Contains(out, "pinned "+id+", Claude Code") {
		t.Error(out)
	}
	access, refresh := v.grant(id, to)
	if !v.opens(access) {
		t.Error("the token opens nothing")
	}
	var grants []listedGrant
	v.read(&grants, "grant", "list", "--json")
	if len(grants) != 1 || grants[0].User != "anna@example.org" || grants[0].Client != "Claude Code" || grants[0].ClientID != id || *grants[0].RedirectHost != "localhost:7777" {
		t.Errorf("%+v", grants)
	}
	if out := v.run("client", "list"); !strings.Contains(out, "document, pinned") {
		t.Error(out)
	}
	if v.run("grant", "revoke", grants[0].ID, "--yes"); v.opens(access) {
		t.Error("it opens after all")
	}
	if access, _ := v.exchange(url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {refresh}}); access != "" {
		t.Error("it is renewed after all")
	}
	access, refresh = v.grant(id, to)
	other, otherRefresh := v.grant(id, "http://localhost:8888/callback") // on another computer, or again
	page := v.open(s.address + "/account/applications").body
	revoke := regexp.MustCompile(`action="(/account/applications/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(revoke) != 1 || !strings.Contains(page, "localhost:8888") {
		t.Fatalf("%s", page)
	}
	v.do(http.MethodPost, s.address+revoke[0][1], nil)
	for _, refresh := range []string{refresh, otherRefresh} {
		if access, _ := v.exchange(url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {refresh}}); access != "" {
			t.Error("72 an application that is revoked goes on")
		}
	}
	if v.opens(access) || v.opens(other) {
		t.Error("72 an application that is revoked goes on")
	}
	access, _ = v.grant(id, to)
	if v.run("client", "remove", id, "--yes"); v.opens(access) {
		t.Error("an application that is removed goes on")
	}
	if got := v.asked(id, to); got.status != 400 {
		t.Errorf("it is known: %d", got.status)
	}
	s.stop()

	s = startServer(t, dir, []string{"BIKETRIP_OAUTH_LOCALHOST_REDIRECTS=ignore"})
	v.server = s
	v.run("client", "pin", id, file)
	var link struct{ Link string }
	v.read(&link, "user", "link", "anna@example.org", "--json", "--default-uri", s.address)
	v.do(http.MethodPost, link.Link, nil)
	if got := v.asked(id, to); got.status != 400 || !strings.Contains(got.body, "redirect_uri") {
		t.Errorf("ignored, and taken: %d %s", got.status, got.body)
	}
	access, _ = v.grant(id, "http://127.0.0.1:7777/callback")
	if v.run("user", "email", "anna@example.org", "anna@example.com", "--yes"); v.opens(access) {
		t.Error("72 it outlives the address under which it was granted")
	}
	if got := v.open(s.address + "/account"); got.location != "/login" {
		t.Errorf("the browser is signed in: %d", got.status)
	}
	v.read(&link, "user", "link", "anna@example.com", "--json", "--default-uri", s.address)
	v.do(http.MethodPost, link.Link, nil)
	access, _ = v.grant(id, "http://127.0.0.1:7777/callback")
	if v.run("user", "delete", "anna@example.com", "--yes"); v.opens(access) {
		t.Error("72 it outlives its user")
	}
}

// TestRegisteredClient: an application that registers itself asks for access where
// the operator lets it.
func TestRegisteredClient(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil, "--oauth-dynamic-registration", "on", "--mcp-origins", "https://inspector.example")
	v := newConsenter(t, s, dir)
	register := func(s *server) *http.Response {
		r, err := http.NewRequest(http.MethodPost, s.address+"/oauth/register", strings.NewReader(`{"client_name":"Old agent","redirect_uris":["http://localhost:9/cb"]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "https://inspector.example")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	res := register(s)
	var registered struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(res.Body).Decode(&registered); err != nil || res.StatusCode != 201 || res.Header.Get("Access-Control-Allow-Origin") != "https://inspector.example" {
		t.Fatalf("%s %v", res.Status, err)
	}
	if access, _ := v.grant(registered.ID, "http://localhost:4711/cb"); !v.opens(access) {
		t.Error("the token opens nothing")
	}
	for range 9 {
		register(s)
	}
	if res := register(s); res.StatusCode != 429 || res.Header.Get("Retry-After") == "" {
		t.Errorf("103 an eleventh: %s", res.Status)
	}
	if _, page := s.get("/.well-known/oauth-authorization-server"); !strings.Contains(page, `"registration_endpoint":"`+s.address+`/oauth/register"`) {
		t.Error(page)
	}
	s.stop()
	off := startServer(t, dir, nil)
	if res := register(off); res.StatusCode != 404 {
		t.Errorf("104 off: %s", res.Status)
	}
	if _, page := off.get("/.well-known/oauth-authorization-server"); strings.Contains(page, "registration") {
		t.Error(page)
	}
}

// TestDestroying: verbs that destroy ask first, and change nothing for want of an
// answer.
func TestDestroying(t *testing.T) {
	db := dbIn(t.TempDir())
	biketrip("", "user", "add", "anna@example.org", "--db", db)
	_, out, _ := biketrip("", "client", "add", "--db", db, "--name", "Agent", "--json")
	var client struct{ ID string }
	if err := json.Unmarshal([]byte(out), &client); err != nil {
		t.Fatal(err)
	}
	biketrip("", "token", "--db", db, "--user", "anna@example.org", "--client", client.ID)
	_, out, _ = biketrip("", "grant", "list", "--db", db, "--json")
	var grants []listedGrant
	if err := json.Unmarshal([]byte(out), &grants); err != nil || len(grants) != 1 {
		t.Fatalf("%s %v", out, err)
	}
	for _, args := range [][]string{{"grant", "revoke", grants[0].ID}, {"client", "remove", client.ID}, {"user", "email", "anna@example.org", "ben@example.org"}, {"user", "delete", "anna@example.org"}} {
		for _, answer := range []string{"", "no\n", "y\n", "YES\n"} {
			if code, out, errs := biketrip(answer, append(args, "--db", db)...); code != exitError || out != "" || !strings.Contains(errs, "Type yes to go on") || !strings.Contains(errs, "nothing is changed") {
				t.Errorf("%v, %q: exit %d %s%s", args, answer, code, out, errs)
			}
		}
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"biketrip grant list", []string{"grant", "revoke", "x"}},
		{"biketrip client list", []string{"client", "remove", "x"}},
		{"is not pinned", []string{"client", "unpin", client.ID}},
		{"there is no user", []string{"user", "delete", "ben@example.org"}},
		{"there is no user", []string{"user", "email", "ben@example.org", "x@example.org"}},
		{"not an e-mail address", []string{"user", "email", "anna@example.org", "x"}},
		{"there is a user", []string{"user", "email", "anna@example.org", "ANNA@example.org", "--yes"}},
		{"names no document", []string{"client", "pin", "http://a.example/x", "/dev/null"}},
		{"cannot be used", []string{"client", "pin", "https://a.example/x", "/dev/null"}},
		{"no such file", []string{"client", "pin", "https://a.example/x", "/no/such"}},
		{"has more than 65536 bytes", []string{"client", "pin", "https://a.example/x", "/dev/zero"}},
	} {
		if code, _, errs := biketrip("", append(c.args, "--db", db)...); code != exitError || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d %s", c.args, code, errs)
		}
	}
	for _, args := range [][]string{{"grant", "revoke", grants[0].ID}, {"client", "remove", client.ID}, {"user", "email", "anna@example.org", "ben@example.org"}, {"user", "delete", "ben@example.org"}} {
		if code, _, errs := biketrip("yes\n", append(args, "--db", db)...); code != exitOK {
			t.Errorf("%v: exit %d %s", args, code, errs)
		}
	}
	if _, out, _ := biketrip("", "user", "list", "--db", db, "--json"); out != "[]\n" {
		t.Error(out)
	}
}
