package tool

import (
	"context"

	"biketrip/store/trip"
)

const chooseAccommodationText = "Chooses where to sleep at the end of one day: the day then ends there and the next one starts there. Copy both coordinates from one entry of accommodations in get_stage, with all decimals. Leaving both out clears the present choice, so never call it without coordinates unless the user wants that. It books nothing."

type chooseAccommodationArguments struct {
	TripID  string   `json:"tripId"`
	StageID string   `json:"stageId"`
	Version int      `json:"version"`
	Lat     *float64 `json:"selectedAccommodationLat"`
	Lon     *float64 `json:"selectedAccommodationLon"`
}

func (d desk) chooseAccommodation(ctx context.Context, c caller, a chooseAccommodationArguments) (none, error) {
	r, day, err := d.editableStage(ctx, c, a.TripID, a.StageID, &a.Version)
	if err != nil {
		return none{}, err
	}
	if (a.Lat == nil) != (a.Lon == nil) {
		return none{}, trip.ErrHalfCoordinates()
	}
	if a.Lat != nil {
		line, err := d.Planner.StageLine(ctx, r, day)
		if err == nil {
			err = trip.CheckSwapped(line, point{*a.Lat, *a.Lon}.place())
		}
		if err != nil {
			return none{}, err
		}
	}
	return none{}, trip.ErrUnavailable()
}
