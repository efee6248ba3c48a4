package world

import (
	"net/url"
	"strconv"
	"strings"

	"biketrip/store/track"
)

// Route is what comes of a link, as the world has it; its source may round the
// heights.
type Route struct {
	Title    string
	Line     track.Line
	DayEndsM []float64 // where each day ends, in metres from the start, of a collection; nil for all else
}

// Route is the route of a link of the world, with any key; ok is false where
// nothing comes of it.
func (w *World) Route(link string) (route Route, ok bool) {
	address := addressOf(link)
	switch address {
	case addressOf(CollectionLink):
		return w.collection(), true
	case addressOf(HugeLink):
		return w.huge(), true
	}
	t, ok := treks()[address]
	if !ok {
		return Route{}, false
	}
	return w.ride(t), true
}

// ride is the route of a trek.
func (w *World) ride(t trek) Route {
	line := track.NewLine(w.along(t.passing...))
	if t.lessM > 0 {
		// Where it is cut is no point of a road: the next one begins it.
		line = track.NewLine(line.Cut(t.lessM, line.Length()).Segments()[0][1:])
	}
	return Route{Title: t.title, Line: line}
}

// collection is the route of CollectionLink.
func (w *World) collection() Route {
	var segments [][]track.Point
	for _, id := range collectionTours() {
		day, _ := w.Route("https://" + tourAddress(id))
		segments = append(segments, day.Line.Segments()...)
	}
	line := track.NewLine(segments...)
	return Route{Title: collectionTitle, Line: line, DayEndsM: line.EndsM()}
}

// hugeRoute is the long route with a point every few metres.
func (w *World) hugeRoute() Route {
	t := long()
	line := w.ride(t).Line
	points := make([]track.Point, HugePoints)
	for i := range points {
		p := line.At(line.Length() * float64(i) / (HugePoints - 1))
		points[i] = track.Point{Lat: round(p.Lat, 1e6), Lon: round(p.Lon, 1e6), Ele: round(p.Ele, 100)}
	}
	return Route{Title: t.title + " (100 000 points)", Line: track.NewLine(points)}
}

// addressOf is a link to a route in its shortest form: host, word and number.
func addressOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	path := strings.Split(strings.TrimPrefix(strings.TrimPrefix(u.Path, "/de-de"), "/"), "/")
	return u.Host + "/" + strings.Join(path[:min(2, len(path))], "/")
}

// tourAddress is the address of a tour by the last three digits of its number.
func tourAddress(n int) string { return "www.komoot.com/tour/" + strconv.FormatInt(tourNumber(n), 10) }

func tourNumber(n int) int64 { return 990000000000 + int64(n) }
