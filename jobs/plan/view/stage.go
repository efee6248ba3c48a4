package view

import (
	"encoding/json"

	"biketrip/store/trip"
)

// Stage is a day in full, without its line.
type Stage struct {
	Head
	ID                    string          `json:"id"`
	DayNumber             int             `json:"dayNumber"`     // from 1
	Distance              *float64        `json:"distance"`      // km; null on a rest day
	Elevation             *float64        `json:"elevation"`     // metres of climbing
	ElevationLoss         *float64        `json:"elevationLoss"` // metres of descent
	StartPoint            Point           `json:"startPoint"`
	EndPoint              Point           `json:"endPoint"`
	Label                 *string         `json:"label"`
	IsRestDay             bool            `json:"isRestDay"`
	Weather               *Weather        `json:"weather"`
	WeatherReason         *string         `json:"weatherReason"` // why there is none
	Alerts                []Alert         `json:"alerts"`
	Resupply              []Resupply      `json:"resupply"`
	Accommodations        []Accommodation `json:"accommodations"`
	SelectedAccommodation *Accommodation  `json:"selectedAccommodation"`
	Events                []Event         `json:"events"`
}

// Weather is the forecast for a day.
type Weather struct {
	Date                     string  `json:"date"` // YYYY-MM-DD
	Summary                  string  `json:"summary"`
	TemperatureMin           float64 `json:"temperatureMin"`           // degrees Celsius
	TemperatureMax           float64 `json:"temperatureMax"`           // degrees Celsius
	Precipitation            float64 `json:"precipitation"`            // mm
	PrecipitationProbability float64 `json:"precipitationProbability"` // per cent
	WindSpeed                float64 `json:"windSpeed"`                // km/h
	WindDirection            float64 `json:"windDirection"`            // degrees it comes from
	ComfortIndex             *int    `json:"comfortIndex"`             // 0 to 100
	Wind                     *string `json:"wind"`                     // headwind, crosswind or tailwind
}

// Alert is what the rider should know about a day.
type Alert struct {
	Type      string       `json:"type"` // code of the rule
	Severity  string       `json:"severity"`
	Message   string       `json:"message"`
	Lat       *float64     `json:"lat"`
	Lon       *float64     `json:"lon"`
	Value     *float64     `json:"value"`
	Threshold *float64     `json:"threshold"`
	Unit      *string      `json:"unit"`
	DataDate  *string      `json:"dataDate"` // YYYY-MM-DD
	Action    *AlertAction `json:"action"`
}

// AlertAction is the call that would mend what an alert is about.
type AlertAction struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Resupply is a place for food or water on the way.
type Resupply struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // OpenStreetMap kind
	Lat      float64  `json:"lat"`
	Lon      float64  `json:"lon"`
	Distance float64  `json:"distance"` // km from the start of the day
	For      []string `json:"for"`
	Detour   *float64 `json:"detour"`  // km off the route
	Arrival  *string  `json:"arrival"` // RFC 3339, local
	Open     *string  `json:"open"`
}

// Accommodation is a bed near the end of a day.
type Accommodation struct {
	Name           string                 `json:"name"`
	Type           trip.AccommodationType `json:"type"`
	Lat            float64                `json:"lat"`
	Lon            float64                `json:"lon"`
	DistanceToEnd  *float64               `json:"distanceToEnd"` // km
	URL            *string                `json:"url"`
	PossiblyClosed *bool                  `json:"possiblyClosed"`
	PriceMin       *float64               `json:"priceMin"` // EUR a night
	PriceMax       *float64               `json:"priceMax"`
	PriceExact     *float64               `json:"priceExact"`
}

// Event is what is on near a day.
type Event struct {
	Name      string  `json:"name"`
	StartDate string  `json:"startDate"` // RFC 3339
	EndDate   *string `json:"endDate"`
	Lat       float64 `json:"lat"`
	Lon       float64 `json:"lon"`
	URL       *string `json:"url"`
}

// Why there is no weather.
const (
	noStartDate = "The trip has no start date."
	noForecast  = "No forecast was looked up."
)

// NewStage is the published shape of a day of a trip, the first of which is day
// 0.
func NewStage(r trip.Reading, day int) Stage {
	s := r.Stages[day]
	amounts, _ := amountsOf(r.Stages)
	why := noForecast
	if r.Trip.StartDate.IsZero() {
		why = noStartDate
	}
	return Stage{
		Head:           head("Stage", stageIRI(r.Trip.ID, s.ID)),
		ID:             s.ID,
		DayNumber:      day + 1,
		Distance:       amounts[day].distance,
		Elevation:      amounts[day].ascent,
		ElevationLoss:  amounts[day].descent,
		StartPoint:     NewPoint(s.Start),
		EndPoint:       NewPoint(s.End),
		Label:          OrNull(s.Label),
		IsRestDay:      s.RestDay,
		WeatherReason:  &why,
		Alerts:         []Alert{},
		Resupply:       []Resupply{},
		Accommodations: []Accommodation{},
		Events:         []Event{},
	}
}
