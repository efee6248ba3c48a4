package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"biketrip/store"
	"biketrip/store/limit"
)

// A door is the authorization endpoint of an office, over HTTP, with the token
// endpoint beside it. Who is signed in stands in a header, as cookies do.
type door struct {
	*counter
	people map[string]Person
}

func newDoor(t testing.TB) *door {
	t.Helper()
	d := &door{counter: &counter{office: newOffice(t)}}
	var err error
	if d.client, err = AddClient(t.Context(), d.file, "Anna's agent", []string{"http://127.0.0.1:5/cb", "https://client.example/cb?a=b"}); err != nil {
		t.Fatal(err)
	}
	var ben store.User
	d.update(func(tx *store.Tx) (err error) {
		ben, err = tx.CreateUser("ben@example.org", "en")
		return err
	})
	d.people = map[string]Person{
		"anna":  {UserID: d.user.ID, Email: d.user.Email, Session: store.Hash{1}},
		"anna2": {UserID: d.user.ID, Email: d.user.Email, Session: store.Hash{2}},
		"ben":   {UserID: ben.ID, Email: ben.Email, Session: store.Hash{3}},
	}
	d.server.signedIn = func(r *http.Request) (Person, bool) {
		p, ok := d.people[r.Header.Get("X-Person")]
		return p, ok
	}
	router := chi.NewRouter()
	d.server.Routes(router)
	s := httptest.NewServer(router)
	t.Cleanup(s.Close)
	d.url = s.URL + "/oauth/token"
	return d
}

// wish is what the agent asks for, with other values, in pairs; an empty one takes
// a field away.
func (d *door) wish(pairs ...string) url.Values {
	return with(url.Values{
		"client_id": {d.client.ID}, "redirect_uri": {"http://127.0.0.1:33418/cb"}, "response_type": {"code"}, "scope": {"trips:read trips:write"}, "state": {"a b"},
		"code_challenge": {testChallenge}, "code_challenge_method": {"S256"}, "resource": {testURI + "/mcp"},
	}, pairs...)
}

// visit opens the authorization endpoint in a browser.
func (d *door) visit(person, query string, change ...func(*http.Request)) got {
	d.t.Helper()
	r, err := http.NewRequest(http.MethodGet, strings.TrimSuffix(d.url, "/token")+"/authorize?"+query, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("X-Person", person)
	for _, change := range change {
		change(r)
	}
	return d.send(r)
}

// send sends a request, and follows no redirect.
func (d *door) send(r *http.Request) got {
	d.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	g := got{status: res.StatusCode, header: res.Header, body: string(body)}
	_ = json.Unmarshal(body, &g) // of an answer in JSON
	return g
}

// to is where an answer leads.
func (g got) to() string { return g.header.Get("Location") }

// refusedHere says that nobody heard of a request but who made it.
func (d *door) refusedHere(what string, g got, status int, code string) {
	d.t.Helper()
	if g.status != status || g.to() != "" || !strings.HasPrefix(g.body, `{"error":"`+code+`","error_description":"`) || g.header.Get("Cache-Control") != "no-store" {
		d.t.Errorf("%s: %d %s %v", what, g.status, g.body, g.header)
	}
}

// park asks for the usual and gives the handle.
func (d *door) park() string {
	d.t.Helper()
	g := d.visit("anna", d.wish().Encode())
	handle, ok := strings.CutPrefix(g.to(), ConsentPath)
	if g.status != 302 || !ok || len(handle) != 43 {
		d.t.Fatalf("%d %v %s", g.status, g.header, g.body)
	}
	return handle
}

// decide decides as anna and gives where the browser goes.
func (d *door) decide(handle string, decision store.Decision) got {
	d.t.Helper()
	to, err := d.server.Decide(context.Background(), d.people["anna"], handle, decision)
	if err != nil {
		d.t.Fatal(err)
	}
	_, query, _ := strings.Cut(to, "?")
	return d.visit("anna", query)
}

// TestAuthorization: from the wish of an application to tokens.
func TestAuthorization(t *testing.T) {
	d := newDoor(t)
	handle := d.park()
	shown, err := d.server.Request(t.Context(), d.people["anna"], handle)
	if err != nil || shown.ClientName != "Anna's agent" || shown.RedirectHost != "127.0.0.1:33418" || shown.Loopback || shown.ClientHost != "" || len(shown.Scopes) != 2 {
		t.Errorf("%+v, %v", shown, err)
	}
	if g := d.visit("anna", "request="+handle); g.to() != ConsentPath+handle {
		t.Errorf("39 an undecided request leads to %s", g.to())
	}
	g := d.decide(handle, store.Authorize)
	u, err := url.Parse(g.to())
	if err != nil || g.status != 302 || !strings.HasPrefix(g.to(), "http://127.0.0.1:33418/cb?code=") || u.Query().Get("iss") != testURI || u.Query().Get("state") != "a b" || len(u.Query()) != 3 || g.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", g.status, g.to())
	}
	tokens := d.post(with(d.form(u.Query().Get("code")), "redirect_uri", "http://127.0.0.1:33418/cb"))
	if tokens.status != 200 || tokens.Scope != "trips:read trips:write" || !d.opens(tokens.AccessToken) {
		t.Errorf("%d %s", tokens.status, tokens.body)
	}
	d.update(func(tx *store.Tx) error {
		grants, err := tx.Grants(d.user.ID, d.client.ID)
		if err != nil || len(grants) != 1 || grants[0].RedirectHost != "127.0.0.1:33418" || grants[0].ClientName != "Anna's agent" {
			t.Errorf("%+v, %v", grants, err)
		}
		return nil
	})
	refused := d.decide(d.park(), store.Refuse)
	if want := "http://127.0.0.1:33418/cb?error=access_denied&error_description=The+person+has+refused.&iss=https%3A%2F%2Ftrips.example&state=a+b"; refused.to() != want {
		t.Errorf("28 refused: %s", refused.to())
	}
}

// TestAuthorizeAttacks are the attacks on the authorization endpoint and on parked
// requests, by their number, and what they get.
func TestAuthorizeAttacks(t *testing.T) {
	for name, attack := range map[string]func(d *door){
		"1 to 6 unknown clients": func(d *door) {
			for _, id := range []string{"", "nobody", "http://client.example/doc", "https://client.example", strings.Repeat("x", 3000)} {
				d.refusedHere(id, d.visit("anna", d.wish("client_id", id).Encode()), 400, "invalid_client")
			}
		},
		"7 to 10 other redirect URIs": func(d *door) {
			for _, uri := range []string{"", "http://127.0.0.1:6/cb2", "https://client.example/cb", "https://evil.example", "javascript:alert(1)", "http://localhost:5/cb", "//evil.example", "http://127.0.0.1:0/cb"} {
				d.refusedHere(uri, d.visit("anna", d.wish("redirect_uri", uri).Encode()), 400, "invalid_request")
			}
		},
		"11 to 15 other ways": func(d *door) {
			for _, c := range []struct{ field, value, code string }{
				{"code_challenge", "", "invalid_request"}, {"code_challenge", testChallenge[:42], "invalid_request"}, {"code_challenge", testChallenge + "=", "invalid_request"}, {"code_challenge", testChallenge[:42] + "=", "invalid_request"},
				{"code_challenge_method", "", "invalid_request"}, {"code_challenge_method", "plain", "invalid_request"},
				{"response_type", "", "unsupported_response_type"}, {"response_type", "token", "unsupported_response_type"}, {"response_type", "code id_token", "unsupported_response_type"},
			} {
				g := d.visit("anna", d.wish(c.field, c.value).Encode())
				u, err := url.Parse(g.to())
				if err != nil || g.status != 302 || !strings.HasPrefix(g.to(), "http://127.0.0.1:33418/cb?") || u.Query().Get("error") != c.code || u.Query().Get("iss") != testURI || u.Query().Get("state") != "a b" || u.Query().Has("code") {
					d.t.Errorf("%s=%s: %d %s %s", c.field, c.value, g.status, g.to(), g.body)
				}
			}
			if g := d.visit("anna", d.wish("response_mode", "form_post", "prompt", "none").Encode()); !strings.HasPrefix(g.to(), ConsentPath) {
				d.t.Errorf("what is not known here counts: %s", g.to())
			}
		},
		"16 fields twice": func(d *door) {
			for _, field := range authorizeFields {
				d.refusedHere(field, d.visit("anna", d.wish(field, "x").Encode()+"&"+field+"=y"), 400, "invalid_request")
			}
			d.refusedHere("half a percent", d.visit("anna", d.wish().Encode()+"&x=%z"), 400, "invalid_request")
		},
		"17 scopes": func(d *door) {
			for _, scope := range []string{"", " ", "openid offline_access", "https://evil.example"} {
				d.refusedHere(scope, d.visit("anna", d.wish("scope", scope).Encode()), 400, "invalid_scope")
			}
			g := d.visit("anna", d.wish("scope", " offline_access  trips:read ").Encode())
			shown, err := d.server.Request(context.Background(), d.people["anna"], strings.TrimPrefix(g.to(), ConsentPath))
			if err != nil || len(shown.Scopes) != 1 || shown.Scopes[0] != testRead {
				d.t.Errorf("%+v, %v", shown, err)
			}
		},
		"18 resources": func(d *door) {
			for _, resource := range []string{testURI, testURI + "/", testURI + "/mcp/", testURI + "/mcp?x", testURI + "/mcp#f", "https://other.example/mcp", "/mcp"} {
				d.refusedHere(resource, d.visit("anna", d.wish("resource", resource).Encode()), 400, "invalid_target")
			}
			if g := d.visit("anna", d.wish("resource", "").Encode()); !strings.HasPrefix(g.to(), ConsentPath) {
				d.t.Errorf("without one: %s %s", g.to(), g.body)
			}
		},
		"19, 20 signed out": func(d *door) {
			for _, change := range []func(*http.Request){func(*http.Request) {}, func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+d.issue(testRead).Token)
			}} {
				if g := d.visit("", d.wish().Encode(), change); g.status != 302 || g.to() != "/login" {
					d.t.Errorf("%d %s", g.status, g.to())
				}
			}
		},
		"21, 22 other methods, and browsers that look ahead": func(d *door) {
			for _, method := range []string{"POST", "HEAD", "PUT"} {
				if g := d.visit("anna", d.wish().Encode(), func(r *http.Request) { r.Method = method }); g.status != 405 || g.header.Get("Allow") != "GET" || g.to() != "" {
					d.t.Errorf("%s: %d %v", method, g.status, g.header)
				}
			}
			handle := d.park()
			if _, err := d.server.Decide(context.Background(), d.people["anna"], handle, store.Authorize); err != nil {
				d.t.Fatal(err)
			}
			d.refusedHere("prefetch", d.visit("anna", "request="+handle, func(r *http.Request) { r.Header.Set("Sec-Purpose", "prefetch;prerender") }), 503, "invalid_request")
			if g := d.visit("anna", "request="+handle); !strings.Contains(g.to(), "code=") {
				d.t.Errorf("the decision is spent: %s", g.body)
			}
		},
		"23 state": func(d *door) {
			d.refusedHere("a long one", d.visit("anna", d.wish("state", strings.Repeat("x", maxState+1)).Encode()), 400, "invalid_request")
			g := d.visit("anna", d.wish("state", "x\r\nSet-Cookie: a=b&code=evil", "response_type", "token").Encode())
			if u, err := url.Parse(g.to()); err != nil || u.Query().Get("state") != "x\r\nSet-Cookie: a=b&code=evil" || u.Query().Has("code") || g.header.Get("Set-Cookie") != "" {
				d.t.Errorf("%s", g.to())
			}
		},
		"25 too often": func(d *door) {
			d.server.authorizations = limit.New(30, 5*time.Minute, func() time.Time { return d.now })
			for range 30 {
				d.park()
			}
			g := d.visit("anna", d.wish().Encode())
			d.refusedHere("one more", g, 429, "rate_limited")
			if g.header.Get("Retry-After") != "300" {
				d.t.Errorf("%v", g.header)
			}
			if g := d.visit("ben", d.wish().Encode()); g.status != 302 {
				d.t.Errorf("somebody else: %d %s", g.status, g.body)
			}
		},
		"26 a long address": func(d *door) {
			p := d.people["anna"]
			p.Email = strings.Repeat("é", 117) + "@example.org"
			d.people["anna"] = p
			d.refusedHere("129 characters", d.visit("anna", d.wish().Encode()), 400, "server_error")
			p.Email = p.Email[2:]
			d.people["anna"] = p
			d.park()
		},
		"29, 30 requests of others": func(d *door) {
			handle := d.park()
			unknown := d.visit("anna", "request=unknown")
			d.refusedHere("unknown", unknown, 400, "invalid_request")
			for _, person := range []string{"ben", "anna2"} {
				if g := d.visit(person, "request="+handle); g.body != unknown.body || g.status != unknown.status {
					d.t.Errorf("%s: %d %s", person, g.status, g.body)
				}
				if _, err := d.server.Request(context.Background(), d.people[person], handle); err != ErrNoRequest {
					d.t.Errorf("%s sees it: %v", person, err)
				}
				if _, err := d.server.Decide(context.Background(), d.people[person], handle, store.Authorize); err != ErrNoRequest {
					d.t.Errorf("%s decides it: %v", person, err)
				}
			}
		},
		"31 after its time": func(d *door) {
			early, late := d.park(), d.park()
			d.now = d.now.Add(requestLife - time.Millisecond)
			if g := d.decide(early, store.Authorize); !strings.Contains(g.to(), "code=") {
				d.t.Errorf("before its time is over: %s", g.body)
			}
			d.now = d.now.Add(time.Millisecond)
			if _, err := d.server.Decide(context.Background(), d.people["anna"], late, store.Authorize); err != ErrNoRequest {
				d.t.Error(err)
			}
			d.refusedHere("at its end", d.visit("anna", "request="+late), 400, "invalid_request")
		},
		"32 guessing handles": func(d *door) {
			d.server.authorizations = limit.New(30, 5*time.Minute, func() time.Time { return d.now })
			d.park()
			for i := range 10_000 {
				if _, err := d.server.Request(context.Background(), d.people["anna"], fmt.Sprintf("%043d", i)); err != ErrNoRequest {
					d.t.Fatal(err)
				}
			}
			for range 29 {
				d.refusedHere("a guess", d.visit("anna", "request=guess"), 400, "invalid_request")
			}
			d.refusedHere("one more", d.visit("anna", "request=guess"), 429, "rate_limited")
		},
		"36 to 38 twice": func(d *door) {
			handle := d.park()
			first := d.decide(handle, store.Authorize)
			if _, err := d.server.Decide(context.Background(), d.people["anna"], handle, store.Authorize); err != nil {
				d.t.Errorf("the same again: %v", err)
			}
			if _, err := d.server.Decide(context.Background(), d.people["anna"], handle, store.Refuse); err != ErrDecided {
				d.t.Errorf("another one: %v", err)
			}
			if !strings.Contains(first.to(), "code=") {
				d.t.Error(first.to())
			}
			d.refusedHere("a reload", d.visit("anna", "request="+handle), 400, "invalid_request")
		},
		"43 a client that changes": func(d *door) {
			handle := d.park()
			d.sql(`UPDATE client SET redirect_uris = '["https://evil.example/cb"]' WHERE id = ?`, d.client.ID)
			d.refusedHere("another redirect URI", d.decide(handle, store.Authorize), 400, "invalid_client")
			d.update(func(tx *store.Tx) error {
				if grants, err := tx.Grants(d.user.ID, d.client.ID); err != nil || len(grants) != 0 {
					d.t.Errorf("%v, %v", grants, err)
				}
				return nil
			})
		},
		"44 a person who has granted before": func(d *door) {
			d.decide(d.park(), store.Authorize)
			d.park()
		},
	} {
		t.Run(name, func(t *testing.T) { attack(newDoor(t)) })
	}
}

// TestDecideAtOnce: of a decision that is clicked twice one code comes, however
// many browsers' tabs fetch it.
func TestDecideAtOnce(t *testing.T) {
	d := newDoor(t)
	for range 20 {
		handle := d.park()
		var all sync.WaitGroup
		codes := make(chan string, 16)
		for range 16 {
			all.Go(func() {
				if _, err := d.server.Decide(context.Background(), d.people["anna"], handle, store.Authorize); err != nil {
					t.Error(err)
				}
				g := d.visit("anna", "request="+handle)
				switch {
				case g.status == 302:
					codes <- g.to()
				case g.status != 400:
					t.Errorf("%d %s", g.status, g.body)
				}
			})
		}
		all.Wait()
		if len(codes) != 1 {
			t.Errorf("%d codes", len(codes))
		}
	}
}
