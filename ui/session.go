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
func NewLink(ctx context.Context, file *store.Store, defaultURI, userID string, random io.Reader) (link Link, err error) {
	err = file.Update(ctx, func(tx *store.Tx) (err error) {
		link, err = NewLinkIn(tx, defaultURI, userID, random)
		return err
	})
	return link, err
}

// NewLinkIn is NewLink within a transaction.
func NewLinkIn(tx *store.Tx, defaultURI, userID string, random io.Reader) (Link, error) {
	secret, hash, err := oauth.NewSecret(random, "")
	if err != nil {
		return Link{}, err
	}
	link := Link{URL: defaultURI + oauth.LoginPath + "/" + secret, ExpiresAt: tx.Now.Add(linkLife)}
	return link, tx.CreateLink(hash, userID, link.ExpiresAt)
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

// A visitor is who asks for a page.
type visitor struct {
	oauth.Person        // zero where nobody is signed in
	language     string // that of the account, or else what the browser asks for
}

// visitor is who asks for a page, and whether they are signed in.
func (s *Site) visitor(r *http.Request) (visitor, bool) {
	nobody := visitor{language: asked(s.languages, r)}
	hash, ok := s.session(r)
	if !ok {
		return nobody, false
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
		return nobody, false
	}
	return visitor{oauth.Person{UserID: u.ID, Email: u.Email, Session: hash}, u.Language}, true
}

// SignedIn is who is signed in in the browser that a request comes from.
func (s *Site) SignedIn(r *http.Request) (oauth.Person, bool) {
	v, ok := s.visitor(r)
	return v.Person, ok
}

// person is who is signed in; anybody else is sent to sign in.
func (s *Site) person(w http.ResponseWriter, r *http.Request) (visitor, bool) {
	v, ok := s.visitor(r)
	if !ok {
		redirect(w, oauth.LoginPath)
	}
	return v, ok
}

// redirect leads a browser to one of our own pages.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}
