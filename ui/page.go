package ui

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
)

//go:embed page
var pages embed.FS

// templates are the pages, each with the layout around it.
type templates map[string]*template.Template

func newTemplates() templates {
	t := templates{}
	for _, name := range []string{"message", "login", "link", "account", "consent", "applications"} {
		t[name] = template.Must(template.ParseFS(pages, "page/layout.html", "page/"+name+".html")) // embedded
	}
	return t
}

// A page is what every page shows.
type page struct {
	Title string
	Email string // of who is signed in, or signs in
	Text  string // of a message
	Next  string // where the browser goes by itself; empty: nowhere
}

// show answers with a page. Nothing of it is kept, nothing may be put around it,
// and nothing of anybody else's is loaded by it. Same-origin referrers let a form
// say where it stands, and tell nobody else.
func (s *Site) show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := s.templates[name].ExecuteTemplate(&b, "layout.html", data); err != nil {
		s.Log.Error("a page cannot be written", "page", name, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(s.DefaultURI, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// ErrorPage tells a person what is wrong with a request that an application has
// sent them with.
func (s *Site) ErrorPage(w http.ResponseWriter, status int, description string) {
	s.message(w, status, "This did not work", description)
}

// message answers with a page that says one thing.
func (s *Site) message(w http.ResponseWriter, status int, title, text string) {
	s.show(w, status, "message", page{Title: title, Text: text})
}

// serveStyle answers with the one stylesheet of all pages.
func (s *Site) serveStyle(w http.ResponseWriter, r *http.Request) {
	text, err := pages.ReadFile("page/style.css")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write(text)
}
