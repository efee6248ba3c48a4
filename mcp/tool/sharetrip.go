package tool

import (
	"context"

	"biketrip/store/trip"
)

const shareTripText = "Publishes a read-only public link to a trip, to give to friends or to download the trip, and returns it; calling it again returns the same link. Anyone who has the link can see and download the trip without an account, so call it only when the user asked to share or download. Add .gpx or .fit to the url for a file. unshare_trip revokes it."

type shareTripArguments struct {
	TripID string `json:"tripId"`
}

func (d desk) shareTrip(ctx context.Context, c caller, a shareTripArguments) (none, error) {
	if _, err := d.Planner.Trip(ctx, c.actor(), a.TripID); err != nil {
		return none{}, err
	}
	return none{}, trip.ErrUnavailable()
}
