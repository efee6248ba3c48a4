package track

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"
)

// Simplify is the line with the fewest points found that stay within
// toleranceM metres of it (Douglas-Peucker). The ends of every segment stay,
// and so do the points where the heights turn by turnM metres or more.
func (l Line) Simplify(toleranceM, turnM float64) Line {
	var segments [][]Point
	for i := range l.starts {
		from, to := l.segment(i)
		s := l.points[from:to]
		kept := []Point{s[0]}
		last := 0
		for _, turn := range append(heightTurns(s, turnM), len(s)-1) {
			if turn > last {
				kept = append(kept, simplifyPart(s[last:turn+1], toleranceM)[1:]...)
				last = turn
			}
		}
		segments = append(segments, kept)
	}
	return NewLine(segments...)
}

// heightTurns are the points of a segment whose heights are turning points.
func heightTurns(s []Point, turnM float64) []int {
	var heights []float64
	var index []int
	for i, p := range s {
		if p.HasEle() {
			heights, index = append(heights, p.Ele), append(index, i)
		}
	}
	turns := turningPoints(heights, turnM)
	for i, t := range turns {
		turns[i] = index[t]
	}
	return turns
}

// simplifyPart keeps the ends of s and the points between that matter.
func simplifyPart(s []Point, toleranceM float64) []Point {
	plane := planeOf(s)
	flat := make(orb.LineString, len(s))
	for i, p := range s {
		flat[i] = plane.project(p)
	}
	// The simplifier moves the points of the line it is given to its front.
	kept := simplify.DouglasPeucker(toleranceM * plane.scale).LineString(flat.Clone())
	out := make([]Point, 0, len(kept))
	i := 0
	for _, q := range kept[:len(kept)-1] {
		for flat[i] != q {
			i++
		}
		out = append(out, s[i])
		i++
	}
	return append(out, s[len(s)-1])
}

// plane is Mercator's projection around some points: it keeps angles, so a
// tolerance means the same in every direction.
type plane struct {
	lon   float64 // of the first point, so that the antimeridian is no edge
	scale float64 // least magnification of the points
}

func planeOf(s []Point) plane {
	lat := math.Abs(s[0].Lat)
	for _, p := range s {
		lat = math.Min(lat, math.Abs(p.Lat))
	}
	return plane{lon: s[0].Lon, scale: 1 / math.Cos(rad(lat))}
}

// mercatorEdge is the latitude at which web maps cut Mercator's projection off.
const mercatorEdge = 85.0511

// project is the place of p in the plane, in metres at the equator.
func (m plane) project(p Point) orb.Point {
	lat := math.Max(-mercatorEdge, math.Min(mercatorEdge, p.Lat))
	return orb.Point{
		rad(wrapLon(p.Lon-m.lon)) * earthRadiusM,
		math.Asinh(math.Tan(rad(lat))) * earthRadiusM,
	}
}
