package track

import (
	"math"
	"sort"
)

// Heights is where the heights of a line come from: it decides how far they
// are smoothed and which rise counts as a climb. The figures are those that
// come nearest to the ascent that devices with a barometer recorded.
type Heights int

const (
	// ProvidedHeights come with the route: a device or a planner measured them.
	ProvidedHeights Heights = iota
	// TerrainHeights are looked up in terrain tiles of about 90 m.
	TerrainHeights
)

// smoothing is the half width of the triangular window and the smallest rise
// or fall between two turning points, both in metres.
func (h Heights) smoothing() (halfWidthM, turnM float64) {
	if h == TerrainHeights {
		return 200, 10
	}
	return 50, 2
}

const (
	// sampleM is about the distance between two samples of the heights.
	sampleM = 5
	// knotSteps is the number of samples from one knot to the next.
	knotSteps = 20
	// reachM is how far from a point with a height the height is known.
	reachM = 200
	// knownShare is the share of a line that must lie in reach of a height.
	knownShare = 0.9
)

// Relief is how a line rises and falls from its start to its end.
type Relief struct {
	LengthM float64
	Known   bool   // false where too few heights are known: then Knots is empty
	Knots   []Knot // in order of OffsetM
}

// Knot is what has been climbed and descended from the start of a line to an
// offset; between two knots both grow evenly. All in metres.
type Knot struct {
	OffsetM, AscentM, DescentM float64
}

// Ascent is what is climbed between two offsets, in metres; 0 where unknown.
func (r Relief) Ascent(fromM, toM float64) float64 {
	return r.at(toM).AscentM - r.at(fromM).AscentM
}

// Descent is what is descended between two offsets, in metres; 0 where unknown.
func (r Relief) Descent(fromM, toM float64) float64 {
	return r.at(toM).DescentM - r.at(fromM).DescentM
}

// at is the knot at any offset.
func (r Relief) at(offsetM float64) Knot {
	i := sort.Search(len(r.Knots), func(i int) bool { return r.Knots[i].OffsetM > offsetM })
	if len(r.Knots) == 0 {
		return Knot{OffsetM: offsetM}
	}
	if i == 0 || i == len(r.Knots) {
		k := r.Knots[max(0, i-1)]
		return Knot{offsetM, k.AscentM, k.DescentM}
	}
	a, b := r.Knots[i-1], r.Knots[i]
	f := (offsetM - a.OffsetM) / (b.OffsetM - a.OffsetM)
	return Knot{offsetM, a.AscentM + f*(b.AscentM-a.AscentM), a.DescentM + f*(b.DescentM-a.DescentM)}
}

// Relief measures how the line rises and falls: the heights are smoothed over
// the distance, and what lies between two confirmed turning points counts. It
// depends on the shape of the line alone, so more points on the same line
// change nothing. It is known when at least 90 % of the line lies within 200 m
// of a point with a height and the heights are not all 0.
func (l Line) Relief(h Heights) Relief {
	r := Relief{LengthM: l.Length()}
	if !l.heightsKnown() {
		return r
	}
	r.Known = true
	halfWidthM, turnM := h.smoothing()
	for i := range l.starts {
		from, to := l.segment(i)
		heights, stepM := l.sample(from, to)
		if len(heights) == 0 {
			continue
		}
		window := math.Min(math.Round(halfWidthM/stepM), float64(len(heights)))
		heights = smooth(heights, int(window))
		r.add(l.offsets[from], stepM, heights, turningPoints(heights, turnM))
	}
	return r
}

// heightsKnown says whether enough of the line lies in reach of a height.
func (l Line) heightsKnown() bool {
	covered, nonZero := 0.0, false
	for i := range l.starts {
		from, to := l.segment(i)
		last, found := l.offsets[from], false
		for k := from; k < to; k++ {
			if !l.points[k].HasEle() {
				continue
			}
			nonZero = nonZero || l.points[k].Ele != 0
			reach := 2 * float64(reachM)
			if !found {
				reach = reachM
			}
			covered += math.Min(reach, l.offsets[k]-last)
			last, found = l.offsets[k], true
		}
		if found {
			covered += math.Min(reachM, l.offsets[to-1]-last)
		}
	}
	return nonZero && covered >= knownShare*l.Length()
}

// sample reads the heights of the points from..to-1 every stepM metres, between
// two known ones along the straight slope; none where none is known.
func (l Line) sample(from, to int) (heights []float64, stepM float64) {
	start, length := l.offsets[from], l.offsets[to-1]-l.offsets[from]
	n := max(1, int(math.Round(length/sampleM)))
	stepM = length / float64(n)
	before, after := -1, l.nextHeight(from, to)
	if after == to || length == 0 {
		return nil, stepM
	}
	heights = make([]float64, n+1)
	for i := range heights {
		at := start + float64(i)*stepM
		for after < to && l.offsets[after] <= at {
			before, after = after, l.nextHeight(after+1, to)
		}
		switch {
		case before < 0:
			heights[i] = l.points[after].Ele
		case after == to:
			heights[i] = l.points[before].Ele
		default:
			f := (at - l.offsets[before]) / (l.offsets[after] - l.offsets[before])
			heights[i] = l.points[before].Ele + f*(l.points[after].Ele-l.points[before].Ele)
		}
	}
	return heights, stepM
}

// nextHeight is the first point of from..to-1 with a height, or to.
func (l Line) nextHeight(from, to int) int {
	for from < to && !l.points[from].HasEle() {
		from++
	}
	return from
}

// add appends the knots of one segment, which starts at an offset and has a
// height every stepM metres. Within a climb all that rises above what was
// reached before counts where it rises, so the sum is that between its turning
// points; a descent likewise.
func (r *Relief) add(startM, stepM float64, heights []float64, turns []int) {
	var sum Knot
	if n := len(r.Knots); n > 0 {
		sum = r.Knots[n-1]
	}
	put := func(i int) {
		sum.OffsetM = startM + float64(i)*stepM
		r.Knots = append(r.Knots, sum)
	}
	put(0)
	for t := 1; t < len(turns); t++ {
		from, to := turns[t-1], turns[t]
		if t == 1 {
			put(from)
		}
		reached, climb := heights[from], heights[to] > heights[from]
		for i := from + 1; i <= to; i++ {
			if climb && heights[i] > reached {
				sum.AscentM += heights[i] - reached
				reached = heights[i]
			} else if !climb && heights[i] < reached {
				sum.DescentM += reached - heights[i]
				reached = heights[i]
			}
			if i == to || (i-from)%knotSteps == 0 {
				put(i)
			}
		}
	}
	put(len(heights) - 1)
}
