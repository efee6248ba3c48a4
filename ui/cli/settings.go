package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"biketrip/store/trip"
)

// settingFlags are the settings of a trip that shape its days. Their defaults
// are those of a new trip.
type settingFlags struct {
	MaxDistancePerDay float64 `default:"${maxDistancePerDay}" placeholder:"KM" help:"Longest day in km, 30 to 300 (${default})."`
	FatigueFactor     float64 `default:"${fatigueFactor}" placeholder:"F" help:"Effort of each day, distance and climbing, relative to the one before, 0.5 to 1 (${default})."`
	ElevationPenalty  float64 `default:"${elevationPenalty}" placeholder:"M" help:"Metres of ascent that take one kilometre off a day, above 0 to 1000 (${default})."`
	EbikeMode         bool    `help:"A day also ends where the battery does: 80 km, less 1 km for every 25 m of ascent."`
	AverageSpeed      float64 `default:"${averageSpeed}" placeholder:"KM/H" help:"Average speed on the flat in km/h, 5 to 50 (${default}): for the times of arrival."`
	DepartureHour     int     `default:"${departureHour}" placeholder:"H" help:"Hour of departure, 0 to 23 (${default}): for the times of arrival."`
}

// settingVars are the defaults in the help of flags.
func settingVars(s trip.Settings) map[string]string {
	return map[string]string{
		"defaultDB":         defaultDB,
		"scopes":            strings.Join(trip.Scopes(), " "),
		"maxDistancePerDay": fmt.Sprint(s.MaxDayKM),
		"fatigueFactor":     fmt.Sprint(s.FatigueFactor),
		"elevationPenalty":  fmt.Sprint(s.ElevationPenalty),
		"averageSpeed":      fmt.Sprint(s.AverageSpeedKMH),
		"departureHour":     fmt.Sprint(s.DepartureHour),
	}
}

// settings are the flags as settings of a trip.
func (f settingFlags) settings() trip.Settings {
	s := trip.DefaultSettings()
	s.MaxDayKM, s.FatigueFactor = f.MaxDistancePerDay, f.FatigueFactor
	s.ElevationPenalty, s.EbikeMode = f.ElevationPenalty, f.EbikeMode
	s.AverageSpeedKMH, s.DepartureHour = f.AverageSpeed, f.DepartureHour
	return s
}

// Validate refuses settings out of their range, all at once.
func (f settingFlags) Validate() error {
	var problems []error
	for _, p := range f.settings().Problems() {
		problems = append(problems, inFlags(p))
	}
	return errors.Join(problems...)
}

// inFlags is an error about a setting or a date in the words of the command
// line.
func inFlags(err error) error {
	var r *trip.Refusal
	if errors.As(err, &r) {
		return errors.New(strings.NewReplacer(`"startDate"`, flagName("startDate"), `"endDate"`, flagName("endDate")).Replace(r.Message))
	}
	var e trip.SettingError
	if errors.As(err, &e) {
		return fmt.Errorf("%s %s", flagName(e.Field), e.Text)
	}
	return err
}

// flagName is the flag of a published field: maxDistancePerDay is
// --max-distance-per-day.
func flagName(field string) string {
	var b strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return "--" + b.String()
}
