package world

import "math"

// The chain of mountains, in kilometres and metres. The plain lies to its
// south, an upland to its north.
const (
	crestKM      = 62
	southFlankKM = 34
	northFlankKM = 22
	chainM       = 2050 // of the crest above the land around it
)

// HeightAt is the height of the ground in metres above the sea, of the water on
// the lake. It is a smooth function of any position, in degrees; beyond the
// region the land goes on in the same manner.
func (w *World) HeightAt(lat, lon float64) float64 { return w.heightOf(planeOf(lat, lon)) }

// heightOf is the height at a place in the plane: the body of the land, with the
// valleys cut into it, small hills on all of it, and the lake.
func (w *World) heightOf(p at) float64 {
	h := body(p)
	floor := 0.0 // how much of the ground is that of a valley
	for i := range w.valleys {
		h, floor = w.valleys[i].carve(p, h, floor)
	}
	h += knolls(p) * (0.6 + 0.6*chain(p)) * (1 - 0.65*floor)
	return flood(p, h)
}

// body is the land without valleys and small hills.
func body(p at) float64 {
	mountain := chain(p)
	h := 228 + 1.2*p.y + 260*smooth((p.y-crestKM)/20)
	h += chainM * mountain * (1 + 0.08*math.Sin(p.x/3.7) + 0.05*math.Sin(p.x/1.9+1))
	h += hill(p, at{18, 14}, 6, 130) + hill(p, at{94, 22}, 5, 90)
	return h + hills(p)*(0.35+2*mountain)
}

// chain is how much of a mountain a place is: 1 on the crest, 0 in the plain.
func chain(p at) float64 {
	north := p.y - crestOf(p.x)
	if north < 0 {
		return smooth(1 + north/southFlankKM)
	}
	return smooth(1 - north/northFlankKM)
}

// crestOf is how far north the crest runs, which is the border. It crosses both
// passes.
func crestOf(x float64) float64 {
	return crestKM + 1.5*math.Sin((x-westAxisKM)*5*math.Pi/(eastAxisKM-westAxisKM))
}

// hill is a round hill, wide by as many kilometres and high by as many metres.
func hill(p, top at, widthKM, heightM float64) float64 {
	d := p.minus(top)
	return heightM * math.Exp(-(d.x*d.x+d.y*d.y)/(2*widthKM*widthKM))
}

// hills are about ten kilometres from one to the next.
func hills(p at) float64 {
	return 26*math.Sin(0.55*p.x+0.33*p.y+1.3) + 24*math.Sin(0.21*p.x-0.62*p.y+0.4) + 18*math.Sin(0.83*p.x+0.12*p.y+4.1)
}

// knolls are one to three kilometres from one to the next.
func knolls(p at) float64 {
	return 6*math.Sin(2.3*p.x+1.1*p.y+0.7) + 5*math.Sin(-1.2*p.x+2.5*p.y+2.9) +
		1.5*math.Sin(6.1*p.x+3.7*p.y+5.2) + 1.2*math.Sin(-4.4*p.x+6.6*p.y+1.1)
}

// The lake: an ellipse at the foot of the mountains.
const (
	lakeX, lakeY         = 60, 31
	lakeWideX, lakeWideY = 7, 3.6
	lakeM                = 252 // height of its water
	shore                = 0.8 // how far its banks reach, as a part of its own width
)

// fromLake is how far a place is from the middle of the lake: 1 at its edge.
func fromLake(p at) float64 {
	return math.Hypot((p.x-lakeX)/lakeWideX, (p.y-lakeY)/lakeWideY)
}

// onShore is the place around the lake at a bearing of so many degrees from
// east, anticlockwise, a little way from the water.
func onShore(bearing float64) at {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	return at{lakeX + 1.28*lakeWideX*cos, lakeY + 1.28*lakeWideY*sin}
}

// flood is the height h with the lake and its banks.
func flood(p at, h float64) float64 {
	return lakeM + (h-lakeM)*smooth((fromLake(p)-1)/shore)
}

// smooth goes from 0 to 1 as t does, level at both ends.
func smooth(t float64) float64 {
	t = math.Max(0, math.Min(1, t))
	return t * t * (3 - 2*t)
}
