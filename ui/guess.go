package ui

import (
	"errors"
	"net/http"
	"strconv"

	"biketrip/store"
	"biketrip/store/limit"
)

// guessesTooMuch refuses a client that has come with too many links or handles that
// are not there, whatever it comes with now.
func (s *Site) guessesTooMuch(w http.ResponseWriter, r *http.Request) bool {
	if s.Guesses == nil {
		return false
	}
	wait := s.Guesses.Wait(s.Address(r))
	if wait == 0 {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(limit.Seconds(wait)))
	s.message(w, r, http.StatusTooManyRequests,
		text{"Too many requests", "Trop de demandes"},
		text{"Too many links that do not work were opened from here. Try again in an hour.", "Trop de liens qui ne fonctionnent pas ont été ouverts d’ici. Réessayez dans une heure."})
	return true
}

// missed counts a link or handle that is not there.
func (s *Site) missed(r *http.Request, err error) {
	if s.Guesses != nil && errors.Is(err, store.ErrNotFound) {
		s.Guesses.Take(s.Address(r))
	}
}
