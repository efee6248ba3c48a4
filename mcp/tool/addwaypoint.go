package tool

import (
	"context"

	"biketrip/store/trip"
)

const addWaypointText = "Makes a detour: reroutes one day through a point, for example a sight or shop listed by get_stage or a place from search_places. It starts a new routing on every call, so do not repeat it: the trip version stays the same, and distance and climbing change in get_stage when it is done. Not for a bed: use choose_accommodation. It cannot remove a waypoint."

type addWaypointArguments struct {
	TripID  string `json:"tripId"`
	StageID string `json:"stageId"`
}

func (d desk) addWaypoint(ctx context.Context, c caller, a addWaypointArguments) (none, error) {
	if err := d.editableStage(ctx, c, a.TripID, a.StageID, nil); err != nil {
		return none{}, err
	}
	return none{}, trip.ErrUnavailable()
}
