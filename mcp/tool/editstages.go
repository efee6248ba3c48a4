package tool

import (
	"context"
	"math"

	"biketrip/store/track"
	"biketrip/store/trip"
)

const editStagesText = "Restructures the days of a trip, at once and without confirmation: add (startPoint, endPoint), update (stageId and a new name, length or end), move (stageId, toIndex), delete (stageId, removes a day by merging it with its neighbour) or rest_day (stageId, a free day after it; later dates shift by one). One call does one action; use the version of its answer for the next one. For a bed use choose_accommodation, for a detour add_waypoint, for pacing of the whole trip update_trip_settings."

type editStagesArguments struct {
	TripID     string   `json:"tripId"`
	StageID    string   `json:"stageId"`
	Action     string   `json:"action"`
	Version    int      `json:"version"`
	Position   *int     `json:"position"`
	ToIndex    int      `json:"toIndex"`
	StartPoint *point   `json:"startPoint"`
	EndPoint   *point   `json:"endPoint"`
	Distance   *float64 `json:"distance"` // km
}

// A point is a place as agents write it.
type point struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

func (p point) place() track.Point { return track.Point{Lat: p.Lat, Lon: p.Lon, Ele: math.NaN()} }

func (d desk) editStages(ctx context.Context, c caller, a editStagesArguments) (none, error) {
	check := d.checkEdit
	if a.Action == "add" {
		check = d.checkAdd
	}
	if err := check(ctx, c, a); err != nil {
		return none{}, err
	}
	return none{}, trip.ErrUnavailable()
}

// checkAdd is what stands against a new day.
func (d desk) checkAdd(ctx context.Context, c caller, a editStagesArguments) error {
	r, err := d.editable(ctx, c, a.TripID, &a.Version)
	if err == nil && a.Position != nil {
		err = trip.CheckAdd(r.Stages, *a.Position)
	}
	if err != nil {
		return err
	}
	line, err := d.Planner.Line(ctx, r)
	for _, p := range []*point{a.StartPoint, a.EndPoint} {
		if err == nil {
			err = trip.CheckSwapped(line, p.place())
		}
	}
	return err
}

// checkEdit is what stands against an edit of a day that there is.
func (d desk) checkEdit(ctx context.Context, c caller, a editStagesArguments) error {
	r, day, err := d.editableStage(ctx, c, a.TripID, a.StageID, &a.Version)
	if err != nil {
		return err
	}
	switch a.Action {
	case "move":
		return trip.CheckMove(r.Stages, day, a.ToIndex)
	case "delete":
		return trip.CheckDelete(r.Stages, day)
	case "update":
		return d.checkUpdate(ctx, r, day, a)
	}
	return nil
}

// checkUpdate is what stands against another length or other ends of a day.
func (d desk) checkUpdate(ctx context.Context, r trip.Reading, day int, a editStagesArguments) error {
	if a.Distance == nil && a.StartPoint == nil && a.EndPoint == nil {
		return nil
	}
	if err := trip.CheckRide(r.Stages, day); err != nil {
		return err
	}
	if a.Distance != nil {
		return trip.CheckDistance(r.Stages, day, *a.Distance)
	}
	line, err := d.Planner.StageLine(ctx, r, day)
	for _, p := range []*point{a.StartPoint, a.EndPoint} {
		if err == nil && p != nil {
			err = trip.CheckNear(line, p.place())
		}
	}
	return err
}
