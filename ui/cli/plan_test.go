package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/store/trip"
)

const valleys = "testdata/three-valleys.gpx"

// biketrip runs the program.
func biketrip(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// planOf is the plan of a file for programs.
func planOf(t *testing.T, args ...string) planJSON {
	t.Helper()
	code, out, errs := biketrip("", append([]string{"plan", "--json"}, args...)...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var p planJSON
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return p
}

func TestPlanTable(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"undated", nil},
		{"dated", []string{"--start-date", "2027-07-01", "--end-date", "2027-07-04"}},
		{"too-few-days", []string{"--start-date", "2027-07-01", "--end-date", "2027-07-02", "--ebike-mode"}},
		{"cap-holds", []string{"--max-distance-per-day", "40", "--elevation-penalty", "1000"}},
		{"end-alone", []string{"--end-date", "2027-07-04", "--average-speed", "20", "--departure-hour", "6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := biketrip("", append([]string{"plan", valleys}, c.args...)...)
			if code != exitOK || errs != "" {
				t.Errorf("exit %d, %q", code, errs)
			}
			golden(t, filepath.Join("testdata", "plan-"+c.name+".txt"), out)
		})
	}
}

func TestPlanJSON(t *testing.T) {
	_, out, _ := biketrip("<gpx><trk><name>A &amp; B</name><trkseg><trkpt lat='1' lon='2'/><trkpt lat='1' lon='3'/></trkseg></trk></gpx>", "plan", "--json", "-")
	if !strings.Contains(out, `"title": "A & B"`) {
		t.Errorf("the title is not readable in %s", out)
	}
	_, out, _ = biketrip("", "plan", "--json", valleys, "--start-date", "2027-07-01T22:00:00-08:00")
	golden(t, "testdata/plan.json", out)
	p := planOf(t, valleys)
	km, up, down := 0.0, 0.0, 0.0
	for i, d := range p.Days {
		km, up, down = km+d.Distance, up+*d.Elevation, down+*d.ElevationLoss
		if d.DayNumber != i+1 || d.Date != nil {
			t.Errorf("day %d has number %d and date %v", i+1, d.DayNumber, d.Date)
		}
		if i > 0 && !cmp.Equal(p.Days[i-1].EndPoint, d.StartPoint) {
			t.Errorf("day %d does not start where day %d ends", i+1, i)
		}
	}
	for _, c := range []struct{ got, want float64 }{{km, p.Distance}, {up, *p.Elevation}, {down, *p.ElevationLoss}} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("the days add up to %v, not %v", c.got, c.want)
		}
	}
}

// TestPlanSettings: every flag of the pacing changes the plan, and so does its
// variable of the environment.
func TestPlanSettings(t *testing.T) {
	base, _, _ := plainPlan(t)
	for _, c := range []struct{ flag, value string }{
		{"--max-distance-per-day", "55"},
		{"--fatigue-factor", "0.7"},
		{"--elevation-penalty", "20"},
		{"--ebike-mode", "true"},
		{"--average-speed", "20"},
		{"--departure-hour", "5"},
		{"--start-date", "2027-07-01"},
	} {
		byFlag, _, code := plainPlan(t, c.flag+"="+c.value)
		if code != exitOK || byFlag == base {
			t.Errorf("%s %s changes nothing (exit %d)", c.flag, c.value, code)
		}
		name := "BIKETRIP_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(c.flag, "--"), "-", "_"))
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, c.value)
			if byEnv, _, _ := plainPlan(t); byEnv != byFlag {
				t.Errorf("%s is not %s", name, c.flag)
			}
		})
	}
}

func plainPlan(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	code, out, errs = biketrip("", append([]string{"plan", valleys}, args...)...)
	return out, errs, code
}

func TestPlanUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"plan"}, "<route>"},
		{[]string{"plam"}, "Try: biketrip --help"},
		{[]string{valleys}, "Try: biketrip plan ROUTE"},
		{[]string{"plan", valleys, "--fast"}, "Try: biketrip plan --help"},
		{[]string{"plan", valleys, "--start-date=2027-02-30"}, "no calendar date"},
		{[]string{"plan", valleys, "--max-distance"}, "max-distance-per-day"},
		{[]string{"plan", valleys, "--max-distance-per-day", "20"}, "--max-distance-per-day must be between 30 and 300, got 20"},
		{[]string{"plan", valleys, "--max-distance-per-day", "far"}, "far"},
		{[]string{"plan", valleys, "--fatigue-factor=NaN"}, "--fatigue-factor must be between 0.5 and 1"},
		{[]string{"plan", valleys, "--elevation-penalty=0"}, "--elevation-penalty must be above 0"},
		{[]string{"plan", valleys, "--departure-hour=24"}, "--departure-hour must be between 0 and 23"},
		{[]string{"plan", valleys, "--start-date=1.7.2027"}, `"1.7.2027" is no calendar date; write one as YYYY-MM-DD`},
		{[]string{"plan", valleys, "--start-date=2027-07-04", "--end-date=2027-07-01"}, "--end-date 2027-07-01 is before --start-date 2027-07-04"},
		{[]string{"plan", valleys, "--start-date=2027-07-04", "--end-date=2037-07-01"}, "--end-date makes 3651 days, a trip has at most 366"},
	} {
		code, out, errs := biketrip("", c.args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, %q, %q does not say %q", c.args, code, out, errs, c.says)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gpx := func(points string) string { return "<gpx><trk><trkseg>" + points + "</trkseg></trk></gpx>" }
	var around strings.Builder
	for i := range 1800 {
		fmt.Fprintf(&around, `<trkpt lat="0" lon="%d"/>`, i*50%360-180)
	}
	for _, c := range []struct {
		path, says string
	}{
		{filepath.Join(dir, "none.gpx"), "no such file"},
		{dir, "folder"},
		{"", `"": no such file`},
		{"www.komoot.com/tour/1", "Start it with https://"},
		{write("empty.gpx", ""), "empty"},
		{write("hello.gpx", "hello"), "neither a GPX nor a FIT file"},
		{write("waypoints.gpx", `<gpx><wpt lat="1" lon="2"/><wpt lat="1" lon="3"/></gpx>`), "2 waypoints"},
		{write("still.gpx", gpx(`<trkpt lat="1" lon="2"/><trkpt lat="1" lon="2"/>`)), "different places"},
		{write("barometer.gpx", gpx(`<trkpt lat="1" lon="2"><ele>1</ele></trkpt><trkpt lat="1" lon="2"><ele>2</ele></trkpt>`)), "different places"},
		{write("hair.gpx", gpx(`<trkpt lat="0" lon="0"><ele>1</ele></trkpt><trkpt lat="1e-150" lon="0"><ele>2</ele></trkpt>`)), "different places"},
		{write("far.gpx", gpx(around.String())), "longer than 10,000 km"},
	} {
		code, out, errs := biketrip("", "plan", c.path)
		if code != exitError || out != "" || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "biketrip: ") {
			t.Errorf("%s: exit %d, %q, %q does not say %q on one line", c.path, code, out, errs, c.says)
		}
	}
	if code, _, errs := biketrip("", "plan", valleys, "--max-distance-per-day=30", "--elevation-penalty=0.1"); code != exitError || !strings.Contains(errs, "more than 366 days") {
		t.Errorf("too many days: exit %d, %q", code, errs)
	}
}

// TestPlanGap: what lies between two tracks is said.
func TestPlanGap(t *testing.T) {
	two := `<gpx><trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1" lon="2.1"/></trkseg></trk><trk><trkseg><trkpt lat="1" lon="3"/><trkpt lat="1" lon="3.1"/></trkseg></trk></gpx>`
	if _, out, _ := biketrip(two, "plan", "-"); !strings.Contains(out, "gaps of 100.1 km in all") {
		t.Errorf("no word of the gap in %s", out)
	}
}

func TestPlanStandardInput(t *testing.T) {
	b, err := os.ReadFile(valleys)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := biketrip(string(b[:len(b)/2]), "plan", "-", "--json")
	if code != exitOK || !strings.Contains(errs, "damaged") || !strings.Contains(out, `"source": "-"`) {
		t.Errorf("exit %d, %q, %.80q", code, errs, out)
	}
}

func TestPlanHostileNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\x1b[2Jb.gpx")
	if err := os.WriteFile(path, []byte("<gpx><trk><name>c\x1b]0;d\u202ee</name><trkseg><trkpt lat=\"1\" lon=\"2\"/><trkpt lat=\"1\" lon=\"3\"/></trkseg></trk></gpx>"), 0o600); err != nil {
		t.Skip("this file system takes no such name:", err)
	}
	for _, args := range [][]string{{"plan", path}, {"plan", "--json", path}, {"plan", path + "x"}} {
		_, out, errs := biketrip("", args...)
		if strings.ContainsAny(out+errs, "\x1b\u202e") {
			t.Errorf("%q %q reach the terminal", out, errs)
		}
	}
}

// TestArrival: minutes are rounded before days are counted.
func TestArrival(t *testing.T) {
	p := planned{settings: trip.DefaultSettings()}
	for _, c := range []struct {
		departure int
		km        float64
		want      string
	}{{8, 15, "9:00"}, {23, 14.88, "0:00 +1d"}, {23, 15, "0:00 +1d"}, {22, 1000, "22:10 +3d"}} {
		p.settings.DepartureHour = c.departure
		if got := p.times(trip.Stage{DistanceM: c.km * 1000})[1]; got != c.want {
			t.Errorf("%v km from %d: %s, want %s", c.km, c.departure, got, c.want)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	if code, out, _ := biketrip("", "--help"); code != exitOK || !strings.Contains(out, "plan") {
		t.Errorf("exit %d, %s", code, out)
	}
	for _, args := range [][]string{{"help", "plan"}, {"plan", "--help"}} {
		if code, out, _ := biketrip("", args...); code != exitOK || !strings.Contains(out, "--max-distance-per-day") {
			t.Errorf("%v: exit %d, %s", args, code, out)
		}
	}
	if code, out, _ := biketrip("", "--version"); code != exitOK || !strings.HasPrefix(out, "biketrip ") {
		t.Errorf("--version: exit %d, %s", code, out)
	}
	if code, out, _ := biketrip("", "version"); code != exitOK || !strings.HasPrefix(out, "biketrip ") {
		t.Errorf("exit %d, %s", code, out)
	}
}
