package source

import (
	"context"
	"strings"
	"testing"

	"biketrip/jobs/plan/fetch"
)

const (
	stravaURL    = "https://www.strava.com/routes/3141592653589793238"
	embedAddress = "strava-embeds.com/route/3141592653589793238"
	gpxAddress   = "www.strava.com/routes/3141592653589793238/export_gpx"
)

// embedOf is a page for other sites with the data of a route.
func embedOf(data string) answer {
	return answer{kind: "text/html", body: `<!DOCTYPE html><html><head><title>Route</title></head><body><div id="root"></div>` +
		`<script id="__ROUTE_DATA__" type="application/json">` + data + `</script><script>start("{")</script></body></html>`}
}

func TestStravaEmbed(t *testing.T) {
	for _, c := range []struct {
		name string
		in   answer
	}{
		{"script", embedOf(`{"id":"3141592653589793238","name":"Col","coordinates":[[2,1,10.5],[4,3,12]]}`)},
		{"title", embedOf(`{"title":"Col","name":"","coordinates":[[2,1,10.5,7],[4,3,12,"x",{}]]}`)},
		{"statement", answer{body: `<script>window.__ROUTE_DATA__ = {"coordinates":[[2,1,10.5],[4,3,12]],"name":"Col"};</script>`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, asked, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: c.in})
			if err != nil || r.Title != "Col" {
				t.Fatalf("title %q, %v", r.Title, err)
			}
			wantLine(t, r, high)
			wantAsked(t, asked, embedAddress)
		})
	}
	r, _, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: embedOf(`{"coordinates":[[2,1],[9],[null,1],"x",[4,3,null]]}`)})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, lineAB)
	wantWarnings(t, r, "3 points without a usable position")
}

func TestStravaExport(t *testing.T) {
	gpx := answer{kind: "application/gpx+xml", body: `<?xml version="1.0"?><gpx><trk><name>Col</name><trkseg>` + ab + `</trkseg></trk></gpx>`}
	for name, embed := range map[string]answer{
		"404": {status: 404}, "403": {status: 403}, "500": {status: 500}, "418": {status: 418}, "breaks": {body: breaks},
		"elsewhere": {status: 302, moved: "https://www.strava.com/login"}, "nothing": {},
		"no data": {body: "<html></html>"}, "marker alone": {body: "__ROUTE_DATA__"}, "no coordinates": embedOf(`{"name":"x"}`),
		"cut short": {body: `<script id="__ROUTE_DATA__">{"coordinates":[[2,1]`}, "no JSON": embedOf(`{'coordinates':[]}`),
	} {
		r, asked, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: embed, gpxAddress: gpx})
		if err != nil || r.Title != "Col" {
			t.Errorf("%s: title %q, %v", name, r.Title, err)
			continue
		}
		wantLine(t, r, lineAB)
		wantAsked(t, asked, embedAddress, gpxAddress)
	}
}

// TestStravaEmbedIsDown: that the export asks to sign in is no word on the
// route.
func TestStravaEmbedIsDown(t *testing.T) {
	_, _, err := fetchFrom(t, stravaURL, map[string]answer{
		embedAddress: {status: 503}, gpxAddress: {body: signIn, kind: "text/html"},
	})
	wantProblem(t, err, ErrUnavailable, "strava-embeds.com")
}

func TestStravaFailures(t *testing.T) {
	const login = "download the GPX from Strava and plan the file"
	for _, c := range []struct {
		name       string
		embed, gpx answer
		kind       Kind
		words      string
		cause      fetch.Kind
	}{
		{"sign-in page", answer{status: 404}, answer{body: signIn, kind: "text/html"}, ErrNeedsLogin, login, ""},
		{"page of another kind", answer{status: 404}, answer{body: "<!doctype html><p>Get the app</p>"}, ErrNeedsLogin, login, ""},
		{"page that is no HTML", answer{status: 404}, answer{body: "Please sign in", kind: "text/html; charset=utf-8"}, ErrNeedsLogin, login, ""},
		{"sign in elsewhere", answer{status: 404}, answer{status: 302, moved: "https://accounts.strava.com/"}, ErrNeedsLogin, login, fetch.ErrRefused},
		{"sign in at a stranger", answer{status: 404}, answer{status: 302, moved: "https://accounts.example/login"}, ErrUnavailable, "leads to where no route is fetched from", fetch.ErrRefused},
		{"empty export", answer{status: 404}, answer{}, ErrNeedsLogin, login, ""},
		{"blank export", answer{status: 404}, answer{body: " \r\n"}, ErrNeedsLogin, login, ""},
		{"page after an XML declaration", answer{status: 404}, answer{body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>Log in</body></html>`}, ErrNeedsLogin, login, ""},
		{"export cut short", answer{status: 404}, answer{body: `<gpx><trk><trkseg><trkpt lat="1"`}, ErrUnavailable, "www.strava.com answers with something else than Strava route", ""},
		{"sign in", answer{status: 404}, answer{status: 302, moved: "https://www.strava.com/login"}, ErrNeedsLogin, login, ""},
		{"403", answer{status: 404}, answer{status: 403}, ErrNeedsLogin, login, fetch.ErrForbidden},
		{"404", answer{status: 404}, answer{status: 404}, ErrNotFound, "there is no Strava route 3141592653589793238", fetch.ErrNotFound},
		{"503", answer{status: 503}, answer{status: 503}, ErrUnavailable, "www.strava.com does not answer", fetch.ErrUnavailable},
		{"hangs", answer{body: hangs}, answer{body: hangs}, ErrUnavailable, "www.strava.com does not answer", fetch.ErrUnavailable},
		{"JSON", answer{status: 404}, answer{body: `{"error":"x"}`}, ErrUnavailable, "www.strava.com answers with something else", ""},
		{"GPX without a line", answer{status: 404}, answer{body: "<gpx/>"}, ErrNoRoute, "no track and no route", ""},
		{"DOCTYPE", answer{status: 404}, answer{body: "<!DOCTYPE gpx><gpx/>"}, ErrRefused, "DOCTYPE", ""},
		{"empty embed", embedOf(`{"coordinates":[]}`), answer{}, ErrNoRoute, "Strava route 3141592653589793238 is empty", ""},
		{"large embed", answer{body: strings.Repeat("x", maxBytes+1)}, answer{}, ErrTooLarge, "larger than 25 MB", fetch.ErrTooLarge},
		{"many points", embedOf(`{"coordinates":[[1,1]` + strings.Repeat(`,[1,1]`, maxPoints) + `]}`), answer{}, ErrTooLarge, "more than 300000 points", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: c.embed, gpxAddress: c.gpx, "www.strava.com/login": {body: signIn}})
			wantProblem(t, err, c.kind, c.words)
			if c.cause != "" && !strings.Contains(c.name, "embed") {
				wantCause(t, err, c.cause, "www.strava.com")
			}
		})
	}
}

func TestStravaEmbedOfManyMarkers(t *testing.T) {
	const good = `<script id="__ROUTE_DATA__" type="application/json">{"name":"Col","coordinates":[[2,1,10.5],[4,3,12]]}</script>`
	junk := `<script>function f(){return JSON.parse(document.getElementById("__ROUTE_DATA__").text)} function g(){}</script>`
	for name, c := range map[string]struct {
		page string
		kind Kind // empty for the route
	}{
		"a script before":         {junk + good, ""},
		"other data before":       {`<script id="__ROUTE_DATA__">{"locale":"en"}</script>` + good, ""},
		"no coordinates before":   {`<script id="__ROUTE_DATA__">{"coordinates":{}}</script>` + good, ""},
		"empty before":            {`<script id="__ROUTE_DATA__">{"coordinates":[]}</script>` + good, ""},
		"none usable before":      {`<script id="__ROUTE_DATA__">{"coordinates":[["x"]]}</script>` + good, ""},
		"empty after":             {good + `<script id="__ROUTE_DATA__">{"coordinates":[]}</script>`, ""},
		"cut short before":        {`__ROUTE_DATA__ = {"a":"` + good, ""},
		"within the data":         {`<script id="__ROUTE_DATA__">{"a":"__ROUTE_DATA__ {"}</script>` + good, ""},
		"many before":             {strings.Repeat(junk, 50) + good, ""},
		"the end of patience":     {strings.Repeat(`__ROUTE_DATA__{"a":`, 100_000) + good, ErrNotFound},
		"empty among others":      {junk + `<script id="__ROUTE_DATA__">{"coordinates":[]}</script>` + junk, ErrNoRoute},
		"markers without objects": {strings.Repeat("__ROUTE_DATA__", 100_000), ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: {body: "<html>" + c.page, kind: "text/html"}, gpxAddress: {status: 404}})
			if c.kind != "" {
				wantProblem(t, err, c.kind, "")
				return
			}
			if err != nil || r.Title != "Col" {
				t.Fatalf("title %q, %v", r.Title, err)
			}
			wantLine(t, r, high)
		})
	}
}

func FuzzStravaEmbed(f *testing.F) {
	for _, data := range []string{`{"name":"Col","coordinates":[[2,1,10.5],[4,3,12]]}`, `{"coordinates":[]}`, `{"coordinates":[[1e999],"x",null]}`, `{"a":"__ROUTE_DATA__ {"}`} {
		f.Add(embedOf(data).body)
	}
	f.Add(`__ROUTE_DATA__{"a":1}__ROUTE_DATA__{__ROUTE_DATA__{"coordinates":[[1,2],[3,4]]}`)
	f.Fuzz(func(t *testing.T, body string) {
		title, line, err := readStravaEmbed(context.Background(), []byte(body))
		if (err == nil) != (line != nil) {
			t.Fatalf("got %v, %v", line, err)
		}
		if err != nil {
			return
		}
		if r, err := line.route(title, Ref{Type: "strava_route", ID: "1"}); err == nil {
			checkRoute(t, r)
		} else {
			wantProblem(t, err, ErrNoRoute, "Strava route 1")
		}
	})
}
