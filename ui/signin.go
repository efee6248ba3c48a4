package ui

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
)

type loginPage struct {
	page
	Mail bool // links are mailed
}

func (s *Site) showLogin(w http.ResponseWriter, r *http.Request) {
	v, ok := s.visitor(r)
	if ok {
		s.show(w, http.StatusOK, v.language, "account", v.page(text{"You are signed in", "Vous êtes connecté"}))
		return
	}
	s.show(w, http.StatusOK, v.language, "login", loginPage{v.page(signInTitle()), s.mailer != nil})
}

// signInTitle stands above what leads to an account.
func signInTitle() text { return text{"Sign in", "Se connecter"} }

// showLink shows whom a link signs in. It spends nothing: programs that look at
// links in mails open them, too.
func (s *Site) showLink(w http.ResponseWriter, r *http.Request) {
	var u store.User
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		u, err = tx.LinkUser(oauth.HashOf(chi.URLParam(r, "secret")))
		return err
	})
	if err != nil {
		s.failLink(w, r, err)
		return
	}
	v, _ := s.visitor(r)
	v.Email = u.Email
	s.show(w, http.StatusOK, v.language, "link", v.page(signInTitle()))
}

// signIn spends a link, and signs the browser in.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	link := oauth.HashOf(chi.URLParam(r, "secret"))
	// Only one that works is worth a turn at writing.
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		_, err := tx.LinkUser(link)
		return err
	})
	var secret string
	var hash store.Hash
	if err == nil {
		secret, hash, err = oauth.NewSecret(s.random, "")
	}
	if err == nil {
		err = s.Store.Update(r.Context(), func(tx *store.Tx) error {
			u, err := tx.LinkUser(link)
			if err != nil {
				return err
			}
			if err := tx.UseLink(link); err != nil {
				return err
			}
			if err := tx.ForgetSessions(tx.Now); err != nil {
				return err
			}
			if err := tx.FirstLanguage(u.ID, asked(s.languages, r)); err != nil {
				return err
			}
			if old, ok := s.session(r); ok { // which nobody could end any more
				if err := tx.EndSession(old); err != nil {
					return err
				}
			}
			return tx.CreateSession(hash, u.ID, tx.Now.Add(sessionLife))
		})
	}
	if err != nil {
		s.failLink(w, r, err)
		return
	}
	http.SetCookie(w, s.cookie(secret, sessionLife))
	redirect(w, "/account")
}

func (s *Site) failLink(w http.ResponseWriter, r *http.Request, err error) {
	if s.guessesTooMuch(w, r, err) {
		return
	}
	s.fail(w, r, err,
		text{"This link does not work", "Ce lien ne fonctionne pas"},
		text{"It was used already, a newer one has taken its place, or its half hour is over. Ask for a new one.",
			"Il a déjà servi, un plus récent l’a remplacé, ou sa demi-heure est passée. Demandez-en un nouveau."})
}

// signOut signs the browser out. What was granted to applications stays.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	if hash, ok := s.session(r); ok {
		err := s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.EndSession(hash) })
		if err != nil {
			s.fail(w, r, err, text{}, text{})
			return
		}
	}
	http.SetCookie(w, s.cookie("", 0))
	redirect(w, "/login")
}

// fail answers with what is missing, or that something of ours is broken.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error, title, says text) {
	if errors.Is(err, store.ErrNotFound) {
		s.message(w, r, http.StatusNotFound, title, says)
		return
	}
	if r.Context().Err() == nil {
		s.Log.Error("a page is not answered", "error", err)
	}
	s.message(w, r, http.StatusServiceUnavailable,
		text{"Something went wrong", "Quelque chose n’a pas marché"},
		text{"The server cannot answer at the moment. Try again in a minute.", "Le serveur ne peut pas répondre pour le moment. Réessayez dans une minute."})
}
