package trip

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"testing"

	"biketrip/store/track"
)

// codeOf is the code of a refusal, empty for none.
func codeOf(err error) string {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return ""
	}
	return refusal.Code
}

// TestChecksOfEdits: what stands against an edit can be told from the days.
func TestChecksOfEdits(t *testing.T) {
	days := []Stage{{DistanceM: 60_000}, {DistanceM: 50_000}, {RestDay: true}, {DistanceM: 40_500}}
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"add at the start", CheckAdd(days, 0), ""},
		{"add at the end", CheckAdd(days, 4), ""},
		{"add behind the end", CheckAdd(days, 5), "index_out_of_range"},
		{"add before the start", CheckAdd(days, -1), "index_out_of_range"},
		{"add to none", CheckAdd(nil, 0), ""},
		{"move to the start", CheckMove(days, 3, 0), ""},
		{"move to the end", CheckMove(days, 0, 3), ""},
		{"move behind the end", CheckMove(days, 0, 4), "index_out_of_range"},
		{"move nowhere", CheckMove(days, 2, 2), "nothing_to_change"},
		{"delete one of several", CheckDelete(days, 1), ""},
		{"delete a rest day", CheckDelete(days[1:3], 1), ""},
		{"delete the only ridden one", CheckDelete(days[1:3], 0), "last_day"},
		{"delete the only one", CheckDelete(days[:1], 0), "last_day"},
		{"ride", CheckRide(days, 1), ""},
		{"ride on a rest day", CheckRide(days, 2), "rest_day"},
		{"shorter", CheckDistance(days, 0, 30), ""},
		{"all but a km of the next", CheckDistance(days, 0, 109), ""},
		{"as it is published", CheckDistance(days, 3, 40.501), ""},
		{"more than that", CheckDistance(days, 0, 109.01), "distance_out_of_range"},
		{"past a rest day", CheckDistance(days, 1, 89.5), ""},
		{"too far past a rest day", CheckDistance(days, 1, 89.6), "distance_out_of_range"},
		{"the whole last day", CheckDistance(days, 3, 40.5), ""},
		{"more than the last day", CheckDistance(days, 3, 40.6), "distance_out_of_range"},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if days[2].RestDay != true || len(days) != 4 {
		t.Error("the days were changed")
	}
}

// TestLongestDay: the length that a refusal names is one that is accepted.
func TestLongestDay(t *testing.T) {
	named := regexp.MustCompile(`at most ([0-9.]+) km`)
	for _, metres := range []float64{48_675.4, 53_700.96, 40_000.0004, 26_943.7, 31_388.9996} {
		days := []Stage{{DistanceM: metres}, {DistanceM: metres / 3}}
		for day := range days {
			err := CheckDistance(days, day, 499)
			m := named.FindStringSubmatch(err.Error())
			if m == nil {
				t.Fatal(err)
			}
			largest, _ := strconv.ParseFloat(m[1], 64)
			if err := CheckDistance(days, day, largest); err != nil {
				t.Errorf("day of %v m: %v", metres, err)
			}
			if err := CheckDistance(days, day, math.Round(days[day].DistanceM)/1000); err != nil {
				t.Errorf("its own length: %v", err)
			}
		}
	}
}

// TestPointsOfADay: a point within 100 km of a day can be meant for it, and one
// that is only with its coordinates the other way round is not.
func TestPointsOfADay(t *testing.T) {
	line := track.NewLine([]track.Point{{Lat: 44.9, Lon: 5.8}, {Lat: 44.8, Lon: 5.9}, {Lat: 44.7, Lon: 6.0}})
	at := func(lat, lon float64) track.Point { return track.Point{Lat: lat, Lon: lon, Ele: math.NaN()} }
	for _, c := range []struct {
		p             track.Point
		near, swapped string
	}{
		{at(44.8, 5.9), "", ""},
		{at(45.79, 5.8), "", ""}, // 99 km north
		{at(45.81, 5.8), "too_far", ""},
		{at(5.9, 44.8), "swapped", "swapped"},
		{at(0, 0), "too_far", ""},
		{at(44.8, 151), "too_far", ""},
		{at(-44.8, -5.9), "too_far", ""},
	} {
		if near, swapped := codeOf(CheckNear(line, c.p)), codeOf(CheckSwapped(line, c.p)); near != c.near || swapped != c.swapped {
			t.Errorf("%v: %q and %q, want %q and %q", c.p, near, swapped, c.near, c.swapped)
		}
	}
	none := track.NewLine()
	if err := errors.Join(CheckNear(none, at(1, 1)), CheckSwapped(none, at(1, 1))); err != nil || !math.IsInf(none.DistanceTo(at(1, 1)), 1) {
		t.Errorf("a line without points: %v", err)
	}
}

// TestSettingsAreEqual: whatever the order of the beds.
func TestSettingsAreEqual(t *testing.T) {
	a := DefaultSettings()
	b := DefaultSettings()
	b.AccommodationTypes = []AccommodationType{Hotel, CampSite, Hostel, AlpineHut, Chalet, GuestHouse, WildernessHut}
	if !a.Equal(b) || !b.Equal(a) {
		t.Error("the order counts")
	}
	for i, change := range []func(*Settings){
		func(s *Settings) { s.FatigueFactor = 0.8 }, func(s *Settings) { s.ElevationPenalty = 51 }, func(s *Settings) { s.MaxDayKM = 81 },
		func(s *Settings) { s.AverageSpeedKMH = 16 }, func(s *Settings) { s.DepartureHour = 9 }, func(s *Settings) { s.EbikeMode = true },
		func(s *Settings) { s.AccommodationTypes = s.AccommodationTypes[:6] },
	} {
		c := b
		change(&c)
		if a.Equal(c) || c.Equal(a) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
