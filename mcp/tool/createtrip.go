package tool

import (
	"context"
	"fmt"

	"biketrip/jobs/plan"
	"biketrip/jobs/plan/view"
	"biketrip/store/trip"
)

const createTripText = "Creates a trip from the public link of a route on Komoot, Strava or RideWithGPS; the days are computed in the background. Use it only with a link the user gave: it cannot plan from a place name or a file, so ask for the link. To change a trip that exists use update_trip_settings. Give startDate when it is known, because weather, opening days and events need it. Then call get_trip with the returned id until partial is false, usually 10 to 40 seconds. Repeating the same call within 5 minutes returns the same trip."

type createTripArguments struct {
	SourceURL      string `json:"sourceUrl"`
	Title          string `json:"title"`
	StartDate      string `json:"startDate"`
	EndDate        string `json:"endDate"`
	IdempotencyKey string `json:"idempotencyKey"`
	settingArguments
}

// settingArguments are the settings of a trip that a call may name.
type settingArguments struct {
	FatigueFactor             *float64                 `json:"fatigueFactor"`
	ElevationPenalty          *float64                 `json:"elevationPenalty"`
	EbikeMode                 *bool                    `json:"ebikeMode"`
	DepartureHour             *int                     `json:"departureHour"`
	MaxDistancePerDay         *float64                 `json:"maxDistancePerDay"`
	AverageSpeed              *float64                 `json:"averageSpeed"`
	EnabledAccommodationTypes []trip.AccommodationType `json:"enabledAccommodationTypes"`
}

// onto are settings with those that the call names in their place.
func (a settingArguments) onto(s trip.Settings) trip.Settings {
	replace(&s.FatigueFactor, a.FatigueFactor)
	replace(&s.ElevationPenalty, a.ElevationPenalty)
	replace(&s.EbikeMode, a.EbikeMode)
	replace(&s.DepartureHour, a.DepartureHour)
	replace(&s.MaxDayKM, a.MaxDistancePerDay)
	replace(&s.AverageSpeedKMH, a.AverageSpeed)
	if a.EnabledAccommodationTypes != nil {
		s.AccommodationTypes = a.EnabledAccommodationTypes
	}
	return s
}

func replace[T any](value, with *T) {
	if with != nil {
		*value = *with
	}
}

func (d desk) createTrip(ctx context.Context, c caller, a createTripArguments) (view.TripCreation, error) {
	creation := plan.Creation{
		SourceURL:      a.SourceURL,
		Title:          a.Title,
		Settings:       a.onto(trip.DefaultSettings()),
		IdempotencyKey: a.IdempotencyKey,
	}
	var err error
	if creation.StartDate, err = d.tripDate("startDate", a.StartDate); err != nil {
		return view.TripCreation{}, err
	}
	if creation.EndDate, err = d.tripDate("endDate", a.EndDate); err != nil {
		return view.TripCreation{}, err
	}
	made, err := d.Planner.CreateTrip(ctx, c.actor(), creation)
	if err != nil {
		return view.TripCreation{}, err
	}
	result, wait := "Trip created; the route is being fetched.", 15
	switch {
	case made.Again:
		result = "This trip was already created by the same call; its route could not be fetched, and is fetched again."
	case made.Repeated:
		result, wait = "This trip was already created by the same call; it is returned again.", 10
	}
	if creation.StartDate.IsZero() {
		result += " Without a departure date there is no weather: ask the user."
	}
	return view.NewTripCreation(made.TripID, result, readUntilWhole(c, made.TripID, wait)), nil
}

// tripDate is a date of a trip, none for an empty text.
func (d desk) tripDate(field, text string) (trip.Date, error) {
	if text == "" {
		return 0, nil
	}
	date, err := trip.ParseDate(text)
	if err != nil {
		return 0, trip.ErrInvalidDate(field, text, "RFC 3339", view.Date(trip.NextJuly(d.today())))
	}
	return date, nil
}

// readUntilWhole is the next action of one who waits for the days of a trip.
func readUntilWhole(c caller, tripID string, seconds int) string {
	if !c.May(trip.ScopeRead) {
		return fmt.Sprintf("The days cannot be read without the scope %s: ask the user to grant it.", trip.ScopeRead)
	}
	return fmt.Sprintf(`Call get_trip with id="%s" after %d seconds, until partial is false.`, tripID, seconds)
}
