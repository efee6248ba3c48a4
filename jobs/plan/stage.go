package plan

import (
	"context"

	"biketrip/store/trip"
)

// Stage reads a trip of the actor's, and which of its days has that id. A trip
// that is not the actor's is trip.ErrTripNotFound, a day the trip does not have
// trip.ErrStageNotFound.
func (p *Planner) Stage(ctx context.Context, actor Actor, tripID, stageID string) (r trip.Reading, day int, err error) {
	if r, err = p.Trip(ctx, actor, tripID); err != nil {
		return trip.Reading{}, 0, err
	}
	if day, err = r.Day(stageID); err != nil {
		return trip.Reading{}, 0, err
	}
	return r, day, nil
}
