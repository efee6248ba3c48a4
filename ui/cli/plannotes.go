package cli

import (
	"fmt"
	"slices"

	"biketrip/store/trip"
)

// notes are what the rider should know about the plan, a sentence or two each.
func (p planned) notes() []string {
	var out []string
	if !p.Relief.Known {
		out = append(out, "Too few heights of this route are known: its climbs are not counted.")
	}
	if p.gapM >= 100 {
		out = append(out, fmt.Sprintf("The route has gaps of %.1f km in all, which are not counted.", p.gapM/1000))
	}
	if p.fixed {
		return append(out, "The days are the tours of the collection: no setting and no --end-date changes where they end.")
	}
	if p.start.IsZero() && !p.end.IsZero() {
		out = append(out, "--end-date does nothing without --start-date.")
	}
	days := dayCount(len(p.Days))
	if slices.Contains(p.Pacing.GaveWay, trip.LimitRange) {
		out = append(out, fmt.Sprintf("The dates leave %s: too few for the battery, so its range gave way.", days))
	}
	if slices.Contains(p.Pacing.GaveWay, trip.LimitCap) {
		out = append(out, fmt.Sprintf("The dates leave %s: too few for %v km a day, so the cap gave way. The longest day has %.1f km.",
			days, p.settings.MaxDayKM, p.longestKM()))
	}
	if len(p.Pacing.GaveWay) > 0 {
		if n, ok := trip.FewestDays(p.Relief, p.settings); ok {
			out = append(out, fmt.Sprintf("Within every limit it takes %s: --end-date %s.", dayCount(n), p.date(n-1)))
		}
	}
	if p.Pacing.CapHolds() {
		out = append(out, p.capHolds())
	}
	return out
}

func (p planned) longestKM() float64 {
	longest := 0.0
	for _, d := range p.Days {
		longest = max(longest, d.DistanceM/1000)
	}
	return longest
}

// capHolds says that most days are as long as they may be, and what would make
// them shorter.
func (p planned) capHolds() string {
	s := fmt.Sprintf("%d of %s are held at %v km by --max-distance-per-day.",
		p.Pacing.HeldByCap, dayCount(len(p.Days)), p.settings.MaxDayKM)
	if !p.start.IsZero() && !p.end.IsZero() {
		if len(p.Days) == trip.MaxDays {
			return s
		}
		return s + fmt.Sprintf(" --end-date %s gives a day more.", p.date(len(p.Days)))
	}
	if km, ok := trip.LowerCap(p.Relief, p.settings); ok {
		return s + fmt.Sprintf(" --max-distance-per-day %v gives more days.", km)
	}
	return s
}
