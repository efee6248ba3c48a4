package tool

import (
	"context"

	"biketrip/store/trip"
)

const updateTripSettingsText = "Renames a trip or changes its dates, pacing or kinds of bed; only what you send changes. It usually cuts the whole trip again, which drops manual day splits and every chosen bed, so the first call only answers with the impact and a confirmationToken. Show that to the user and, once they agree, send the same arguments with the token. To change one day use edit_stages; to change the route call create_trip."

type updateTripSettingsArguments struct {
	ID                string `json:"id"`
	Version           int    `json:"version"`
	ConfirmationToken string `json:"confirmationToken"`
	Title             string `json:"title"`
	StartDate         string `json:"startDate"`
	EndDate           string `json:"endDate"`
	settingArguments
}

func (d desk) updateTripSettings(ctx context.Context, c caller, a updateTripSettingsArguments) (none, error) {
	r, err := d.editable(ctx, c, a.ID, &a.Version)
	if err != nil {
		return none{}, err
	}
	start, err := d.tripDate("startDate", a.StartDate)
	if err != nil {
		return none{}, err
	}
	end, err := d.tripDate("endDate", a.EndDate)
	if err != nil {
		return none{}, err
	}
	if !start.IsZero() && start <= d.today() {
		return none{}, trip.ErrDateInPast(start, d.today())
	}
	if start.IsZero() {
		start = r.Trip.StartDate
	}
	if _, err := trip.RidingDays(start, end, 0); err != nil {
		return none{}, err
	}
	switch {
	case a.ConfirmationToken != "":
		return none{}, trip.ErrConfirmation("update_trip_settings") // none was given out yet
	case a.Title == "" && a.StartDate == "" && a.EndDate == "" && a.settingArguments.areNone():
		return none{}, trip.ErrNothingToChange(settingNames())
	case (a.Title == "" || a.Title == r.Trip.Title) && start == r.Trip.StartDate && (end.IsZero() || end == r.EndDate()) && a.onto(r.Trip.Settings).Equal(r.Trip.Settings):
		return none{}, trip.ErrSameSettings(settingNames())
	}
	return none{}, trip.ErrUnavailable()
}

// areNone says that no setting was sent.
func (a settingArguments) areNone() bool {
	return a.FatigueFactor == nil && a.ElevationPenalty == nil && a.EbikeMode == nil && a.DepartureHour == nil &&
		a.MaxDistancePerDay == nil && a.AverageSpeed == nil && a.EnabledAccommodationTypes == nil
}

// settingNames are what can be changed, in the published order.
func settingNames() []string {
	return []string{"title", "startDate", "endDate", "fatigueFactor", "elevationPenalty", "ebikeMode", "departureHour", "maxDistancePerDay", "averageSpeed", "enabledAccommodationTypes"}
}
