package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCreations(t *testing.T) {
	s := newStore(t)
	now := testNow.UTC().Truncate(time.Millisecond)
	s.now = func() time.Time { return now }
	first, second := newTrip(t, s, "anna@example.org"), newTrip(t, s, "b@example.org")
	anna := first.OwnerID
	check := func(userID, key string, want *Creation) {
		t.Helper()
		mustView(t, s, func(tx *Tx) error {
			got, err := tx.Creation(userID, key)
			if want == nil {
				if err != ErrNotFound {
					t.Errorf("want no creation, got %v, %v", got, err)
				}
				return nil
			}
			if d := cmp.Diff(*want, got); d != "" {
				t.Errorf("creation (-want +got):\n%s", d)
			}
			return err
		})
	}
	c := Creation{UserID: anna, Key: "k", Request: [32]byte{1, 31: 2}, TripID: second.ID, CreatedAt: now}
	mustUpdate(t, s, func(tx *Tx) error { return tx.SaveCreation(c) })
	c.TripID, c.Request = first.ID, [32]byte{3}
	mustUpdate(t, s, func(tx *Tx) error { return tx.SaveCreation(c) })
	check(anna, "k", &c)
	check(anna, "j", nil)
	check(second.OwnerID, "k", nil)

	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetCreations(anna, now) })
	check(anna, "k", &c)
	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetCreations(second.OwnerID, now.Add(time.Hour)) })
	check(anna, "k", &c)
	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetCreations(anna, now.Add(1)) })
	check(anna, "k", &c)
	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetCreations(anna, now.Add(time.Millisecond)) })
	check(anna, "k", nil)

	mustUpdate(t, s, func(tx *Tx) error { return tx.SaveCreation(c) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteTrip(anna, first.ID) })
	check(anna, "k", nil)
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.SaveCreation(c); err != ErrNotFound {
			t.Errorf("a creation of a trip that is gone: %v", err)
		}
		return nil
	})
}
