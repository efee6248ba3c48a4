package ui

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"golang.org/x/text/language"

	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/limit"
)

// Site is the pages where people sign in, decide about applications, and take that
// back. It is safe for concurrent use.
type Site struct {
	Store      *store.Store
	Auth       *oauth.Server
	DefaultURI string                     // scheme and host of every address
	Endpoint   string                     // that agents are given
	Mail       MailServer                 // that sign-in links are mailed through; zero: they are not mailed
	MailsTo    *limit.Limiter             // of mails to one e-mail address; nil: any number
	MailsFrom  *limit.Limiter             // of mails that one client asks for; nil: any number
	Guesses    *limit.Limiter             // of links and handles that are not there, by client; nil: any number
	Address    func(*http.Request) string // the client that a request comes from
	Log        *slog.Logger

	templates templates
	languages language.Matcher
	random    io.Reader
	mailer    *mailer // nil: there is no mail server
}

// Routes mounts the pages.
func (s *Site) Routes(r chi.Router) {
	s.templates, s.languages, s.random = newTemplates(), newMatcher(), rand.Reader
	r.Get("/", func(w http.ResponseWriter, _ *http.Request) { redirect(w, "/account") })
	r.Get("/style.css", s.serveStyle)
	r.Get(oauth.LoginPath, s.showLogin)
	r.Get(oauth.LoginPath+"/{secret}", s.showLink)
	r.Get("/account", s.showAccount)
	r.Get("/account/applications", s.showApplications)
	r.Get(oauth.ConsentPath+"{handle}", s.showConsent)
	// What changes something is done from our own pages alone.
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.message(w, r, http.StatusForbidden,
			text{"Not from here", "Pas d’ici"},
			text{"This was asked by another web site. Open the page here and try again.", "Un autre site web l’a demandé. Ouvrez la page ici et réessayez."})
	}))
	post := func(path string, do http.HandlerFunc) { r.Method(http.MethodPost, path, own.Handler(do)) }
	post(oauth.LoginPath+"/{secret}", s.signIn)
	post("/logout", s.signOut)
	post("/account/language", s.setLanguage)
	post("/account/applications/{grant}", s.revoke)
	post(oauth.ConsentPath+"{handle}", s.decide)
	if s.Mail.Host != "" {
		s.mailer = newMailer(s)
		post(oauth.LoginPath, s.askLink)
	}
}

// Run sends mails until ctx ends, where there is a mail server.
func (s *Site) Run(ctx context.Context) error {
	if s.mailer != nil {
		s.mailer.run(ctx)
	}
	return nil
}
