package world

import (
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"biketrip/store/track"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file anew")

// steepest is the steepest gradient that the road line has anywhere over about
// 100 m, in percent.
func steepest(points []track.Point) float64 {
	steepest := 0.0
	for i, p := range points {
		way := 0.0
		for k := i + 1; k < len(points); k++ {
			if way += track.Distance(points[k-1], points[k]); way >= 100 {
				steepest = max(steepest, 100*math.Abs(points[k].Ele-p.Ele)/way)
				break
			}
		}
	}
	return steepest
}

// daysOf are the lengths of the days of a route at default settings, in
// kilometres.
func daysOf(t testing.TB, r Route) []string {
	t.Helper()
	cut, err := trip.CutAt(r.Line, track.ProvidedHeights, r.DayEndsM)
	if r.DayEndsM == nil {
		cut, err = trip.Cut(r.Line, track.ProvidedHeights, trip.DefaultSettings(), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, d := range cut.Days {
		days = append(days, fmt.Sprintf("%.1f", d.DistanceM/1000))
	}
	return days
}

// summary is what the region and its routes come to, in figures coarse enough
// to be the same on every processor.
func summary(t testing.TB, w *World) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# towns: name, place, population, country, latitude, longitude, height\n")
	for _, town := range w.Towns() {
		fmt.Fprintf(&b, "%s, %s, %d, %s, %.5f, %.5f, %.1f\n", town.Name, town.Kind, town.Population, town.Country.Code, town.Point.Lat, town.Point.Lon, town.Point.Ele)
	}
	b.WriteString("\n# passes: name, height\n")
	for _, p := range w.Passes() {
		fmt.Fprintf(&b, "%s, %.1f\n", p.Name, p.Point.Ele)
	}
	b.WriteString("\n# roads: id, highway, ref, name, km, points, ascent, descent, steepest %\n")
	for _, r := range w.Roads() {
		line := track.NewLine(r.Points)
		relief := line.Relief(track.ProvidedHeights)
		fmt.Fprintf(&b, "%d, %s, %s, %s, %.2f, %d, %.0f, %.0f, %.1f\n", r.ID, r.Highway, r.Ref, r.Name, line.Length()/1000, line.Len(),
			relief.Ascent(0, relief.LengthM), relief.Descent(0, relief.LengthM), steepest(r.Points))
	}
	b.WriteString("\n# routes: name, title, km, points, ascent, days in km\n")
	for _, l := range Links() {
		r, ok := w.Route(l.URL)
		if !ok {
			fmt.Fprintf(&b, "%s: none\n", l.Name)
			continue
		}
		relief := r.Line.Relief(track.ProvidedHeights)
		fmt.Fprintf(&b, "%s: %s, %.2f, %d, %.0f, %s\n", l.Name, r.Title, r.Line.Length()/1000, r.Line.Len(), relief.Ascent(0, relief.LengthM), strings.Join(daysOf(t, r), " "))
	}
	return b.String()
}

// TestGolden: the world is what it was.
func TestGolden(t *testing.T) {
	const name = "testdata/world.txt"
	got := summary(t, New())
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the world has changed; -update writes it anew (-want +got):\n%s", diff)
	}
}

func TestWorldIsTheSameEachTime(t *testing.T) {
	a, b := New(), New()
	if !reflect.DeepEqual(a.Towns(), b.Towns()) || !reflect.DeepEqual(a.Roads(), b.Roads()) || !reflect.DeepEqual(a.Passes(), b.Passes()) {
		t.Error("two worlds differ")
	}
	for _, l := range Links() {
		ra, _ := a.Route(l.URL)
		for range 3 {
			if rb, _ := b.Route(l.URL); !ra.Line.Equal(rb.Line) || ra.Title != rb.Title || !slices.Equal(ra.DayEndsM, rb.DayEndsM) {
				t.Errorf("%s: differs from one time to the next", l.Name)
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New()
	}
}

// BenchmarkMemory says how much a world holds.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := New()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(w)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
}

func BenchmarkHeightAt(b *testing.B) {
	w := New()
	for b.Loop() {
		w.HeightAt(46.4, -20.2)
	}
}
