package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"biketrip/jobs/plan/fetch"
)

const (
	tourURL      = "https://www.komoot.com/tour/42"
	tourAPI      = "api.komoot.de/v007/tours/42"
	tourPoints   = "api.komoot.de/v007/tours/42/coordinates"
	tourPage     = "www.komoot.com/tour/42"
	komootSample = `[{"lat":1,"lng":2,"alt":10.5,"t":0},{"lat":3,"lng":4,"alt":12,"t":9000}]`
)

// komootPageOf is a page that hands the props to its scripts, escaped as the
// text of a JavaScript string.
func komootPageOf(t testing.TB, props string) answer {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	if err := e.Encode(props); err != nil {
		t.Fatal(err)
	}
	return answer{kind: "text/html", body: `<!DOCTYPE html><html><head><title>Tour</title></head><body><div id="app"></div><script>var kmtBoot = {};` +
		"\nkmtBoot.setProps(" + strings.TrimSpace(b.String()) + `);` + "\nkmtBoot.start(\"x\");</script></body></html>"}
}

// tourProps are the props of the page of a tour.
func tourProps(tour string) string {
	return `{"locale":"en","page":{"_embedded":{"tour":` + tour + `}}}`
}

func TestKomootAPI(t *testing.T) {
	answers := map[string]answer{
		tourAPI:    {body: `{"id":42,"name":" Ride\n","type":"tour_planned","_links":{"coordinates":{"href":"https://attacker.example/"}}}`, kind: "application/hal+json", accept: "application/hal+json"},
		tourPoints: {body: `{"items":` + komootSample + `,"_links":{}}`, kind: "application/hal+json", accept: "application/hal+json"},
	}
	r, asked, err := fetchFrom(t, tourURL, answers)
	if err != nil || r.Title != "Ride" {
		t.Fatalf("title %q, %v", r.Title, err)
	}
	wantLine(t, r, high)
	wantWarnings(t, r)
	wantAsked(t, asked, tourAPI, tourPoints)
	if r.DayEndsM != nil {
		t.Errorf("days end at %v", r.DayEndsM)
	}
}

func TestShareTokenIsForwarded(t *testing.T) {
	const key = "?share_token=a%26b%2Fc"
	r, asked, err := fetchFrom(t, "https://komoot.de/de-de/tour/42/zoom?ref=x&share_token=a%26b%2Fc", map[string]answer{
		tourAPI + key: {body: `{}`}, tourPoints + key: {status: 403}, tourPage + key: komootPageOf(t, tourProps(`{"name":"N","_embedded":{"coordinates":{"items":`+komootSample+`}}}`)),
	})
	if err != nil || r.Title != "N" {
		t.Fatalf("title %q, %v", r.Title, err)
	}
	wantAsked(t, asked, tourAPI+key, tourPoints+key, tourPage+key)
}

// TestKomootAsksToWait: then its pages are not asked instead.
func TestKomootAsksToWait(t *testing.T) {
	page := komootPageOf(t, tourProps(`{"name":"N","_embedded":{"coordinates":{"items":`+komootSample+`}}}`))
	_, asked, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {status: 429}, tourPage: page})
	wantProblem(t, err, ErrUnavailable, "asks to wait")
	if !errors.Is(err, fetch.ErrRateLimited) || slices.Contains(asked, tourPage) {
		t.Errorf("asked %v, %v", asked, err)
	}
}

func TestKomootPageIsTheFallback(t *testing.T) {
	page := komootPageOf(t, tourProps(`{"name":"Say \"hi\" \\ </b>","_embedded":{"coordinates":{"items":`+komootSample+`}}}`))
	for name, api := range map[string]answer{
		"403": {status: 403}, "401": {status: 401}, "404": {status: 404}, "500": {status: 500}, "406": {status: 406},
		"breaks": {body: breaks}, "hangs": {body: hangs}, "page": {body: "<html>", kind: "text/html"}, "sign-in page": {body: signIn}, "array": {body: "[]"}, "cut short": {body: `{"name":"x"`},
		"elsewhere": {status: 301, moved: "https://attacker.example/"},
	} {
		r, asked, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: api, tourPage: page})
		if err != nil || r.Title != `Say "hi" \ </b>` {
			t.Errorf("%s: title %q, %v", name, r.Title, err)
			continue
		}
		wantLine(t, r, high)
		wantAsked(t, asked, tourAPI, tourPage)
	}
	for name, points := range map[string]answer{"403": {status: 403}, "no items": {body: `{}`}, "items no list": {body: `{"items":"x"}`}} {
		r, asked, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {body: `{"name":"x"}`}, tourPoints: points, tourPage: page})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantLine(t, r, high)
		wantAsked(t, asked, tourAPI, tourPoints, tourPage)
	}
}

func TestKomootPageWithALinkToThePoints(t *testing.T) {
	page := komootPageOf(t, tourProps(`{"name":"N","_embedded":{},"_links":{"coordinates":{"href":"https://attacker.example/x"}}}`))
	r, asked, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {status: 500}, tourPage: page, tourPoints: {body: `{"items":` + komootSample + `}`}})
	if err != nil || r.Title != "N" {
		t.Fatalf("title %q, %v", r.Title, err)
	}
	wantLine(t, r, high)
	wantAsked(t, asked, tourAPI, tourPage, tourPoints)
}

func TestKomootFailures(t *testing.T) {
	page := func(props string) answer { return komootPageOf(t, props) }
	for _, c := range []struct {
		name      string
		api, page answer
		kind      Kind
		words     string
		cause     fetch.Kind
		host      string
	}{
		{"not there", answer{status: 404}, answer{status: 404}, ErrNotFound, "there is no Komoot tour 42", fetch.ErrNotFound, "api.komoot.de"},
		{"not there, page new", answer{status: 404}, answer{body: "<html>"}, ErrNotFound, "there is no Komoot tour 42", fetch.ErrNotFound, "api.komoot.de"},
		{"private", answer{status: 403}, answer{status: 403}, ErrPrivate, "Komoot tour 42 is private; make it public", fetch.ErrForbidden, "api.komoot.de"},
		{"private, page missing", answer{status: 401}, answer{status: 404}, ErrPrivate, "is private", fetch.ErrForbidden, "api.komoot.de"},
		{"private, page down", answer{status: 403}, answer{status: 500}, ErrPrivate, "is private", fetch.ErrForbidden, "api.komoot.de"},
		{"API gone, page private", answer{status: 500}, answer{status: 403}, ErrPrivate, "is private", fetch.ErrForbidden, "www.komoot.com"},
		{"API gone, page missing", answer{body: "new"}, answer{status: 404}, ErrNotFound, "there is no", fetch.ErrNotFound, "www.komoot.com"},
		{"API gone, sign in", answer{status: 500}, answer{status: 302, moved: "https://account.komoot.com/signin?key=x"}, ErrPrivate, "is private", fetch.ErrRefused, "www.komoot.com"},
		{"API gone, sign-in page", answer{status: 500}, answer{body: signIn, kind: "text/html"}, ErrPrivate, "is private", "", ""},
		{"both gone", answer{status: 500}, answer{status: 502}, ErrUnavailable, "www.komoot.com does not answer", fetch.ErrUnavailable, "www.komoot.com"},
		{"both hang", answer{body: hangs}, answer{body: hangs}, ErrUnavailable, "www.komoot.com does not answer", fetch.ErrUnavailable, "www.komoot.com"},
		{"no marker", answer{status: 500}, answer{body: "<html>"}, ErrUnavailable, "www.komoot.com answers with something else than Komoot tour 42", "", ""},
		{"page cut short", answer{status: 500}, answer{body: page(tourProps("{}")).body[:180]}, ErrUnavailable, "something else", "", ""},
		{"no page", answer{status: 500}, page(`{"locale":"en"}`), ErrUnavailable, "something else", "", ""},
		{"no tour", answer{status: 500}, page(tourProps("null")), ErrUnavailable, "something else", "", ""},
		{"deep", answer{status: 500}, page(tourProps(strings.Repeat("[", 200_000))), ErrUnavailable, "something else", "", ""},
		{"empty", answer{status: 500}, page(tourProps(`{"_embedded":{"coordinates":{"items":[]}}}`)), ErrNoRoute, "Komoot tour 42 is empty", "", ""},
		{"none usable", answer{status: 500}, page(tourProps(`{"_embedded":{"coordinates":{"items":[{"lat":"1","lng":2}]}}}`)), ErrNoRoute, "1 point, none with a usable position", "", ""},
		{"large API", answer{body: strings.Repeat(" ", maxBytes+1)}, answer{}, ErrTooLarge, "larger than 25 MB", fetch.ErrTooLarge, "api.komoot.de"},
		{"large page", answer{status: 500}, answer{body: strings.Repeat(" ", maxBytes+1)}, ErrTooLarge, "larger than 25 MB", fetch.ErrTooLarge, "www.komoot.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: c.api, tourPage: c.page})
			wantProblem(t, err, c.kind, c.words)
			if c.cause != "" {
				wantCause(t, err, c.cause, c.host)
			}
		})
	}
	_, asked, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {body: `{}`}, tourPoints: {body: `{"items":[]}`}})
	wantProblem(t, err, ErrNoRoute, "Komoot tour 42 is empty")
	wantAsked(t, asked, tourAPI, tourPoints)
	const key = "?share_token=sesame"
	_, _, err = fetchFrom(t, tourURL+key, map[string]answer{tourAPI + key: {status: 403}, tourPage + key: {status: 403}})
	wantProblem(t, err, ErrPrivate, "the share_token of the link does not open it, or no longer; share it again")
}

func TestPagesAreHeldToTheirHosts(t *testing.T) {
	for _, c := range []struct {
		moved string
		ok    bool
	}{{"https://komoot.de/tour/42", true}, {"https://www.komoot.com/de-de/tour/42", true}, {"https://www.komoot.com.attacker.example/tour/42", false}} {
		page := komootPageOf(t, tourProps(`{"_embedded":{"coordinates":{"items":`+komootSample+`}}}`))
		_, _, err := fetchFrom(t, tourURL, map[string]answer{
			tourAPI: {status: 500}, tourPage: {status: 301, moved: c.moved}, "komoot.de/tour/42": page, "www.komoot.com/de-de/tour/42": page,
		})
		if !c.ok {
			wantProblem(t, err, ErrUnavailable, "www.komoot.com leads to where no route is fetched from")
		} else if err != nil {
			t.Errorf("%s: %v", c.moved, err)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`abc"def`:                       `abc`,
		`"`:                             ``,
		`a\"b\\"x`:                      `a"b\`,
		`\\\"\\"`:                       `\"\`,
		`\/\'\n\t\r\b\f\v\0"`:           "/'\n\t\r\b\f\v\x00",
		`\x3cb\x3E \u003c\u00e9\u20ac"`: "<b> <é€",
		`\ud83d\ude00!"`:                "\U0001F600!",
		`\ud83dx\ude00"`:                "\uFFFDx\uFFFD",
		`\ud83d\ud83d\ude00"`:           "\uFFFD\U0001F600",
		"é€\\\nx\\é\"":                  "é€xé",
		`\xg \u12"`:                     "xg u12",
	} {
		if got, ok := unescape([]byte(in), '"'); !ok || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{``, `abc`, `abc\"`, `abc\`, `\u00`, `\x`} {
		if got, ok := unescape([]byte(in), '"'); ok {
			t.Errorf("%s: got %q of a string that does not end", in, got)
		}
	}
}

func FuzzKomootPage(f *testing.F) {
	for _, props := range []string{
		tourProps(`{"name":"Say \"hi\" \u2028 </b>","_embedded":{"coordinates":{"items":` + komootSample + `}}}`),
		tourProps(`{"name":null,"_embedded":{"coordinates":{"items":[{"lat":"1"},[2,1],null,{"lat":1e999,"lng":-541}]}}}`),
		collectionProps(`"C"`, `{"id":111},{"id":"222","name":"x"},{"id":"e9"},null,7`), `{"page":{"_embedded":{"tour":null}}}`,
	} {
		f.Add(komootPageOf(f, props).body)
	}
	f.Add(`kmtBoot.setProps("{\x22page\x22:{\ud83d\ude00`)
	f.Fuzz(func(t *testing.T, body string) {
		page, err := readKomootPage([]byte(body))
		if err != nil {
			return
		}
		if tour := page.Page.Embedded.Tour; tour != nil {
			line, err := readPoints(context.Background(), tour.Embedded.Coordinates.Items)
			if err != nil {
				wantProblem(t, err, ErrTooLarge, "")
				return
			}
			r, err := line.route(tourTitle(tour.Name), Ref{Type: "komoot_tour", ID: "1"})
			if err == nil {
				checkRoute(t, r)
			} else {
				wantProblem(t, err, ErrNoRoute, "Komoot tour 1")
			}
		}
		if c := page.Page.Embedded.CollectionHal; c != nil {
			tours, err := readKomootItems(context.Background(), c.Embedded.Compilation.Embedded.Items)
			if err != nil {
				wantProblem(t, err, ErrTooLarge, "")
			}
			if len(tours) > maxTours {
				t.Errorf("%d tours", len(tours))
			}
			for _, tour := range tours {
				if what := tour.what(); strings.ContainsAny(what, "\r\n") || len([]rune(what)) > 70 {
					t.Errorf("tour is named %q", what)
				}
			}
		}
	})
}
