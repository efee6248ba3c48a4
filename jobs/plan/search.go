package plan

import (
	"context"

	"biketrip/store/limit"
	"biketrip/store/trip"
)

// SearchPlaces looks for places by name, so often as the actor may. Its error is
// a refusal: there is nowhere to look yet.
func (p *Planner) SearchPlaces(_ context.Context, actor Actor) error {
	if err := p.chargeSearch(actor); err != nil {
		return err
	}
	return trip.ErrUnavailable()
}

// chargeSearch counts a search, and refuses one too many. Source: contract, "Rate
// limits", geocode.
func (p *Planner) chargeSearch(actor Actor) error {
	if wait := p.searches.Take(actor.UserID); wait > 0 {
		return trip.ErrTooManySearches(limit.Seconds(wait))
	}
	return nil
}
