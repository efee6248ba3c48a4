package track

import "math"

// Projection is a place on a line that is nearer to some point than the line
// just before and after it.
type Projection struct {
	OffsetM   float64 // where on the line
	DistanceM float64 // from the point
	Point     Point   // on the line
}

// samePassM is how close two places on a line are one pass, in metres: at a
// point of the line both its legs can have their nearest place.
const samePassM = 1

// Project is every place on the line that is nearest to p among its
// neighbours and at most withinM metres away, in the order of the line: a loop
// or a way there and back passes the same point more than once, and only the
// caller knows which pass is meant.
func (l Line) Project(p Point, withinM float64) []Projection {
	var out []Projection
	for i := range l.starts {
		from, to := l.segment(i)
		for l.offsets[to-2] == l.offsets[to-1] && to-from > 2 {
			to-- // the last point stands there more than once
		}
		nearer := true // coming up to leg k the line has come nearer to p
		for k := from; k+1 < to; k++ {
			if l.offsets[k] == l.offsets[k+1] || l.legFartherThan(k, p, withinM) {
				continue
			}
			f := l.nearestOnLeg(k, p)
			isMinimum := f > 0 && f < 1 || f == 0 && nearer || f == 1 && k+2 == to
			nearer = f == 1
			if !isMinimum {
				continue
			}
			point := between(l.points[k], l.points[k+1], f)
			found := Projection{l.offsets[k] + f*(l.offsets[k+1]-l.offsets[k]), Distance(p, point), point}
			switch last := len(out) - 1; {
			case found.DistanceM > withinM:
			case last >= 0 && found.OffsetM-out[last].OffsetM < samePassM:
				if found.DistanceM < out[last].DistanceM {
					out[last] = found
				}
			default:
				out = append(out, found)
			}
		}
	}
	return out
}

// DistanceTo is how far p is from the line, in metres; without end where the line
// has no points.
func (l Line) DistanceTo(p Point) float64 {
	nearest := math.Inf(1)
	for _, place := range l.Project(p, math.Inf(1)) {
		nearest = math.Min(nearest, place.DistanceM)
	}
	return nearest
}

// legFartherThan says, without measuring much, whether no point of the leg
// that begins at point k can be within withinM of p.
func (l Line) legFartherThan(k int, p Point, withinM float64) bool {
	limit := withinM + l.offsets[k+1] - l.offsets[k]
	return rad(math.Abs(p.Lat-l.points[k].Lat))*earthRadiusM > limit || Distance(p, l.points[k]) > limit
}

// nearestOnLeg is where on the leg that begins at point k the point nearest to
// p lies: 0 at its start, 1 at its end.
func (l Line) nearestOnLeg(k int, p Point) float64 {
	a, v := vectorOf(l.points[k]), vectorOf(p)
	ahead := a.towards(vectorOf(l.points[k+1]))
	along := math.Atan2(v.dot(ahead), v.dot(a)) * earthRadiusM
	return math.Max(0, math.Min(1, along/(l.offsets[k+1]-l.offsets[k])))
}
