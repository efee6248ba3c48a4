package ui

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
)

//go:embed page
var pages embed.FS

// templates are the pages by language and name, each with the layout around it.
type templates map[string]map[string]*template.Template

// pageNames are the pages there are.
func pageNames() []string {
	return []string{"message", "login", "link", "account", "consent", "applications"}
}

func newTemplates() templates {
	all := templates{}
	for _, lang := range languages() {
		all[lang] = map[string]*template.Template{}
		for _, name := range pageNames() {
			t := template.New(name).Funcs(template.FuncMap{"say": say(lang)})
			all[lang][name] = template.Must(t.ParseFS(pages, "page/layout.html", "page/"+name+".html")) // embedded
		}
	}
	return all
}

// say gives what a page says: of a text in English and in French, which may have
// markup, the one of its language, with what it shows where it has %s.
func say(lang string) func(en, fr string, shown ...string) template.HTML {
	return func(en, fr string, shown ...string) template.HTML {
		var escaped []any
		for _, s := range shown {
			escaped = append(escaped, template.HTMLEscapeString(s))
		}
		return template.HTML(fmt.Sprintf(text{en, fr}.in(lang), escaped...))
	}
}

// A page is what every page shows.
type page struct {
	Language string
	Title    string
	Email    string // of who is signed in, or signs in
	Text     string // of a message
	Endpoint string // that agents are given, where it is told
	Next     string // where the browser goes by itself; empty: nowhere
}

// page is a page for a visitor.
func (v visitor) page(title text) page {
	return page{Language: v.language, Title: title.in(v.language), Email: v.Email}
}

// show answers with a page. Nothing of it is kept, nothing may be put around it,
// and nothing of anybody else's is loaded by it. Same-origin referrers let a form
// say where it stands, and tell nobody else.
func (s *Site) show(w http.ResponseWriter, status int, lang, name string, data any) {
	var b bytes.Buffer
	if err := s.templates[lang][name].ExecuteTemplate(&b, "layout.html", data); err != nil {
		s.Log.Error("a page cannot be written", "page", name, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
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
// sent them with. Like every refusal, it is in English.
func (s *Site) ErrorPage(w http.ResponseWriter, status int, description string) {
	next := " Go back to the application and start again from there. If it comes to this again, ask whoever runs this server: why it is so stands in its log."
	s.show(w, status, english, "message", page{Language: english, Title: "This did not work", Text: description + next})
}

// NotFound answers where there is nothing: people with a page, programs in JSON.
func (s *Site) NotFound(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.message(w, r, http.StatusNotFound,
			text{"Nothing is here", "Il n’y a rien ici"},
			text{"There is no such page.", "Cette page n’existe pas."})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusNotFound)
	io.WriteString(w, `{"error":"not_found","error_description":"There is nothing at this address."}`)
}

// message answers with a page that says one thing.
func (s *Site) message(w http.ResponseWriter, r *http.Request, status int, title, says text) {
	v, _ := s.visitor(r)
	shown := v.page(title)
	shown.Text = says.in(v.language)
	s.show(w, status, v.language, "message", shown)
}

// serveStyle answers with the one stylesheet of all pages.
func (s *Site) serveStyle(w http.ResponseWriter, r *http.Request) {
	style, err := pages.ReadFile("page/style.css")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write(style)
}
