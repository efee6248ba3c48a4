package trip

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"biketrip/store/track"
)

func TestPassageGolden(t *testing.T) {
	var golden struct {
		TravelTime []struct {
			In struct {
				AtKM, TotalKM, AverageSpeed, AscentM float64
				DepartureHour                        int
			}
			OutDecimalHour, Tolerance float64
		} `json:"travel_time"`
		RidingDuration []struct {
			In   struct{ KM, V, AscentM float64 }
			OutH float64
		} `json:"riding_duration"`
	}
	readJSON(t, "testdata/engine.json", &golden)
	if len(golden.TravelTime) == 0 || len(golden.RidingDuration) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range golden.TravelTime {
		s := DefaultSettings()
		s.AverageSpeedKMH, s.DepartureHour = c.In.AverageSpeed, c.In.DepartureHour
		got := PassageHour(c.In.AtKM*1000, c.In.TotalKM*1000, c.In.AscentM, s)
		if math.Abs(got-c.OutDecimalHour) > c.Tolerance {
			t.Errorf("%+v: %.4f, want %.4f", c.In, got, c.OutDecimalHour)
		}
	}
	for _, c := range golden.RidingDuration {
		if got := RidingHours(c.In.KM*1000, c.In.AscentM, c.In.V); math.Abs(got-c.OutH) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.In, got, c.OutH)
		}
	}
}

func TestLocked(t *testing.T) {
	today := DateOf(time.Date(2026, 7, 1, 23, 59, 0, 0, time.UTC))
	for _, c := range []struct {
		start  Date
		locked bool
	}{{0, false}, {today + 1, false}, {today, true}, {today - 1, true}} {
		if got := (Trip{StartDate: c.start}).Locked(today); got != c.locked {
			t.Errorf("start %v on %v: locked %v", c.start, today, got)
		}
	}
}

func TestDate(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"2026-07-01", "2026-07-01"},
		{"2026-07-01T23:30:00-08:00", "2026-07-01"},
		{"2026-07-01T00:30:00+14:00", "2026-07-01"},
		{"2026-07-01T08:00", "2026-07-01"},
		{"2024-02-29", "2024-02-29"},
		{"1970-01-01", "1970-01-01"},
		{"0001-01-01", "0001-01-01"},
		{"9998-12-31", "9998-12-31"},
	} {
		d, err := ParseDate(c.in)
		if err != nil || d.String() != c.out || d.IsZero() {
			t.Errorf("ParseDate(%q) = %v, %v", c.in, d, err)
		}
	}
	for _, in := range []string{"", "2026-02-30", "01/07/2026", "2026-7-1", "tomorrow", "2026-07-01 ", "20260701", "0000-12-31", "9999-01-01"} {
		if d, err := ParseDate(in); err == nil {
			t.Errorf("ParseDate(%q) = %v", in, d)
		}
	}
	a, _ := ParseDate("2026-02-28")
	if got := (a + 1).String(); got != "2026-03-01" {
		t.Errorf("the day after %v is %v", a, got)
	}
}

func TestCutTooLong(t *testing.T) {
	var around []track.Point
	for lon := -180.0; lon < 180; lon += 10 {
		around = append(around, track.Point{Lat: 0, Lon: lon, Ele: math.NaN()})
	}
	if _, err := Cut(track.NewLine(around), track.ProvidedHeights, DefaultSettings(), 0); err != ErrTooLong {
		t.Errorf("around the world: %v", err)
	}
}

func TestEndDate(t *testing.T) {
	start, _ := ParseDate("2026-07-01")
	wish, _ := ParseDate("2026-07-09")
	dated := Trip{StartDate: start, WishedEndDate: wish}
	for _, c := range []struct {
		trip Trip
		days int
		want string
	}{
		{dated, 0, "2026-07-09"},
		{dated, 1, "2026-07-01"},
		{dated, 5, "2026-07-05"},
		{Trip{}, 5, ""},
	} {
		if got := c.trip.EndDate(c.days).String(); got != c.want {
			t.Errorf("%d days end on %q, want %q", c.days, got, c.want)
		}
	}
}

func TestRidingDays(t *testing.T) {
	start, _ := ParseDate("2026-07-01")
	for _, c := range []struct {
		end  Date
		rest int
		want int
		ok   bool
	}{
		{start, 0, 1, true}, {start + 2, 0, 3, true}, {start + 2, 1, 2, true}, {start + 2, 9, 1, true},
		{0, 0, 0, true}, {start - 1, 0, 0, false}, {start + 365, 0, 366, true}, {start + 366, 0, 0, false},
	} {
		got, err := RidingDays(start, c.end, c.rest)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("until %v, %d at rest: %d, %v", c.end, c.rest, got, err)
		}
	}
}

func TestProblems(t *testing.T) {
	if p := DefaultSettings().Problems(); len(p) > 0 {
		t.Error("the defaults have problems:", p)
	}
	for _, c := range []struct {
		field string
		set   func(*Settings)
	}{
		{"fatigueFactor", func(s *Settings) { s.FatigueFactor = 0.49 }},
		{"fatigueFactor", func(s *Settings) { s.FatigueFactor = math.NaN() }},
		{"elevationPenalty", func(s *Settings) { s.ElevationPenalty = 0 }},
		{"elevationPenalty", func(s *Settings) { s.ElevationPenalty = -5 }},
		{"elevationPenalty", func(s *Settings) { s.ElevationPenalty = 1001 }},
		{"maxDistancePerDay", func(s *Settings) { s.MaxDayKM = 29.9 }},
		{"maxDistancePerDay", func(s *Settings) { s.MaxDayKM = math.Inf(1) }},
		{"averageSpeed", func(s *Settings) { s.AverageSpeedKMH = 51 }},
		{"departureHour", func(s *Settings) { s.DepartureHour = 24 }},
		{"enabledAccommodationTypes", func(s *Settings) { s.AccommodationTypes = nil }},
		{"enabledAccommodationTypes", func(s *Settings) { s.AccommodationTypes = []AccommodationType{"igloo"} }},
	} {
		s := DefaultSettings()
		c.set(&s)
		if p := s.Problems(); len(p) != 1 || p[0].Field != c.field {
			t.Errorf("%s: %v", c.field, p)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		days       int
		categories map[Category]CategoryStatus
		want       ListStatus
	}{
		{0, nil, ListDraft},
		{0, map[Category]CategoryStatus{CategoryRoute: Running}, ListAnalyzing},
		{0, map[Category]CategoryStatus{CategoryRoute: Failed}, ListFailed},
		{3, map[Category]CategoryStatus{CategoryRoute: Done, CategoryWeather: Running}, ListAnalyzing},
		{3, map[Category]CategoryStatus{CategoryRoute: Done, CategoryWeather: Failed}, ListAnalyzed},
		{3, map[Category]CategoryStatus{CategoryRoute: Failed}, ListAnalyzed},
	} {
		if got := ListStatusOf(c.days, c.categories); got != c.want {
			t.Errorf("%d days, %v: %s, want %s", c.days, c.categories, got, c.want)
		}
	}
	if StatusOf(0) != Draft || StatusOf(1) != Ready {
		t.Error("a trip is a draft until it has days")
	}
}

func TestSplit(t *testing.T) {
	slope := func(lat, from, to float64) []track.Point {
		var out []track.Point
		for f := 0.0; f <= 1; f += 1.0 / 64 {
			out = append(out, track.Point{Lat: lat + 0.125*f, Lon: 5, Ele: from + f*(to-from)})
		}
		return out
	}
	line := track.NewLine(slope(45, 100, 300), slope(46, 300, 200))
	r := line.Relief(track.ProvidedHeights)
	gap := track.NewLine(slope(45, 100, 300)).Length()
	days := split(line, r, []float64{gap / 2, gap, line.Length()})
	distance, ascent, descent := 0.0, 0.0, 0.0
	for _, d := range days {
		distance += d.DistanceM
		ascent += *d.AscentM
		descent += *d.DescentM
	}
	if math.Abs(distance-line.Length()) > 1e-6 {
		t.Errorf("days have %v m of %v", distance, line.Length())
	}
	if math.Abs(ascent-200) > 0.5 || math.Abs(descent-100) > 0.5 {
		t.Errorf("days climb %v m and descend %v m, want 200 and 100", ascent, descent)
	}
	if days[0].End != days[1].Start {
		t.Errorf("day 1 ends at %v, day 2 starts at %v", days[0].End, days[1].Start)
	}
	if days[1].End.Lat != 45.125 || days[2].Start.Lat != 46 {
		t.Errorf("across a gap day 2 ends at %v and day 3 starts at %v", days[1].End, days[2].Start)
	}
	flat := split(line, track.Relief{LengthM: line.Length()}, []float64{line.Length()})
	if flat[0].AscentM != nil || flat[0].DescentM != nil {
		t.Error("an unknown ascent is not nil")
	}
}

// TestRefusals holds the wording of each refusal against the published one:
// what stands in braces or «» there is free, the rest is exact.
func TestRefusals(t *testing.T) {
	var published map[string]struct {
		RPC       int
		Msg, Hint string
		Data      string
	}
	readJSON(t, "testdata/refusals.json", &published)
	day, _ := ParseDate("2026-07-01")
	seen := map[string]bool{}
	for _, r := range []*Refusal{
		ErrUnknownArguments([]string{"days", "x"}, 0, []string{"id", "version"}, "days_"),
		ErrMissingVersion("T"), ErrStale("T", 3, 5), ErrLocked(), ErrAnalysisRunning("T"),
		ErrConfirmation("delete_trip"), ErrUnknownAction("ad", "add"), ErrNeedsStage("move", "T"),
		ErrNeedsField("move", "toIndex"), ErrFieldOfOtherAction("toIndex", "add", "move"),
		ErrIndexOutOfRange("toIndex", 9, 4, 3), ErrTripNotFound("T"), ErrStageNotFound("S", 1, "S1"),
		ErrIdempotency(), ErrUnsupportedSource("http://x", "Use https."),
		ErrInvalidDate("startDate", "soon", "an RFC 3339 date", "2026-07-01T00:00:00+00:00"),
		ErrDateInPast(day, day), ErrEndBeforeStart(day, day-1), ErrNothingToChange([]string{"title", "startDate"}),
		ErrHalfCoordinates(), ErrBedNotFound(45.1, 5, "45.2, 5"), ErrSwapped(5, 45, 5000), ErrTooFar(45, 5, 300),
		ErrOutOfZone(), ErrStillComputing("T"), ErrRestDay(3), ErrLastDay(), ErrNoLink(), ErrGeocoderDown(),
		ErrNoRouter(), ErrRouterDown(), ErrRouteFailed("T", "it is private"), ErrDistanceOutOfRange(200, 91.24),
		ErrStorageFull(), ErrSearchUnavailable(), ErrUnavailable(),
		ErrTooManyTrips(12), ErrTooManySearches(7), ErrInvalidParameters("get_trip", []string{`"id" is required`, `"x" must be an integer, got "y"`}),
	} {
		want, ok := published[r.Code]
		if !ok {
			t.Errorf("%s is not published", r.Code)
			continue
		}
		seen[r.Code] = true
		if want.RPC != -32603 && r.Code != "invalid_parameters" && !strings.HasPrefix(r.Code, "rate_limited_") {
			t.Errorf("%s is no tool refusal", r.Code)
		}
		for _, c := range []struct{ got, template string }{{r.Message, want.Msg}, {r.Hint, want.Hint}} {
			if !fits(c.got, c.template) {
				t.Errorf("%s\n got %s\nwant %s", r.Code, c.got, c.template)
			}
		}
	}
	for code, p := range published {
		if p.RPC == -32603 && code != "internal" && !seen[code] {
			t.Errorf("%s has no constructor", code)
		}
	}
	stale, err := json.Marshal(ErrStale("T", 3, 5).Data)
	if err != nil || string(stale) != `[{"Key":"yourVersion","Value":3},{"Key":"currentVersion","Value":5}]` {
		t.Errorf("data of stale_version: %s, %v", stale, err)
	}
}

// fits says whether a sentence is a filled-in template.
func fits(s, template string) bool {
	re := regexp.QuoteMeta(template)
	re = regexp.MustCompile(`«[^»]*»`).ReplaceAllString(re, `"[^"]*"`)
	re = regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(re, `.+`)
	return regexp.MustCompile("^" + re + "$").MatchString(s)
}

func TestQuoted(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"a", `"a"`},
		{"a\x1b[31m\n\x00b", `"a[31mb"`},
		{strings.Repeat("é", 40), `"` + strings.Repeat("é", 40) + `"`},
		{strings.Repeat("é", 41), `"` + strings.Repeat("é", 39) + `…"`},
	} {
		if got := Quoted(c.in); got != c.out {
			t.Errorf("Quoted(%q) = %q, want %q", c.in, got, c.out)
		}
	}
}
