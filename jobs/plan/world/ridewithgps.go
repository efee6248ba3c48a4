package world

import (
	"net/http"
	"strconv"
	"strings"

	"biketrip/store/track"
)

// rideWithGPSRoute is a route as RideWithGPS has it.
type rideWithGPSRoute struct {
	ID            int                `json:"id"`
	Name          string             `json:"name"`
	Visibility    int                `json:"visibility"`
	Distance      float64            `json:"distance"`
	ElevationGain float64            `json:"elevation_gain"`
	ElevationLoss float64            `json:"elevation_loss"`
	TrackPoints   []rideWithGPSPoint `json:"track_points"`
}

type rideWithGPSPoint struct {
	X float64 `json:"x"` // longitude
	Y float64 `json:"y"` // latitude
	E float64 `json:"e"` // metres, to a decimetre
	D float64 `json:"d"` // metres from the start
}

// rideWithGPS answers with the JSON beside the page of a route. nth is how often
// the route was asked for.
func (w *World) rideWithGPS(r *http.Request, nth int) (answer, bool) {
	number, ok := numberIn(r.URL.Path, "/routes/", ".json")
	link := "https://ridewithgps.com/routes/" + number
	switch address := addressOf(link); {
	case !ok:
		return answer{}, false
	case address == addressOf(UnlistedRouteLink) && r.URL.Query().Get("privacy_code") != routeCode:
		return inJSON(http.StatusForbidden, kindJSON, map[string]string{"error": "You do not have permission to view this route."}), true
	case link == DownLink, link == HiccupLink && nth <= Hiccup, link == OutageLink && nth <= Outage:
		return page(http.StatusServiceUnavailable, "Ride with GPS is down", "<h1>We are down for maintenance</h1>"), true
	case link == EmptyLink:
		return inJSON(http.StatusOK, kindJSON, rideWithGPSOf(link, Route{Title: "Untitled route"})), true
	}
	route, known := w.Route(link)
	if !known {
		return answer{}, false
	}
	data := rideWithGPSOf(link, route)
	if link == LongLink {
		// Some answers have the route under a key of its own.
		return inJSON(http.StatusOK, kindJSON, struct {
			Type  string           `json:"type"`
			Route rideWithGPSRoute `json:"route"`
		}{"route", data}), true
	}
	return inJSON(http.StatusOK, kindJSON, data), true
}

func rideWithGPSOf(link string, route Route) rideWithGPSRoute {
	relief := route.Line.Relief(track.ProvidedHeights)
	id, _ := strconv.Atoi(strings.TrimPrefix(link, "https://ridewithgps.com/routes/"))
	data := rideWithGPSRoute{
		ID: id, Name: route.Title, Distance: route.Line.Length(),
		ElevationGain: relief.Ascent(0, relief.LengthM), ElevationLoss: relief.Descent(0, relief.LengthM),
		TrackPoints: []rideWithGPSPoint{},
	}
	for _, segment := range route.Line.Segments() {
		gone := 0.0
		for i, p := range segment {
			if i > 0 {
				gone += track.Distance(segment[i-1], p)
			}
			data.TrackPoints = append(data.TrackPoints, rideWithGPSPoint{p.Lon, p.Lat, round(p.Ele, 10), round(gone, 1)})
		}
	}
	return data
}
