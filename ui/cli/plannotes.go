package cli

import (
	"fmt"
	"slices"

	"biketrip/store/trip"
)

// notes are what the rider should know about the plan, a sentence or two each.
func (o outline) notes() []string {
	var out []string
	if !o.relief.Known {
		out = append(out, "The heights of this route are unknown: its climbs are not counted.")
	}
	if o.start.IsZero() && !o.end.IsZero() {
		out = append(out, "--end-date does nothing without --start-date.")
	}
	if slices.Contains(o.pacing.GaveWay, trip.LimitRange) {
		out = append(out, fmt.Sprintf("The dates leave %s: too few for the battery, so its range gave way.", counted(len(o.days), "day")))
	}
	if slices.Contains(o.pacing.GaveWay, trip.LimitCap) {
		out = append(out, fmt.Sprintf("The dates leave %s: too few for %v km a day, so the cap gave way. The longest day has %.1f km.",
			counted(len(o.days), "day"), o.settings.MaxDistancePerDay, o.longestKM()))
	}
	if len(o.pacing.GaveWay) > 0 {
		out = append(out, o.enoughDays()...)
	}
	if o.pacing.CapHolds() {
		out = append(out, o.capHolds())
	}
	return out
}

func (o outline) longestKM() float64 {
	longest := 0.0
	for _, d := range o.days {
		longest = max(longest, d.DistanceM/1000)
	}
	return longest
}

// enoughDays names the last day with which no limit gives way.
func (o outline) enoughDays() []string {
	undated, err := trip.Pace(o.relief, o.settings, 0)
	if err != nil {
		return nil
	}
	n := len(undated.EndsM)
	return []string{fmt.Sprintf("Within every limit it takes %s: --end-date %s.", counted(n, "day"), o.date(n-1))}
}

// capHolds says that most days are as long as they may be, and what would make
// them shorter.
func (o outline) capHolds() string {
	s := fmt.Sprintf("%d of %s are held at %v km by --max-distance-per-day.",
		o.pacing.HeldByCap, counted(len(o.days), "day"), o.settings.MaxDistancePerDay)
	if !o.start.IsZero() && !o.end.IsZero() {
		return s + fmt.Sprintf(" --end-date %s gives a day more.", o.date(len(o.days)))
	}
	if km, ok := trip.LowerCap(o.relief, o.settings); ok {
		return s + fmt.Sprintf(" --max-distance-per-day %v gives a day more.", km)
	}
	return s
}
