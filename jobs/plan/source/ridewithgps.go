package source

import (
	"context"
	"encoding/json"
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
	Points points `json:"track_points"`
}

// rideWithGPSRoute reads a route from the JSON beside its page, which has the
// route at the top or under a key of its own.
func (v visit) rideWithGPSRoute(ctx context.Context) (Route, error) {
	res, err := v.get(ctx, v.ref.String()+".json"+query(v.ref.key()), "application/json", "www."+rideWithGPSHost)
	if err != nil {
		return Route{}, err
	}
	data, err := readRideWithGPS(res.Body)
	if err != nil {
		return Route{}, v.unreadable(res, err)
	}
	return data.Points.route(titleOf(data.Name), v.ref)
}

// readRideWithGPS reads the JSON of a route. The error is ErrTooLarge, or what
// is wrong with the answer.
func readRideWithGPS(answer []byte) (rideWithGPSData, error) {
	var data struct {
		rideWithGPSData
		Route rideWithGPSData
	}
	if err := json.Unmarshal(answer, &data); err != nil {
		return rideWithGPSData{}, err
	}
	switch {
	case data.Points.present:
		return data.rideWithGPSData, nil
	case data.Route.Points.present:
		return data.Route, nil
	}
	return rideWithGPSData{}, errors.New("no track_points in the answer")
}
