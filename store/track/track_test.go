package track

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

var unknown = math.NaN()

// straight is n+1 points from one place to another, at even spacing.
func straight(from, to Point, n int) []Point {
	out := make([]Point, n+1)
	for i := range out {
		out[i] = between(from, to, float64(i)/float64(n))
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestDistanceGolden(t *testing.T) {
	b, err := os.ReadFile("testdata/engine.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Distance []struct {
			From, To  [2]float64
			Path      [][2]float64
			KM, TolKM float64
			M         *float64
		}
	}
	if err := json.Unmarshal(b, &golden); err != nil || len(golden.Distance) == 0 {
		t.Fatal(len(golden.Distance), err)
	}
	for _, c := range golden.Distance {
		if c.Path == nil {
			c.Path = [][2]float64{c.From, c.To}
		}
		var s []Point
		for _, p := range c.Path {
			s = append(s, Point{p[0], p[1], unknown})
		}
		near(t, "length in km", NewLine(s).Length()/1000, c.KM, c.TolKM)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		name string
		p, q Point
		want float64
	}{
		{"a degree of the equator", Point{0, 0, unknown}, Point{0, 1, unknown}, 111195.08},
		{"a degree of a meridian", Point{45, 5, unknown}, Point{46, 5, unknown}, 111195.08},
		{"across the antimeridian", Point{66.513260, 179.903526, unknown}, Point{66.518733, -179.903870, unknown}, 8560},
		{"pole to pole", Point{90, 0, unknown}, Point{-90, 77, unknown}, math.Pi * earthRadiusM},
		{"nowhere", Point{45, 5, 1}, Point{45, 5, 2}, 0},
		{"a tenth of a metre", Point{45, 5, unknown}, Point{45.000001, 5, unknown}, 0.1112},
	} {
		near(t, c.name, Distance(c.p, c.q), c.want, 1e-3*c.want+0.0001)
		near(t, c.name+" and back", Distance(c.q, c.p), Distance(c.p, c.q), 1e-6)
	}
	// The series for short legs meets the formula for long ones.
	for _, lat := range []float64{0, 45, 70, 89} {
		for _, d := range []float64{1e-6, 1e-3, 0.1, 0.5, 0.56, 0.58} {
			p, q := Point{lat, 10, unknown}, Point{lat + d, 10 + d, unknown}
			sinLat, sinLon := math.Sin(rad(d)/2), math.Sin(rad(d)/2)
			h := sinLat*sinLat + math.Cos(rad(p.Lat))*math.Cos(rad(q.Lat))*sinLon*sinLon
			want := 2 * earthRadiusM * math.Asin(math.Sqrt(h))
			near(t, "distance", Distance(p, q), want, 1e-9*want+1e-9)
		}
	}
}

func TestLengthLeavesGapsOut(t *testing.T) {
	a := straight(Point{45, 5, unknown}, Point{45.1, 5, unknown}, 10)
	b := straight(Point{46, 5, unknown}, Point{46.1, 5, unknown}, 10)
	l := NewLine(a, nil, []Point{{47, 5, unknown}}, b)
	near(t, "length", l.Length(), 2*11119.5, 1)
	if ends := l.EndsM(); len(ends) != 2 || ends[0] != NewLine(a).Length() || ends[1] != l.Length() {
		t.Errorf("segments end at %v", ends)
	}
	near(t, "gap", l.GapM(), 0.9*111195, 10)
	near(t, "gap of one segment", NewLine(a).GapM()+(Line{}).GapM(), 0, 0)
	if got := len(l.Segments()); got != 2 {
		t.Errorf("%d segments, want 2", got)
	}
	if got := l.Len(); got != 22 {
		t.Errorf("%d points, want 22", got)
	}
}

func TestNewLineDropsRepeats(t *testing.T) {
	l := NewLine([]Point{{45, 5, 1}, {45, 5, 1}, {45, 5, 2}, {45, 5.1, unknown}, {45, 5.1, unknown}}, []Point{{1, 1, unknown}, {1, 1, unknown}})
	if l.Len() != 3 || len(l.Segments()) != 1 {
		t.Errorf("%d points in %d segments, want 3 in 1", l.Len(), len(l.Segments()))
	}
	if empty := NewLine(); empty.Length() != 0 || empty.Len() != 0 || !empty.Equal(Line{}) {
		t.Error("a line of nothing is not empty")
	}
}
