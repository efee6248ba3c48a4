package source

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/track"
)

// answer is what the web says at an address. The zero status is 200.
type answer struct {
	status int
	body   string
	kind   string // the Content-Type
	moved  string // the Location
	wait   string // the Retry-After
	accept string // the Accept it asks for, empty for any
}

// web is the outside world: its answers by host, path and query. Asking for
// anything else fails the test.
type web struct {
	t       *testing.T
	answers map[string]answer
	mu      sync.Mutex
	asked   []string // addresses, in order, each once
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	address := strings.TrimPrefix(r.URL.String(), "https://")
	w.mu.Lock()
	if !slices.Contains(w.asked, address) {
		w.asked = append(w.asked, address)
	}
	a, ok := w.answers[address]
	w.mu.Unlock()
	if !ok {
		w.t.Errorf("asked for %s", r.URL)
	}
	if got := r.Header.Get("Accept"); a.accept != "" && got != a.accept {
		w.t.Errorf("asked %s for %q", r.URL, got)
	}
	switch a.body {
	case hangs:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case breaks:
		return nil, errors.New("connection reset")
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	h := http.Header{}
	for name, value := range map[string]string{"Content-Type": a.kind, "Location": a.moved, "Retry-After": a.wait} {
		if value != "" {
			h.Set(name, value)
		}
	}
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: r,
		Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}, nil
}

// Bodies of answers that never come.
const (
	hangs  = "\x00hangs"
	breaks = "\x00breaks"
)

// fetchFrom fetches an address from the answers, in a time of its own, and
// checks what holds of every outcome.
func fetchFrom(t *testing.T, address string, answers map[string]answer) (route Route, asked []string, err error) {
	t.Helper()
	w := &web{t: t, answers: answers}
	ref, parseErr := ParseURL(address)
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	synctest.Test(t, func(t *testing.T) {
		route, err = Fetch(t.Context(), fetch.New(fetch.Options{Transport: w}), ref)
	})
	said := strings.Join(route.Warnings, "\n")
	if err != nil {
		said += err.Error()
	} else {
		checkRoute(t, route)
	}
	if key := ref.ShareToken + ref.PrivacyCode; key != "" && strings.Contains(said, key) {
		t.Errorf("%q shows the key", said)
	}
	return route, w.asked, err
}

// wantCause checks that err wraps the error of fetch of the kind and host.
func wantCause(t *testing.T, err error, kind fetch.Kind, host string) {
	t.Helper()
	var cause *fetch.Error
	if !errors.As(err, &cause) || cause.Host != host || !errors.Is(err, kind) {
		t.Errorf("%v wraps %v, want %s of %s", err, cause, kind, host)
	}
}

// wantAsked checks which addresses were asked, in order.
func wantAsked(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

const signIn = `<!DOCTYPE html><html><form><input name="email"><input type="password"></form></html>`

const (
	rwgpsURL    = "https://ridewithgps.com/routes/42"
	rwgpsJSON   = "ridewithgps.com/routes/42.json"
	rwgpsPoints = `[{"x":2,"y":1,"e":10.5,"d":0},{"x":4,"y":3,"e":12,"d":1,"S":3,"R":4}]`
)

var high = []track.Point{{Lat: 1, Lon: 2, Ele: 10.5}, {Lat: 3, Lon: 4, Ele: 12}}

func TestRideWithGPS(t *testing.T) {
	for _, c := range []struct {
		name, body, title string
		want              []track.Point
	}{
		{"at the top", `{"id":42,"name":"Loop","track_points":` + rwgpsPoints + `}`, "Loop", high},
		{"under route", `{"type":"route","route":{"id":42,"name":" Loop ","track_points":` + rwgpsPoints + `}}`, "Loop", high},
		{"lng and lat", `{"name":"L","track_points":[{"lng":2,"lat":1,"e":10.5},{"lng":4,"lat":3,"e":12}]}`, "L", high},
		{"lon and lat", `{"name":null,"track_points":[{"lon":2,"lat":1,"e":10.5},{"lon":4,"lat":3,"e":12}]}`, "", high},
		{"no heights", `{"name":5,"track_points":[{"x":2,"y":1,"e":null},{"x":4,"y":3}]}`, "", lineAB},
		{"heights not on earth", `{"track_points":[{"x":2,"y":1,"e":-32768},{"x":4,"y":3,"e":"12"}]}`, "", lineAB},
		{"key twice", `{"track_points":[{"x":9,"y":9},{"x":8,"y":8}],"track_points":[{"x":7,"x":2,"y":1},{"x":4,"y":3}]}`, "", lineAB},
		{"escapes in the name", `{"name":"\ud83d\ude00 \u202e\n\ud800","track_points":` + rwgpsPoints + `}`, "\U0001F600 \uFFFD", high},
		{"across the antimeridian", `{"track_points":[{"x":-180.5,"y":1},{"x":-179.5,"y":1}]}`, "", []track.Point{at(1, 179.5), at(1, -179.5)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: c.body, kind: "application/json"}})
			if err != nil || r.Title != c.title {
				t.Fatalf("title %q, %v", r.Title, err)
			}
			wantLine(t, r, c.want)
			wantWarnings(t, r)
			if r.DayEndsM != nil {
				t.Errorf("days end at %v", r.DayEndsM)
			}
		})
	}
}

func TestUnusablePointsAreSkipped(t *testing.T) {
	points := `[{"x":2,"y":1},{"x":"3","y":2},{"x":3,"y":null},{"x":3},{},null,7,"x",[],[1],[[1,2],3],true,{"x":3,"y":91},{"x":1e999,"y":1},{"x":{"x":3},"y":2},{"x":4,"y":3}]`
	r, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"track_points":` + points + `}`}})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, lineAB)
	wantWarnings(t, r, "14 points without a usable position")
}

func TestPrivacyCodeIsForwarded(t *testing.T) {
	r, asked, err := fetchFrom(t, rwgpsURL+"?utm=1&privacy_code=a%26b%2F", map[string]answer{
		rwgpsJSON + "?privacy_code=a%26b%2F": {body: `{"track_points":` + rwgpsPoints + `}`},
	})
	if err != nil || r.Line.Len() != 2 || len(asked) != 1 {
		t.Errorf("%d points, asked %q, %v", r.Line.Len(), asked, err)
	}
}

func TestRideWithGPSFailures(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    answer
		kind  Kind
		words string
		cause fetch.Kind
	}{
		{"404", answer{status: 404}, ErrNotFound, "there is no RideWithGPS route 42; check the link", fetch.ErrNotFound},
		{"403", answer{status: 403}, ErrPrivate, "RideWithGPS route 42 is private; make it public", fetch.ErrForbidden},
		{"401", answer{status: 401}, ErrPrivate, "is private", fetch.ErrForbidden},
		{"500", answer{status: 500}, ErrUnavailable, "ridewithgps.com does not answer; try again later", fetch.ErrUnavailable},
		{"429", answer{status: 429, wait: "120"}, ErrUnavailable, "asks to wait; try again in 2m0s", fetch.ErrRateLimited},
		{"418", answer{status: 418}, ErrUnavailable, "answers with status 418", fetch.ErrStatus},
		{"hangs", answer{body: hangs}, ErrUnavailable, "ridewithgps.com does not answer", fetch.ErrUnavailable},
		{"breaks", answer{body: breaks}, ErrUnavailable, "ridewithgps.com does not answer", fetch.ErrUnavailable},
		{"large", answer{body: strings.Repeat(" ", maxBytes+1)}, ErrTooLarge, "larger than 25 MB", fetch.ErrTooLarge},
		{"elsewhere", answer{status: 302, moved: "https://attacker.example/routes/42.json"}, ErrUnavailable, "leads to where no route is fetched from", fetch.ErrRefused},
		{"sign in elsewhere", answer{status: 302, moved: "https://auth.ridewithgps.com/x?key=x"}, ErrPrivate, "is private", fetch.ErrRefused},
		{"sign in there, on a port", answer{status: 302, moved: "https://ridewithgps.com:8443/users/sign_in?key=x"}, ErrPrivate, "is private", fetch.ErrRefused},
		{"sign in at a stranger", answer{status: 302, moved: "https://auth.example/users/sign_in?key=x"}, ErrUnavailable, "leads to where no route is fetched from", fetch.ErrRefused},
		{"sign in at an impostor", answer{status: 302, moved: "https://account.evilridewithgps.com/login"}, ErrUnavailable, "leads to where no route is fetched from", fetch.ErrRefused},
		{"sign in", answer{status: 302, moved: "https://ridewithgps.com/login?back=42"}, ErrPrivate, "is private", ""},
		{"sign-in page", answer{body: signIn, kind: "text/html; charset=utf-8"}, ErrPrivate, "is private", ""},
		{"page", answer{body: "<!DOCTYPE html><p>Moved</p>", kind: "text/html"}, ErrUnavailable, "something else than RideWithGPS route 42", ""},
		{"nothing", answer{}, ErrUnavailable, "something else", ""},
		{"cut short", answer{body: `{"track_points":` + rwgpsPoints[:60]}, ErrUnavailable, "something else", ""},
		{"two values", answer{body: `{"track_points":` + rwgpsPoints + `}{}`}, ErrUnavailable, "something else", ""},
		{"NaN", answer{body: `{"track_points":[{"x":NaN,"y":1}]}`}, ErrUnavailable, "something else", ""},
		{"array", answer{body: `[1]`}, ErrUnavailable, "something else", ""},
		{"no track_points", answer{body: `{"name":"x"}`}, ErrUnavailable, "something else", ""},
		{"track_points no array", answer{body: `{"track_points":{"x":1}}`}, ErrUnavailable, "something else", ""},
		{"deep", answer{body: `{"track_points":` + strings.Repeat("[", 1_000_000)}, ErrUnavailable, "something else", ""},
		{"deep and closed", answer{body: strings.Repeat(`{"route":`, 500_000) + "1" + strings.Repeat("}", 500_000)}, ErrUnavailable, "something else", ""},
		{"empty", answer{body: `{"track_points":[]}`}, ErrNoRoute, "is empty", ""},
		{"none usable", answer{body: `{"track_points":[{},{"x":1}]}`}, ErrNoRoute, "2 points, none with a usable position", ""},
		{"one place", answer{body: `{"track_points":[{"x":1,"y":1},{"x":1,"y":1}]}`}, ErrNoRoute, "stays in one place", ""},
		{"many points", answer{body: `{"track_points":[{"x":1,"y":1}` + strings.Repeat(`,{"x":1,"y":1}`, maxPoints) + `]}`}, ErrTooLarge, "more than 300000 points", ""},
		{"many of nothing", answer{body: `{"track_points":[0` + strings.Repeat(`,0`, 3_000_000) + `]}`}, ErrTooLarge, "more than 300000 points", ""},
		{"long", answer{body: `{"track_points":[{"x":0,"y":0},{"x":100,"y":0},{"x":0,"y":1}]}`}, ErrTooLarge, "longer than 10000 km", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := map[string]answer{rwgpsJSON: c.in}
			if strings.Contains(c.in.moved, "ridewithgps.com/login") {
				answers["ridewithgps.com/login?back=42"] = answer{body: "<html>welcome back</html>", kind: "text/html"}
			}
			_, _, err := fetchFrom(t, rwgpsURL, answers)
			wantProblem(t, err, c.kind, c.words)
			if c.cause != "" {
				wantCause(t, err, c.cause, "ridewithgps.com")
			}
		})
	}
}

func TestRevokedKeyIsNamed(t *testing.T) {
	_, _, err := fetchFrom(t, rwgpsURL+"?privacy_code=sesame", map[string]answer{rwgpsJSON + "?privacy_code=sesame": {status: 403}})
	wantProblem(t, err, ErrPrivate, "the privacy_code of the link does not open it")
}

func TestEndOfContextIsNoProblem(t *testing.T) {
	ref := Ref{Type: "ride_with_gps", ID: "42"}
	for name, address := range map[string]string{"route": rwgpsURL, "tour": "https://www.komoot.com/tour/1", "collection": "https://www.komoot.com/collection/1"} {
		synctest.Test(t, func(t *testing.T) {
			ref, _ = ParseURL(address)
			w := &web{t: t, answers: map[string]answer{
				rwgpsJSON: {body: hangs}, "api.komoot.de/v007/tours/1": {body: hangs}, "www.komoot.com/collection/1": {body: hangs},
			}}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := Fetch(ctx, fetch.New(fetch.Options{Transport: w}), ref)
			var p *Problem
			if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &p) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}

func TestRefNotParsedIsNotFetched(t *testing.T) {
	for _, ref := range []Ref{{}, {Type: "file_upload", ID: "1"}, {Type: "komoot_tour", ID: "../users/1"}, {Type: "strava_route", ID: "1/../2"}, {Type: "komoot_tour", ID: "0"}, {Type: "komoot_tour", ID: "007"}} {
		_, err := Fetch(t.Context(), fetch.New(fetch.Options{Transport: &web{t: t}}), ref)
		wantProblem(t, err, ErrUnsupported, "send the link of a route")
	}
}

func TestRedirectToAnotherRoute(t *testing.T) {
	const lie = "leads from RideWithGPS route 42 to another page; check the link"
	for to, words := range map[string]string{
		"/routes/43.json": lie, "/routes/142.json": lie, "/routes/421.json": lie, "/routes/latest.json": lie, "/": lie, "/routes/4/2.json": lie, "/routes/43.json?id=42": lie,
		"/routes/42-loop.json": "", "/en/routes/42.json": "", "https://www.ridewithgps.com/routes/42": "", "/api/v2/routes/42.json": "",
	} {
		address := strings.TrimPrefix(to, "https://")
		if address == to {
			address = "ridewithgps.com" + to
		}
		r, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {status: 302, moved: to}, address: {body: `{"track_points":` + rwgpsPoints + `}`}})
		if words == "" && err == nil {
			wantLine(t, r, high)
			continue
		}
		wantProblem(t, err, ErrUnavailable, words)
		if again, _ := problemOf(t, err).Passing(); words == "" || again {
			t.Errorf("%s: got %v, again %v", to, err, again)
		}
	}
	page := komootPageOf(t, tourProps(`{"_embedded":{"coordinates":{"items":`+komootSample+`}}}`))
	_, _, err := fetchFrom(t, tourURL, map[string]answer{
		tourAPI: {status: 302, moved: "/v007/tours/43"}, "api.komoot.de/v007/tours/43": {body: `{}`},
		tourPage: {status: 302, moved: "/tour/43"}, "www.komoot.com/tour/43": page,
	})
	wantProblem(t, err, ErrUnavailable, "www.komoot.com leads from Komoot tour 42 to another page")
}
