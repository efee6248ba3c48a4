package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPlanPacing rides the worked examples of the pacing from a route file to
// the days: what is asked is one piece of road after the other, each of even
// slope.
func TestPlanPacing(t *testing.T) {
	b, err := os.ReadFile("../../store/trip/testdata/pacing.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples struct {
		Cases []struct {
			Name                                               string
			Pieces                                             [][2]*float64
			FatigueFactor, ElevationPenalty, MaxDistancePerDay float64
			EbikeMode                                          bool
			DatedDays                                          *int
			Days                                               []float64
		}
	}
	if err := json.Unmarshal(b, &examples); err != nil {
		t.Fatal(err)
	}
	for _, c := range examples.Cases {
		t.Run(c.Name, func(t *testing.T) {
			gpx, top := roadOf(c.Pieces)
			if top > 8500 {
				t.Skipf("a climb to %.0f m is not on earth", top)
			}
			path := filepath.Join(t.TempDir(), "road.gpx")
			if err := os.WriteFile(path, []byte(gpx), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{path,
				fmt.Sprintf("--fatigue-factor=%v", c.FatigueFactor),
				fmt.Sprintf("--elevation-penalty=%v", c.ElevationPenalty),
				fmt.Sprintf("--max-distance-per-day=%v", c.MaxDistancePerDay),
				fmt.Sprintf("--ebike-mode=%v", c.EbikeMode),
			}
			if c.DatedDays != nil {
				args = append(args, "--start-date=2027-01-01", "--end-date="+plusDays(*c.DatedDays-1))
			}
			p := planOf(t, args...)
			if len(p.Days) != len(c.Days) {
				t.Fatalf("%d days, want %d", len(p.Days), len(c.Days))
			}
			for i, d := range p.Days {
				if math.Abs(d.Distance-c.Days[i]) > 0.1 {
					t.Errorf("day %d has %.2f km, want %.2f", i+1, d.Distance, c.Days[i])
				}
			}
		})
	}
}

// roadOf is a road to the north made of pieces of [km, ascent in m or null], as
// a GPX file with a point every 40 m, and how high it goes.
func roadOf(pieces [][2]*float64) (gpx string, top float64) {
	const degreeKM = 111.195080
	var s strings.Builder
	s.WriteString("<gpx><trk><trkseg>")
	km, height := 0.0, 100.0
	put := func(ele *float64) {
		fmt.Fprintf(&s, `<trkpt lat="%.8f" lon="5">`, km/degreeKM-10)
		if ele != nil {
			fmt.Fprintf(&s, "<ele>%.2f</ele>", *ele)
		}
		s.WriteString("</trkpt>")
	}
	for _, p := range pieces {
		n := math.Ceil(*p[0] / 0.04)
		startKM, start := km, height
		for i := 0.0; i <= n; i++ {
			km = startKM + *p[0]*i/n
			if p[1] == nil {
				put(nil)
				continue
			}
			height = start + *p[1]*i/n
			put(&height)
		}
	}
	s.WriteString("</trkseg></trk></gpx>")
	return s.String(), height
}

// plusDays is so many days after the first of January 2027.
func plusDays(n int) string {
	return time.Date(2027, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}
