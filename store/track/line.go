package track

import (
	"math"
	"slices"
	"sort"
)

// Line is a route as it is ridden: points in order, in one or more segments.
// What lies between two segments is no part of the line: it has no length and
// no ascent. A place on a line is an offset, in metres from its start.
// A Line does not change once made.
type Line struct {
	points  []Point
	offsets []float64 // of each point, metres from the start
	starts  []int     // index of the first point of each segment
}

// NewLine makes a line of segments and owns them from then on. Segments of
// fewer than two points are left out, and so are consecutive points that are
// the same.
func NewLine(segments ...[]Point) Line { return measure(gather(segments)) }

// gather puts the segments that make a line behind one another, and says where
// each starts.
func gather(segments [][]Point) (points []Point, starts []int) {
	size := 0
	for _, s := range segments {
		size += len(s)
	}
	points = make([]Point, 0, size)
	for _, s := range segments {
		if s = slices.CompactFunc(s, Point.Same); len(s) >= 2 {
			starts = append(starts, len(points))
			points = append(points, s...)
		}
	}
	return points, starts
}

// measure makes a line of its points and of where its segments start.
func measure(points []Point, starts []int) Line {
	l := Line{points: points, offsets: make([]float64, len(points)), starts: starts}
	offset := 0.0
	for i := range starts {
		from, to := l.segment(i)
		cos := math.Cos(rad(points[from].Lat))
		l.offsets[from] = offset
		for k := from + 1; k < to; k++ {
			cosNext := math.Cos(rad(points[k].Lat))
			offset += distance(&points[k-1], &points[k], cos, cosNext)
			cos, l.offsets[k] = cosNext, offset
		}
	}
	return l
}

// Length is the length of the line in metres.
func (l Line) Length() float64 {
	if len(l.offsets) == 0 {
		return 0
	}
	return l.offsets[len(l.offsets)-1]
}

// Len is the number of points.
func (l Line) Len() int { return len(l.points) }

// Start is the first point of a line that has points.
func (l Line) Start() Point { return l.points[0] }

// End is the last point of a line that has points.
func (l Line) End() Point { return l.points[len(l.points)-1] }

// Segments are the parts of the line that hang together, each of two points or
// more. They must not be changed.
func (l Line) Segments() [][]Point {
	out := make([][]Point, 0, len(l.starts))
	for i := range l.starts {
		from, to := l.segment(i)
		out = append(out, l.points[from:to:to])
	}
	return out
}

// EndsM are the offsets at which the segments end.
func (l Line) EndsM() []float64 {
	out := make([]float64, 0, len(l.starts))
	for i := range l.starts {
		_, to := l.segment(i)
		out = append(out, l.offsets[to-1])
	}
	return out
}

// segment is the range of points of segment i.
func (l Line) segment(i int) (from, to int) {
	if i+1 < len(l.starts) {
		return l.starts[i], l.starts[i+1]
	}
	return l.starts[i], len(l.points)
}

// GapM is how far it is in all from the end of one segment to the start of the
// next, in metres along great circles.
func (l Line) GapM() float64 {
	gap := 0.0
	for _, start := range l.starts[min(1, len(l.starts)):] {
		gap += Distance(l.points[start-1], l.points[start])
	}
	return gap
}

// Equal says whether two lines have the same points in the same segments.
func (l Line) Equal(m Line) bool {
	return slices.Equal(l.starts, m.starts) && slices.EqualFunc(l.points, m.points, Point.Same)
}

// legAt is the index of the point that begins the leg in which an offset lies:
// of two legs that meet there the later one, unless before is set.
func (l Line) legAt(offsetM float64, before bool) int {
	i := sort.Search(len(l.offsets), func(i int) bool {
		if before {
			return l.offsets[i] >= offsetM
		}
		return l.offsets[i] > offsetM
	}) - 1
	return max(0, min(i, len(l.points)-2))
}
