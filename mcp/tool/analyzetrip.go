package tool

import (
	"context"

	"biketrip/store/trip"
)

const analyzeTripText = "Recomputes what is known about every day in the background: sights, beds, weather, terrain, shops, events and alerts. Use it after a round of edits, or when a category of get_trip failed or its data is old. Not needed after create_trip, and refused while one is running. Then call get_trip, at least 10 seconds apart, until no category is running."

func (d desk) analyzeTrip(ctx context.Context, c caller, a getTripArguments) (none, error) {
	r, err := d.Planner.Trip(ctx, c.actor(), a.ID)
	switch {
	case err != nil:
		return none{}, err
	case r.Locked:
		return none{}, trip.ErrLocked()
	case r.Partial():
		return none{}, trip.ErrStillComputing(r.Trip.ID)
	case r.ListStatus() == trip.ListAnalyzing:
		return none{}, trip.ErrAnalysisRunning(r.Trip.ID)
	}
	return none{}, trip.ErrUnavailable()
}
