package trip

import "biketrip/store/track"

// Split makes the riding days of a line that end at the given offsets, each
// with its part of what the whole line climbs and descends. The days have no
// ids yet.
func Split(l track.Line, r track.Relief, endsM []float64) []Stage {
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
// rest days between them, at least one; 0 unless both are given. It is a
// refusal where the last is before the first or more than MaxDays after it.
func RidingDays(start, end Date, restDays int) (int, error) {
	if start.IsZero() || end.IsZero() {
		return 0, nil
	}
	days := int(end) - int(start) + 1
	switch {
	case days < 1:
		return 0, ErrEndBeforeStart(start, end)
	case days > MaxDays:
		return 0, ErrTooManyDays("endDate", days)
	}
	return max(1, days-restDays), nil
}
