package cli

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestLanguages: a page is in the language of the account where somebody is signed
// in, and else in what the browser asks for; the account's is changed by its owner
// alone, on a page of ours.
func TestLanguages(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	b := newBrowser(t)
	french := []string{"Accept-Language", "fr-FR,fr;q=0.9,en;q=0.5"}
	says := func(page seen, lang string, wants ...string) {
		t.Helper()
		b.guarded(page)
		text := strings.ReplaceAll(page.body, "\u00a0", " ")
		for _, want := range append(wants, `<html lang="`+lang+`">`) {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %s: %s", want, page.body)
			}
		}
	}
	says(b.open(s.address+"/login"), "en", "<h1>Sign in</h1>")
	says(b.open(s.address+"/login", french...), "fr", "<h1>Se connecter</h1>", "que l’on vous a donné")
	says(b.open(s.address+"/login/nothing", french...), "fr", "<title>Ce lien ne fonctionne pas · Biketrip</title>", "Il a déjà servi")
	link := s.welcomed("owner@localhost")
	says(b.open(link, french...), "fr", "Ce lien vous connecte en tant que <strong>owner@localhost</strong>.")
	b.do("POST", link, nil, french...) // the first time says the language
	says(b.open(s.address+"/account"), "fr", "Vous êtes connecté", "<code>"+s.address+"/mcp</code>")
	if code, out, _ := biketrip("", "user", "link", "owner@localhost", "--db", dbIn(dir)); code != exitOK || !strings.HasPrefix(out, s.address+"/login/") {
		t.Errorf("a link elsewhere: %s", out)
	} else {
		old := b.client.Jar.Cookies(mustParse(t, s.address))[0]
		b.do("POST", strings.TrimSpace(out), nil, "Accept-Language", "en") // and no other
		if got := newBrowser(t).open(s.address+"/account", "Cookie", old.Name+"="+old.Value); got.location != "/login" {
			t.Errorf("the session before goes on: %d", got.status)
		}
	}
	says(b.open(s.address+"/nothing"), "fr", "<h1>Il n’y a rien ici</h1>")
	if got := b.open(s.address+"/nothing", "Accept", "application/json"); got.status != http.StatusNotFound || got.body != `{"error":"not_found","error_description":"There is nothing at this address."}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.do("HEAD", s.address+"/account", nil); got.status != http.StatusOK || got.body != "" {
		t.Errorf("its head: %d %s", got.status, got.body)
	}

	set := func(b *browser, lang string, header ...string) seen {
		return b.do("POST", s.address+"/account/language", url.Values{"language": {lang}}, header...)
	}
	if got := set(newBrowser(t), "fr"); got.location != "/login" {
		t.Errorf("signed out: %d", got.status)
	}
	if got := set(b, "fr", "Sec-Fetch-Site", "cross-site"); got.status != http.StatusForbidden {
		t.Errorf("from another site: %d", got.status)
	}
	says(set(b, "de"), "fr", "<h1>Langue inconnue</h1>")
	if got := set(b, "en"); got.status != http.StatusSeeOther {
		t.Errorf("%d", got.status)
	}
	says(b.open(s.address+"/account", french...), "en", "You are signed in as", `name="language" value="fr"`)
	if got := set(b, "fr"); got.status != http.StatusSeeOther || got.location != "/account" {
		t.Errorf("%d %s", got.status, got.location)
	}
	says(b.open(s.address+"/account"), "fr", "Vous êtes connecté en tant que <strong>owner@localhost</strong>.", `name="language" value="en"`)
	says(set(b, "de"), "fr", "<h1>Langue inconnue</h1>")
	says(b.open(s.address+"/account/applications"), "fr", "Aucune application n’a accès à vos voyages.")
	says(b.do("POST", s.address+"/account/applications/none", nil), "fr", "Application inconnue")

	_, out, _ := biketrip("", "client", "add", "--name", "<Agent>", "--redirect-uri", "http://127.0.0.1/cb", "--json", "--db", dbIn(dir))
	var client struct{ ID string }
	if err := json.Unmarshal([]byte(out), &client); err != nil {
		t.Fatal(err)
	}
	asked := b.open(s.address + "/oauth/authorize?" + url.Values{
		"client_id": {client.ID}, "redirect_uri": {"http://127.0.0.1:4711/cb"}, "response_type": {"code"}, "state": {"xyz"}, "scope": {"trips:read trips:write"},
		"code_challenge": {pkceChallenge}, "code_challenge_method": {"S256"}, "resource": {s.address + "/mcp"},
	}.Encode())
	says(b.open(s.address+asked.location), "fr", "<h1>Donner accès à vos voyages ?</h1>", "<strong>« &lt;Agent&gt; »</strong>", "<strong>owner@localhost</strong>",
		"<li>lire vos voyages et leurs étapes, et chercher des lieux</li>", "<li>créer, modifier, partager et supprimer vos voyages</li>", ">Autoriser</button>", "reste sur cet ordinateur")
	says(b.do("POST", s.address+asked.location, nil), "fr", "Rien n’est décidé")
	says(b.do("POST", s.address+asked.location, url.Values{"decision": {"authorize"}}), "fr", ">Continuer</a>")
	says(b.do("POST", s.address+asked.location, url.Values{"decision": {"refuse"}}), "fr", "Déjà décidé")
	// What the authorization server refuses is in English, for everybody.
	says(b.open(s.address+"/oauth/authorize?client_id=none"), "en", "This application is not known here, or cannot be used.")
	if code, out, _ := biketrip("", "user", "list", "--db", dbIn(dir)); code != exitOK || !strings.Contains(out, "owner@localhost  fr ") {
		t.Errorf("%s", out)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestGuessing: who comes with too many links that are not there is not told of one
// more. One that works is taken all the same.
func TestGuessing(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil, "--trusted-proxy", "127.0.0.1/32")
	link := s.welcomed("owner@localhost")
	guesser := []string{"X-Forwarded-For", "203.0.113.9"}
	b := newBrowser(t)
	for i := range 30 {
		method := []string{"GET", "POST"}[i%2]
		if got := b.do(method, s.address+"/login/guess", nil, guesser...); got.status != http.StatusNotFound {
			t.Fatalf("%d: %d", i, got.status)
		}
	}
	for _, method := range []string{"GET", "POST"} {
		if got := b.do(method, s.address+"/login/guess", nil, guesser...); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("32 %s: %d", method, got.status)
		}
	}
	if got := b.do("GET", s.address+"/login/guess", nil); got.status != http.StatusNotFound {
		t.Errorf("from elsewhere: %d", got.status)
	}
	if got := b.do("POST", link, nil, guesser...); got.status != http.StatusSeeOther {
		t.Errorf("one that works: %d", got.status)
	}
	if got := b.open(s.address+"/oauth/consent/guess", guesser...); got.status != http.StatusTooManyRequests {
		t.Errorf("32 a handle: %d", got.status)
	}
}
