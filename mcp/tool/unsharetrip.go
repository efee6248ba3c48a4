package tool

import (
	"context"

	"biketrip/store/trip"
)

const unshareTripText = "Stops sharing a trip: revokes its public link, so nobody can see the page any more; a later link gets another address. The trip itself stays; to remove the trip use delete_trip. The first call changes nothing and answers with the impact and a confirmationToken; send the token once the user agreed."

type unshareTripArguments struct {
	TripID            string `json:"tripId"`
	ConfirmationToken string `json:"confirmationToken"`
}

// unshareTrip finds no link to revoke, since none can be made yet.
func (d desk) unshareTrip(ctx context.Context, c caller, a unshareTripArguments) (none, error) {
	if _, err := d.Planner.Trip(ctx, c.actor(), a.TripID); err != nil {
		return none{}, err
	}
	if a.ConfirmationToken != "" {
		return none{}, trip.ErrConfirmation("unshare_trip") // none was given out yet
	}
	return none{}, trip.ErrNoLink()
}
