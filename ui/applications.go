package ui

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"biketrip/store"
)

// An application is one that may act for the person.
type application struct {
	ID, Name, Host  string
	Scopes          []string // in words
	Since, LastUsed string   // days; empty: never
}

type applicationsPage struct {
	page
	Applications []application
}

// showApplications lists what the person has granted, and the operator has handed
// out.
func (s *Site) showApplications(w http.ResponseWriter, r *http.Request) {
	v, ok := s.person(w, r)
	if !ok {
		return
	}
	shown := applicationsPage{page: v.page(text{"Authorized applications", "Applications autorisées"})}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		grants, err := tx.LiveGrants(v.UserID)
		for _, g := range grants {
			a := application{ID: g.ID, Name: g.ClientName, Host: g.RedirectHost, Scopes: v.inWords(g.Scopes), Since: g.CreatedAt.Format(time.DateOnly)}
			if !g.LastUsedAt.IsZero() {
				a.LastUsed = g.LastUsedAt.Format(time.DateOnly)
			}
			shown.Applications = append(shown.Applications, a)
		}
		return err
	})
	if err != nil {
		s.fail(w, r, err, text{}, text{})
		return
	}
	s.show(w, http.StatusOK, v.language, "applications", shown)
}

// revoke takes back what was granted to an application. Its next call is refused.
func (s *Site) revoke(w http.ResponseWriter, r *http.Request) {
	v, ok := s.person(w, r)
	if !ok {
		return
	}
	err := s.Store.Update(r.Context(), func(tx *store.Tx) error {
		g, err := tx.Grant(chi.URLParam(r, "grant"))
		if err == nil && g.UserID != v.UserID {
			err = store.ErrNotFound
		}
		if err != nil || !g.RevokedAt.IsZero() { // clicked twice
			return err
		}
		return tx.RevokeGrant(g.ID, "by its user")
	})
	if err != nil {
		s.fail(w, r, err,
			text{"No such application", "Application inconnue"},
			text{"It is not, or no longer, among those that may act for you.", "Elle n’est pas, ou n’est plus, de celles qui peuvent agir pour vous."})
		return
	}
	redirect(w, "/account/applications")
}
