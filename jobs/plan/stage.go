package plan

import (
	"context"
	"slices"
	"strconv"

	"biketrip/store/trip"
)

// Stage reads a trip of the actor's, and which of its days has that id. A trip
// that is not the actor's is trip.ErrTripNotFound, a day the trip does not have
// trip.ErrStageNotFound, which names the id of the day whose number was sent in
// place of one, or of the first.
func (p *Planner) Stage(ctx context.Context, actor Actor, tripID, stageID string) (r trip.Reading, day int, err error) {
	r, err = p.Trip(ctx, actor, tripID)
	if err != nil {
		return trip.Reading{}, 0, err
	}
	if day = slices.IndexFunc(r.Stages, func(s trip.Stage) bool { return s.ID == stageID }); day >= 0 {
		return r, day, nil
	}
	if len(r.Stages) == 0 {
		return trip.Reading{}, 0, trip.ErrStageNotFound(stageID, 0, "")
	}
	named, err := strconv.Atoi(stageID)
	if err != nil || named < 1 || named > len(r.Stages) {
		named = 1
	}
	return trip.Reading{}, 0, trip.ErrStageNotFound(stageID, named, r.Stages[named-1].ID)
}
