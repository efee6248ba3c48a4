package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// granted is a grant of anna's to an application.
func granted(t *testing.T, s *Store) Grant {
	t.Helper()
	g := Grant{UserID: newOwner(t, s, "anna@example.org").ID, ClientID: "c", ClientName: "Agent", RedirectHost: "client.example", Scopes: []string{"trips:read"}}
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateGrant(&g) })
	return g
}

func TestCodes(t *testing.T) {
	s := newStore(t)
	g := granted(t, s)
	end := time.Date(2027, 1, 1, 0, 2, 0, 0, time.UTC)
	c := AuthorizationCode{Hash: Hash{1}, GrantID: g.ID, RedirectURI: "https://client.example/cb", Challenge: "0123456789012345678901234567890123456789012", ExpiresAt: end}
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateCode(c) })
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Code(c.Hash)
		if d := cmp.Diff(c, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if _, err := tx.Code(Hash{2}); err != ErrNotFound {
			t.Errorf("another: %v", err)
		}
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error { return tx.UseCode(c.Hash) })
	for _, again := range []Hash{c.Hash, {2}} {
		if err := s.Update(t.Context(), func(tx *Tx) error { return tx.UseCode(again) }); err != ErrNotFound {
			t.Errorf("used again: %v", err)
		}
	}
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Code(c.Hash)
		if got.UsedAt.IsZero() {
			t.Error("it is not used")
		}
		return err
	})
	for name, bad := range map[string]AuthorizationCode{
		"no grant":        {Hash: Hash{3}, GrantID: "nobody", Challenge: c.Challenge},
		"taken":           c,
		"short challenge": {Hash: Hash{4}, GrantID: g.ID, Challenge: "x"},
	} {
		if err := s.Update(t.Context(), func(tx *Tx) error { return tx.CreateCode(bad) }); err == nil {
			t.Errorf("%s is kept", name)
		}
	}
	for then, want := range map[time.Time]error{end: nil, end.Add(time.Millisecond): ErrNotFound} {
		err := s.Update(t.Context(), func(tx *Tx) error {
			if err := tx.ForgetCodes(then); err != nil {
				return err
			}
			_, err := tx.Code(c.Hash)
			return errors.Join(err, errUndo) // it is there for the next one
		})
		if errors.Is(err, ErrNotFound) != (want != nil) {
			t.Errorf("forgotten before %v: %v", then, err)
		}
	}
}

var errUndo = errors.New("undo")

func TestRefreshTokens(t *testing.T) {
	s := newStore(t)
	g := granted(t, s)
	end := time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)
	first := RefreshToken{Hash: Hash{1}, GrantID: g.ID, ExpiresAt: end}
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateRefreshToken(first) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.RotateRefreshToken(first.Hash) })
	for _, again := range []Hash{first.Hash, {2}} {
		if err := s.Update(t.Context(), func(tx *Tx) error { return tx.RotateRefreshToken(again) }); err != ErrNotFound {
			t.Errorf("rotated again: %v", err)
		}
	}
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.RefreshToken(first.Hash)
		if got.RotatedAt.IsZero() || got.GrantID != g.ID || !got.ExpiresAt.Equal(end) {
			t.Errorf("%+v", got)
		}
		return err
	})
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.CreateRefreshToken(RefreshToken{Hash: Hash{2}, GrantID: "nobody"}) }); err != ErrNotFound {
		t.Errorf("of no grant: %v", err)
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetRefreshTokens(end.Add(1)) })
	mustUpdate(t, s, func(tx *Tx) error {
		if _, err := tx.RefreshToken(first.Hash); err != nil {
			t.Errorf("forgotten at its end: %v", err)
		}
		return tx.ForgetRefreshTokens(end.Add(time.Millisecond))
	})
	mustView(t, s, func(tx *Tx) error {
		if _, err := tx.RefreshToken(first.Hash); err != ErrNotFound {
			t.Errorf("kept after its end: %v", err)
		}
		return nil
	})
}

// TestSecretsGoWithTheirUser: nothing of a person stays that opened their trips.
func TestSecretsGoWithTheirUser(t *testing.T) {
	s := newStore(t)
	g := granted(t, s)
	mustUpdate(t, s, func(tx *Tx) error {
		return errors.Join(
			tx.CreateCode(AuthorizationCode{Hash: Hash{1}, GrantID: g.ID, Challenge: "0123456789012345678901234567890123456789012"}),
			tx.CreateRefreshToken(RefreshToken{Hash: Hash{2}, GrantID: g.ID}))
	})
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteUser(g.UserID) })
	mustView(t, s, func(tx *Tx) error {
		_, code := tx.Code(Hash{1})
		_, refresh := tx.RefreshToken(Hash{2})
		_, grant := tx.Grant(g.ID)
		if code != ErrNotFound || refresh != ErrNotFound || grant != ErrNotFound {
			t.Errorf("%v, %v, %v", code, refresh, grant)
		}
		return nil
	})
}
