package trip

import (
	"fmt"
	"slices"
)

// Settings are how a trip is planned. Ranges are those the tools publish.
type Settings struct {
	FatigueFactor      float64             // effort of each day relative to the one before, 0.5 to 1
	ElevationPenalty   float64             // metres of ascent that count as one kilometre, above 0 to 1000
	MaxDayKM           float64             // longest day, 30 to 300
	AverageSpeedKMH    float64             // 5 to 50
	DepartureHour      int                 // local time, 0 to 23
	EbikeMode          bool                // a day also ends where the battery does
	AccommodationTypes []AccommodationType // which beds are looked for, at least one
}

// AccommodationType is a kind of bed, by its OpenStreetMap tourism value.
type AccommodationType string

// The kinds of bed, in the published order.
const (
	CampSite      AccommodationType = "camp_site"
	Hostel        AccommodationType = "hostel"
	AlpineHut     AccommodationType = "alpine_hut"
	Chalet        AccommodationType = "chalet"
	GuestHouse    AccommodationType = "guest_house"
	Hotel         AccommodationType = "hotel"
	WildernessHut AccommodationType = "wilderness_hut"
)

// AccommodationTypes are all kinds of bed, in the published order.
func AccommodationTypes() []AccommodationType {
	return []AccommodationType{CampSite, Hostel, AlpineHut, Chalet, GuestHouse, Hotel, WildernessHut}
}

// DefaultSettings are those of a new trip.
func DefaultSettings() Settings {
	return Settings{
		FatigueFactor:      0.9,
		ElevationPenalty:   50,
		MaxDayKM:           80,
		AverageSpeedKMH:    15,
		DepartureHour:      8,
		AccommodationTypes: AccommodationTypes(),
	}
}

// Equal says whether both are the same; the order of the kinds of bed is of no
// account.
func (s Settings) Equal(other Settings) bool {
	same := func(a, b []AccommodationType) bool {
		return !slices.ContainsFunc(a, func(t AccommodationType) bool { return !slices.Contains(b, t) })
	}
	return s.FatigueFactor == other.FatigueFactor && s.ElevationPenalty == other.ElevationPenalty && s.MaxDayKM == other.MaxDayKM &&
		s.AverageSpeedKMH == other.AverageSpeedKMH && s.DepartureHour == other.DepartureHour && s.EbikeMode == other.EbikeMode &&
		same(s.AccommodationTypes, other.AccommodationTypes) && same(other.AccommodationTypes, s.AccommodationTypes)
}

// lowestMaxDayKM is the least that MaxDayKM may be.
const lowestMaxDayKM = 30

// SettingError is a setting, or a date, that lies outside of what it may be.
type SettingError struct {
	Field string // published name, such as maxDistancePerDay
	Text  string // what it must be and what it is: "must be between 30 and 300, got 20"
}

func (e SettingError) Error() string { return fmt.Sprintf("%q %s", e.Field, e.Text) }

// Problems are the settings that lie outside of their range, in the published
// order; none when all is well.
func (s Settings) Problems() []SettingError {
	var out []SettingError
	within := func(field string, v, from, to float64) {
		if !(v >= from && v <= to) {
			out = append(out, SettingError{field, fmt.Sprintf("must be between %v and %v, got %v", from, to, v)})
		}
	}
	within("fatigueFactor", s.FatigueFactor, 0.5, 1)
	if !(s.ElevationPenalty > 0 && s.ElevationPenalty <= 1000) {
		out = append(out, SettingError{"elevationPenalty", fmt.Sprintf("must be above 0 and at most 1000, got %v", s.ElevationPenalty)})
	}
	within("departureHour", float64(s.DepartureHour), 0, 23)
	within("maxDistancePerDay", s.MaxDayKM, lowestMaxDayKM, 300)
	within("averageSpeed", s.AverageSpeedKMH, 5, 50)
	if len(s.AccommodationTypes) == 0 {
		out = append(out, SettingError{"enabledAccommodationTypes", "must name at least one kind of bed"})
	}
	for _, t := range s.AccommodationTypes {
		if !slices.Contains(AccommodationTypes(), t) {
			out = append(out, SettingError{"enabledAccommodationTypes", fmt.Sprintf("must be among %v, got %q", AccommodationTypes(), t)})
		}
	}
	return out
}
