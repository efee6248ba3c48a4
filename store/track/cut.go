package track

import "math"

// At is the point at an offset of a line that has points, held between its
// ends. Where two segments meet it is the start of the later one.
func (l Line) At(offsetM float64) Point { return l.on(l.legAt(offsetM, false), offsetM) }

// Before is the point that ends a ride up to an offset: At, but where two
// segments meet the end of the earlier one.
func (l Line) Before(offsetM float64) Point { return l.on(l.legAt(offsetM, true), offsetM) }

// on is the point at an offset on the leg that begins at point i.
func (l Line) on(i int, offsetM float64) Point {
	a, b := l.offsets[i], l.offsets[i+1]
	switch {
	case offsetM <= a:
		return l.points[i]
	case offsetM >= b:
		return l.points[i+1]
	}
	return between(l.points[i], l.points[i+1], (offsetM-a)/(b-a))
}

// between is the point at a fraction of the great circle from p to q; its
// height lies on the straight slope, unknown if either is.
func between(p, q Point, f float64) Point {
	ele := p.Ele + f*(q.Ele-p.Ele)
	arc := Distance(p, q) / earthRadiusM
	if lon := q.Lon - p.Lon; arc < shortRad/10 && math.Abs(lon) < deg(shortRad) {
		return Point{p.Lat + f*(q.Lat-p.Lat), p.Lon + f*lon, ele}
	}
	v, w := vectorOf(p), vectorOf(q)
	lat, lon := v.times(math.Cos(f * arc)).plus(v.towards(w).times(math.Sin(f * arc))).degrees()
	return Point{lat, lon, ele}
}

// Cut is the part of the line between two offsets, both held between its ends,
// with an interpolated point at either. It is empty unless from lies before to.
func (l Line) Cut(fromM, toM float64) Line {
	fromM, toM = math.Max(fromM, 0), math.Min(toM, l.Length())
	if !(fromM < toM) {
		return Line{}
	}
	first, last := l.legAt(fromM, false), l.legAt(toM, true)
	var segments [][]Point
	for i := range l.starts {
		begin, end := l.segment(i)
		if end-1 <= first || begin > last {
			continue
		}
		var s []Point
		if begin <= first {
			s = append(s, l.on(first, fromM))
			begin = first + 1
		}
		s = append(s, l.points[begin:min(end, last+1)]...)
		if last+1 < end {
			s = append(s, l.on(last, toM))
		}
		segments = append(segments, s)
	}
	return NewLine(segments...)
}
