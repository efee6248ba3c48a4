package ui

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
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
	v, ok := s.person(w, r)
	if !ok {
		return
	}
	request, err := s.Auth.Request(r.Context(), v.Person, chi.URLParam(r, "handle"))
	if err != nil {
		s.failConsent(w, r, err)
		return
	}
	title := text{"Give access to your trips?", "Donner accès à vos voyages ?"}
	s.show(w, http.StatusOK, v.language, "consent", consentPage{v.page(title), request, v.inWords(request.Scopes)})
}

// decide keeps the decision. The answer is a page that goes on by itself: browsers
// do not let a form lead to another site under our policy, and would lose the
// code.
func (s *Site) decide(w http.ResponseWriter, r *http.Request) {
	v, ok := s.person(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	decision := store.Decision(r.PostFormValue("decision"))
	if decision != store.Authorize && decision != store.Refuse {
		s.message(w, r, http.StatusBadRequest,
			text{"Nothing is decided", "Rien n’est décidé"},
			text{"Go back and choose Authorize or Refuse.", "Revenez en arrière et choisissez Autoriser ou Refuser."})
		return
	}
	next, err := s.Auth.Decide(r.Context(), v.Person, chi.URLParam(r, "handle"), decision)
	if err != nil {
		s.failConsent(w, r, err)
		return
	}
	shown := v.page(text{"Back to your application", "Retour à votre application"})
	shown.Text, shown.Next = text{"Your answer is on its way.", "Votre réponse est en route."}.in(v.language), next
	s.show(w, http.StatusOK, v.language, "message", shown)
}

func (s *Site) failConsent(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, oauth.ErrDecided):
		s.message(w, r, http.StatusConflict,
			text{"Decided already", "Déjà décidé"},
			text{"You have answered this request already. Start again from your application.",
				"Vous avez déjà répondu à cette demande. Recommencez depuis votre application."})
		return
	case errors.Is(err, oauth.ErrNoRequest):
		err = store.ErrNotFound
		if s.guessesTooMuch(w, r, err) {
			return
		}
	}
	s.fail(w, r, err,
		text{"Nothing is asked here", "Aucune demande ici"},
		text{"This request is not known, or its ten minutes are over. Start again from your application.",
			"Cette demande est inconnue, ou ses dix minutes sont passées. Recommencez depuis votre application."})
}

// inWords is what scopes allow.
func (v visitor) inWords(scopes []string) []string {
	all := map[string]text{
		trip.ScopeRead: {"read your trips and their days, and search places",
			"lire vos voyages et leurs étapes, et chercher des lieux"},
		trip.ScopeWrite: {"create, change, share and delete your trips",
			"créer, modifier, partager et supprimer vos voyages"},
	}
	var words []string
	for _, scope := range scopes {
		words = append(words, all[scope].in(v.language))
	}
	return words
}
