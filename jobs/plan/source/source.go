// Package source reads where a route comes from: route files in the GPX and
// FIT formats, and the addresses of Komoot, Strava and RideWithGPS.
package source

import (
	"fmt"

	"biketrip/store/track"
)

// Route is a route as its source tells it.
type Route struct {
	Title    string     // the name the source gives it, cleaned, of at most 255 characters; empty for none
	Line     track.Line // at least one segment of two points
	DayEndsM []float64  // where each day ends, in metres from the start, of a collection, whose days are its tours; nil where pacing cuts
	Warnings []string   // what was wrong with the source, a sentence each, for the rider
}

const (
	// maxBytes is what is read of a source: 300,000 points of GPX, each with
	// its height and its time, at some 85 bytes.
	maxBytes = 25 << 20
	// maxPoints is the most points a route has: the longest trip, 10,000 km,
	// with a point every 33 m.
	maxPoints = 300_000
	// shortestM is the length in metres below which a line stays in one place.
	shortestM = 1
)

// reading is what a parser made of a source.
type reading struct {
	title    string
	line     track.Line
	points   int      // kept
	omitted  int      // left out for want of a usable position
	damaged  bool     // the source breaks off or cannot be read further
	warnings []string // what else was wrong
}

// route is the route of r. The error is ErrDamaged for a source that is damaged
// before it has a line, and ErrNoRoute, with what the source holds instead, for
// a sound one without a line.
func (r reading) route(instead string) (Route, error) {
	if r.line.Length() < shortestM {
		if r.damaged {
			return Route{}, damagedFile()
		}
		return Route{}, noRoute(instead)
	}
	route := Route{Title: cleanTitle(r.title), Line: r.line}
	if r.damaged {
		route.Warnings = append(route.Warnings, fmt.Sprintf(
			"The file is damaged or cut short: only what comes before the damage was read (%s).", count(r.points, "point")))
	}
	route.Warnings = append(route.Warnings, r.warnings...)
	if r.omitted > 0 {
		route.Warnings = append(route.Warnings, "Left out: "+count(r.omitted, "point")+" without a usable position.")
	}
	return route, nil
}

// count is n things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
