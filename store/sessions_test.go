package store

import (
	"testing"
	"time"
)

func TestLinks(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	later := time.Now().Add(time.Hour)
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateLink(Hash{1}, anna.ID, later) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateLink(Hash{2}, anna.ID, later) })
	mustView(t, s, func(tx *Tx) error {
		if _, err := tx.LinkUser(Hash{1}); err != ErrNotFound {
			t.Errorf("the link before: %v", err)
		}
		u, err := tx.LinkUser(Hash{2})
		if u != anna {
			t.Errorf("%+v", u)
		}
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error { return tx.UseLink(Hash{2}) })
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.UseLink(Hash{2}) }); err != ErrNotFound {
		t.Errorf("used again: %v", err)
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateLink(Hash{3}, anna.ID, tx.Now) })
	mustView(t, s, func(tx *Tx) error {
		if _, err := tx.LinkUser(Hash{3}); err != ErrNotFound {
			t.Errorf("at its end: %v", err)
		}
		return nil
	})
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.CreateLink(Hash{4}, "nobody", later) }); err != ErrNotFound {
		t.Errorf("of nobody: %v", err)
	}
}

func TestSessions(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	end := time.Now().Add(time.Hour)
	mustUpdate(t, s, func(tx *Tx) error {
		for i, until := range []time.Time{end, end, tx.Now} {
			if err := tx.CreateSession(Hash{byte(i)}, anna.ID, until); err != nil {
				return err
			}
		}
		return nil
	})
	signedIn := func(hash Hash) (ok bool) {
		mustView(t, s, func(tx *Tx) error {
			u, err := tx.SessionUser(hash)
			ok = err == nil && u == anna
			return nil
		})
		return ok
	}
	if !signedIn(Hash{0}) || !signedIn(Hash{1}) || signedIn(Hash{2}) || signedIn(Hash{9}) {
		t.Error("who is signed in is not who is")
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.EndSession(Hash{0}) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.EndSession(Hash{0}) })
	if signedIn(Hash{0}) || !signedIn(Hash{1}) {
		t.Error("another browser is signed out")
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetSessions(end) })
	if !signedIn(Hash{1}) {
		t.Error("a session that lives is forgotten")
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteUser(anna.ID) })
	if signedIn(Hash{1}) {
		t.Error("a session outlives its user")
	}
}
