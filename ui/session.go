package ui

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"biketrip/oauth"
	"biketrip/store"
)

const (
	// sessionLife is how long a browser stays signed in.
	sessionLife = 30 * 24 * time.Hour
	// linkLife is how long a sign-in link is good.
	linkLife = 30 * time.Minute
)

// A Link is where a person signs in, once.
type Link struct {
	URL       string
	ExpiresAt time.Time
}

// NewLink makes a sign-in link for a person, in place of the one before. A user who
// does not exist is store.ErrNotFound.
func NewLink(ctx context.Context, file *store.Store, defaultURI, userID string, random io.Reader) (Link, error) {
	secret, hash, err := oauth.NewSecret(random, "")
	if err != nil {
		return Link{}, err
	}
	link := Link{URL: defaultURI + oauth.LoginPath + "/" + secret}
	err = file.Update(ctx, func(tx *store.Tx) error {
		link.ExpiresAt = tx.Now.Add(linkLife)
		return tx.CreateLink(hash, userID, link.ExpiresAt)
	})
	return link, err
}

// cookie is the cookie of a session. It comes along when another site leads here,
// as applications do, and is never read by a script.
func (s *Site) cookie(value string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: "biketrip", Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if strings.HasPrefix(s.DefaultURI, "https://") {
		c.Name, c.Secure = "__Host-biketrip", true
	}
	if age <= 0 {
		c.MaxAge = -1
	}
	return c
}

// session is the hash of the cookie that a request brings.
func (s *Site) session(r *http.Request) (store.Hash, bool) {
	c, err := r.Cookie(s.cookie("", 0).Name)
	if err != nil || c.Value == "" {
		return store.Hash{}, false
	}
	return oauth.HashOf(c.Value), true
}

// SignedIn is who is signed in in the browser that a request comes from.
func (s *Site) SignedIn(r *http.Request) (oauth.Person, bool) {
	hash, ok := s.session(r)
	if !ok {
		return oauth.Person{}, false
	}
	var u store.User
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		u, err = tx.SessionUser(hash)
		return err
	})
	if err != nil {
		if !errors.Is(err, store.ErrNotFound) && r.Context().Err() == nil {
			s.Log.Error("a session cannot be read", "error", err)
		}
		return oauth.Person{}, false
	}
	return oauth.Person{UserID: u.ID, Email: u.Email, Session: hash}, true
}

// person is who is signed in; anybody else is sent to sign in.
func (s *Site) person(w http.ResponseWriter, r *http.Request) (oauth.Person, bool) {
	p, ok := s.SignedIn(r)
	if !ok {
		redirect(w, oauth.LoginPath)
	}
	return p, ok
}

// redirect leads a browser to one of our own pages.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}
