package world

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// ask sends one request, as it is, to the world.
func ask(t *testing.T, w *World, address, encoding string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	res, err := w.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// bodyOf is the body of an answer as it is sent.
func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != res.ContentLength {
		t.Errorf("%d bytes, Content-Length %d", len(b), res.ContentLength)
	}
	return string(b)
}

// TestAnswers: what each source says, and how it says it.
func TestAnswers(t *testing.T) {
	const tour, api = "990000000101", "https://api.komoot.de/v007/tours/"
	w := New()
	for _, c := range []struct {
		address string
		status  int
		kind    string
		says    []string
	}{
		{api + tour, 200, "application/hal+json", []string{`"id":990000000101,"type":"tour_planned"`, `"status":"public"`, `"sport":"touringbicycle"`, `"date":"2026-03-14T09:30:00.000Z"`, `"href":"` + api + tour + `/coordinates"`}},
		{api + tour + "/coordinates", 200, "application/hal+json", []string{`{"items":[{"lat":46.125905,"lng":-20.017551,"alt":`, `,"t":0},{"lat":`}},
		{api + "990000000103?share_token=" + tourToken, 200, "application/hal+json", []string{`"status":"friends"`}},
		{api + "990000000103/coordinates?share_token=" + tourToken, 200, "application/hal+json", []string{`{"items":[{`}},
		{api + "990000000103/coordinates?share_token=x", 403, "application/hal+json", []string{`"error":"AccessDenied"`}},
		{api + "990000000104", 403, "application/hal+json", []string{`"error":"AccessDenied"`}},
		{api + "990000000404", 404, "application/hal+json", []string{`"error":"NotFound"`}},
		{"https://www.komoot.com/tour/" + tour, 200, "text/html", []string{`kmtBoot.setProps("{\"locale\":\"en\",\"page\":{\"_embedded\":{\"tour\":{`, `\\\"par l'ouest\\\"`}},
		{"https://www.komoot.com/tour/990000000104", 403, "text/html", []string{"private"}},
		{"https://www.komoot.com/tour/990000000404", 404, "text/html", []string{"not be found"}},
		{"https://www.komoot.com/collection/990000301", 200, "text/html", []string{`\"totalElements\":3`, `{\"id\":990000000301,\"type\":\"tour_planned\",\"name\":\"Jour 1`}},
		{"https://ridewithgps.com/routes/990000201.json", 200, "application/json", []string{`{"id":990000201,"name":"Route du Sud"`, `"track_points":[{"x":-20.669592,"y":46.107918,"e":`, `"d":0},{`}},
		{"https://ridewithgps.com/routes/990000202.json", 200, "application/json", []string{`{"type":"route","route":{"id":990000202,`}},
		{"https://ridewithgps.com/routes/990000203.json", 403, "application/json", []string{`permission`}},
		{"https://ridewithgps.com/routes/990000204.json", 200, "application/json", []string{`"track_points":[]`}},
		{"https://ridewithgps.com/routes/990000503.json", 503, "text/html", []string{"maintenance"}},
		{"https://strava-embeds.com/route/9900000000000000401", 200, "text/html", []string{`<script id="__ROUTE_DATA__" type="application/json">{"id":"9900000000000000401"`, `"coordinates":[[-20.`, `\u003c/script\u003e"`}},
		{"https://strava-embeds.com/route/9900000000000000402", 404, "text/html", []string{"not available"}},
		{"https://www.strava.com/routes/9900000000000000402/export_gpx", 302, "text/html", nil},
		{"https://www.strava.com/login", 200, "text/html", []string{`type="password"`}},
	} {
		res := ask(t, w, c.address, "")
		body := bodyOf(t, res)
		if res.StatusCode != c.status || !strings.HasPrefix(res.Header.Get("Content-Type"), c.kind) || res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, %v", c.address, res.StatusCode, res.Header)
		}
		for _, s := range c.says {
			if !strings.Contains(body, s) {
				t.Errorf("%s does not say %s: %.400s", c.address, s, body)
			}
		}
		if strings.HasSuffix(c.kind, "json") && !json.Valid([]byte(body)) {
			t.Errorf("%s is no JSON", c.address)
		}
		if moved := res.Header.Get("Location"); (moved != "") != (c.status == http.StatusFound) {
			t.Errorf("%s leads to %q", c.address, moved)
		}
		zipped := ask(t, w, c.address, "gzip")
		if body == "" {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(bodyOf(t, zipped)))
		if err != nil || zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s in gzip: %v, %v", c.address, zipped.Header, err)
			continue
		}
		if plain, err := io.ReadAll(z); err != nil || string(plain) != body {
			t.Errorf("%s in gzip is something else: %v", c.address, err)
		}
	}
}

// TestUnknownAddresses: they fail, and the error names the host and the path,
// never the query.
func TestUnknownAddresses(t *testing.T) {
	w := New()
	for _, c := range []struct{ method, address string }{
		{"GET", "https://example.org/tour/990000000101?key=secret"}, {"GET", "https://komoot.com/tour/990000000101"},
		{"GET", "https://www.komoot.com/tour/1?share_token=secret"}, {"GET", "https://www.komoot.com/collection/1"},
		{"GET", "https://www.komoot.com/de-de/tour/990000000101"}, {"GET", "https://www.komoot.com/tour/"},
		{"GET", "https://api.komoot.de/v007/tours/1/coordinates?share_token=secret"}, {"GET", "https://api.komoot.de/v007/tours/990000000101/x"}, {"GET", "https://api.komoot.de/v007/tours/990000000101/coordinates/x"},
		{"GET", "https://api.komoot.de/v007/tours/"}, {"GET", "https://api.komoot.de/v008/tours/990000000101"},
		{"GET", "https://ridewithgps.com/routes/1.json?privacy_code=secret"}, {"GET", "https://ridewithgps.com/routes/990000201"},
		{"GET", "https://ridewithgps.com/routes/990000201/x.json"}, {"GET", "https://ridewithgps.com/trips/990000201.json"},
		{"GET", "https://strava-embeds.com/route/1"}, {"GET", "https://strava-embeds.com/route/9900000000000000401/x"}, {"GET", "https://www.komoot.com/tour/990000000101/x"}, {"GET", "https://strava-embeds.com/9900000000000000401"},
		{"GET", "https://www.strava.com/routes/1/export_gpx"}, {"GET", "https://www.strava.com/routes/9900000000000000401"},
		{"POST", "https://www.komoot.com/tour/990000000101"}, {"GET", "http://www.komoot.com/tour/990000000101"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, c.address, strings.NewReader("secret"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Transport().RoundTrip(r)
		if err == nil || !strings.Contains(err.Error(), r.URL.Host+r.URL.Path) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s %s: got %v", c.method, c.address, err)
		}
		if w.Requests()[r.URL.Host+r.URL.Path] == 0 {
			t.Errorf("%s is not counted", c.address)
		}
	}
}

func TestRequestsAreCounted(t *testing.T) {
	w := New()
	for _, link := range []string{TourLink, TourLink, LoginLink, MissingLink} {
		fetchFrom(t, w.Transport(), link)
	}
	want := map[string]int{
		"api.komoot.de/v007/tours/990000000101": 2, "api.komoot.de/v007/tours/990000000101/coordinates": 2,
		"strava-embeds.com/route/9900000000000000402": 1, "www.strava.com/routes/9900000000000000402/export_gpx": 1, "www.strava.com/login": 1,
		"api.komoot.de/v007/tours/990000000404": 1, "www.komoot.com/tour/990000000404": 1,
	}
	if got := w.Requests(); !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestEndOfContext: a request that nobody waits for is not answered.
func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, TourLink, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New().Transport().RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
