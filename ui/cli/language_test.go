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
	b.do("POST", link, nil, french...)
	says(b.open(s.address+"/account", french...), "en", "You are signed in as", `name="language" value="fr"`)

	set := func(b *browser, lang string, header ...string) seen {
		return b.do("POST", s.address+"/account/language", url.Values{"language": {lang}}, header...)
	}
	if got := set(newBrowser(t), "fr"); got.location != "/login" {
		t.Errorf("signed out: %d", got.status)
	}
	if got := set(b, "fr", "Sec-Fetch-Site", "cross-site"); got.status != http.StatusForbidden {
		t.Errorf("from another site: %d", got.status)
	}
	says(set(b, "de"), "en", "<h1>No such language</h1>")
	says(b.open(s.address+"/account"), "en")
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
