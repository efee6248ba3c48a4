package store

import "testing"

func TestAddress(t *testing.T) {
	s := newStore(t)
	read := func(tx *Tx) error {
		_, err := tx.Address()
		return err
	}
	if err := s.View(t.Context(), read); err != ErrNotFound {
		t.Errorf("before the first start: %v", err)
	}
	for _, address := range []string{"http://localhost:8080", "https://trips.example.org"} {
		mustUpdate(t, s, func(tx *Tx) error { return tx.SetAddress(address) })
		mustView(t, s, func(tx *Tx) error {
			got, err := tx.Address()
			if got != address {
				t.Errorf("%s, want %s", got, address)
			}
			return err
		})
	}
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.SetAddress("") }); err == nil {
		t.Error("no address is one")
	}
}
