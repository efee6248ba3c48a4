package source

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store"
	"biketrip/store/trip"
)

// counted is a web that counts what it is asked.
type counted struct {
	*web
	asked atomic.Int32
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked.Add(1)
	return c.web.RoundTrip(r)
}

func newFile(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "trips.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestRoutesAreKept: what a route was read from is not asked for again, until
// the trip of that link is gone.
func TestRoutesAreKept(t *testing.T) {
	const key = "?share_token=sesame"
	collection := map[string]answer{collectionPage + key: komootPageOf(t, collectionProps(`"C"`, `{"id":1},{"id":2}`))}
	withTour(collection, "1", key, [2]float64{1, 2}, [2]float64{3, 4})
	withTour(collection, "2", key, [2]float64{3, 4}, [2]float64{5, 6})
	page := komootPageOf(t, tourProps(`{"name":"N","_embedded":{"coordinates":{"items":`+komootSample+`}}}`))
	link := komootPageOf(t, tourProps(`{"name":"N"}`))
	gpx := answer{kind: "application/gpx+xml", body: `<gpx><trk><trkseg>` + ab + `</trkseg></trk></gpx>`}
	for name, c := range map[string]struct {
		url          string
		answers      map[string]answer
		first, later int32 // requests; later those whose answers are not kept
	}{
		"RideWithGPS":      {rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"track_points":` + rwgpsPoints + `}`}}, 1, 0},
		"Komoot API":       {tourURL, map[string]answer{tourAPI: {body: `{}`}, tourPoints: {body: `{"items":` + komootSample + `}`}}, 2, 0},
		"Komoot page":      {tourURL, map[string]answer{tourAPI: {body: `{}`}, tourPoints: {status: 403}, tourPage: page}, 3, 2},
		"Komoot link":      {tourURL, map[string]answer{tourAPI: {status: 404}, tourPoints: {body: `{"items":` + komootSample + `}`}, tourPage: link}, 3, 1},
		"Komoot rubbish":   {tourURL, map[string]answer{tourAPI: {body: signIn}, tourPage: page}, 2, 1},
		"collection":       {collectionURL + key, collection, 5, 0},
		"Strava embed":     {stravaURL, map[string]answer{embedAddress: embedOf(`{"coordinates":[[2,1],[4,3]]}`)}, 1, 0},
		"Strava export":    {stravaURL, map[string]answer{embedAddress: {status: 404}, gpxAddress: gpx}, 2, 1},
		"Strava, an empty": {stravaURL, map[string]answer{embedAddress: {}, gpxAddress: gpx}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := &counted{web: &web{t: t, answers: c.answers}}
			s := newFile(t)
			client := fetch.New(fetch.Options{Transport: w, Store: s})
			ref, err := ParseURL(c.url)
			if err != nil {
				t.Fatal(err)
			}
			read := func(asks int32) {
				t.Helper()
				before := w.asked.Load()
				r, err := Fetch(t.Context(), client, ref)
				if n := w.asked.Load() - before; err != nil || r.Line.Len() < 2 || n != asks {
					t.Errorf("asked %d times, want %d: %d points, %v", n, asks, r.Line.Len(), err)
				}
			}
			read(c.first)
			read(c.later)
			removeTrip(t, s, ref)
			read(c.first)
		})
	}
}

// removeTrip makes a trip of the link and deletes it.
func removeTrip(t *testing.T, s *store.Store, ref Ref) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		u, err := tx.CreateUser("anna@example.org", "en")
		if err != nil {
			return err
		}
		tr := &trip.Trip{OwnerID: u.ID, SourceURL: ref.URL(), SourceType: ref.Type, Settings: trip.DefaultSettings()}
		if err := tx.CreateTrip(tr); err != nil {
			return err
		}
		return tx.DeleteTrip(u.ID, tr.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLiesAreNotKept: an answer that no route was read from is asked for again.
func TestLiesAreNotKept(t *testing.T) {
	for name, body := range map[string]string{
		"sign-in page": signIn, "rubbish": "<html>", "other JSON": `{"error":"busy"}`, "empty": `{"track_points":[]}`, "one place": `{"track_points":[{"x":1,"y":1}]}`,
	} {
		w := &counted{web: &web{t: t, answers: map[string]answer{rwgpsJSON: {body: body}}}}
		client := fetch.New(fetch.Options{Transport: w, Store: newFile(t)})
		ref, _ := ParseURL(rwgpsURL)
		if _, err := Fetch(t.Context(), client, ref); err == nil {
			t.Errorf("%s: no error", name)
		}
		w.answers[rwgpsJSON] = answer{body: `{"track_points":` + rwgpsPoints + `}`}
		if _, err := Fetch(t.Context(), client, ref); err != nil || w.asked.Load() != 2 {
			t.Errorf("%s: asked %d times, %v", name, w.asked.Load(), err)
		}
	}
}

// dawdling answers each request late.
type dawdling struct {
	*web
	late  time.Duration
	asked atomic.Int32
}

func (d *dawdling) RoundTrip(r *http.Request) (*http.Response, error) {
	d.asked.Add(1)
	select {
	case <-time.After(d.late):
		return d.web.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// slowCollection is one of 60 tours.
func slowCollection(t *testing.T) map[string]answer {
	answers := map[string]answer{}
	var items []string
	for i := range maxTours {
		id := string(rune('1'+i/10)) + string(rune('0'+i%10))
		items = append(items, `{"id":`+id+`}`)
		withTour(answers, id, "", [2]float64{float64(i), 1}, [2]float64{float64(i), 1.1})
	}
	answers[collectionPage] = komootPageOf(t, collectionProps(`"C"`, strings.Join(items, ",")))
	return answers
}

func TestCollectionHasATime(t *testing.T) {
	ref, err := ParseURL(collectionURL)
	if err != nil {
		t.Fatal(err)
	}
	for late, enough := range map[time.Duration]bool{3 * time.Second: true, 20 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			w := &dawdling{web: &web{t: t, answers: slowCollection(t)}, late: late}
			start := time.Now()
			r, err := Fetch(t.Context(), fetch.New(fetch.Options{Transport: w}), ref)
			if enough {
				if err != nil || len(r.DayEndsM) != maxTours {
					t.Errorf("%d days, %v", len(r.DayEndsM), err)
				}
				return
			}
			wantProblem(t, err, ErrUnavailable, "www.komoot.com is too slow: Komoot collection 9 was not complete within 2 minutes; try again later")
			if again, after := problemOf(t, err).Passing(); !again || after != 0 {
				t.Errorf("again %v after %v", again, after)
			}
			if took := time.Since(start); took != 2*time.Minute {
				t.Errorf("took %v", took)
			}
			synctest.Wait()
			// The page, and two for each of ten tours that were finished or begun.
			if n := w.asked.Load(); n > 30 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// TestEndOfContextOfACollection: the caller's is no problem of the source.
func TestEndOfContextOfACollection(t *testing.T) {
	ref, _ := ParseURL(collectionURL)
	synctest.Test(t, func(t *testing.T) {
		w := &dawdling{web: &web{t: t, answers: slowCollection(t)}, late: 20 * time.Second}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		_, err := Fetch(ctx, fetch.New(fetch.Options{Transport: w}), ref)
		var p *Problem
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &p) {
			t.Errorf("got %v", err)
		}
	})
}
