package ui

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"biketrip/oauth"
	"biketrip/store"
)

// An application is one that may act for the person, by however many grants.
type application struct {
	Grant           string   // id of one of them
	From            string   // host of its document, empty for one without
	Name, Host      string   // as they were when the last was given
	Scopes          []string // of all, in words
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
	shown.Endpoint = s.Endpoint
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		grants, err := tx.LiveGrants(v.UserID)
		shown.Applications = v.applications(grants)
		return err
	})
	if err != nil {
		s.fail(w, r, err, text{}, text{})
		return
	}
	s.show(w, http.StatusOK, v.language, "applications", shown)
}

// applications are those of grants, which are the oldest first.
func (v visitor) applications(grants []store.Grant) (out []application) {
	byClient := map[string]int{}
	for _, g := range grants {
		i, known := byClient[g.ClientID]
		if !known {
			i = len(out)
			byClient[g.ClientID] = i
			out = append(out, application{Grant: g.ID, From: oauth.DocumentHost(g.ClientID), Since: g.CreatedAt.Format(time.DateOnly)})
		}
		a := &out[i]
		a.Name, a.Host = g.ClientName, g.RedirectHost
		for _, words := range v.inWords(g.Scopes) {
			if !slices.Contains(a.Scopes, words) {
				a.Scopes = append(a.Scopes, words)
			}
		}
		if !g.LastUsedAt.IsZero() {
			a.LastUsed = max(a.LastUsed, g.LastUsedAt.Format(time.DateOnly))
		}
	}
	return out
}

// revoke takes back all that was granted to an application, which one of its grants
// names. Its next call is refused.
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
		if err != nil {
			return err
		}
		return tx.RevokeGrantsTo(v.UserID, g.ClientID, "by its user")
	})
	if err != nil {
		s.fail(w, r, err,
			text{"No such application", "Application inconnue"},
			text{"It is not, or no longer, among those that may act for you.", "Elle n’est pas, ou n’est plus, de celles qui peuvent agir pour vous."})
		return
	}
	if err := s.Store.Settle(r.Context()); err != nil && r.Context().Err() == nil {
		s.Log.Warn("the replica does not have what was revoked yet", "error", err)
	}
	redirect(w, "/account/applications")
}
