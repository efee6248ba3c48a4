package plan

import (
	"context"
	"errors"

	"biketrip/store"
	"biketrip/store/trip"
)

// Reading is a trip as it stands.
type Reading struct {
	Trip       trip.Trip
	Stages     []trip.Stage // in order, none until the route is cut
	Categories []CategoryState
	Locked     bool // the trip has started: it can no longer be edited
}

// Status is how far the trip is.
func (r Reading) Status() trip.Status { return trip.StatusOf(len(r.Stages)) }

// Partial says whether the days are still to come.
func (r Reading) Partial() bool {
	return len(r.Stages) == 0 && r.Category(trip.CategoryRoute).Status == trip.Running
}

// ListStatus is how far the trip is, as a list tells it.
func (r Reading) ListStatus() trip.ListStatus {
	states := make(map[trip.Category]trip.CategoryStatus, len(r.Categories))
	for _, c := range r.Categories {
		states[c.Category] = c.Status
	}
	return trip.ListStatusOf(len(r.Stages), states)
}

// DistanceM is the length of all days in metres.
func (r Reading) DistanceM() float64 {
	sum := 0.0
	for _, s := range r.Stages {
		sum += s.DistanceM
	}
	return sum
}

// Category is the state of a category, without a status where nothing of it was
// begun.
func (r Reading) Category(c trip.Category) CategoryState {
	for _, state := range r.Categories {
		if state.Category == c {
			return state
		}
	}
	return CategoryState{Category: c}
}

// Trip reads a trip of the actor's. Any other is trip.ErrTripNotFound, whether
// it exists or not.
func (p *Planner) Trip(ctx context.Context, actor Actor, id string) (r Reading, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Trip(actor.UserID, id)
		if err != nil {
			return err
		}
		r, err = p.read(tx, t)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Reading{}, trip.ErrTripNotFound(id)
	}
	return r, err
}

// Trips reads the actor's trips, newest first: at most limit of them after the
// first offset.
func (p *Planner) Trips(ctx context.Context, actor Actor, limit, offset int) (readings []Reading, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		trips, err := tx.Trips(actor.UserID, limit, offset)
		if err != nil {
			return err
		}
		for _, t := range trips {
			r, err := p.read(tx, t)
			if err != nil {
				return err
			}
			readings = append(readings, r)
		}
		return nil
	})
	return readings, err
}

// read reads what belongs to a trip.
func (p *Planner) read(tx *store.Tx, t trip.Trip) (Reading, error) {
	stages, err := tx.Stages(t.ID)
	if err != nil {
		return Reading{}, err
	}
	work, err := tx.Jobs(t.ID)
	if err != nil {
		return Reading{}, err
	}
	return Reading{
		Trip:       t,
		Stages:     stages,
		Categories: p.categoryStates(work),
		Locked:     t.Locked(trip.DateOf(tx.Now)),
	}, nil
}
