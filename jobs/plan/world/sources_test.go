package world

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"biketrip/jobs/plan/fetch"
	"biketrip/jobs/plan/source"
	"biketrip/store/track"
)

// fetchFrom fetches a link as the program does, in a time of its own.
func fetchFrom(t *testing.T, transport http.RoundTripper, link string) (route source.Route, err error) {
	t.Helper()
	ref, err := source.ParseURL(link)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		route, err = source.Fetch(t.Context(), fetch.New(fetch.Options{Transport: transport}), ref)
	})
	return route, err
}

// wantRoute checks that a source gives the route that the world has: the same
// places, and the heights to a decimetre.
func wantRoute(t *testing.T, got source.Route, want Route) {
	t.Helper()
	if got.Title != want.Title || len(got.Warnings) != 0 {
		t.Errorf("title %q, want %q, warnings %q", got.Title, want.Title, got.Warnings)
	}
	if math.Abs(got.Line.Length()-want.Line.Length()) > 1 || got.Line.Len() != want.Line.Len() {
		t.Fatalf("%d points and %.1f m, want %d and %.1f", got.Line.Len(), got.Line.Length(), want.Line.Len(), want.Line.Length())
	}
	segments := want.Line.Segments()
	for i, s := range got.Line.Segments() {
		for k, p := range s {
			q := segments[i][k]
			if p.Lat != q.Lat || p.Lon != q.Lon || !(math.Abs(p.Ele-q.Ele) <= 0.0501) {
				t.Fatalf("point %d of part %d is %v, want %v", k, i, p, q)
			}
		}
	}
	if len(got.DayEndsM) != len(want.DayEndsM) {
		t.Fatalf("days end at %v, want %v", got.DayEndsM, want.DayEndsM)
	}
	for i, end := range got.DayEndsM {
		if math.Abs(end-want.DayEndsM[i]) > 1 {
			t.Errorf("day %d ends at %.1f, want %.1f", i+1, end, want.DayEndsM[i])
		}
	}
}

// TestLinks: each link gives its route, or fails as it says.
func TestLinks(t *testing.T) {
	fails := map[string]source.Kind{
		LoginLink: source.ErrNeedsLogin, PrivateLink: source.ErrPrivate, MissingLink: source.ErrNotFound,
		EmptyLink: source.ErrNoRoute, DownLink: source.ErrUnavailable, OutageLink: source.ErrUnavailable,
		strings.TrimSuffix(UnlistedTourLink, tourToken) + "revoked":  source.ErrPrivate,
		strings.TrimSuffix(UnlistedRouteLink, routeCode) + "revoked": source.ErrPrivate,
	}
	links := slices.Collect(maps.Keys(fails))
	for _, l := range Links() {
		if l.Name == "" || !strings.HasSuffix(l.Gives, ".") {
			t.Errorf("link %+v", l)
		}
		if !slices.Contains(links, l.URL) {
			links = append(links, l.URL)
		}
	}
	if len(links) != len(Links())+2 {
		t.Errorf("%d links", len(links))
	}
	w := New()
	for _, link := range links {
		if link == HugeLink && testing.Short() {
			continue // seconds with the race detector
		}
		got, err := fetchFrom(t, w.Transport(), link)
		kind, mustFail := fails[link]
		switch {
		case mustFail:
			if !errors.Is(err, kind) {
				t.Errorf("%s: got %v, want %s", link, err, kind)
			}
		case err != nil:
			t.Errorf("%s: %v", link, err)
		default:
			want, ok := w.Route(link)
			if !ok {
				t.Errorf("%s: the world has no route", link)
			}
			wantRoute(t, got, want)
		}
	}
}

// TestUnlistedRoutesAreShut: without their key they do not open.
func TestUnlistedRoutesAreShut(t *testing.T) {
	for _, link := range []string{UnlistedTourLink, UnlistedRouteLink} {
		shut, _, _ := strings.Cut(link, "?")
		if _, err := fetchFrom(t, New().Transport(), shut); !errors.Is(err, source.ErrPrivate) {
			t.Errorf("%s: got %v", shut, err)
		}
	}
}

// TestCollection: three days, a gap after the first of them, none after the
// second.
func TestCollection(t *testing.T) {
	got, err := fetchFrom(t, New().Transport(), CollectionLink)
	if err != nil {
		t.Fatal(err)
	}
	days := got.Line.Segments()
	if len(days) != 3 || len(got.DayEndsM) != 3 || got.DayEndsM[2] != got.Line.Length() {
		t.Fatalf("%d tours, days end at %v of %v", len(days), got.DayEndsM, got.Line.Length())
	}
	if gap := track.Distance(days[0][len(days[0])-1], days[1][0]); gap < 2000 || gap > 5000 || gap != got.Line.GapM() {
		t.Errorf("%.0f m between the first and the second tour, %.0f m in all", gap, got.Line.GapM())
	}
	if !days[1][len(days[1])-1].Same(days[2][0]) {
		t.Error("the third tour does not start where the second ends")
	}
}

// TestSourcesComeBack: one before the client gives up, one after it did.
func TestSourcesComeBack(t *testing.T) {
	w := New()
	if _, err := fetchFrom(t, w.Transport(), HiccupLink); err != nil {
		t.Errorf("hiccup: %v", err)
	}
	if n := w.Requests()["ridewithgps.com/routes/990000205.json"]; n != Hiccup+1 {
		t.Errorf("%d requests, want %d", n, Hiccup+1)
	}
	for attempt, want := range []error{source.ErrUnavailable, nil, nil} {
		if _, err := fetchFrom(t, w.Transport(), OutageLink); !errors.Is(err, want) {
			t.Errorf("outage, attempt %d: %v", attempt+1, err)
		}
	}
	for range 3 {
		_, err := fetchFrom(t, w.Transport(), DownLink)
		var cause *fetch.Error
		if !errors.Is(err, source.ErrUnavailable) || !errors.As(err, &cause) || cause.Status != http.StatusServiceUnavailable {
			t.Errorf("down: %v", err)
		}
	}
	if n := New().Requests(); len(n) != 0 {
		t.Errorf("a new world counts %v", n)
	}
}

// without is a transport that some host does not answer.
type without struct {
	http.RoundTripper
	host string
}

func (w without) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == w.host {
		return nil, errors.New("connection refused")
	}
	return w.RoundTripper.RoundTrip(r)
}

// TestKomootPages: the pages have what the API has.
func TestKomootPages(t *testing.T) {
	for _, link := range []string{TourLink, LoopLink, UnlistedTourLink, CollectionLink} {
		w := New()
		got, err := fetchFrom(t, without{w.Transport(), "api.komoot.de"}, link)
		if err != nil {
			t.Errorf("%s: %v", link, err)
			continue
		}
		want, _ := w.Route(link)
		wantRoute(t, got, want)
	}
	for link, kind := range map[string]source.Kind{PrivateLink: source.ErrPrivate, MissingLink: source.ErrNotFound} {
		if _, err := fetchFrom(t, without{New().Transport(), "api.komoot.de"}, link); !errors.Is(err, kind) {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// TestManyAtOnce: the world is asked by many at the same time.
func TestManyAtOnce(t *testing.T) {
	w := New()
	client := fetch.New(fetch.Options{Transport: w.Transport()})
	var all sync.WaitGroup
	for _, link := range []string{TourLink, TourLink, LoopLink, PlainLink, CollectionLink, EmbedLink, HiccupLink, PlainLink} {
		all.Go(func() {
			ref, err := source.ParseURL(link)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := source.Fetch(context.Background(), client, ref); err != nil {
				t.Errorf("%s: %v", link, err)
			}
			w.Requests()
			w.Towns()
			w.HeightAt(46.5, -20)
		})
	}
	all.Wait()
}

func BenchmarkHuge(b *testing.B) {
	w := New()
	client := fetch.New(fetch.Options{Transport: w.Transport()})
	ref, err := source.ParseURL(HugeLink)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := source.Fetch(b.Context(), client, ref); err != nil {
			b.Fatal(err)
		}
	}
}
