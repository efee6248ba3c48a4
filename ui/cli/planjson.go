package cli

import (
	"io"
	"math"

	"biketrip/store/track"
)

// planJSON is the plan for programs: distances in km, climbs in m, degrees of
// WGS 84; null where something is unknown.
type planJSON struct {
	Title         *string   `json:"title"`
	Source        string    `json:"source"`
	Distance      float64   `json:"distance"`
	Elevation     *float64  `json:"elevation"`
	ElevationLoss *float64  `json:"elevationLoss"`
	Days          []dayJSON `json:"days"`
}

type dayJSON struct {
	DayNumber     int       `json:"dayNumber"`
	Date          *string   `json:"date"`
	Distance      float64   `json:"distance"`
	Elevation     *float64  `json:"elevation"`
	ElevationLoss *float64  `json:"elevationLoss"`
	StartPoint    pointJSON `json:"startPoint"`
	EndPoint      pointJSON `json:"endPoint"`
}

type pointJSON struct {
	Lat float64  `json:"lat"`
	Lon float64  `json:"lon"`
	Ele *float64 `json:"ele"`
}

// writeJSON prints the plan. Distances are rounded to the metre and climbs to
// a tenth of one where days meet, so the days add up to the whole exactly.
func (p planned) writeJSON(w io.Writer) error {
	out := planJSON{Title: orNull(p.title), Source: p.source, Days: []dayJSON{}}
	distance, up, down := tally{parts: 1000}, tally{parts: 10}, tally{parts: 10}
	for i, d := range p.Days {
		out.Days = append(out.Days, dayJSON{
			DayNumber:     i + 1,
			Date:          orNull(p.date(i).String()),
			Distance:      *distance.add(new(d.DistanceM / 1000)),
			Elevation:     up.add(d.AscentM),
			ElevationLoss: down.add(d.DescentM),
			StartPoint:    toPointJSON(d.Start),
			EndPoint:      toPointJSON(d.End),
		})
	}
	out.Distance = *distance.total()
	if p.Relief.Known {
		out.Elevation, out.ElevationLoss = up.total(), down.total()
	}
	return writeJSON(w, out)
}

// tally rounds a row of amounts to one part of so many so that they add up to
// the rounded sum.
type tally struct {
	parts, sum float64
}

// add is the next amount, rounded; nil stays nil.
func (t *tally) add(amount *float64) *float64 {
	if amount == nil {
		return nil
	}
	before := math.Round(t.sum * t.parts)
	t.sum += *amount
	return new((math.Round(t.sum*t.parts) - before) / t.parts)
}

func (t *tally) total() *float64 { return new(roundTo(t.sum, t.parts)) }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func toPointJSON(p track.Point) pointJSON {
	out := pointJSON{Lat: roundTo(p.Lat, 1e6), Lon: roundTo(p.Lon, 1e6)}
	if p.HasEle() {
		out.Ele = new(roundTo(p.Ele, 10))
	}
	return out
}

// roundTo rounds to one part of so many.
func roundTo(v, parts float64) float64 { return math.Round(v*parts) / parts }
