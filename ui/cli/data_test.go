package cli

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muktihari/fit/decoder"
	"github.com/muktihari/fit/profile/mesgdef"
	"github.com/muktihari/fit/profile/untyped/mesgnum"
	"github.com/muktihari/fit/proto"
)

// realFiles are real route files, which are not part of this repository.
func realFiles(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("BIKETRIP_TESTDATA")
	if dir == "" {
		t.Skip("BIKETRIP_TESTDATA names no folder of real route files")
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	return files
}

// latLon is a place in degrees.
type latLon [2]float64

// haversine is the textbook formula, on a sphere of 6371 km.
func haversine(segments [][]latLon) (km float64) {
	for _, s := range segments {
		for i := 1; i < len(s); i++ {
			a, b := s[i-1], s[i]
			la, lb := a[0]*math.Pi/180, b[0]*math.Pi/180
			h := math.Pow(math.Sin((lb-la)/2), 2) +
				math.Cos(la)*math.Cos(lb)*math.Pow(math.Sin((b[1]-a[1])*math.Pi/360), 2)
			km += 2 * 6371 * math.Asin(math.Sqrt(h))
		}
	}
	return km
}

var (
	gpxSegment = regexp.MustCompile(`(?s)<trkseg.*?(</trkseg>|$)`)
	gpxRoute   = regexp.MustCompile(`(?s)<rte>.*?(</rte>|$)`)
	gpxPoint   = regexp.MustCompile(`<(?:trkpt|rtept)\b[^>]*>`)
	gpxLat     = regexp.MustCompile(`\blat="([^"]+)"`)
	gpxLon     = regexp.MustCompile(`\blon="([^"]+)"`)
)

// gpxPlaces reads the places of a GPX file in the simplest way there is.
func gpxPlaces(b []byte) [][]latLon {
	read := func(part *regexp.Regexp) (out [][]latLon, most int) {
		for _, s := range part.FindAll(b, -1) {
			var places []latLon
			for _, m := range gpxPoint.FindAll(s, -1) {
				lat, lon := gpxLat.FindSubmatch(m), gpxLon.FindSubmatch(m)
				if lat == nil || lon == nil {
					continue // the file breaks off here
				}
				places = append(places, latLon{number(lat[1]), number(lon[1])})
			}
			out, most = append(out, places), max(most, len(places))
		}
		return out, most
	}
	if tracks, most := read(gpxSegment); most >= 2 {
		return tracks
	}
	routes, _ := read(gpxRoute)
	return routes
}

func number(b []byte) float64 {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// device is what a FIT file says of itself.
type device struct {
	places  []latLon
	ascentM float64
}

func (d *device) OnMesg(m proto.Message) {
	switch m.Num {
	case mesgnum.Record:
		r := mesgdef.NewRecord(&m)
		if lat, lon := r.PositionLatDegrees(), r.PositionLongDegrees(); !math.IsNaN(lat) && !math.IsNaN(lon) {
			d.places = append(d.places, latLon{lat, lon})
		}
	case mesgnum.Session:
		if s := mesgdef.NewSession(&m); s.TotalAscent != math.MaxUint16 {
			d.ascentM += float64(s.TotalAscent)
		}
	}
}

// fitDevice reads a FIT file as far as it goes.
func fitDevice(b []byte) device {
	var d device
	dec := decoder.New(bytes.NewReader(b), decoder.WithMesgListener(&d), decoder.WithBroadcastOnly())
	for dec.Next() {
		if _, err := dec.Decode(); err != nil {
			break
		}
	}
	return d
}

// TestPlanRealFiles plans every real file: a plan whose length is that of the
// places in the file, or one clear line.
func TestPlanRealFiles(t *testing.T) {
	planned := 0
	for _, path := range append(realFiles(t, "gpx/*.gpx"), realFiles(t, "fit/*.fit")...) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		code, _, errs := biketrip("", "plan", path)
		if code != exitOK {
			if code != exitError || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s: exit %d, %q", name, code, errs)
			}
			t.Logf("%-48s %s", name, strings.TrimSpace(errs))
			continue
		}
		planned++
		p := planOf(t, path)
		places := [][]latLon{fitDevice(b).places}
		if strings.HasSuffix(path, ".gpx") {
			places = gpxPlaces(b)
		}
		days := 0.0
		for _, d := range p.Days {
			days += d.Distance
		}
		want := haversine(places)
		t.Logf("%-48s %8.2f km, haversine %8.2f, %d days %s", name, p.Distance, want, len(p.Days), strings.TrimSpace(errs))
		if math.Abs(p.Distance-want) > 0.01*want {
			t.Errorf("%s: %v km, by haversine %v", name, p.Distance, want)
		}
		if math.Abs(days-p.Distance) > 1e-6 || p.Distance == 0 {
			t.Errorf("%s: the days have %v km of %v", name, days, p.Distance)
		}
	}
	if planned < 30 {
		t.Errorf("only %d files were planned", planned)
	}
}

// TestAscentOfDevices compares the ascent with the one the device recorded, in
// every FIT file that has one of 50 m or more.
func TestAscentOfDevices(t *testing.T) {
	var off []float64
	for _, path := range realFiles(t, "fit/*.fit") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := fitDevice(b)
		if d.ascentM < 50 || len(d.places) < 2 {
			continue
		}
		got := *planOf(t, path).Elevation
		off = append(off, math.Abs(got-d.ascentM)/d.ascentM)
		t.Logf("%-48s %5.0f m, device %5.0f m, %+.1f %%", filepath.Base(path), got, d.ascentM, 100*(got/d.ascentM-1))
	}
	if len(off) < 4 {
		t.Fatalf("only %d files have an ascent", len(off))
	}
	slices.Sort(off)
	mean := 0.0
	for _, o := range off {
		mean += o / float64(len(off))
	}
	median := (off[(len(off)-1)/2] + off[len(off)/2]) / 2
	t.Logf("%d files: median error %.1f %%, mean %.1f %%", len(off), 100*median, 100*mean)
	if median > 0.08 || mean > 0.15 {
		t.Errorf("median error %.1f %%, mean %.1f %%", 100*median, 100*mean)
	}
}

// TestPlanCutFiles cuts every real file short at ten places: its points and a
// warning, or one clear line.
func TestPlanCutFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 11))
	warned, refused := 0, 0
	for _, path := range append(realFiles(t, "gpx/*.gpx"), realFiles(t, "fit/*.fit")...) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(b)
		if end := bytes.LastIndex(b, []byte("</gpx>")); end >= 0 {
			whole = end + len("</gpx>")
		}
		for range 10 {
			n := r.IntN(whole)
			if testing.Short() && n > 100_000 {
				continue
			}
			var out, errs bytes.Buffer
			code := Main([]string{"plan", "--json", "-"}, bytes.NewReader(b[:n]), &out, &errs)
			what := fmt.Sprintf("%s cut at %d of %d", filepath.Base(path), n, len(b))
			switch {
			case code == exitOK && (errs.Len() == 0 || out.Len() == 0):
				t.Errorf("%s: no warning", what)
			case code == exitOK:
				warned++
			case code != exitError || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1:
				t.Errorf("%s: exit %d, %q", what, code, errs.String())
			default:
				refused++
			}
		}
	}
	t.Logf("%d cuts left points and a warning, %d one line", warned, refused)
	if warned == 0 || refused == 0 {
		t.Error("the cuts try one outcome only")
	}
}
