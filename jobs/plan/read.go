package plan

import (
	"context"
	"errors"

	"biketrip/store"
	"biketrip/store/trip"
)

// Trip reads a trip of the actor's. Any other is trip.ErrTripNotFound, whether
// it exists or not.
func (p *Planner) Trip(ctx context.Context, actor Actor, id string) (r trip.Reading, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Trip(actor.UserID, id)
		if err != nil {
			return err
		}
		r, err = p.read(tx, t)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return trip.Reading{}, trip.ErrTripNotFound(id)
	}
	return r, err
}

// read reads what belongs to a trip.
func (p *Planner) read(tx *store.Tx, t trip.Trip) (trip.Reading, error) {
	stages, err := tx.Stages(t.ID)
	if err != nil {
		return trip.Reading{}, err
	}
	work, err := tx.Jobs(t.ID)
	if err != nil {
		return trip.Reading{}, err
	}
	return trip.Reading{
		Trip:       t,
		Stages:     stages,
		Categories: p.categoryStates(work),
		Locked:     t.Locked(trip.DateOf(tx.Now)),
	}, nil
}
