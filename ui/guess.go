package ui

import (
	"errors"
	"net/http"
	"strconv"

	"biketrip/store"
	"biketrip/store/limit"
)

// guessesTooMuch refuses a client that has come with too many links or handles that
// are not there, with one more of them. One that is there always works.
func (s *Site) guessesTooMuch(w http.ResponseWriter, r *http.Request, err error) bool {
	if !errors.Is(err, store.ErrNotFound) {
		return false
	}
	wait := s.Guesses.Take(s.Address(r))
	if wait == 0 {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(limit.Seconds(wait)))
	s.message(w, r, http.StatusTooManyRequests,
		text{"Too many requests", "Trop de demandes"},
		text{"Too many links that do not work were opened from here. Try again in an hour.", "Trop de liens qui ne fonctionnent pas ont été ouverts d’ici. Réessayez dans une heure."})
	return true
}
