package tool

import (
	"context"

	"biketrip/store/trip"
)

const editStagesText = "Restructures the days of a trip, at once and without confirmation: add (startPoint, endPoint), update (stageId and a new name, length or end), move (stageId, toIndex), delete (stageId, removes a day by merging it with its neighbour) or rest_day (stageId, a free day after it; later dates shift by one). One call does one action; use the version of its answer for the next one. For a bed use choose_accommodation, for a detour add_waypoint, for pacing of the whole trip update_trip_settings."

type editStagesArguments struct {
	TripID  string `json:"tripId"`
	StageID string `json:"stageId"`
	Action  string `json:"action"`
	Version int    `json:"version"`
}

func (d desk) editStages(ctx context.Context, c caller, a editStagesArguments) (none, error) {
	var err error
	if a.Action == "add" {
		_, err = d.editable(ctx, c, a.TripID, &a.Version)
	} else {
		err = d.editableStage(ctx, c, a.TripID, a.StageID, &a.Version)
	}
	if err != nil {
		return none{}, err
	}
	return none{}, trip.ErrUnavailable()
}
