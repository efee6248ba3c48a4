package tool

import (
	"context"
	"strings"

	"biketrip/store/trip"
)

// none is the answer of a tool whose work this server cannot do yet.
type none struct{}

// editable is a trip of the caller's that can be edited now, against a version;
// nil for a call that names none. What stands against it is refused in the
// published order.
func (d desk) editable(ctx context.Context, c caller, tripID string, version *int) (trip.Reading, error) {
	r, err := d.Planner.Trip(ctx, c.actor(), tripID)
	if err != nil {
		return trip.Reading{}, err
	}
	return r, checkEditable(r, version)
}

// editableStage is editable for an edit of one day, and which of the days it is.
func (d desk) editableStage(ctx context.Context, c caller, tripID, stageID string, version *int) (r trip.Reading, day int, err error) {
	if r, err = d.Planner.Trip(ctx, c.actor(), tripID); err != nil {
		return r, 0, err
	}
	if len(r.Stages) == 0 { // there is no day to look for
		if err := checkEditable(r, nil); err != nil {
			return r, 0, err
		}
	}
	if day, err = r.Day(stageID); err != nil {
		return r, 0, err
	}
	return r, day, checkEditable(r, version)
}

func checkEditable(r trip.Reading, version *int) error {
	route := r.Category(trip.CategoryRoute)
	switch {
	case r.Locked:
		return trip.ErrLocked()
	case r.Partial():
		return trip.ErrStillComputing(r.Trip.ID)
	case len(r.Stages) == 0 && route.Status == trip.Failed:
		return trip.ErrRouteFailed(r.Trip.ID, strings.TrimRight(route.Reason, "."))
	case version != nil && *version != r.Trip.Version:
		return trip.ErrStale(r.Trip.ID, *version, r.Trip.Version)
	}
	return nil
}
