package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRequests(t *testing.T) {
	s := newStore(t)
	anna, ben := newOwner(t, s, "anna@example.org"), newOwner(t, s, "ben@example.org")
	state := "a=b&c\r\n"
	r := AuthorizationRequest{
		Hash: Hash{1}, UserID: anna.ID, Session: Hash{9}, ClientID: "c", RedirectURI: "https://client.example/cb", Scopes: []string{"trips:read", "trips:write"}, State: &state,
		Challenge: "0123456789012345678901234567890123456789012", ExpiresAt: time.Date(2027, 1, 1, 0, 10, 0, 0, time.UTC),
	}
	other := r
	other.Hash, other.State = Hash{2}, nil
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.CreateRequest(r); err != nil {
			return err
		}
		return tx.CreateRequest(other)
	})
	read := func(want AuthorizationRequest) {
		t.Helper()
		mustView(t, s, func(tx *Tx) error {
			got, err := tx.Request(want.Hash, anna.ID, r.Session)
			if want.DeliveredAt = got.DeliveredAt; err != nil || !cmp.Equal(want, got) {
				t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
			}
			return nil
		})
	}
	read(r)
	read(other)
	mustView(t, s, func(tx *Tx) error {
		for what, err := range map[string]error{
			"of another user":    second(tx.Request(r.Hash, ben.ID, r.Session)),
			"in another session": second(tx.Request(r.Hash, anna.ID, Hash{8})),
			"that is not there":  second(tx.Request(Hash{3}, anna.ID, r.Session)),
		} {
			if err != ErrNotFound {
				t.Errorf("one %s: %v", what, err)
			}
		}
		return nil
	})
	change := func(what string, want error, fn func(*Tx) error) {
		t.Helper()
		if err := s.Update(t.Context(), fn); err != want {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	change("deliver what is not decided", ErrNotFound, func(tx *Tx) error { return tx.DeliverRequest(r.Hash) })
	change("decide", nil, func(tx *Tx) error { return tx.DecideRequest(r.Hash, Authorize) })
	change("decide again", ErrNotFound, func(tx *Tx) error { return tx.DecideRequest(r.Hash, Refuse) })
	change("deliver", nil, func(tx *Tx) error { return tx.DeliverRequest(r.Hash) })
	change("deliver again", ErrNotFound, func(tx *Tx) error { return tx.DeliverRequest(r.Hash) })
	r.Decision = Authorize
	read(r)
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.DecideRequest(other.Hash, "perhaps") }); err == nil || err == ErrNotFound {
		t.Errorf("a decision that is none: %v", err)
	}
	change("forget at the end", nil, func(tx *Tx) error { return tx.ForgetRequests(r.ExpiresAt) })
	read(r)
	change("forget after the end", nil, func(tx *Tx) error { return tx.ForgetRequests(r.ExpiresAt.Add(time.Millisecond)) })
	mustView(t, s, func(tx *Tx) error {
		if _, err := tx.Request(r.Hash, anna.ID, r.Session); err != ErrNotFound {
			t.Errorf("it is kept: %v", err)
		}
		return nil
	})
}

func second[V any](_ V, err error) error { return err }
