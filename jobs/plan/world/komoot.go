package world

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"biketrip/store/track"
)

const collectionTitle = "Trois jours d'Averlie"

// collectionTours are the tours of CollectionLink, by the last digits of their
// numbers.
func collectionTours() []int { return []int{301, 302, 303} }

// halLink is a link in an answer of Komoot.
type halLink struct {
	Href string `json:"href"`
}

// komootTour is a tour as the API and the pages of Komoot have it.
type komootTour struct {
	ID            int                `json:"id"`
	Type          string             `json:"type"`
	Name          string             `json:"name"`
	Status        string             `json:"status"`
	Date          string             `json:"date"`
	Sport         string             `json:"sport"`
	Distance      float64            `json:"distance"`
	Duration      int                `json:"duration"`
	ElevationUp   float64            `json:"elevation_up"`
	ElevationDown float64            `json:"elevation_down"`
	Links         map[string]halLink `json:"_links"`
	Embedded      *komootEmbedded    `json:"_embedded,omitempty"`
}

// komootEmbedded is what a page has of a tour and the API does not.
type komootEmbedded struct {
	Coordinates komootCoordinates `json:"coordinates"`
}

type komootCoordinates struct {
	Items []komootPoint `json:"items"`
}

type komootPoint struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
	Alt float64 `json:"alt"` // metres, to a decimetre
	T   int     `json:"t"`   // milliseconds from the start
}

// komootRefusal is an answer of the API of Komoot without what was asked for.
type komootRefusal struct {
	Status  int    `json:"status"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// komootMetresPerSecond is how fast Komoot thinks people ride: 16.2 km/h.
const komootMetresPerSecond = 4.5

// komootAccess is a tour and what Komoot answers for it: status 200, or why
// not; known is false for a tour that is not in this world.
func (w *World) komootAccess(number, token string) (route Route, status int, known bool) {
	address := "www.komoot.com/tour/" + number
	switch {
	case address == addressOf(MissingLink):
		return Route{}, http.StatusNotFound, true
	case address == addressOf(PrivateLink), address == addressOf(UnlistedTourLink) && token != tourToken:
		return Route{}, http.StatusForbidden, true
	}
	route, known = w.Route("https://" + address)
	return route, http.StatusOK, known
}

// komootAPI answers what the apps of Komoot ask.
func (w *World) komootAPI(r *http.Request) (answer, bool) {
	path, wantsPoints := strings.CutSuffix(r.URL.Path, "/coordinates")
	number, ok := numberIn(path, "/v007/tours/", "")
	if !ok {
		return answer{}, false
	}
	route, status, known := w.komootAccess(number, r.URL.Query().Get("share_token"))
	switch {
	case !known:
		return answer{}, false
	case status == http.StatusNotFound:
		return inJSON(status, kindHAL, komootRefusal{status, "NotFound", "Tour not found."}), true
	case status != http.StatusOK:
		return inJSON(status, kindHAL, komootRefusal{status, "AccessDenied", "Access denied without proper authentication."}), true
	case wantsPoints:
		return inJSON(status, kindHAL, komootPoints(route.Line)), true
	}
	return inJSON(status, kindHAL, komootOf(number, route)), true
}

// komootOf is a route as Komoot has it, without its points.
func komootOf(number string, route Route) komootTour {
	id, _ := strconv.Atoi(number)
	status := "public"
	if "www.komoot.com/tour/"+number == addressOf(UnlistedTourLink) {
		status = "friends"
	}
	relief := route.Line.Relief(track.ProvidedHeights)
	self := "https://api.komoot.de/v007/tours/" + number
	return komootTour{
		ID: id, Type: "tour_planned", Name: route.Title, Status: status, Sport: "touringbicycle",
		Date:     time.Date(2026, time.March, 14, 9, 30, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z07:00"),
		Distance: route.Line.Length(), Duration: int(route.Line.Length() / komootMetresPerSecond),
		ElevationUp: relief.Ascent(0, relief.LengthM), ElevationDown: relief.Descent(0, relief.LengthM),
		Links: map[string]halLink{"self": {self}, "coordinates": {self + "/coordinates"}},
	}
}

func komootPoints(line track.Line) komootCoordinates {
	var c komootCoordinates
	gone := 0.0
	points := line.Segments()[0]
	for i, p := range points {
		if i > 0 {
			gone += track.Distance(points[i-1], p)
		}
		c.Items = append(c.Items, komootPoint{p.Lat, p.Lon, round(p.Ele, 10), int(1000 * gone / komootMetresPerSecond)})
	}
	return c
}

// komootPage answers with the page of a tour or a collection.
func (w *World) komootPage(r *http.Request) (answer, bool) {
	if r.URL.Host+r.URL.Path == addressOf(CollectionLink) {
		return w.komootCollection(), true
	}
	number, ok := numberIn(r.URL.Path, "/tour/", "")
	if !ok {
		return answer{}, false
	}
	route, status, known := w.komootAccess(number, r.URL.Query().Get("share_token"))
	switch {
	case !known:
		return answer{}, false
	case status == http.StatusNotFound:
		return page(status, "Page not found", "<h1>This page could not be found</h1>"), true
	case status != http.StatusOK:
		return page(status, "Tour not available", "<h1>This tour is private</h1>"), true
	}
	tour := komootOf(number, route)
	tour.Embedded = &komootEmbedded{komootPoints(route.Line)}
	return komootProps(route.Title, map[string]komootTour{"tour": tour}), true
}

// komootProps is a page that hands to its scripts what is embedded in it.
func komootProps[T any](title string, embedded map[string]T) answer {
	type inner struct {
		Embedded map[string]T `json:"_embedded"`
	}
	props := encode(struct {
		Locale string `json:"locale"`
		Page   inner  `json:"page"`
	}{"en", inner{embedded}})
	// A string of JSON is one of JavaScript (ECMA-262, 12.9.4).
	return page(http.StatusOK, "Komoot", "<div id=\"pageMountNode\"></div>\n<script>kmtBoot.setProps("+string(encode(string(props)))+
		");\nkmtBoot.start();</script>")
}

// komootItem is a tour in a collection.
type komootItem struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
}

// komootList is the tours of a collection, all on one page of the list.
type komootList struct {
	Embedded struct {
		Items []komootItem `json:"items"`
	} `json:"_embedded"`
	Page struct {
		Size          int `json:"size"`
		TotalElements int `json:"totalElements"`
		TotalPages    int `json:"totalPages"`
		Number        int `json:"number"`
	} `json:"page"`
}

// komootCollection is the page of CollectionLink.
func (w *World) komootCollection() answer {
	type collection struct {
		ID       int    `json:"id"`
		Type     string `json:"type"`
		Name     string `json:"name"`
		Embedded struct {
			Compilation komootList `json:"compilation"`
		} `json:"_embedded"`
	}
	c := collection{ID: 990000301, Type: "collection_personal", Name: collectionTitle}
	list := &c.Embedded.Compilation
	for _, n := range collectionTours() {
		tour, _ := w.Route("https://" + tourAddress(n))
		list.Embedded.Items = append(list.Embedded.Items, komootItem{tourNumber(n), "tour_planned", tour.Title})
	}
	list.Page.Size, list.Page.TotalElements, list.Page.TotalPages = 24, len(list.Embedded.Items), 1
	return komootProps(collectionTitle, map[string]collection{"collectionHal": c})
}
