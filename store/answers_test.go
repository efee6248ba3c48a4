package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnswers(t *testing.T) {
	s := newStore(t)
	now := testNow
	s.now = func() time.Time { return now }
	tr := newTrip(t, s, "anna@example.org")
	other := Answer{Request: [32]byte{1}, URL: "https://example.org/", ContentType: "text/html", Body: []byte{0, 1}}
	route := Answer{Request: [32]byte{2}, Subject: tr.SourceURL, URL: tr.SourceURL + ".json", Body: []byte{2}}
	check := func(request [32]byte, want *Answer) {
		t.Helper()
		mustView(t, s, func(tx *Tx) error {
			got, err := tx.Answer(request)
			if want == nil {
				if err != ErrNotFound {
					t.Errorf("want no answer, got %v, %v", got, err)
				}
				return nil
			}
			if d := cmp.Diff(*want, got); d != "" {
				t.Errorf("answer (-want +got):\n%s", d)
			}
			return err
		})
	}
	keep := func(a Answer, lifetime time.Duration) {
		t.Helper()
		mustUpdate(t, s, func(tx *Tx) error { return tx.KeepAnswer(a, lifetime) })
	}
	check(other.Request, nil)
	keep(other, time.Minute)
	other.Body, other.Subject = []byte{9}, "x"
	keep(other, time.Minute)
	keep(route, time.Hour)
	check(other.Request, &other)
	check(route.Request, &route)

	now = now.Add(time.Minute)
	check(other.Request, nil)
	mustUpdate(t, s, func(tx *Tx) error {
		n, err := tx.SweepAnswers()
		if n != 1 {
			t.Errorf("swept %d answers", n)
		}
		return err
	})
	check(route.Request, &route)

	// What a route has answered goes with the trip, be it that of its owner.
	s.Update(t.Context(), func(tx *Tx) error {
		if err := tx.DeleteTrip(sampleID(9), tr.ID); err != ErrNotFound {
			t.Errorf("removed a trip of another user: %v", err)
		}
		return nil
	})
	check(route.Request, &route)
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteTrip(tr.OwnerID, tr.ID) })
	check(route.Request, nil)
}

func TestAnswersOfAFileStay(t *testing.T) {
	s := newStore(t)
	tr := newTrip(t, s, "anna@example.org")
	tr.SourceURL = ""
	general := Answer{Request: [32]byte{1}, Body: []byte{1}}
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.UpdateTrip(&tr); err != nil {
			return err
		}
		if err := tx.KeepAnswer(general, time.Hour); err != nil {
			return err
		}
		return tx.DeleteTrip(tr.OwnerID, tr.ID)
	})
	mustView(t, s, func(tx *Tx) error {
		_, err := tx.Answer(general.Request)
		return err
	})
}
