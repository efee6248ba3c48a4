package tool

import (
	"context"

	"biketrip/store/trip"
)

const deleteTripText = "Deletes a whole trip for good (removes it with its days and public link); it works on a started trip too and cannot be undone. To drop one day use edit_stages with action delete; to stop sharing use unshare_trip. The first call changes nothing and answers with the impact and a confirmationToken; show the title and dates to the user and send the token once they agreed."

type deleteTripArguments struct {
	ID                string `json:"id"`
	ConfirmationToken string `json:"confirmationToken"`
}

func (d desk) deleteTrip(ctx context.Context, c caller, a deleteTripArguments) (none, error) {
	if _, err := d.Planner.Trip(ctx, c.actor(), a.ID); err != nil {
		return none{}, err
	}
	if a.ConfirmationToken != "" {
		return none{}, trip.ErrConfirmation("delete_trip") // none was given out yet
	}
	return none{}, trip.ErrUnavailable()
}
