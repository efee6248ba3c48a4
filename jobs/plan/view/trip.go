package view

import "biketrip/store/trip"

// Trip is a trip with a line for each day.
type Trip struct {
	Head
	ID                        string                   `json:"id"`
	Version                   int                      `json:"version"`
	Title                     *string                  `json:"title"`
	SourceURL                 *string                  `json:"sourceUrl"`
	StartDate                 *string                  `json:"startDate"` // RFC 3339
	EndDate                   *string                  `json:"endDate"`
	Status                    trip.Status              `json:"status"`
	Partial                   bool                     `json:"partial"`
	IsLocked                  bool                     `json:"isLocked"`
	OutOfZone                 bool                     `json:"outOfZone"`
	FatigueFactor             float64                  `json:"fatigueFactor"`
	ElevationPenalty          float64                  `json:"elevationPenalty"`
	MaxDistancePerDay         float64                  `json:"maxDistancePerDay"` // km
	AverageSpeed              float64                  `json:"averageSpeed"`      // km/h
	EbikeMode                 bool                     `json:"ebikeMode"`
	DepartureHour             int                      `json:"departureHour"`
	EnabledAccommodationTypes []trip.AccommodationType `json:"enabledAccommodationTypes"`
	CategoryStatus            []CategoryStatus         `json:"categoryStatus"`
	StageCount                int                      `json:"stageCount"`
	TotalDistance             *float64                 `json:"totalDistance"` // km; null without days
	Stages                    []StageSummary           `json:"stages"`
}

// CategoryStatus is how far a category is.
type CategoryStatus struct {
	Category trip.Category       `json:"category"`
	Status   trip.CategoryStatus `json:"status"`
	Reason   *string             `json:"reason"`
}

// StageSummary is a day in a line.
type StageSummary struct {
	ItemHead
	StageID        string   `json:"stageId"`
	DayNumber      int      `json:"dayNumber"` // from 1
	Distance       *float64 `json:"distance"`  // km; null on a rest day
	Elevation      *float64 `json:"elevation"` // metres of climbing
	StartLabel     *string  `json:"startLabel"`
	EndLabel       *string  `json:"endLabel"`
	IsRestDay      bool     `json:"isRestDay"`
	Accommodation  *string  `json:"accommodation"` // the chosen bed
	AlertCount     int      `json:"alertCount"`
	CriticalAlerts []string `json:"criticalAlerts"` // as sentences
}

// NewTrip is the published shape of a trip.
func NewTrip(r trip.Reading) Trip {
	t, s := r.Trip, r.Trip.Settings
	amounts, total := amountsOf(r.Stages)
	v := Trip{
		Head:                      head("Trip", TripIRI(t.ID)),
		ID:                        t.ID,
		Version:                   t.Version,
		Title:                     OrNull(t.Title),
		SourceURL:                 OrNull(t.SourceURL),
		StartDate:                 OrNull(Date(t.StartDate)),
		EndDate:                   OrNull(Date(r.EndDate())),
		Status:                    r.Status(),
		Partial:                   r.Partial(),
		IsLocked:                  r.Locked,
		OutOfZone:                 t.OutOfZone,
		FatigueFactor:             s.FatigueFactor,
		ElevationPenalty:          s.ElevationPenalty,
		MaxDistancePerDay:         s.MaxDayKM,
		AverageSpeed:              s.AverageSpeedKMH,
		EbikeMode:                 s.EbikeMode,
		DepartureHour:             s.DepartureHour,
		EnabledAccommodationTypes: s.AccommodationTypes,
		CategoryStatus:            make([]CategoryStatus, len(r.Categories)),
		StageCount:                len(r.Stages),
		TotalDistance:             total,
		Stages:                    make([]StageSummary, len(r.Stages)),
	}
	for i, c := range r.Categories {
		v.CategoryStatus[i] = CategoryStatus{c.Category, c.Status, OrNull(c.Reason)}
	}
	for i, day := range r.Stages {
		v.Stages[i] = StageSummary{
			ItemHead:       ItemHead{stageIRI(t.ID, day.ID), "StageSummary"},
			StageID:        day.ID,
			DayNumber:      i + 1,
			Distance:       amounts[i].distance,
			Elevation:      amounts[i].ascent,
			StartLabel:     OrNull(day.StartLabel),
			EndLabel:       OrNull(day.EndLabel),
			IsRestDay:      day.RestDay,
			CriticalAlerts: []string{},
		}
	}
	return v
}

// amount is how far a day goes, in km, and how much up and down, in metres, nil
// where that is unknown and on a rest day.
type amount struct{ distance, ascent, descent *float64 }

// amountsOf are the amounts of each day, rounded so that they add up, and the
// length of all, nil where there is no day.
func amountsOf(stages []trip.Stage) (each []amount, totalKM *float64) {
	if len(stages) == 0 {
		return nil, nil
	}
	distance, up, down := Tally{Parts: KilometreParts}, Tally{Parts: MetreParts}, Tally{Parts: MetreParts}
	each = make([]amount, len(stages))
	for i, day := range stages {
		if !day.RestDay {
			each[i] = amount{distance.Add(new(day.DistanceM / 1000)), up.Add(day.AscentM), down.Add(day.DescentM)}
		}
	}
	return each, distance.Total()
}

// TotalDistance is the length of all days in km, nil where there is no day.
func TotalDistance(stages []trip.Stage) *float64 {
	_, km := amountsOf(stages)
	return km
}
