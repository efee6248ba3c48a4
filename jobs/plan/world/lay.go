package world

import "math"

const (
	stepKM  = 0.02  // between two places of the middle line of a road
	pointKM = 0.038 // between two points of a road
	bendKM  = 0.9   // about, from one bend to the next to the same side
	tightKM = 5.3   // from where a road bends most to the next such place
	swayKM  = 3.7   // from one bend to the next of what no road is without
	taperKM = 0.7   // how far from its ends a road takes up its bends
)

// course is where the road of a plan runs from one site to another: places
// about pointKM from one to the next, the ends included. n tells one road from
// another, which bend differently.
func (w *World) course(p plan, from, to at, n int) []at {
	middle := evenly(w.middle(p, from, to), stepKM)
	line := make([]at, len(middle))
	step := lengthOf(middle) / float64(len(middle)-1)
	for i, place := range middle {
		before, after := middle[max(0, i-1)], middle[min(len(middle)-1, i+1)]
		ahead := after.minus(before)
		left := at{-ahead.y, ahead.x}.times(1 / ahead.length())
		s := float64(i) * step
		ends := math.Min(s, float64(len(middle)-1-i)*step)
		bend := p.bendsKM * wave(s, tightKM, 2.3*float64(n), 0.7, 0.3) * math.Sin(2*math.Pi*s/bendKM+wave(s, swayKM, float64(n), 0, 1.2))
		bend += wave(s, swayKM, 1.7*float64(n), 0, 0.09)
		line[i] = place.plus(left.times(bend * smooth(ends/taperKM)))
	}
	return evenly(line, pointKM)
}

// wave swings around the middle by so much, once in so many kilometres.
func wave(km, everyKM, phase, middle, swing float64) float64 {
	return middle + swing*math.Sin(2*math.Pi*km/everyKM+phase)
}

// middle is the middle line of a road.
func (w *World) middle(p plan, from, to at) []at {
	if p.valley != "" {
		v := w.valley(p.valley)
		a, b := v.along(from), v.along(to)
		n := int(math.Ceil(math.Abs(b-a)/stepKM)) + 1
		line := []at{from}
		for i := 1; i < n; i++ {
			line = append(line, v.place(a+(b-a)*float64(i)/float64(n)))
		}
		return append(line, to)
	}
	through := append(append([]at{from}, p.through...), to)
	var line []at
	for i := range through[1:] {
		before, after := through[max(0, i-1)], through[min(len(through)-1, i+2)]
		const parts = 64
		for k := range parts {
			line = append(line, spline(before, through[i], through[i+1], after, float64(k)/parts))
		}
	}
	return append(line, to)
}

// spline is the place at a fraction of the way from b to c on the curve that
// comes from a and goes on to d (Catmull and Rom 1974).
func spline(a, b, c, d at, t float64) at {
	return b.times(2).
		plus(c.minus(a).times(t)).
		plus(a.times(2).minus(b.times(5)).plus(c.times(4)).minus(d).times(t * t)).
		plus(b.times(3).minus(a).minus(c.times(3)).plus(d).times(t * t * t)).
		times(0.5)
}

// evenly is the line with a place about every km, its ends included.
func evenly(line []at, km float64) []at {
	n := int(math.Max(1, math.Round(lengthOf(line)/km)))
	every := lengthOf(line) / float64(n)
	out := make([]at, 0, n+1)
	out = append(out, line[0])
	gone := 0.0
	for i := 1; i < len(line); i++ {
		leg := line[i].minus(line[i-1]).length()
		for len(out) < n && every*float64(len(out)) <= gone+leg {
			out = append(out, towards(line[i-1], line[i], (every*float64(len(out))-gone)/leg))
		}
		gone += leg
	}
	return append(out, line[len(line)-1])
}

func lengthOf(line []at) float64 {
	sum := 0.0
	for i := 1; i < len(line); i++ {
		sum += line[i].minus(line[i-1]).length()
	}
	return sum
}
