package source

import (
	"compress/gzip"
	"context"
	"errors"
	"strings"
	"testing"
)

// odd are values of types that no field has.
var odd = []string{`[]`, `[1]`, `{}`, `{"a":[]}`, `null`, `7`, `"x"`, `true`}

// TestOddFieldsCostNothing puts values of all types into fields that are not
// needed for the route.
func TestOddFieldsCostNothing(t *testing.T) {
	rwgps := func(format string) func(t *testing.T, v string) {
		return func(t *testing.T, v string) {
			r, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: strings.ReplaceAll(format, "ODD", v)}})
			if err != nil || r.Title != "Loop" && v != `"x"` {
				t.Fatalf("%s: title %q, %v", v, r.Title, err)
			}
			wantLine(t, r, high)
		}
	}
	komoot := func(props string) func(t *testing.T, v string) {
		return func(t *testing.T, v string) {
			r, err := fromPage(t, strings.ReplaceAll(props, "ODD", v))
			if err != nil {
				t.Fatalf("%s: %v", v, err)
			}
			wantLine(t, r, high)
		}
	}
	tour := `{"name":"Loop","_embedded":{"coordinates":{"items":` + komootSample + `}}}`
	for name, check := range map[string]func(*testing.T, string){
		"route":                     rwgps(`{"name":"Loop","track_points":` + rwgpsPoints + `,"route":ODD}`),
		"route before":              rwgps(`{"route":ODD,"name":"Loop","track_points":` + rwgpsPoints + `}`),
		"top track_points":          rwgps(`{"name":"Loop","track_points":ODD,"route":{"track_points":` + rwgpsPoints + `}}`),
		"track_points of the route": rwgps(`{"name":"Loop","track_points":` + rwgpsPoints + `,"route":{"track_points":ODD}}`),
		"name of the route":         rwgps(`{"name":"Loop","route":{"name":ODD,"track_points":` + rwgpsPoints + `}}`),
		"top name":                  rwgps(`{"name":ODD,"route":{"name":"Loop","track_points":` + rwgpsPoints + `}}`),
		"collectionHal":             komoot(`{"page":{"_embedded":{"collectionHal":ODD,"tour":` + tour + `}}}`),
		"_embedded of a collection": komoot(`{"page":{"_embedded":{"tour":` + tour + `,"collectionHal":{"_embedded":ODD}}}}`),
		"name of a tour":            komoot(`{"page":{"_embedded":{"tour":{"name":ODD,"_embedded":{"coordinates":{"items":` + komootSample + `}}}}}}`),
		"_links":                    komoot(`{"page":{"_links":ODD,"_embedded":{"tour":` + tour + `}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range odd {
				check(t, v)
			}
		})
	}
}

func TestOddFieldsOfACollection(t *testing.T) {
	for _, format := range []string{
		`{"page":{"_embedded":{"tour":ODD,"collectionHal":{"name":"C","_embedded":{"compilation":{"page":ODD,"_embedded":{"items":[{"id":1,"name":ODD}]}}}}}}}`,
		`{"page":{"_embedded":{"collectionHal":{"name":ODD,"_embedded":{"compilation":{"page":{"totalElements":ODD},"_embedded":{"items":[{"id":1}]}}}}}}}`,
	} {
		for _, v := range odd {
			answers := map[string]answer{collectionPage: komootPageOf(t, strings.ReplaceAll(format, "ODD", v))}
			withTour(answers, "1", "", [2]float64{1, 2}, [2]float64{3, 4})
			if v == "7" { // of 7 tours, which is no odd value there
				continue
			}
			if r, _, err := fetchFrom(t, collectionURL, answers); err != nil || len(r.DayEndsM) != 1 {
				t.Errorf("%s: %d days, %v", v, len(r.DayEndsM), err)
			}
		}
	}
}

// TestOddAnswers: what is needed and of another type is missing.
func TestOddAnswers(t *testing.T) {
	for _, v := range []string{`[]`, `7`, `"x"`, `null`, `{}`} {
		_, err := fromPage(t, `{"page":{"_embedded":`+v+`}}`)
		wantProblem(t, err, ErrUnavailable, "something else")
		_, _, err = fetchFrom(t, collectionURL, map[string]answer{collectionPage: komootPageOf(t, `{"page":{"_embedded":{"collectionHal":`+v+`}}}`)})
		wantProblem(t, err, ErrUnavailable, "something else")
		_, _, err = fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"route":` + v + `}`}})
		wantProblem(t, err, ErrUnavailable, "something else")
	}
	_, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"track_points":[],"route":{"track_points":[{}]}}`}})
	wantProblem(t, err, ErrNoRoute, "1 point, none with a usable position")
}

// TestRepeatedKeysCostNothing: only the last list of points is read, so that
// 25 MB of them are no more work than one.
func TestRepeatedKeysCostNothing(t *testing.T) {
	nothing := `"items":[0` + strings.Repeat(",0", maxPoints-1) + `],`
	body := `{` + strings.Repeat(nothing, 40) + `"items":` + komootSample + `}`
	r, _, err := fetchFrom(t, tourURL, map[string]answer{tourAPI: {body: `{}`}, tourPoints: {body: body}})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, high)
	wantWarnings(t, r)

	// A list too long for a route is not looked at before a better one.
	r, _, err = fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"track_points":[0` + strings.Repeat(`,0`, 2*maxPoints) + `],"track_points":` + rwgpsPoints + `}`}})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, high)
}

// BenchmarkRepeatedKeys decodes 25 MB of lists under one key, which travel as
// some 25 kB of gzip.
func BenchmarkRepeatedKeys(b *testing.B) {
	body := []byte(`{` + strings.Repeat(`"items":[0`+strings.Repeat(",0", maxPoints-1)+`],`, 42) + `"items":[]}`)
	var size counter
	z := gzip.NewWriter(&size)
	z.Write(body)
	z.Close()
	b.ReportMetric(float64(size), "gzip-bytes")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		var answer struct{ Items list }
		if err := decodeJSON(body, &answer); err != nil {
			b.Fatal(err)
		}
		if _, err := readPoints(b.Context(), answer.Items); err != nil {
			b.Fatal(err)
		}
	}
}

// counter counts what is written.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// endsAfter is a context that ends once it was looked at so many times.
type endsAfter struct {
	context.Context
	looks *int
}

func (c endsAfter) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestDecodingLooksAtItsContext(t *testing.T) {
	looks := 3
	l := list{[]byte(`[{}` + strings.Repeat(`,{}`, 10*lookEvery) + `]`)}
	p, err := readPoints(endsAfter{t.Context(), &looks}, l)
	if !errors.Is(err, context.Canceled) || p.omitted != 3*lookEvery {
		t.Errorf("%d points read, %v", p.omitted, err)
	}
}
