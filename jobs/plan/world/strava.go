package world

import (
	"net/http"

	"biketrip/store/track"
)

// stravaRoute is a route as the page for other sites has it.
type stravaRoute struct {
	ID            string       `json:"id"` // of 64 bits: as a number it would be rounded
	Name          string       `json:"name"`
	Distance      float64      `json:"distance"`
	ElevationGain float64      `json:"elevationGain"`
	Coordinates   [][3]float64 `json:"coordinates"` // longitude, latitude, metres to a centimetre
}

// stravaEmbed answers with the page of a route for other sites.
func (w *World) stravaEmbed(r *http.Request) (answer, bool) {
	number, ok := numberIn(r.URL.Path, "/route/", "")
	address := "https://www.strava.com/routes/" + number
	switch {
	case !ok:
		return answer{}, false
	case address == LoginLink:
		return page(http.StatusNotFound, "Not found", "<p>This route is not available.</p>"), true
	}
	route, known := w.Route(address)
	if !known {
		return answer{}, false
	}
	relief := route.Line.Relief(track.ProvidedHeights)
	data := stravaRoute{ID: number, Name: route.Title, Distance: route.Line.Length(), ElevationGain: relief.Ascent(0, relief.LengthM)}
	for _, segment := range route.Line.Segments() {
		for _, p := range segment {
			data.Coordinates = append(data.Coordinates, [3]float64{p.Lon, p.Lat, p.Ele})
		}
	}
	return page(http.StatusOK, "Strava Route", "<div id=\"root\"></div>\n<script id=\"__ROUTE_DATA__\" type=\"application/json\">"+
		string(encode(data))+"</script>"), true
}

// stravaSite answers as Strava does to those who have not signed in: it sends
// them to do so.
func stravaSite(r *http.Request) (answer, bool) {
	switch "https://www.strava.com" + r.URL.Path {
	case "https://www.strava.com/login":
		return page(http.StatusOK, "Log In | Strava",
			`<form action="/session" method="post"><input type="email" name="email"><input type="password" name="password"><button>Log In</button></form>`), true
	case EmbedLink + "/export_gpx", LoginLink + "/export_gpx":
		return answer{status: http.StatusFound, kind: kindHTML, location: "https://www.strava.com/login"}, true
	}
	return answer{}, false
}
