package trip

import (
	"fmt"

	"biketrip/store/track"
)

// Itinerary is a line cut into riding days.
type Itinerary struct {
	Relief track.Relief // of the whole line
	Pacing Pacing
	Days   []Stage // without ids
}

// Cut cuts a line into riding days. days is how many the dates give, 0 where
// they decide nothing. Its errors are ErrTooLong and ErrTooManyDays.
func Cut(l track.Line, h track.Heights, s Settings, days int) (Itinerary, error) {
	if l.Length() > MaxLengthM {
		return Itinerary{}, ErrTooLong
	}
	r := l.Relief(h)
	p, err := Pace(r, s, days)
	if err != nil {
		return Itinerary{}, err
	}
	return Itinerary{r, p, split(l, r, p.EndsM)}, nil
}

// CutAt makes an itinerary of days that end at the given offsets, in metres, the
// last of them at the end of the line. Its error is ErrTooLong.
func CutAt(l track.Line, h track.Heights, endsM []float64) (Itinerary, error) {
	if l.Length() > MaxLengthM {
		return Itinerary{}, ErrTooLong
	}
	r := l.Relief(h)
	return Itinerary{r, Pacing{EndsM: endsM}, split(l, r, endsM)}, nil
}

// split makes the days of a line that end at the given offsets, each with its
// part of what the whole line climbs and descends.
func split(l track.Line, r track.Relief, endsM []float64) []Stage {
	days := make([]Stage, len(endsM))
	from := 0.0
	for i, to := range endsM {
		days[i] = Stage{
			DistanceM: to - from,
			Start:     l.At(from),
			End:       l.Before(to),
			Span:      &Span{FromM: from, ToM: to},
		}
		if r.Known {
			days[i].AscentM = new(r.Ascent(from, to))
			days[i].DescentM = new(r.Descent(from, to))
		}
		from = to
	}
	return days
}

// RidingDays is how many riding days two dates give, both included, less the
// rest days between them, at least one; 0 unless both are given. Its errors are
// the refusal ErrEndBeforeStart, and a SettingError where the last day comes
// more than MaxDays after the first.
func RidingDays(start, end Date, restDays int) (int, error) {
	if start.IsZero() || end.IsZero() {
		return 0, nil
	}
	days := int(end) - int(start) + 1
	switch {
	case days < 1:
		return 0, ErrEndBeforeStart(start, end)
	case days > MaxDays:
		return 0, SettingError{"endDate", fmt.Sprintf("makes %d days, a trip has at most %d", days, MaxDays)}
	}
	return max(1, days-restDays), nil
}
