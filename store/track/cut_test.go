package track

import (
	"math"
	"testing"
)

func TestCut(t *testing.T) {
	l := NewLine(straight(Point{45, 5, 100}, Point{45.3, 5, 400}, 3))
	near(t, "length", l.Length(), 33358.5, 1)
	first, rest := l.Cut(0, 15_000), l.Cut(15_000, l.Length())
	if first.Len() != 3 || rest.Len() != 3 {
		t.Errorf("%d and %d points, want 3 and 3", first.Len(), rest.Len())
	}
	near(t, "length of the first part", first.Length(), 15_000, 1e-6)
	near(t, "length of the rest", rest.Length(), l.Length()-15_000, 1e-6)
	if !first.End().Same(rest.Start()) {
		t.Errorf("the parts meet at %v and %v", first.End(), rest.Start())
	}
	near(t, "height at the cut", first.End().Ele, 100+300*15_000/l.Length(), 1e-6)
	if !l.Cut(-5, 1e9).Equal(l) {
		t.Error("cutting beyond the ends is not the whole line")
	}
	if l.Cut(20, 20).Len() != 0 || l.Cut(9, 3).Len() != 0 || l.Cut(40_000, 50_000).Len() != 0 {
		t.Error("a part of no length has points")
	}
	if nan := l.Cut(unknown, 5); nan.Len() != 0 {
		t.Error("a part from nowhere has points")
	}
}

func TestCutAtAPoint(t *testing.T) {
	l := NewLine(straight(Point{45, 5, unknown}, Point{45.3, 5, unknown}, 3))
	at := l.offsets[1]
	if a, b := l.Cut(0, at), l.Cut(at, l.Length()); a.Len() != 2 || b.Len() != 3 {
		t.Errorf("%d and %d points, want 2 and 3", a.Len(), b.Len())
	}
}

func TestCutAtAGap(t *testing.T) {
	a := straight(Point{45, 5, unknown}, Point{45.1, 5, unknown}, 4)
	b := straight(Point{46, 5, unknown}, Point{46.1, 5, unknown}, 4)
	l := NewLine(a, b)
	gap := l.offsets[4]
	if got := l.Before(gap); !got.Same(a[4]) {
		t.Errorf("before the gap is %v", got)
	}
	if got := l.At(gap); !got.Same(b[0]) {
		t.Errorf("after the gap is %v", got)
	}
	if !l.Cut(0, gap).Equal(NewLine(a)) || !l.Cut(gap, l.Length()).Equal(NewLine(b)) {
		t.Error("a cut at a gap does not part the segments")
	}
	across := l.Cut(gap-1000, gap+1000)
	if len(across.Segments()) != 2 {
		t.Errorf("%d segments across the gap, want 2", len(across.Segments()))
	}
	near(t, "length across the gap", across.Length(), 2000, 1e-6)
}

// TestCutLengths: parts of any line add up, long legs and the antimeridian
// included.
func TestCutLengths(t *testing.T) {
	for name, l := range map[string]Line{
		"tour":         tour(3000),
		"two points":   NewLine([]Point{{48.8566, 2.3522, 35}, {45.764, 4.8357, 173}}),
		"an ocean":     NewLine([]Point{{51, 0, 0}, {40, -74, unknown}}),
		"antimeridian": NewLine([]Point{{66.5, 179.9, 1}, {66.6, -179.8, 2}, {66.7, 179.95, 3}}),
		"pole to pole": NewLine([]Point{{-90, 0, 1}, {90, 12, 1}}),
		"antipodes":    NewLine([]Point{{30, 10, 1}, {-30, -170, 1}}),
		"over a pole":  NewLine([]Point{{89.9, 10, 1}, {89.9, -170, 1}}),
	} {
		t.Run(name, func(t *testing.T) {
			sum := 0.0
			const n = 7
			for i := range n {
				part := l.Cut(l.Length()*float64(i)/n, l.Length()*float64(i+1)/n)
				near(t, "part", part.Length(), l.Length()/n, 1e-5*l.Length()/n+1e-4)
				sum += part.Length()
				for _, p := range part.points {
					if math.Abs(p.Lat) > 90 || p.Lon < -180 || p.Lon > 180 {
						t.Errorf("%v is nowhere", p)
					}
				}
			}
			near(t, "sum", sum, l.Length(), 1e-6*l.Length())
		})
	}
}
