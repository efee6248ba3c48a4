package trip

import "biketrip/store/track"

// Stage is one day of a trip.
type Stage struct {
	ID         string
	RestDay    bool
	Label      string // name given to the day, empty for none
	StartLabel string // locality of the start, empty until known
	EndLabel   string
	DistanceM  float64  // 0 on a rest day
	AscentM    *float64 // nil where unknown and on a rest day
	DescentM   *float64
	Start, End track.Point
	Span       *Span // where the day lies on the trip's own track; nil when it leaves it
}

// Span is a part of the trip's own track: two offsets in metres.
type Span struct {
	FromM, ToM float64
}
