package source

import (
	"encoding/json"
	"os"
	"testing"

	"biketrip/store/track"
	"biketrip/store/trip"
)

// goldenCase is a case whose input and outcome are sentences, or values.
type goldenCase struct {
	In  string
	Out json.RawMessage
}

// goldenSources are the golden cases of the sources.
type goldenSources struct {
	URLs []struct {
		URL, Kind string
		Accept    bool
	} `json:"source_urls"`
	Komoot     []goldenCase `json:"komoot_extraction"`
	RWGPS      []goldenCase `json:"rwgps_extraction"`
	Collection []goldenCase `json:"collection_stages"`
}

func readGoldenSources(t *testing.T) (g goldenSources) {
	t.Helper()
	content, err := os.ReadFile("testdata/engine-sources.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.URLs) == 0 || len(g.Komoot) == 0 || len(g.RWGPS) == 0 || len(g.Collection) == 0 {
		t.Fatal("golden cases are missing")
	}
	return g
}

func TestGoldenURLs(t *testing.T) {
	for _, c := range readGoldenSources(t).URLs {
		ref, err := ParseURL(c.URL)
		if (err == nil) != c.Accept || c.Accept && ref.Type != trip.SourceType(c.Kind) {
			t.Errorf("%s: got %+v, %v", c.URL, ref, err)
		}
	}
}

// run runs each case by the check of its name; a case without a check fails.
func run(t *testing.T, cases []goldenCase, checks map[string]func(*testing.T)) {
	t.Helper()
	for _, c := range cases {
		check := checks[c.In]
		if check == nil {
			t.Errorf("no check of %q: %s", c.In, c.Out)
			continue
		}
		t.Run(c.In, check)
	}
}

// fromPage reads a tour, whose API is gone, from the props of its page.
func fromPage(t *testing.T, props string) (Route, error) {
	t.Helper()
	r, _, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {status: 500}, tourPage: komootPageOf(t, props), tourPoints: {status: 500}})
	return r, err
}

func TestGoldenKomoot(t *testing.T) {
	whole := `"_embedded":{"coordinates":{"items":` + komootSample + `}}`
	titled := func(name, want string) func(*testing.T) {
		return func(t *testing.T) {
			if r, err := fromPage(t, tourProps(`{`+name+whole+`}`)); err != nil || r.Title != want {
				t.Errorf("title %q, %v", r.Title, err)
			}
		}
	}
	run(t, readGoldenSources(t).Komoot, map[string]func(*testing.T){
		"items with lat/lng/alt numeric": func(t *testing.T) {
			r, err := fromPage(t, tourProps(`{`+whole+`}`))
			if err != nil {
				t.Fatal(err)
			}
			wantLine(t, r, high)
		},
		"tour without name":                   titled("", "Komoot Tour"),
		"escaped quotes inside the JS string": titled(`"name":"The \"old\" road",`, `The "old" road`),
		"collection without name": func(t *testing.T) {
			answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`null`, `{"id":1}`))}
			withTour(answers, "1", "", [2]float64{1, 2}, [2]float64{3, 4})
			if r, _, err := fetchFrom(t, collectionURL, answers); err != nil || r.Title != "Komoot Collection" {
				t.Errorf("title %q, %v", r.Title, err)
			}
		},
		`collection items ids 111,222,"333"`: func(t *testing.T) {
			answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":111},{"id":222},{"id":"333"}`))}
			withTour(answers, "111", "", [2]float64{1, 2}, [2]float64{3, 4})
			withTour(answers, "222", "", [2]float64{5, 6}, [2]float64{7, 8})
			withTour(answers, "333", "", [2]float64{9, 10}, [2]float64{11, 12})
			r, _, err := fetchFrom(t, collectionURL, answers)
			if err != nil {
				t.Fatal(err)
			}
			checkDays(t, r, track.Point{Lat: 1, Lon: 2, Ele: 100}, track.Point{Lat: 5, Lon: 6, Ele: 100}, track.Point{Lat: 9, Lon: 10, Ele: 100})
		},
		"no bootstrap marker | no page | no tour | empty items | no valid point | no tours": func(t *testing.T) {
			_, _, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {status: 500}, tourPage: {body: "<html>"}})
			wantProblem(t, err, ErrUnavailable, "something else")
			for props, kind := range map[string]Kind{
				`{}`: ErrUnavailable, tourProps("null"): ErrUnavailable,
				tourProps(`{"_embedded":{"coordinates":{"items":[]}}}`):                      ErrNoRoute,
				tourProps(`{"_embedded":{"coordinates":{"items":[{"lat":"x","lng":"y"}]}}}`): ErrNoRoute,
			} {
				_, err := fromPage(t, props)
				wantProblem(t, err, kind, "")
			}
			_, _, err = fetchFrom(t, collectionURL, map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, ""))})
			wantProblem(t, err, ErrNoRoute, "has no tours")
		},
	})
}

func TestGoldenRideWithGPS(t *testing.T) {
	from := func(t *testing.T, a answer) (Route, error) {
		r, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: a})
		return r, err
	}
	run(t, readGoldenSources(t).RWGPS, map[string]func(*testing.T){
		"track_points[] with x,y,e (also lng,lat,e), at top level or under route": func(t *testing.T) {
			for _, points := range []string{rwgpsPoints, `[{"lng":2,"lat":1,"e":10.5},{"lng":4,"lat":3,"e":12}]`} {
				for _, body := range []string{`{"track_points":` + points + `}`, `{"route":{"track_points":` + points + `}}`} {
					r, err := from(t, answer{body: body})
					if err != nil {
						t.Fatal(err)
					}
					wantLine(t, r, high)
				}
			}
		},
		"non numeric lat": func(t *testing.T) {
			r, err := from(t, answer{body: `{"track_points":[{"x":2,"y":1},{"x":9,"y":"9"},{"x":4,"y":3}]}`})
			if err != nil {
				t.Fatal(err)
			}
			wantLine(t, r, lineAB)
		},
		"empty track_points | no valid point | 403 | 404": func(t *testing.T) {
			_, err := from(t, answer{body: `{"track_points":[]}`})
			wantProblem(t, err, ErrNoRoute, "is empty")
			_, err = from(t, answer{body: `{"track_points":[{"x":1}]}`})
			wantProblem(t, err, ErrNoRoute, "none with a usable position")
			_, err = from(t, answer{status: 403})
			wantProblem(t, err, ErrPrivate, "")
			_, err = from(t, answer{status: 404})
			wantProblem(t, err, ErrNotFound, "")
		},
	})
}

func TestGoldenCollection(t *testing.T) {
	two := func(first ...[2]float64) func(*testing.T) {
		return func(t *testing.T) {
			answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2}`))}
			withTour(answers, "1", "", first...)
			withTour(answers, "2", "", [2]float64{5, 6}, [2]float64{7, 8})
			r, _, err := fetchFrom(t, collectionURL, answers)
			if err != nil {
				t.Fatal(err)
			}
			starts := []track.Point{{Lat: 5, Lon: 6, Ele: 100}}
			if len(first) > 0 {
				starts = append([]track.Point{{Lat: 1, Lon: 2, Ele: 100}}, starts...)
			}
			checkDays(t, r, starts...)
		}
	}
	run(t, readGoldenSources(t).Collection, map[string]func(*testing.T){
		"2 tracks of 2 points":      two([2]float64{1, 2}, [2]float64{3, 4}),
		"track 1 empty, track 2 ok": two(),
	})
}
