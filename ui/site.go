package ui

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
)

// Site is the pages where people sign in, decide about applications, and take that
// back. It is safe for concurrent use.
type Site struct {
	Store      *store.Store
	Auth       *oauth.Server
	DefaultURI string            // scheme and host of every address
	Scopes     map[string]string // what each scope allows, in words
	Log        *slog.Logger

	templates templates
	random    io.Reader
}

// Routes mounts the pages.
func (s *Site) Routes(r chi.Router) {
	s.templates, s.random = newTemplates(), rand.Reader
	r.Get("/style.css", s.serveStyle)
	r.Get(oauth.LoginPath, s.showLogin)
	r.Get(oauth.LoginPath+"/{secret}", s.showLink)
	r.Get("/account", s.showAccount)
	r.Get("/account/applications", s.showApplications)
	r.Get(oauth.ConsentPath+"{handle}", s.showConsent)
	// What changes something is done from our own pages alone.
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.message(w, http.StatusForbidden, "Not from here", "This was asked by another web site. Open the page here and try again.")
	}))
	r.Method(http.MethodPost, oauth.LoginPath+"/{secret}", own.Handler(http.HandlerFunc(s.signIn)))
	r.Method(http.MethodPost, "/logout", own.Handler(http.HandlerFunc(s.signOut)))
	r.Method(http.MethodPost, "/account/applications/{grant}", own.Handler(http.HandlerFunc(s.revoke)))
	r.Method(http.MethodPost, oauth.ConsentPath+"{handle}", own.Handler(http.HandlerFunc(s.decide)))
}
