package source

import (
	"slices"

	"biketrip/store/track"
)

// gatherer collects the points of a line, segment by segment. The zero value is
// ready.
type gatherer struct {
	segments [][]track.Point
	current  []track.Point
	points   int // kept
	omitted  int // left out for want of a usable position
}

// add adds a point to the current segment, or counts it as left out where its
// position is not usable. The error is ErrTooLarge.
func (g *gatherer) add(lat, lon, ele float64) error {
	p, ok := place(lat, lon, ele)
	if !ok {
		g.omitted++
		return nil
	}
	if g.points == maxPoints {
		return tooManyPoints()
	}
	g.points++
	g.current = append(g.current, p)
	return nil
}

// split ends the current segment.
func (g *gatherer) split() {
	fixed := dropUnfixed(g.current)
	g.omitted += len(g.current) - len(fixed)
	g.points -= len(g.current) - len(fixed)
	if len(fixed) > 1 {
		g.segments = append(g.segments, fixed)
	}
	g.current = nil
}

// unfixedM is how far all else lies from latitude 0, longitude 0, in metres, for
// a point there to be what a device writes before it has a position.
const unfixedM = 1_000_000

// dropUnfixed is a segment without the points at latitude 0, longitude 0, where
// at least two others are left and all of them are far from there.
func dropUnfixed(s []track.Point) []track.Point {
	if !slices.ContainsFunc(s, isOrigin) {
		return s
	}
	others := 0
	for _, p := range s {
		if isOrigin(p) {
			continue
		}
		if track.Distance(p, track.Point{}) < unfixedM {
			return s
		}
		others++
	}
	if others < 2 {
		return s
	}
	return slices.DeleteFunc(s, isOrigin)
}

func isOrigin(p track.Point) bool { return p.Lat == 0 && p.Lon == 0 }

// line is the line of all segments; g must not be used after it.
func (g *gatherer) line() track.Line {
	g.split()
	return track.NewLine(g.segments...)
}
