package ui

import (
	"errors"
	"net/http"

	"biketrip/store"
)

func (s *Site) showAccount(w http.ResponseWriter, r *http.Request) {
	if v, ok := s.person(w, r); ok {
		shown := v.page(text{"Account", "Compte"})
		shown.Endpoint = s.Endpoint
		s.show(w, http.StatusOK, v.language, "account", shown)
	}
}

// setLanguage changes the language of an account: of its pages, mails and alerts.
func (s *Site) setLanguage(w http.ResponseWriter, r *http.Request) {
	v, ok := s.person(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	lang := r.PostFormValue("language")
	err := s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.SetLanguage(v.UserID, lang) })
	if errors.Is(err, store.ErrLanguageUnknown) {
		s.message(w, r, http.StatusBadRequest,
			text{"No such language", "Langue inconnue"},
			text{"Go back and choose English or French.", "Revenez en arrière et choisissez l’anglais ou le français."})
		return
	}
	if err != nil {
		s.fail(w, r, err, text{"No such account", "Compte inconnu"}, text{"It is deleted.", "Il est supprimé."})
		return
	}
	redirect(w, "/account")
}
