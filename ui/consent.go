package ui

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
)

// maxForm bounds what a form sends.
const maxForm = 4 << 10

// consentPage is what an application asks for, as the person is shown it.
type consentPage struct {
	page
	oauth.Request
	Scopes []string // in words
}

// showConsent asks the person. Looking at it decides nothing.
func (s *Site) showConsent(w http.ResponseWriter, r *http.Request) {
	p, ok := s.person(w, r)
	if !ok {
		return
	}
	asked, err := s.Auth.Request(r.Context(), p, chi.URLParam(r, "handle"))
	if err != nil {
		s.failConsent(w, r, err)
		return
	}
	s.show(w, http.StatusOK, "consent", consentPage{page{Title: "Give access to your trips?", Email: p.Email}, asked, s.inWords(asked.Scopes)})
}

// decide keeps the decision. The answer is a page that goes on by itself: browsers
// do not let a form lead to another site under our policy, and would lose the
// code.
func (s *Site) decide(w http.ResponseWriter, r *http.Request) {
	p, ok := s.person(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	decision := store.Decision(r.PostFormValue("decision"))
	if decision != store.Authorize && decision != store.Refuse {
		s.message(w, http.StatusBadRequest, "Nothing is decided", "Go back and choose Authorize or Refuse.")
		return
	}
	next, err := s.Auth.Decide(r.Context(), p, chi.URLParam(r, "handle"), decision)
	if err != nil {
		s.failConsent(w, r, err)
		return
	}
	s.show(w, http.StatusOK, "message", page{Title: "Back to your application", Text: "Your answer is on its way.", Next: next})
}

func (s *Site) failConsent(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, oauth.ErrDecided):
		s.message(w, http.StatusConflict, "Decided already", "You have answered this request the other way. Start again from your application.")
		return
	case errors.Is(err, oauth.ErrNoRequest):
		err = store.ErrNotFound
	}
	s.fail(w, r, err, "Nothing is asked here", "This request is not known, or its ten minutes are over. Start again from your application.")
}

// inWords is what scopes allow.
func (s *Site) inWords(scopes []string) []string {
	var words []string
	for _, scope := range scopes {
		words = append(words, s.Scopes[scope])
	}
	return words
}
