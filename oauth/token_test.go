package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"biketrip/store"
	"biketrip/store/limit"
)

// The verifier of RFC 7636, appendix B, and the challenge that is made of it.
const (
	testVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	testChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	testRedirect  = "http://127.0.0.1:33418/cb"
)

// A counter is the token endpoint of an office, over HTTP.
type counter struct {
	*office
	url   string
	codes int
}

func newCounter(t testing.TB) *counter {
	t.Helper()
	o := newOffice(t)
	router := chi.NewRouter()
	o.server.Routes(router)
	s := httptest.NewServer(router)
	t.Cleanup(s.Close)
	return &counter{office: o, url: s.URL + "/oauth/token"}
}

// grant is what anna grants to the agent by consent.
func (c *counter) grant(scopes ...string) store.Grant {
	c.t.Helper()
	g := store.Grant{UserID: c.user.ID, ClientID: c.client.ID, ClientName: "Agent", RedirectHost: "127.0.0.1", Scopes: scopes}
	c.update(func(tx *store.Tx) error { return tx.CreateGrant(&g) })
	return g
}

// code is a code of a grant, good for two minutes.
func (c *counter) code(g store.Grant) string {
	c.t.Helper()
	c.codes++
	code := fmt.Sprintf("code-%d", c.codes)
	c.update(func(tx *store.Tx) error {
		return tx.CreateCode(store.AuthorizationCode{Hash: HashOf(code), GrantID: g.ID, RedirectURI: testRedirect, Challenge: testChallenge, ExpiresAt: c.now.Add(2 * time.Minute)})
	})
	return code
}

// form is a request for the tokens of a code.
func (c *counter) form(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {c.client.ID}, "code": {code}, "redirect_uri": {testRedirect}, "code_verifier": {testVerifier}, "resource": {testURI + "/mcp"}}
}

// renewal is a request for the tokens of a refresh token.
func (c *counter) renewal(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {c.client.ID}, "refresh_token": {token}}
}

// got is what the token endpoint has answered.
type got struct {
	status int
	header http.Header
	body   string
	tokens
	Error string
}

func (c *counter) post(form url.Values, change ...func(*http.Request)) got {
	c.t.Helper()
	g, err := c.try(form, change...)
	if err != nil {
		c.t.Fatal(err)
	}
	return g
}

func (c *counter) try(form url.Values, change ...func(*http.Request)) (got, error) {
	r, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(form.Encode()))
	if err != nil {
		return got{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, change := range change {
		change(r)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return got{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	g := got{status: res.StatusCode, header: res.Header, body: string(body)}
	if err == nil {
		err = json.Unmarshal(body, &g)
	}
	return g, err
}

// refused says that a request got an error, in the published form.
func (c *counter) refused(what string, g got, status int, code string) {
	c.t.Helper()
	if g.status != status || g.Error != code || g.header.Get("Content-Type") != "application/json" || g.header.Get("Cache-Control") != "no-store" || g.AccessToken != "" {
		c.t.Errorf("%s: %d %s %v", what, g.status, g.body, g.header)
	}
}

// opens says whether an access token opens anything.
func (c *counter) opens(token string) bool {
	_, err := c.server.Verify(context.Background(), token)
	return err == nil
}

// with is a form with other values, in pairs; an empty one takes a field away.
func with(form url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		form.Del(pairs[i])
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return form
}

// TestTokens: a code gives tokens, whole as it is sent; the access token opens what
// was granted, and the refresh token gives new ones.
func TestTokens(t *testing.T) {
	c := newCounter(t)
	g := c.post(c.form(c.code(c.grant(testRead, testWrite))))
	want := `{"access_token":"` + g.AccessToken + `","token_type":"Bearer","expires_in":900,"refresh_token":"` + g.RefreshToken + `","scope":"trips:read trips:write"}`
	if g.status != 200 || g.body != want || g.header.Get("Cache-Control") != "no-store" || g.header.Get("Content-Type") != "application/json" || g.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v\n%s\nwant %s", g.status, g.header, g.body, want)
	}
	if a, err := c.server.Verify(t.Context(), g.AccessToken); err != nil || a.UserID != c.user.ID || a.ClientID != c.client.ID || !slices.Equal(a.Scopes, []string{testRead, testWrite}) {
		t.Errorf("%+v, %v", a, err)
	}
	if len(g.RefreshToken) != 46 || !strings.HasPrefix(g.RefreshToken, "rt_") {
		t.Errorf("refresh token of %d letters", len(g.RefreshToken))
	}
	again := c.post(c.renewal(g.RefreshToken))
	if again.status != 200 || again.RefreshToken == g.RefreshToken || !c.opens(again.AccessToken) || !c.opens(g.AccessToken) {
		t.Errorf("%d %s", again.status, again.body)
	}
	// A redirect URI need not be said again, nor a resource (OAuth 2.1).
	if g := c.post(with(c.form(c.code(c.grant(testRead))), "redirect_uri", "", "resource", "")); g.status != 200 || g.Scope != testRead {
		t.Errorf("%d %s", g.status, g.body)
	}
	// The letters of scheme and host count for nothing.
	if g := c.post(with(c.form(c.code(c.grant(testRead))), "resource", "HTTPS://Trips.Example/mcp")); g.status != 200 {
		t.Errorf("%d %s", g.status, g.body)
	}
}

// TestTokenAttacks are the attacks on the token endpoint, by their number, and
// what they get.
func TestTokenAttacks(t *testing.T) {
	basic := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	raw := func(kind, body string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Content-Type", kind)
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
	}
	for name, attack := range map[string]func(c *counter){
		"45 a code again, with its verifier": func(c *counter) {
			form := c.form(c.code(c.grant(testRead)))
			first := c.post(form)
			c.refused("again", c.post(form), 400, "invalid_grant")
			if c.opens(first.AccessToken) {
				c.t.Error("the access token of a code that was stolen is still good")
			}
			c.refused("its refresh token", c.post(c.renewal(first.RefreshToken)), 400, "invalid_grant")
		},
		"46 a code again, without its verifier": func(c *counter) {
			form := c.form(c.code(c.grant(testRead)))
			first := c.post(form)
			for _, verifier := range []string{"", strings.Repeat("x", 43)} {
				c.refused("again", c.post(with(form, "code_verifier", verifier)), 400, "invalid_grant")
			}
			if !c.opens(first.AccessToken) {
				c.t.Error("anybody with a code from a history can sign a person out")
			}
		},
		"48 a wrong verifier, then the right one": func(c *counter) {
			form := c.form(c.code(c.grant(testRead)))
			c.refused("wrong", c.post(with(form, "code_verifier", strings.Repeat("x", 43))), 400, "invalid_grant")
			if g := c.post(with(form, "code_verifier", testVerifier)); g.status != 200 {
				c.t.Errorf("the code is burned: %d %s", g.status, g.body)
			}
		},
		"49 verifiers that are none": func(c *counter) {
			code := c.code(c.grant(testRead))
			for _, verifier := range []string{"", "x", testVerifier[:42], strings.Repeat("x", 129), strings.Repeat("é", 43), testVerifier + "=", testVerifier + "\x00"} {
				c.refused(verifier, c.post(with(c.form(code), "code_verifier", verifier)), 400, "invalid_grant")
			}
		},
		"50 the code of another client": func(c *counter) {
			form := c.form(c.code(c.grant(testRead)))
			c.refused("another client", c.post(with(form, "client_id", "another")), 400, "invalid_grant")
			if g := c.post(with(form, "client_id", c.client.ID)); g.status != 200 {
				c.t.Errorf("the code is burned: %s", g.body)
			}
		},
		"51 another redirect URI": func(c *counter) {
			code := c.code(c.grant(testRead))
			for _, uri := range []string{"http://127.0.0.1:33419/cb", "http://127.0.0.1/cb", "http://localhost:33418/cb", testRedirect + "/", "https://evil.example"} {
				c.refused(uri, c.post(with(c.form(code), "redirect_uri", uri)), 400, "invalid_grant")
			}
			c.refused("an empty one", c.post(url.Values{"grant_type": {"authorization_code"}, "client_id": {c.client.ID}, "code": {code}, "redirect_uri": {""}, "code_verifier": {testVerifier}}), 400, "invalid_grant")
		},
		"52 a code after its time": func(c *counter) {
			code, late := c.code(c.grant(testRead)), c.code(c.grant(testRead))
			c.now = c.now.Add(2*time.Minute - time.Millisecond)
			if g := c.post(c.form(code)); g.status != 200 {
				c.t.Errorf("before its time is over: %s", g.body)
			}
			c.now = c.now.Add(time.Millisecond)
			c.refused("at its end", c.post(c.form(late)), 400, "invalid_grant")
		},
		"53 other grants": func(c *counter) {
			for _, grant := range []string{"password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"} {
				c.refused(grant, c.post(with(c.form("x"), "grant_type", grant)), 400, "unsupported_grant_type")
			}
			c.refused("none", c.post(with(c.form("x"), "grant_type", "")), 400, "invalid_request")
		},
		"54 parameters elsewhere": func(c *counter) {
			form := c.form(c.code(c.grant(testRead)))
			c.refused("in the address", c.post(url.Values{}, func(r *http.Request) { r.URL.RawQuery = form.Encode() }), 400, "invalid_request")
			c.refused("JSON", c.post(nil, raw("application/json", `{"grant_type":"authorization_code"}`)), 400, "invalid_request")
			c.refused("multipart", c.post(nil, raw("multipart/form-data; boundary=x", "--x--")), 400, "invalid_request")
			c.refused("no type", c.post(nil, raw("", form.Encode())), 400, "invalid_request")
			c.refused("too much", c.post(with(form, "x", strings.Repeat("x", maxForm))), 400, "invalid_request")
			for _, field := range []string{"code", "client_id", "resource", "grant_type", "code_verifier"} {
				c.refused("twice "+field, c.post(nil, raw("application/x-www-form-urlencoded", form.Encode()+"&"+field+"=x")), 400, "invalid_request")
			}
			c.refused("half a percent", c.post(nil, raw("application/x-www-form-urlencoded", "grant_type=%z")), 400, "invalid_request")
		},
		"55 secrets": func(c *counter) {
			form := with(c.form(c.code(c.grant(testRead))), "client_id", "")
			c.refused("nobody", c.post(form), 400, "invalid_request")
			if g := c.post(form, basic(c.client.ID, "secret")); g.status != 401 || g.Error != "invalid_client" || !strings.HasPrefix(g.header.Get("WWW-Authenticate"), "Basic ") {
				c.t.Errorf("%d %v %s", g.status, g.header, g.body)
			}
			c.refused("another scheme", c.post(form, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }), 401, "invalid_client")
			c.refused("in the body", c.post(with(c.form("x"), "client_secret", "x")), 400, "invalid_client")
			c.refused("an assertion", c.post(with(c.form("x"), "client_assertion", "x")), 400, "invalid_client")
			c.refused("two clients", c.post(with(c.form("x"), "client_id", "other"), basic(c.client.ID, "")), 400, "invalid_request")
			if g := c.post(form, basic(url.QueryEscape(c.client.ID), "")); g.status != 200 {
				c.t.Errorf("Basic without a password: %d %s", g.status, g.body)
			}
		},
		"56 a refresh token again, late": func(c *counter) {
			first := c.post(c.form(c.code(c.grant(testRead))))
			second := c.post(c.renewal(first.RefreshToken))
			c.now = c.now.Add(rotationGrace + time.Millisecond)
			c.refused("again", c.post(c.renewal(first.RefreshToken)), 400, "invalid_grant")
			c.refused("the last of the family", c.post(c.renewal(second.RefreshToken)), 400, "invalid_grant")
			if c.opens(second.AccessToken) || c.opens(first.AccessToken) {
				c.t.Error("an access token of the family is still good")
			}
		},
		"57 a refresh token again, at once": func(c *counter) {
			first := c.post(c.form(c.code(c.grant(testRead))))
			second := c.post(c.renewal(first.RefreshToken))
			c.now = c.now.Add(rotationGrace)
			c.refused("again", c.post(c.renewal(first.RefreshToken)), 400, "invalid_grant")
			if g := c.post(c.renewal(second.RefreshToken)); g.status != 200 || !c.opens(second.AccessToken) {
				c.t.Errorf("the family is revoked: %s", g.body)
			}
		},
		"59 other scopes": func(c *counter) {
			first := c.post(c.form(c.code(c.grant(testRead))))
			c.refused("a wider one", c.post(with(c.renewal(first.RefreshToken), "scope", "trips:read trips:write")), 400, "invalid_scope")
			both := c.post(c.form(c.code(c.grant(testRead, testWrite))))
			narrow := c.post(with(c.renewal(both.RefreshToken), "scope", " trips:read  offline_access "))
			if a, err := c.server.Verify(context.Background(), narrow.AccessToken); err != nil || !slices.Equal(a.Scopes, []string{testRead}) || narrow.Scope != testRead {
				c.t.Errorf("%+v, %v, %s", a, err, narrow.body)
			}
			if whole := c.post(with(c.renewal(narrow.RefreshToken), "scope", "openid")); whole.Scope != "trips:read trips:write" {
				c.t.Errorf("the refresh token is narrowed: %s", whole.body)
			}
			if g := c.post(c.renewal(first.RefreshToken)); g.status != 200 {
				c.t.Errorf("a refusal has used the token: %s", g.body)
			}
		},
		"60 another resource": func(c *counter) {
			first := c.post(c.form(c.code(c.grant(testRead))))
			for _, resource := range []string{testURI, testURI + "/", testURI + "/mcp/", testURI + "/MCP", testURI + "/mcp?x", testURI + "/mcp#f", "https://other.example/mcp", "mcp"} {
				c.refused(resource, c.post(with(c.renewal(first.RefreshToken), "resource", resource)), 400, "invalid_target")
			}
			c.refused("an empty one", c.post(url.Values{"grant_type": {"refresh_token"}, "client_id": {c.client.ID}, "refresh_token": {first.RefreshToken}, "resource": {""}}), 400, "invalid_target")
			if g := c.post(with(c.renewal(first.RefreshToken), "resource", testURI+"/mcp")); g.status != 200 {
				c.t.Errorf("it is used: %s", g.body)
			}
		},
		"61 one kind of secret for another": func(c *counter) {
			code := c.code(c.grant(testRead))
			first := c.post(c.form(c.code(c.grant(testRead))))
			c.refused("a refresh token as a code", c.post(c.form(first.RefreshToken)), 400, "invalid_grant")
			c.refused("a code as a refresh token", c.post(c.renewal(code)), 400, "invalid_grant")
			c.refused("an access token as a refresh token", c.post(c.renewal(first.AccessToken)), 400, "invalid_grant")
			if c.opens(first.RefreshToken) || c.opens(code) {
				c.t.Error("it opens something")
			}
		},
		"61 a refresh token after its time, and of another client": func(c *counter) {
			first := c.post(c.form(c.code(c.grant(testRead))))
			c.refused("another client", c.post(with(c.renewal(first.RefreshToken), "client_id", "other")), 400, "invalid_grant")
			c.now = c.now.Add(refreshLife)
			c.refused("a month later", c.post(c.renewal(first.RefreshToken)), 400, "invalid_grant")
			c.refused("none", c.post(with(c.renewal("x"), "refresh_token", "")), 400, "invalid_request")
		},
		"62 too often": func(c *counter) {
			from := "a"
			c.server.address = func(*http.Request) string { return from }
			c.server.exchanges = limit.New(60, time.Minute, func() time.Time { return c.now })
			for range 60 {
				c.refused("a guess", c.post(c.form("x")), 400, "invalid_grant")
			}
			c.now = c.now.Add(15 * time.Second)
			g := c.post(c.form("x"), func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") })
			c.refused("one more", g, 429, "rate_limited")
			if g.header.Get("Retry-After") != "45" {
				c.t.Errorf("%v", g.header)
			}
			from = "b"
			c.refused("from elsewhere", c.post(c.form("x")), 400, "invalid_grant")
		},
		"72 what is revoked": func(c *counter) {
			g := c.grant(testRead)
			code := c.code(g)
			first := c.post(c.form(c.code(g)))
			c.update(func(tx *store.Tx) error { return tx.RevokeGrant(g.ID, "by its user") })
			c.refused("a code", c.post(c.form(code)), 400, "invalid_grant")
			c.refused("a refresh token", c.post(c.renewal(first.RefreshToken)), 400, "invalid_grant")
		},
		"other methods": func(c *counter) {
			for _, method := range []string{"GET", "PUT", "DELETE", "OPTIONS"} {
				g := c.post(c.form("x"), func(r *http.Request) { r.Method = method })
				if g.status != 405 || g.header.Get("Allow") != "POST" {
					c.t.Errorf("%s: %d %v", method, g.status, g.header)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) { attack(newCounter(t)) })
	}
}

// TestProves: the example of RFC 7636, appendix B.
func TestProves(t *testing.T) {
	if !proves(testVerifier, testChallenge) || proves(testVerifier, testChallenge[:42]+"N") || proves(testChallenge, testChallenge) {
		t.Error("S256 is not what it is")
	}
}

// atOnce sends requests at the same time and gives the answers; an error of ours
// among them fails the test.
func (c *counter) atOnce(forms ...url.Values) []got {
	c.t.Helper()
	answers := make([]got, len(forms))
	var all sync.WaitGroup
	for i, form := range forms {
		all.Go(func() {
			g, err := c.try(form)
			if err != nil || g.status != 200 && (g.status != 400 || g.Error != "invalid_grant") {
				c.t.Errorf("%v, %d %s", err, g.status, g.body)
			}
			answers[i] = g
		})
	}
	all.Wait()
	return answers
}

// good are the answers that give tokens.
func good(answers []got) []got {
	return slices.DeleteFunc(answers, func(g got) bool { return g.status != 200 })
}

// TestTokensAtOnce: of many callers with one secret one gets tokens, the others are
// refused, and nothing breaks.
func TestTokensAtOnce(t *testing.T) {
	const codes, callers = 50, 16
	c := newCounter(t)
	t.Run("47 codes", func(t *testing.T) {
		for range codes {
			code := c.code(c.grant(testRead))
			same := make([]url.Values, callers)
			for i := range same {
				same[i] = c.form(code)
			}
			if n := len(good(c.atOnce(same...))); n != 1 {
				t.Errorf("%d callers got tokens for one code", n)
			}
		}
	})
	t.Run("58 refresh tokens", func(t *testing.T) {
		for range codes {
			first := c.post(c.form(c.code(c.grant(testRead))))
			same := make([]url.Values, callers)
			for i := range same {
				same[i] = c.renewal(first.RefreshToken)
			}
			answers := good(c.atOnce(same...))
			if len(answers) != 1 {
				t.Fatalf("%d callers got tokens for one refresh token", len(answers))
			}
			if g := c.post(c.renewal(answers[0].RefreshToken)); g.status != 200 {
				t.Errorf("the one who was first cannot go on: %s", g.body)
			}
		}
	})
	t.Run("revoked meanwhile", func(t *testing.T) {
		for range codes {
			g := c.grant(testRead)
			first := c.post(c.form(c.code(g)))
			var all sync.WaitGroup
			all.Go(func() {
				if err := c.file.Update(context.Background(), func(tx *store.Tx) error { return tx.RevokeGrant(g.ID, "by its user") }); err != nil {
					t.Error(err)
				}
			})
			for _, won := range good(c.atOnce(c.renewal(first.RefreshToken), c.renewal(first.RefreshToken))) {
				all.Wait()
				if c.opens(won.AccessToken) {
					t.Error("a token outlives its grant")
				}
			}
			all.Wait()
		}
	})
	t.Run("another address meanwhile", func(t *testing.T) {
		for i := range codes {
			code := c.code(c.grant(testRead))
			var all sync.WaitGroup
			all.Go(func() {
				if err := c.file.Update(context.Background(), func(tx *store.Tx) error { return tx.ChangeEmail(c.user.ID, fmt.Sprintf("anna%d@example.org", i)) }); err != nil {
					t.Error(err)
				}
			})
			answers := good(c.atOnce(c.form(code), c.form(code), c.form(code)))
			all.Wait()
			for _, won := range answers {
				if c.opens(won.AccessToken) {
					t.Error("72 a token outlives the address under which it was granted")
				}
				c.refused("its refresh token", c.post(c.renewal(won.RefreshToken)), 400, "invalid_grant")
			}
			c.refused("its code", c.post(c.form(code)), 400, "invalid_grant")
		}
	})
	t.Run("keys renewed meanwhile", func(t *testing.T) {
		token := c.post(c.form(c.code(c.grant(testRead)))).AccessToken
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range 20 {
					if !c.opens(token) {
						t.Error("a token is refused")
					}
				}
			})
		}
		all.Go(func() {
			for range 20 {
				if err := c.keys.Renew(); err != nil {
					t.Error(err)
				}
			}
		})
		all.Wait()
	})
}
