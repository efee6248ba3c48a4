package source

import (
	"context"
	"errors"

	"biketrip/store/trip"
)

const rideWithGPSHost = "ridewithgps.com"

// rideWithGPSRef reads the path of a RideWithGPS address.
func rideWithGPSRef(path []string) (ref Ref, special string) {
	if ref, ok := pathRef(path, "routes", trip.RideWithGPS); ok {
		return ref, ""
	}
	switch path[0] {
	case "trips":
		return Ref{}, "This is a ride: save it on RideWithGPS as a route and send the link of the route."
	case "events":
		return Ref{}, "This is an event: open one of its routes and send the link of that."
	}
	return Ref{}, "On RideWithGPS, open the route and copy its address."
}

// rideWithGPSData is a route in JSON.
type rideWithGPSData struct {
	Name   text
	Points list `json:"track_points"`
}

// rideWithGPSRoute reads a route from the JSON beside its page, which has the
// route at the top or under a key of its own.
func (v visit) rideWithGPSRoute(ctx context.Context) (Route, error) {
	var answer struct {
		rideWithGPSData
		Route rideWithGPSData
	}
	res, err := v.getJSON(ctx, v.ref.String()+".json"+query(v.ref.key()), "application/json", &answer, "www."+rideWithGPSHost)
	if err != nil {
		return Route{}, err
	}
	if !answer.Points.present() && !answer.Route.Points.present() {
		return Route{}, v.unreadable(res, errors.New("no track_points in the answer"))
	}
	title := titleOf(answer.Name, answer.Route.Name)
	line, err := readPoints(ctx, answer.Points)
	if err == nil && line.points == 0 && answer.Route.Points.present() {
		title = titleOf(answer.Route.Name, answer.Name)
		line, err = readPoints(ctx, answer.Route.Points)
	}
	if err != nil {
		return Route{}, v.unreadable(res, err)
	}
	return v.route(ctx, line, title, res)
}
