package plan

import (
	"context"
	"strings"
	"unicode"

	"biketrip/store"
	"biketrip/store/trip"
)

// A Search is which trips are looked for; the zero Search finds all.
type Search struct {
	Title string    // that the title contains, whatever the case
	From  trip.Date // on which the trip starts, or later; trips without a start are left out
	Until trip.Date // on which it ends, or earlier; trips without an end are left out
}

// Found are trips that a search has found.
type Found struct {
	Total int            // how many there are, over all pages
	Trips []trip.Reading // one page of them, newest first
}

// Trips looks for trips of the actor's: at most limit of them after the first
// offset.
func (p *Planner) Trips(ctx context.Context, actor Actor, search Search, limit, offset int) (found Found, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		heads, err := tx.TripHeads(actor.UserID)
		if err != nil {
			return err
		}
		matches := search.matcher()
		for _, h := range heads {
			if !matches(h) {
				continue
			}
			found.Total++
			if found.Total <= offset || len(found.Trips) == limit {
				continue
			}
			t, err := tx.Trip(actor.UserID, h.ID)
			if err != nil {
				return err
			}
			r, err := p.read(tx, t)
			if err != nil {
				return err
			}
			found.Trips = append(found.Trips, r)
		}
		return nil
	})
	return found, err
}

// matcher says of a trip whether it is looked for.
func (s Search) matcher() func(store.TripHead) bool {
	title := caseless(s.Title)
	return func(h store.TripHead) bool {
		starts := s.From.IsZero() || h.StartDate >= s.From
		ends := s.Until.IsZero() || !h.EndDate.IsZero() && h.EndDate <= s.Until
		return starts && ends && (title == "" || strings.Contains(caseless(h.Title), title))
	}
}

// caseless is a text whose letters are all of one case: of those that fold into
// one another (Unicode, CaseFolding.txt, status C and S) the least.
func caseless(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}
