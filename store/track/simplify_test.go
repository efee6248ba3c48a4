package track

import (
	"math"
	"testing"
)

func TestSimplify(t *testing.T) {
	l := tour(5000)
	before := NewLine(l.Segments()...).Bytes()
	short := l.Simplify(10, 20)
	if string(before) != string(l.Bytes()) {
		t.Fatal("simplifying changed the line")
	}
	if short.Len() >= l.Len()/2 {
		t.Errorf("%d points of %d are left", short.Len(), l.Len())
	}
	if !short.Start().Same(l.Start()) || !short.End().Same(l.End()) {
		t.Error("the ends moved")
	}
	for i := 0; i < l.Len(); i += 7 {
		best := math.Inf(1)
		for _, q := range short.Project(l.points[i], 100) {
			best = math.Min(best, q.DistanceM)
		}
		if best > 10.1 {
			t.Fatalf("point %d lies %.2f m off the simplified line", i, best)
		}
	}
	highest := func(l Line) (top float64) {
		for _, p := range l.points {
			top = math.Max(top, p.Ele)
		}
		return top
	}
	if highest(short) != highest(l) {
		t.Errorf("the top is %v, was %v", highest(short), highest(l))
	}
}

func TestSimplifyShapes(t *testing.T) {
	for name, c := range map[string]struct {
		line Line
		want int
	}{
		"straight":      {NewLine(straight(Point{0, 5, unknown}, Point{0.1, 5, unknown}, 50)), 2},
		"antimeridian":  {NewLine(straight(Point{0, 179.9, unknown}, Point{0, -179.9, unknown}, 50)), 2},
		"two points":    {NewLine([]Point{{45, 5, 1}, {46, 5, 2}}), 2},
		"out and back":  {NewLine(append(straight(Point{45, 5, unknown}, Point{45.1, 5, unknown}, 9), straight(Point{45.09, 5, unknown}, Point{45, 5, unknown}, 8)...)), 3},
		"near the pole": {NewLine([]Point{{89, 0, unknown}, {89.9, 90, unknown}, {89, 180, unknown}}), 3},
		"a top":         {NewLine([]Point{{45, 5, 100}, {45.001, 5, 200}, {45.002, 5, 300}, {45.003, 5, 200}}), 3},
		"nothing":       {Line{}, 0},
	} {
		if got := c.line.Simplify(10, 5).Len(); got != c.want {
			t.Errorf("%s: %d points, want %d", name, got, c.want)
		}
	}
}
