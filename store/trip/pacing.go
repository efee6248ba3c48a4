package trip

import (
	"errors"
	"math"

	"biketrip/store/track"
)

// Bounds of a trip.
const (
	MaxDays    = 366
	MaxLengthM = 10_000_000 // of a route
)

const (
	floorM       = 30_000 // no day is shorter, unless there are many for the way
	rangeM       = 80_000 // how far a battery carries on the flat
	rangeAscentM = 25     // metres of ascent that take one kilometre off the range
	// slack is the part of a length that may be a fault of measuring: a route
	// of three times 80 km takes three days, whatever radius the earth has.
	slack = 1e-5
	// mostEffort bounds what a metre of ascent adds to the way, in metres on
	// the flat, so that sums stay exact however small the penalty.
	mostEffort = 1e6
)

// Why a route gives no days.
var (
	// ErrTooManyDays says that the effort takes more than MaxDays.
	ErrTooManyDays = errors.New("the route takes more than 366 days with these settings")
	// ErrTooLong says that a route is longer than MaxLengthM.
	ErrTooLong = errors.New("the route is longer than 10,000 km")
)

// Limit is what bounds the length of a day.
type Limit string

// The limits that give way where the dates leave too few days.
const (
	LimitCap   Limit = "cap"   // maxDistancePerDay
	LimitRange Limit = "range" // of an e-bike's battery
)

// Pacing is where the riding days of a route end.
type Pacing struct {
	EndsM     []float64 // offset of the end of each day; the last is the length of the route
	GaveWay   []Limit   // limits that the dates left no room for, in the order in which they gave way
	HeldByCap int       // days that would be longer but for maxDistancePerDay
}

// CapHolds says whether the cap, not the rider's rhythm, decides most days.
func (p Pacing) CapHolds() bool { return 2*p.HeldByCap > len(p.EndsM) }

// Pace cuts a route into riding days of even effort, each a little shorter
// than the one before. Effort is distance and ascent; an unknown ascent counts
// as none. days is how many riding days the dates give, 0 where they decide
// nothing. Its error is ErrTooManyDays.
func Pace(r track.Relief, s Settings, days int) (Pacing, error) {
	w := newWalk(r, s)
	if days <= 0 {
		days = w.undatedDays()
	}
	if days > MaxDays {
		return Pacing{}, ErrTooManyDays
	}
	w.setDays(days)
	var p Pacing
	w.stretch = 1
	if !w.feasible() {
		w.stretch = 1 + slack
	}
	if w.ranged && !w.feasible() {
		w.ranged = false
		p.GaveWay = append(p.GaveWay, LimitRange)
	}
	if !w.feasible() {
		w.capM = math.Inf(1)
		p.GaveWay = append(p.GaveWay, LimitCap)
	}
	p.EndsM = w.ends(w.solve())
	start := 0.0
	for _, end := range p.EndsM {
		if end-start >= w.capM-1 {
			p.HeldByCap++
		}
		start = end
	}
	return p, nil
}

// LowerCap is the highest maxDistancePerDay in whole kilometres that gives an
// undated trip more days than it has; ok is false where none does.
func LowerCap(r track.Relief, s Settings) (km float64, ok bool) {
	w := newWalk(r, s)
	days := w.undatedDays()
	for km = math.Ceil(s.MaxDayKM) - 1; km >= lowestMaxDayKM; km-- {
		w.capM = km * 1000
		if n := w.undatedDays(); n > days {
			return km, n <= MaxDays
		}
	}
	return 0, false
}

// FewestDays is the least number of riding days with which no limit gives way;
// ok is false where there are more than MaxDays.
func FewestDays(r track.Relief, s Settings) (days int, ok bool) {
	w := newWalk(r, s)
	for n := 1; n <= MaxDays; n++ {
		w.setDays(n)
		if w.feasible() {
			return n, true
		}
	}
	return 0, false
}

// walk goes along a route day by day.
type walk struct {
	lengthM float64
	effort  ramp
	battery ramp
	fatigue float64
	days    int
	floorM  float64
	capM    float64
	ranged  bool    // a day also ends where the battery does
	stretch float64 // how far cap and range stretch for a fault of measuring, 1 for not at all
}

func newWalk(r track.Relief, s Settings) *walk {
	return &walk{
		lengthM: r.LengthM,
		effort:  rampOf(r, math.Min(1000/s.ElevationPenalty, mostEffort)),
		battery: rampOf(r, 1000.0/rangeAscentM),
		fatigue: s.FatigueFactor,
		capM:    s.MaxDayKM * 1000,
		ranged:  s.EbikeMode,
		stretch: 1 + slack,
	}
}

// setDays sets the number of days, and with it how short a day may be.
func (w *walk) setDays(n int) {
	w.days = n
	w.floorM = math.Min(floorM, w.lengthM/float64(2*n))
}

// undatedDays is how many days the effort takes at the cap, or the battery
// where it takes more.
func (w *walk) undatedDays() int {
	n := math.Max(1, math.Ceil(w.effort.total()/(w.capM*(1+slack))))
	if n > MaxDays {
		return int(math.Min(n, math.MaxInt32))
	}
	w.setDays(int(n))
	// More days lower the floor, which may take more days still.
	for w.ranged && w.days <= MaxDays {
		n := w.greedyDays()
		if n <= w.days {
			break
		}
		w.setDays(n)
	}
	return w.days
}

// greedyDays is how many days it takes when each is as long as it may be.
func (w *walk) greedyDays() int {
	n := 0
	for at := 0.0; at < w.lengthM-1e-6 && n <= MaxDays; n++ {
		at = w.end(at, math.Inf(1))
	}
	return n
}

// feasible says whether the days reach the end of the route when each is as
// long as it may be.
func (w *walk) feasible() bool { return w.greedyDays() <= w.days }

// end is where a day ends that starts at an offset and takes so much effort.
func (w *walk) end(startM, effortM float64) float64 {
	end := w.effort.reach(w.effort.at(startM) + effortM)
	end = math.Min(end, startM+w.capM*w.stretch)
	if w.ranged {
		end = math.Min(end, w.battery.reach(w.battery.at(startM)+rangeM*w.stretch))
	}
	return math.Max(end, startM+w.floorM)
}

// last is where the last day ends when the first takes so much effort.
func (w *walk) last(firstM float64) float64 {
	at := 0.0
	for range w.days {
		at = w.end(at, firstM)
		firstM *= w.fatigue
	}
	return at
}

// solve finds the effort of the first day, in metres on the flat, with which
// the last day ends where the route does. Days grow with it, so halving the
// interval finds it; on a scale of logarithms, since fatigue over many days
// spans many powers of ten.
func (w *walk) solve() float64 {
	low := math.Log(1e-6)
	high := math.Log(w.effort.total()+1) - float64(w.days-1)*math.Log(w.fatigue)
	for range 100 {
		middle := (low + high) / 2
		if w.last(math.Exp(middle)) < w.lengthM {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(high)
}

// ends are the offsets at which the days end when the first takes so much
// effort.
func (w *walk) ends(firstM float64) []float64 {
	ends := make([]float64, w.days)
	at := 0.0
	for i := range ends {
		at = math.Min(w.end(at, firstM), w.lengthM)
		ends[i] = at
		firstM *= w.fatigue
	}
	ends[w.days-1] = w.lengthM
	// Where one metre costs far more than the next, rounding moves an end by
	// centimetres: the floor holds all the same.
	for i := w.days - 2; i >= 0; i-- {
		ends[i] = math.Min(ends[i], ends[i+1]-w.floorM)
	}
	return ends
}
