package trip

import (
	"math"
	"slices"

	"biketrip/store/track"
)

// What stands against an edit of the days can be told from the trip alone, before
// anything is changed: each check below is nil, or the refusal.

// CheckAdd is for a day that is put in at a position, from 0, behind the last one
// at the most.
func CheckAdd(stages []Stage, position int) error {
	if position < 0 || position > len(stages) {
		return ErrIndexOutOfRange("position", position, len(stages), len(stages))
	}
	return nil
}

// CheckMove is for a day that changes its place.
func CheckMove(stages []Stage, day, toIndex int) error {
	switch {
	case toIndex < 0 || toIndex >= len(stages):
		return ErrIndexOutOfRange("toIndex", toIndex, len(stages), len(stages)-1)
	case toIndex == day:
		return ErrSamePlace(day)
	}
	return nil
}

// CheckDelete is for a day that is taken away: one that is ridden must stay.
func CheckDelete(stages []Stage, day int) error {
	left := slices.Delete(slices.Clone(stages), day, day+1)
	if !slices.ContainsFunc(left, func(s Stage) bool { return !s.RestDay }) {
		return ErrLastDay()
	}
	return nil
}

// CheckRide is for what only a day that is ridden has: a length, a line.
func CheckRide(stages []Stage, day int) error {
	if stages[day].RestDay {
		return ErrRestDay(day + 1)
	}
	return nil
}

// publishedKM is how far a published length may be from the real one: they are
// rounded to a metre, so that days add up.
const publishedKM = 0.001

// leftKM is how much of the next ridden day a longer day before it must leave.
const leftKM = 1

// CheckDistance is for a ridden day that is to be so many km long: it may take
// from the next ridden day, but not swallow it.
func CheckDistance(stages []Stage, day int, askedKM float64) error {
	largest := stages[day].DistanceM / 1000
	if next := slices.IndexFunc(stages[day+1:], func(s Stage) bool { return !s.RestDay }); next >= 0 {
		largest += math.Max(0, stages[day+1+next].DistanceM/1000-leftKM)
	}
	if askedKM > largest+publishedKM {
		return ErrDistanceOutOfRange(askedKM, largest)
	}
	return nil
}

// farM is how far from a day a point can hardly be meant for it.
const farM = 100_000

// CheckNear is for a point that a day is to go to or through, whose line this is.
// A line without points says nothing.
func CheckNear(line track.Line, p track.Point) error {
	far := line.DistanceTo(p)
	switch {
	case far <= farM || line.Len() == 0:
		return nil
	case line.DistanceTo(swapped(p)) <= farM:
		return ErrSwapped(p.Lat, p.Lon, far/1000)
	}
	return ErrTooFar(p.Lat, p.Lon, far/1000)
}

// CheckSwapped is CheckNear for a point that may well be far away, unless its
// coordinates seem to have changed places.
func CheckSwapped(line track.Line, p track.Point) error {
	if far := line.DistanceTo(p); far > farM && line.DistanceTo(swapped(p)) <= farM {
		return ErrSwapped(p.Lat, p.Lon, far/1000)
	}
	return nil
}

// swapped is p with its coordinates the other way round. What is no latitude then
// is nowhere near.
func swapped(p track.Point) track.Point {
	if math.Abs(p.Lon) > 90 {
		return p
	}
	return track.Point{Lat: p.Lon, Lon: p.Lat, Ele: math.NaN()}
}
