package source

import "biketrip/store/track"

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
	if len(g.current) > 1 {
		g.segments = append(g.segments, g.current)
	}
	g.current = nil
}

// line is the line of all segments; g must not be used after it.
func (g *gatherer) line() track.Line {
	g.split()
	return track.NewLine(g.segments...)
}
