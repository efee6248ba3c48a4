package trip

import (
	"sort"

	"biketrip/store/track"
)

// ramp is what has been spent from the start of a route to each offset, in
// metres on the flat: the way itself, and what climbing adds to it.
type ramp struct {
	offsets, spent []float64
}

// rampOf counts each metre of ascent as perAscentM metres on the flat.
func rampOf(r track.Relief, perAscentM float64) ramp {
	out := ramp{offsets: []float64{0}, spent: []float64{0}}
	for _, k := range append(r.Knots[:len(r.Knots):len(r.Knots)], track.Knot{
		OffsetM: r.LengthM, AscentM: r.Ascent(0, r.LengthM),
	}) {
		if k.OffsetM > out.offsets[len(out.offsets)-1] {
			out.offsets = append(out.offsets, k.OffsetM)
			out.spent = append(out.spent, k.OffsetM+k.AscentM*perAscentM)
		}
	}
	return out
}

// at is what is spent up to an offset.
func (r ramp) at(offsetM float64) float64 { return interpolate(r.offsets, r.spent, offsetM) }

// reach is the offset at which so much is spent.
func (r ramp) reach(spentM float64) float64 { return interpolate(r.spent, r.offsets, spentM) }

// total is what the whole route takes.
func (r ramp) total() float64 { return r.spent[len(r.spent)-1] }

// interpolate reads y at x, held between the first and the last.
func interpolate(xs, ys []float64, x float64) float64 {
	i := sort.SearchFloat64s(xs, x)
	last := len(xs) - 1
	switch {
	case i == 0:
		return ys[0]
	case i > last:
		return ys[last]
	}
	return ys[i-1] + (x-xs[i-1])/(xs[i]-xs[i-1])*(ys[i]-ys[i-1])
}
