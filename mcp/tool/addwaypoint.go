package tool

import (
	"context"

	"biketrip/store/trip"
)

const addWaypointText = "Makes a detour: reroutes one day through a point, for example a sight or shop listed by get_stage or a place from search_places. It starts a new routing on every call, so do not repeat it: the trip version stays the same, and distance and climbing change in get_stage when it is done. Not for a bed: use choose_accommodation. It cannot remove a waypoint."

type addWaypointArguments struct {
	TripID  string  `json:"tripId"`
	StageID string  `json:"stageId"`
	Lat     float64 `json:"waypointLat"`
	Lon     float64 `json:"waypointLon"`
}

func (d desk) addWaypoint(ctx context.Context, c caller, a addWaypointArguments) (none, error) {
	r, day, err := d.editableStage(ctx, c, a.TripID, a.StageID, nil)
	if err == nil {
		err = trip.CheckRide(r.Stages, day)
	}
	if err != nil {
		return none{}, err
	}
	line, err := d.Planner.StageLine(ctx, r, day)
	if err == nil {
		err = trip.CheckNear(line, point{a.Lat, a.Lon}.place())
	}
	if err != nil {
		return none{}, err
	}
	return none{}, trip.ErrUnavailable()
}
