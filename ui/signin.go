package ui

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
)

func (s *Site) showLogin(w http.ResponseWriter, r *http.Request) {
	if p, ok := s.SignedIn(r); ok {
		s.show(w, http.StatusOK, "account", page{Title: "You are signed in", Email: p.Email})
		return
	}
	s.show(w, http.StatusOK, "login", page{Title: "Sign in"})
}

// showLink shows whom a link signs in. It spends nothing: programs that look at
// links in mails open them, too.
func (s *Site) showLink(w http.ResponseWriter, r *http.Request) {
	var u store.User
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		u, err = tx.LinkUser(oauth.HashOf(chi.URLParam(r, "secret")))
		return err
	})
	if err != nil {
		s.fail(w, r, err, "This link does not work", "It was used already, a newer one has taken its place, or its half hour is over. Ask for a new one.")
		return
	}
	s.show(w, http.StatusOK, "link", page{Title: "Sign in", Email: u.Email})
}

// signIn spends a link, and signs the browser in.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	secret, hash, err := oauth.NewSecret(s.random, "")
	if err == nil {
		err = s.Store.Update(r.Context(), func(tx *store.Tx) error {
			link := oauth.HashOf(chi.URLParam(r, "secret"))
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
			return tx.CreateSession(hash, u.ID, tx.Now.Add(sessionLife))
		})
	}
	if err != nil {
		s.fail(w, r, err, "This link does not work", "It was used already, a newer one has taken its place, or its half hour is over. Ask for a new one.")
		return
	}
	http.SetCookie(w, s.cookie(secret, sessionLife))
	redirect(w, "/account")
}

// signOut signs the browser out. What was granted to applications stays.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	if hash, ok := s.session(r); ok {
		err := s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.EndSession(hash) })
		if err != nil {
			s.fail(w, r, err, "", "")
			return
		}
	}
	http.SetCookie(w, s.cookie("", 0))
	redirect(w, "/login")
}

func (s *Site) showAccount(w http.ResponseWriter, r *http.Request) {
	if p, ok := s.person(w, r); ok {
		s.show(w, http.StatusOK, "account", page{Title: "Account", Email: p.Email})
	}
}

// fail answers with what is missing, or that something of ours is broken.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error, title, text string) {
	if errors.Is(err, store.ErrNotFound) {
		s.message(w, http.StatusNotFound, title, text)
		return
	}
	if r.Context().Err() == nil {
		s.Log.Error("a page is not answered", "error", err)
	}
	s.message(w, http.StatusServiceUnavailable, "Something went wrong", "The server cannot answer at the moment. Try again in a minute.")
}
