package cli

import (
	"io"

	"biketrip/jobs/plan/view"
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
	DayNumber     int        `json:"dayNumber"`
	Date          *string    `json:"date"`
	Distance      float64    `json:"distance"`
	Elevation     *float64   `json:"elevation"`
	ElevationLoss *float64   `json:"elevationLoss"`
	StartPoint    view.Point `json:"startPoint"`
	EndPoint      view.Point `json:"endPoint"`
}

// writeJSON prints the plan. Distances are rounded to the metre and climbs to
// a tenth of one where days meet, so the days add up to the whole exactly.
func (p planned) writeJSON(w io.Writer) error {
	out := planJSON{Title: view.OrNull(p.title), Source: p.source, Days: []dayJSON{}}
	distance, up, down := view.Tally{Parts: view.KilometreParts}, view.Tally{Parts: view.MetreParts}, view.Tally{Parts: view.MetreParts}
	for i, d := range p.Days {
		out.Days = append(out.Days, dayJSON{
			DayNumber:     i + 1,
			Date:          view.OrNull(p.date(i).String()),
			Distance:      *distance.Add(new(d.DistanceM / 1000)),
			Elevation:     up.Add(d.AscentM),
			ElevationLoss: down.Add(d.DescentM),
			StartPoint:    view.NewPoint(d.Start),
			EndPoint:      view.NewPoint(d.End),
		})
	}
	out.Distance = *distance.Total()
	if p.Relief.Known {
		out.Elevation, out.ElevationLoss = up.Total(), down.Total()
	}
	return writeJSON(w, out)
}
