package source

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/track"
)

const (
	collectionURL  = "https://www.komoot.com/collection/9/slug"
	collectionPage = "www.komoot.com/collection/9"
)

// collectionProps are the props of the page of a collection.
func collectionProps(name, items string) string {
	return `{"page":{"_embedded":{"collectionHal":{"id":9,"name":` + name + `,"_embedded":{"compilation":{"_embedded":{"items":[` + items + `]}}}}}}}`
}

// withTour adds to the answers those of the API for a tour of the points, each
// of latitude and longitude.
func withTour(answers map[string]answer, id, key string, points ...[2]float64) {
	items := make([]map[string]float64, len(points))
	for i, p := range points {
		items[i] = map[string]float64{"lat": p[0], "lng": p[1], "alt": 100}
	}
	b, _ := json.Marshal(map[string]any{"items": items})
	answers["api.komoot.de/v007/tours/"+id+key] = answer{body: `{"name":"Tour ` + id + `"}`}
	answers["api.komoot.de/v007/tours/"+id+"/coordinates"+key] = answer{body: string(b)}
}

// withoutTour makes a tour one that answers with a status, everywhere.
func withoutTour(answers map[string]answer, id string, status int) {
	answers["api.komoot.de/v007/tours/"+id] = answer{status: status}
	answers["www.komoot.com/tour/"+id] = answer{status: status}
}

func TestCollection(t *testing.T) {
	const key = "?share_token=sesame"
	answers := map[string]answer{collectionPage + key: komootPageOf(t, collectionProps(`" Alps "`, `{"id":333,"name":"c"},{"id":"111"},{"id":18446744073709551615,"name":"b"}`))}
	withTour(answers, "333", key, [2]float64{47.0000001, 8}, [2]float64{47.1, 8.1}, [2]float64{47.2, 8.3})
	withTour(answers, "111", key, [2]float64{47.2, 8.3}, [2]float64{47.3, 8.3333333})
	withTour(answers, "18446744073709551615", key, [2]float64{47.5, 8.5}, [2]float64{47.6, 8.6})
	r, _, err := fetchFrom(t, collectionURL+key, answers)
	if err != nil || r.Title != "Alps" {
		t.Fatalf("title %q, %v", r.Title, err)
	}
	wantWarnings(t, r)
	starts := []track.Point{{Lat: 47, Lon: 8, Ele: 100}, {Lat: 47.2, Lon: 8.3, Ele: 100}, {Lat: 47.5, Lon: 8.5, Ele: 100}}
	checkDays(t, r, starts...)
}

// checkDays checks that the days of a collection are its segments to the last
// digit, also on the line as it is stored.
func checkDays(t *testing.T, r Route, starts ...track.Point) {
	t.Helper()
	if len(r.DayEndsM) != len(starts) || r.DayEndsM[len(starts)-1] != r.Line.Length() || r.Line.Rounded().Length() != r.Line.Length() {
		t.Fatalf("days end at %v of %v, rounded %v", r.DayEndsM, r.Line.Length(), r.Line.Rounded().Length())
	}
	from := 0.0
	for i, to := range r.DayEndsM {
		day, segment := r.Line.Cut(from, to), r.Line.Segments()[i]
		if day.Start() != starts[i] {
			t.Errorf("day %d starts at %v, want %v", i, day.Start(), starts[i])
		}
		if len(day.Segments()) != 1 || !slices.Equal(day.Segments()[0], segment) {
			t.Errorf("day %d is %v, want %v", i, day.Segments(), segment)
		}
		from = to
	}
}

func TestDaysOfACollectionEndWhereItsToursDo(t *testing.T) {
	answers := map[string]answer{}
	var items []string
	var starts []track.Point
	for i := range maxTours {
		lat, id := 40+float64(i)*0.137, fmt.Sprint(1000+i)
		items = append(items, `{"id":`+id+`}`)
		withTour(answers, id, "", [2]float64{lat, 8}, [2]float64{lat + 0.0333333, 8.0777777}, [2]float64{lat + 0.1, 8.1})
		starts = append(starts, track.Point{Lat: track.NewLine([]track.Point{{Lat: lat}, {Lat: 1}}).Rounded().Start().Lat, Lon: 8, Ele: 100})
	}
	answers[collectionPage] = komootPageOf(t, collectionProps("null", strings.Join(items, ",")))
	r, _, err := fetchFrom(t, collectionURL, answers)
	if err != nil || r.Title != "Komoot Collection" {
		t.Fatalf("title %q, %v", r.Title, err)
	}
	checkDays(t, r, starts...)
}

func TestCollectionLeavesOutWhatItCannotHave(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1,"name":"Priv\nate"},{"id":2},{"id":3},{"id":4},{"id":"e5","name":"Smart"},{"name":"x"},{"id":6.5},{"id":7},null,5`))}
	withoutTour(answers, "1", 403)
	withTour(answers, "2", "")
	withTour(answers, "3", "", [2]float64{1, 2}, [2]float64{3, 4}, [2]float64{99, 4})
	withoutTour(answers, "4", 404)
	withoutTour(answers, "7", 500)
	r, _, err := fetchFrom(t, collectionURL, answers)
	if err != nil {
		t.Fatal(err)
	}
	checkDays(t, r, track.Point{Lat: 1, Lon: 2, Ele: 100})
	wantWarnings(t, r, "Left out: tour 1 (Priv ate), private: Komoot tour 1 is private", "Left out: tour 2, no route in it: Komoot tour 2 is empty",
		"In tour 3: Left out: 1 point without", "Left out: tour 4, not found", "Left out: tour e5 (Smart), no route in it: this is no tour of its own",
		"Left out: tour of no number (x)", "Left out: tour 6.5", "Left out: tour 7, unavailable: www.komoot.com does not answer", "Left out: tour of no number", "Left out: tour of no number")
}

func TestCollectionOfToursThatAllFail(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2}`))}
	withoutTour(answers, "1", 403)
	withoutTour(answers, "2", 404)
	_, _, err := fetchFrom(t, collectionURL, answers)
	wantProblem(t, err, ErrPrivate, "none of the 2 tours of Komoot collection 9 can be had; the first: Komoot tour 1 is private")
	wantCause(t, err, fetch.ErrForbidden, "api.komoot.de")
}

// TestCollectionOfOtherThings: what is no tour has a number too, of which there
// is also a tour, of somebody else.
func TestCollectionOfOtherThings(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1,"type":"tour_planned"},{"id":2,"type":"highlight_point"}`))}
	withTour(answers, "1", "", [2]float64{1, 2}, [2]float64{3, 4})
	r, _, err := fetchFrom(t, collectionURL, answers)
	if err != nil {
		t.Fatal(err)
	}
	checkDays(t, r, track.Point{Lat: 1, Lon: 2, Ele: 100})
	wantWarnings(t, r, "Left out: tour 2, no route in it: this is no tour of its own")
}

// TestCollectionOfATourThatTrembles: steps too short for the stored line come
// to a metre and are no way all the same.
func TestCollectionOfATourThatTrembles(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2}`))}
	var steps [][2]float64
	for i := range 100 {
		steps = append(steps, [2]float64{1 + float64(i%2)*2e-7, 2})
	}
	withTour(answers, "1", "", steps...)
	withTour(answers, "2", "", [2]float64{1, 2}, [2]float64{3, 4})
	r, _, err := fetchFrom(t, collectionURL, answers)
	if err != nil {
		t.Fatal(err)
	}
	checkDays(t, r, track.Point{Lat: 1, Lon: 2, Ele: 100})
	wantWarnings(t, r, "Left out: tour 1, no route in it: Komoot tour 1 stays in one place")
}

// TestSmallCollectionFailsWithItsSource: half of the tours are too many to miss.
func TestSmallCollectionFailsWithItsSource(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2},{"id":3},{"id":4}`))}
	for i, id := range []string{"1", "2", "3", "4"} {
		if i%2 == 0 {
			withTour(answers, id, "", [2]float64{1, 2}, [2]float64{3, 4})
		} else {
			withoutTour(answers, id, 500)
		}
	}
	_, _, err := fetchFrom(t, collectionURL, answers)
	wantProblem(t, err, ErrUnavailable, "does not answer")
}

func TestCollectionFailsWithItsSource(t *testing.T) {
	for down, fails := range map[int]bool{maxUnanswered: false, maxUnanswered + 1: true} {
		answers := map[string]answer{}
		var items []string
		for i := range 20 {
			id := fmt.Sprint(i + 1)
			items = append(items, `{"id":`+id+`}`)
			if i%3 == 0 && i/3 < down {
				withoutTour(answers, id, 500)
			} else {
				withTour(answers, id, "", [2]float64{float64(i), 1}, [2]float64{float64(i), 1.1})
			}
		}
		answers[collectionPage] = komootPageOf(t, collectionProps(`"C"`, strings.Join(items, ",")))
		r, _, err := fetchFrom(t, collectionURL, answers)
		if fails {
			wantProblem(t, err, ErrUnavailable, "www.komoot.com does not answer")
		} else if err != nil || len(r.DayEndsM) != 20-down || len(r.Warnings) != down {
			t.Errorf("%d days, %q, %v", len(r.DayEndsM), r.Warnings, err)
		}
	}
}

func TestCollectionFailures(t *testing.T) {
	page := func(props string) answer { return komootPageOf(t, props) }
	tours := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"id":1},`, n), ",") }
	for _, c := range []struct {
		name  string
		in    answer
		kind  Kind
		words string
	}{
		{"404", answer{status: 404}, ErrNotFound, "there is no Komoot collection 9"},
		{"403", answer{status: 403}, ErrPrivate, "Komoot collection 9 is private"},
		{"500", answer{status: 500}, ErrUnavailable, "www.komoot.com does not answer"},
		{"sign-in page", answer{body: signIn}, ErrPrivate, "is private"},
		{"no marker", answer{body: "<html>"}, ErrUnavailable, "something else than Komoot collection 9"},
		{"page of a tour", page(tourProps("{}")), ErrUnavailable, "something else"},
		{"no items", page(`{"page":{"_embedded":{"collectionHal":{"name":"C"}}}}`), ErrUnavailable, "something else"},
		{"empty", page(collectionProps(`"C"`, "")), ErrNoRoute, "Komoot collection 9 has no tours"},
		{"61 tours", page(collectionProps(`"C"`, tours(61))), ErrTooLarge, "more than 60 tours"},
		{"millions of tours", page(collectionProps(`"C"`, "0"+strings.Repeat(",0", 3_000_000))), ErrTooLarge, "more than 60 tours"},
		{"61 tours, fewer shown", page(strings.Replace(collectionProps(`"C"`, tours(3)), `"compilation":{`, `"compilation":{"page":{"totalElements":61},`, 1)), ErrTooLarge, "more than 60 tours"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := fetchFrom(t, collectionURL, map[string]answer{collectionPage: c.in})
			wantProblem(t, err, c.kind, c.words)
		})
	}
}

func TestCollectionShownInPart(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, strings.Replace(collectionProps(`"C"`, `{"id":1}`), `"compilation":{`, `"compilation":{"page":{"totalElements":3},`, 1))}
	withTour(answers, "1", "", [2]float64{1, 2}, [2]float64{3, 4})
	r, _, err := fetchFrom(t, collectionURL, answers)
	if err != nil {
		t.Fatal(err)
	}
	wantWarnings(t, r, "shows only 1 tour of the collection; 2 more are left out")
}

func TestLimitsHoldForTheWholeCollection(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2}`))}
	many := make([][2]float64, maxPoints/2+1)
	for i := range many {
		many[i] = [2]float64{45 + float64(i%2), 5}
	}
	withTour(answers, "1", "", many[:1000]...)
	withTour(answers, "2", "", many[:1000]...)
	_, _, err := fetchFrom(t, collectionURL, answers)
	wantProblem(t, err, ErrTooLarge, "longer than 10000 km")
	for i := range many {
		many[i][0] = 45 + float64(i%2)*1e-6
	}
	withTour(answers, "1", "", many...)
	withTour(answers, "2", "", many...)
	_, _, err = fetchFrom(t, collectionURL, answers)
	wantProblem(t, err, ErrTooLarge, "more than 300000 points")
}

// slow is a web that answers for tours only once it is let.
type slow struct {
	*web
	asked atomic.Int32
	let   chan struct{}
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "api.komoot.de" {
		s.asked.Add(1)
		<-s.let
	}
	return s.web.RoundTrip(r)
}

func TestToursAreFetchedAFewAtATime(t *testing.T) {
	answers := map[string]answer{collectionPage: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6}`))}
	for i := range 6 {
		withTour(answers, fmt.Sprint(i+1), "", [2]float64{float64(i), 1}, [2]float64{float64(i), 2})
	}
	ref, err := ParseURL(collectionURL)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &slow{web: &web{t: t, answers: answers}, let: make(chan struct{})}
		done := make(chan Route)
		go func() {
			r, err := Fetch(t.Context(), fetch.New(fetch.Options{Transport: w}), ref)
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		synctest.Wait()
		if n := w.asked.Load(); n != toursAtOnce {
			t.Errorf("%d tours at once, want %d", n, toursAtOnce)
		}
		close(w.let)
		if r := <-done; len(r.DayEndsM) != 6 {
			t.Errorf("%d days", len(r.DayEndsM))
		}
	})
}
