package track

import (
	"math"
	"testing"
)

func TestProjectOutAndBack(t *testing.T) {
	out := straight(Point{45, 5, 100}, Point{45.2, 5, 300}, 20)
	back := straight(Point{45.2, 5, 300}, Point{45, 5, 100}, 20)
	l := NewLine(append(out, back[1:]...))
	got := l.Project(Point{45.052, 5.001, unknown}, 200)
	if len(got) != 2 {
		t.Fatalf("%d passes, want 2: %v", len(got), got)
	}
	there := 0.052 / 0.2 * l.Length() / 2
	near(t, "way out", got[0].OffsetM, there, 1)
	near(t, "way back", got[1].OffsetM, l.Length()-there, 1)
	near(t, "distance", got[0].DistanceM, 78.6, 0.5)
	near(t, "height", got[0].Point.Ele, 152, 0.1)
}

func TestProjectLoops(t *testing.T) {
	var circle []Point
	for i := range 3*72 + 1 {
		a := 2 * math.Pi * float64(i) / 72
		circle = append(circle, Point{45 + 0.05*math.Sin(a), 5 + 0.07*math.Cos(a), unknown})
	}
	l := NewLine(circle)
	got := l.Project(Point{45.0501, 5, unknown}, 100)
	if len(got) != 3 {
		t.Fatalf("%d passes of three laps: %v", len(got), got)
	}
	for i, p := range got {
		near(t, "lap", p.OffsetM, l.Length()/3*(float64(i)+0.25), 400)
	}
}

func TestProjectEnds(t *testing.T) {
	l := NewLine(straight(Point{45, 5, unknown}, Point{45, 5.1, unknown}, 5), straight(Point{45, 5.2, unknown}, Point{45, 5.3, unknown}, 5))
	for _, c := range []struct {
		p      Point
		offset float64
	}{
		{Point{45, 4.999, unknown}, 0},
		{Point{45, 5.101, unknown}, l.Length() / 2},
		{Point{45, 5.199, unknown}, l.Length() / 2},
		{Point{45, 5.301, unknown}, l.Length()},
	} {
		got := l.Project(c.p, 100)
		if len(got) != 1 {
			t.Errorf("%v: %v, want one pass", c.p, got)
			continue
		}
		near(t, "offset", got[0].OffsetM, c.offset, 0.1)
		near(t, "distance", got[0].DistanceM, 78.6, 0.5)
	}
	if got := l.Project(Point{46, 5, unknown}, 1000); got != nil {
		t.Errorf("a far point is near at %v", got)
	}
	if got := (Line{}).Project(Point{}, 1e9); got != nil {
		t.Errorf("a line of nothing passes at %v", got)
	}
}

// TestProjectWherePointsRepeat: recordings stand still with changing heights.
func TestProjectWherePointsRepeat(t *testing.T) {
	l := NewLine([]Point{{45, 5, 1}, {45, 5, 2}, {45, 5.1, 2}, {45, 5.1, 3}, {45, 5.2, 3}, {45, 5.2, 4}, {45, 5.2, 5}})
	for lon, offset := range map[float64]float64{4.999: 0, 5.1: l.Length() / 2, 5.201: l.Length()} {
		got := l.Project(Point{45, lon, unknown}, 100)
		if len(got) != 1 {
			t.Errorf("at %v: %v, want one pass", lon, got)
			continue
		}
		near(t, "offset", got[0].OffsetM, offset, 0.1)
	}
}

// TestProjectLongLegs: the nearest point lies on the great circle, not on the
// straight line of a map.
func TestProjectLongLegs(t *testing.T) {
	l := NewLine([]Point{{50, 0, unknown}, {50, 20, unknown}}, []Point{{-10, 179, unknown}, {-10, -179, unknown}})
	for _, offset := range []float64{100_000, 500_000, l.Length() - 30_000} {
		p := l.At(offset)
		got := l.Project(p, 10)
		if len(got) != 1 {
			t.Fatalf("%v: %v", p, got)
		}
		near(t, "offset", got[0].OffsetM, offset, 0.01)
		near(t, "distance", got[0].DistanceM, 0, 0.01)
	}
}

// TestProjectBesideSearch compares with a search along the line, metre by
// metre.
func TestProjectBesideSearch(t *testing.T) {
	l := tour(400)
	for i := 0; i < l.Len(); i += 17 {
		p := l.points[i]
		p.Lat += 0.0004
		best := math.Inf(1)
		for m := 0.0; m < l.Length(); m++ {
			best = math.Min(best, Distance(p, l.At(m)))
		}
		found := math.Inf(1)
		last := -1.0
		for _, q := range l.Project(p, 500) {
			found = math.Min(found, q.DistanceM)
			near(t, "point on the line", Distance(q.Point, l.At(q.OffsetM)), 0, 0.01)
			if q.OffsetM <= last {
				t.Errorf("%v comes after %v", q.OffsetM, last)
			}
			last = q.OffsetM
		}
		near(t, "nearest", found, best-0.05, 0.0501)
	}
}
