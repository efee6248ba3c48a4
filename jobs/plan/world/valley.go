package world

import "math"

const (
	westAxisKM = 34 // how far east the western pass lies
	eastAxisKM = 86 // and the eastern one
	floorKM    = 0.55
	wallKM     = 5
)

// valley is a way through the mountains: it follows an axis that runs north, or
// east where across is set, and sways to both sides of it.
type valley struct {
	name       string
	across     bool
	axis       float64 // of the middle line, across the way, in km
	sway, wave float64 // how far to either side, and over which way, in km
	origin     float64 // where on the way it crosses its middle line
	floor      profile // height of its ground along the way
	fade       float64 // over which it ends, in the plain or in another valley, in km
}

// side is how far across the way the valley lies at so many kilometres along it.
func (v *valley) side(along float64) float64 {
	return v.axis + v.sway*math.Sin((along-v.origin)/v.wave)
}

// place is the place in the middle of the valley.
func (v *valley) place(along float64) at {
	if v.across {
		return at{along, v.side(along)}
	}
	return at{v.side(along), along}
}

// along is how far along the valley a place is.
func (v *valley) along(p at) float64 {
	if v.across {
		return p.x
	}
	return p.y
}

// carve is the ground h at a place with the valley cut into it, and how much of
// it is the ground of a valley, which was floor before.
func (v *valley) carve(p at, h, floor float64) (float64, float64) {
	along, from := p.y, p.x
	if v.across {
		along, from = p.x, p.y
	}
	first, last := v.floor.ends()
	if along <= first || along >= last {
		return h, floor
	}
	d := math.Abs(from - v.side(along))
	if d >= floorKM+wallKM {
		return h, floor
	}
	part := 1 - smooth((d-floorKM)/wallKM)
	part *= smooth((along-first)/v.fade) * smooth((last-along)/v.fade)
	return h + part*(v.floor.at(along)-h), floor + part*(1-floor)
}

// valleys are the ways through the mountains. Those that run north come last:
// their ground is that of the places where they meet.
func valleys() []valley {
	west := valley{name: "west", axis: westAxisKM, sway: 2.4, wave: 6.5, origin: crestKM, fade: 6, floor: newProfile(
		22, 232, 28, 262, 34, 345, 42, 620, 50, 1060, 56, 1480, 61, 1915, 62, 1950, 63, 1912, 68, 1450, 74, 960, 80, 650, 92, 580)}
	east := valley{name: "east", axis: eastAxisKM, sway: 2, wave: 7.5, origin: crestKM, fade: 6, floor: newProfile(
		22, 236, 28, 262, 34, 325, 44, 480, 52, 760, 57, 1060, 61, 1352, 62, 1380, 63, 1354, 67, 1110, 73, 800, 80, 600, 92, 570)}
	const balconyKM = 46
	from, to := west.side(balconyKM), east.side(balconyKM)
	between := valley{name: "between", across: true, axis: balconyKM, sway: 1.8, wave: (to - from) / (3 * math.Pi), origin: from, fade: 2, floor: newProfile(
		from, west.floor.at(balconyKM), 40, 960, 48, 1110, 59, 1278, 60, 1290, 61, 1278, 72, 990, to, east.floor.at(balconyKM))}
	return []valley{between, west, east}
}

// profile is a height along a way: a smooth curve through given heights that
// rises and falls nowhere between two of them but as they do (Fritsch and
// Carlson 1980).
type profile struct{ km, m, slope []float64 }

// newProfile is the profile through pairs of kilometres, growing, and metres.
func newProfile(pairs ...float64) profile {
	var p profile
	for i := 0; i < len(pairs); i += 2 {
		p.km, p.m = append(p.km, pairs[i]), append(p.m, pairs[i+1])
	}
	n := len(p.km)
	rise := func(i int) float64 { return (p.m[i+1] - p.m[i]) / (p.km[i+1] - p.km[i]) }
	p.slope = make([]float64, n)
	p.slope[0], p.slope[n-1] = rise(0), rise(n-2)
	for i := 1; i < n-1; i++ {
		if a, b := rise(i-1), rise(i); a*b > 0 {
			p.slope[i] = 2 * a * b / (a + b)
		}
	}
	return p
}

func (p *profile) ends() (first, last float64) { return p.km[0], p.km[len(p.km)-1] }

// at is the height at so many kilometres, held between the ends.
func (p *profile) at(km float64) float64 {
	i := 0
	for i+2 < len(p.km) && p.km[i+1] <= km {
		i++
	}
	width := p.km[i+1] - p.km[i]
	t := math.Max(0, math.Min(1, (km-p.km[i])/width))
	u := 1 - t
	return p.m[i]*u*u*(1+2*t) + p.m[i+1]*t*t*(3-2*t) + width*t*u*(p.slope[i]*u-p.slope[i+1]*t)
}
