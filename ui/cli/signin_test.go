package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"biketrip/jobs/plan/view"
)

// A browser follows no redirect by itself, so that a test sees each.
type browser struct {
	t      *testing.T
	client *http.Client
}

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// seen is what a browser got.
type seen struct {
	status   int
	location string
	header   http.Header
	body     string
}

func (b *browser) do(method, address string, form url.Values, header ...string) seen {
	b.t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,*/*")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return seen{res.StatusCode, res.Header.Get("Location"), res.Header, string(body)}
}

func (b *browser) open(address string, header ...string) seen {
	b.t.Helper()
	return b.do(http.MethodGet, address, nil, header...)
}

// guarded says that a page has what every page has around it.
func (b *browser) guarded(s seen) {
	b.t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Frame-Options":         "DENY", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
		"Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
	} {
		if got := s.header.Get(name); got != want {
			b.t.Errorf("%s is %q", name, got)
		}
	}
}

// The verifier of RFC 7636, appendix B, and its challenge.
const (
	pkceVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	pkceChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// TestSignInAndConsent: from an empty folder by sign-in and consent to an
// application that calls, and to its revocation, as a person and an application go
// through it.
func TestSignInAndConsent(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	do := func(args ...string) string {
		t.Helper()
		code, out, errs := biketrip("", append(args, "--db", dbIn(dir))...)
		if code != exitOK {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		return out
	}
	var added struct{ ID, Email, Link string }
	var client struct{ ID string }
	if err := json.Unmarshal([]byte(do("user", "add", "anna@example.org", "--json", "--default-uri", s.address)), &added); err != nil || !strings.HasPrefix(added.Link, s.address+"/login/") {
		t.Fatalf("%+v, %v", added, err)
	}
	if err := json.Unmarshal([]byte(do("client", "add", "--name", "Anna's <agent>", "--redirect-uri", "http://127.0.0.1/cb", "--json")), &client); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	wish := s.address + "/oauth/authorize?" + url.Values{
		"client_id": {client.ID}, "redirect_uri": {"http://127.0.0.1:4711/cb"}, "response_type": {"code"}, "scope": {"trips:read"}, "state": {"xyz"},
		"code_challenge": {pkceChallenge}, "code_challenge_method": {"S256"}, "resource": {s.address + "/mcp"},
	}.Encode()

	if got := b.open(wish); got.status != 302 || got.location != "/login" {
		t.Errorf("signed out: %d %s", got.status, got.location)
	}
	login := b.open(s.address + "/login")
	b.guarded(login)
	if !strings.Contains(login.body, "biketrip user link") {
		t.Errorf("%s", login.body)
	}
	for range 2 { // looking at it spends nothing
		if page := b.open(added.Link); page.status != 200 || !strings.Contains(page.body, "anna@example.org") {
			t.Errorf("%d %s", page.status, page.body)
		}
	}
	if got := b.do("POST", added.Link, nil, "Sec-Fetch-Site", "cross-site"); got.status != 403 || got.header.Get("Set-Cookie") != "" {
		t.Errorf("from another site: %d", got.status)
	}
	in := b.do("POST", added.Link, nil)
	if in.status != 303 || in.location != "/account" || !regexp.MustCompile(`^biketrip=[\w-]{43}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax$`).MatchString(in.header.Get("Set-Cookie")) {
		t.Errorf("%d %s %s", in.status, in.location, in.header.Get("Set-Cookie"))
	}
	if got := newBrowser(t).do("POST", added.Link, nil); got.status != 404 {
		t.Errorf("the link again: %d", got.status)
	}

	asked := b.open(wish)
	if asked.status != 302 || !strings.HasPrefix(asked.location, "/oauth/consent/") {
		t.Fatalf("%d %s %s", asked.status, asked.location, asked.body)
	}
	page := b.open(s.address + asked.location)
	b.guarded(page)
	for _, want := range []string{"“Anna&#39;s &lt;agent&gt;”", "anna@example.org", "127.0.0.1:4711", "read your trips and their days", "any program that runs on it may have asked"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not say %s: %s", want, page.body)
		}
	}
	if strings.Contains(page.body, "create, change") || strings.Contains(page.body, "<script") {
		t.Errorf("%s", page.body)
	}
	if got := newBrowser(t).open(s.address + asked.location); got.location != "/login" {
		t.Errorf("signed out: %d", got.status)
	}
	if got := b.do("POST", s.address+asked.location, url.Values{"decision": {"perhaps"}}); got.status != 400 {
		t.Errorf("no decision: %d", got.status)
	}
	if got := b.do("POST", s.address+asked.location, url.Values{"decision": {"authorize"}}, "Sec-Fetch-Site", "same-site"); got.status != 403 {
		t.Errorf("from another site: %d", got.status)
	}
	decided := b.do("POST", s.address+asked.location, url.Values{"decision": {"authorize"}})
	next := regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]+)"`).FindStringSubmatch(decided.body)
	if decided.status != 200 || next == nil {
		t.Fatalf("%d %s", decided.status, decided.body)
	}
	if got := b.do("POST", s.address+asked.location, url.Values{"decision": {"refuse"}}); got.status != 409 {
		t.Errorf("the other way: %d", got.status)
	}
	back := b.open(s.address + next[1])
	answer, err := url.Parse(back.location)
	if err != nil || !strings.HasPrefix(back.location, "http://127.0.0.1:4711/cb?") || answer.Query().Get("state") != "xyz" || answer.Query().Get("iss") != s.address {
		t.Fatalf("%d %s %s", back.status, back.location, back.body)
	}
	if got := b.open(s.address + next[1]); got.status != 400 || !strings.Contains(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, "answered already") {
		t.Errorf("again: %d %s", got.status, got.body)
	}
	if got := b.open(s.address+next[1], "Accept", "application/json"); !strings.HasPrefix(got.body, `{"error":"invalid_request"`) {
		t.Errorf("for programs: %s", got.body)
	}

	tokens := newBrowser(t).do("POST", s.address+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "code": {answer.Query().Get("code")}, "redirect_uri": {"http://127.0.0.1:4711/cb"}, "code_verifier": {pkceVerifier},
	})
	var granted struct {
		AccessToken string `json:"access_token"`
		Scope       string
	}
	if err := json.Unmarshal([]byte(tokens.body), &granted); err != nil || granted.Scope != "trips:read" {
		t.Fatalf("%d %s", tokens.status, tokens.body)
	}
	a, err := connect(t.Context(), s.address+"/mcp", granted.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if list, err := call[view.TripList](t.Context(), a, "list_trips", nil); err != nil || list.TotalItems != 0 {
		t.Errorf("%+v, %v", list, err)
	}

	applications := b.open(s.address + "/account/applications")
	b.guarded(applications)
	revoke := regexp.MustCompile(`action="(/account/applications/[^"]+)"`).FindStringSubmatch(applications.body)
	if revoke == nil || !strings.Contains(applications.body, "Anna&#39;s &lt;agent&gt;") {
		t.Fatalf("%s", applications.body)
	}
	if got := b.do("POST", s.address+"/logout", nil); got.location != "/login" || b.open(s.address+"/account").location != "/login" {
		t.Errorf("signed out: %d %s", got.status, got.location)
	}
	if _, err := call[view.TripList](t.Context(), a, "list_trips", nil); err != nil {
		t.Errorf("73 signing out revokes: %v", err)
	}
	if got := b.do("POST", s.address+revoke[1], nil); got.location != "/login" {
		t.Errorf("revoked by nobody: %d %s", got.status, got.location)
	}
	var link struct{ Link string }
	if err := json.Unmarshal([]byte(do("user", "link", "anna@example.org", "--json", "--default-uri", s.address)), &link); err != nil {
		t.Fatal(err)
	}
	b.do("POST", link.Link, nil)
	for range 2 {
		if got := b.do("POST", s.address+revoke[1], nil); got.status != 303 {
			t.Errorf("revoked: %d %s", got.status, got.body)
		}
	}
	if _, err := call[view.TripList](t.Context(), a, "list_trips", nil); err == nil {
		t.Error("72 a revoked application goes on")
	}
	if s.stop(); strings.Contains(s.text(), granted.AccessToken) || strings.Contains(s.text(), answer.Query().Get("code")) || strings.Contains(s.text(), strings.TrimPrefix(asked.location, "/oauth/consent/")) || strings.Contains(s.text(), "anna@") {
		t.Errorf("105 the log has secrets: %s", s.text())
	}
}
