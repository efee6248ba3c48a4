package track

import (
	"math"
	"math/rand/v2"
	"testing"
)

// profile is a line to the north with a point every spacing metres whose
// heights are a function of the distance.
func profile(lengthM, spacingM float64, height func(m float64) float64) []Point {
	var out []Point
	n := int(math.Round(lengthM / spacingM))
	for i := range n + 1 {
		m := lengthM * float64(i) / float64(n)
		out = append(out, Point{45 + deg(m/earthRadiusM), 5, height(m)})
	}
	return out
}

func ascent(l Line) float64 {
	r := l.Relief(ProvidedHeights)
	if !r.Known {
		return unknown
	}
	return r.Ascent(0, r.LengthM)
}

func hills(m float64) float64 {
	return 300 + 80*math.Sin(m/700) + 25*math.Sin(m/190+1) + m/100
}

func TestReliefOfAnEvenClimb(t *testing.T) {
	for _, spacing := range []float64{1, 7, 30, 390} {
		l := NewLine(profile(20_000, spacing, func(m float64) float64 { return 200 + m/20 }))
		r := l.Relief(ProvidedHeights)
		near(t, "ascent", r.Ascent(0, r.LengthM), 1000, 0.01)
		near(t, "descent", r.Descent(0, r.LengthM), 0, 0.01)
		near(t, "ascent of the second quarter", r.Ascent(5000, 10_000), 250, 0.1)
		near(t, "ascent before the start", r.Ascent(-100, 0), 0, 0)
	}
}

// TestReliefWhereItClimbs: two slopes in a row are one climb, and still each
// kilometre has what it climbs.
func TestReliefWhereItClimbs(t *testing.T) {
	l := NewLine(profile(40_000, 20, func(m float64) float64 {
		return math.Min(m, 10_000)/10 + math.Max(0, m-10_000)/3000
	}))
	r := l.Relief(ProvidedHeights)
	near(t, "ascent of the steep part", r.Ascent(0, 10_000), 1000, 3)
	near(t, "ascent of the rest", r.Ascent(10_000, 40_000), 10, 3)
}

func TestReliefDoesNotDependOnThePoints(t *testing.T) {
	coarse := profile(30_000, 60, hills)
	var dense []Point
	for i := 1; i < len(coarse); i++ {
		dense = append(dense, straight(coarse[i-1], coarse[i], 10)[:10]...)
	}
	dense = append(dense, coarse[len(coarse)-1])
	a, b := NewLine(coarse), NewLine(dense)
	near(t, "ascent of the densified line", ascent(b), ascent(a), 1e-3*ascent(a))
	r := a.Relief(ProvidedHeights)
	sum, down := 0.0, 0.0
	for m := 0.0; m < 30_000; m += 777 {
		to := math.Min(m+777, r.LengthM)
		sum += r.Ascent(m, to)
		down += r.Descent(m, to)
	}
	near(t, "sum of the parts", sum, ascent(a), 1e-6)
	near(t, "ascent less descent", sum-down, coarse[len(coarse)-1].Ele-coarse[0].Ele, 2)
}

// TestReliefBesideReports tries inputs that riders complained about elsewhere.
func TestReliefBesideReports(t *testing.T) {
	t.Run("rolling bumps of 8 to 15 m are climbs", func(t *testing.T) {
		gain := 0.0
		at := []float64{400}
		for i := range 21 {
			up := 8 + float64(i*5%8)
			gain += up
			at = append(at, 400+up, 400)
		}
		l := NewLine(profile(42*400, 20, func(m float64) float64 {
			i := min(int(m/400), len(at)-2)
			return at[i] + (m/400-float64(i))*(at[i+1]-at[i])
		}))
		near(t, "ascent", ascent(l), gain, 0.15*gain)
	})
	t.Run("dips of 4 m part two climbs", func(t *testing.T) {
		l := NewLine(profile(30_000, 10, func(m float64) float64 {
			lap := math.Mod(m, 1000)
			return 16*math.Floor(m/1000) + math.Min(lap, 800)/40 - math.Max(0, lap-800)/50
		}))
		r := l.Relief(ProvidedHeights)
		near(t, "descent", r.Descent(0, 30_000), 30*4, 30)
	})
	t.Run("noise of 3 m adds at most 15 %", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		clean := NewLine(profile(40_000, 5, hills))
		noisy := NewLine(profile(40_000, 5, func(m float64) float64 { return hills(m) + 6*r.Float64() - 3 }))
		if got, want := ascent(noisy), ascent(clean); got > 1.15*want || got < 0.9*want {
			t.Errorf("ascent is %.0f with noise, %.0f without", got, want)
		}
	})
	t.Run("no less than from the start to the top", func(t *testing.T) {
		for _, spacing := range []float64{5, 50, 300} {
			points := profile(25_000, spacing, func(m float64) float64 { return 900 - 700*math.Cos(m/9000) })
			top := points[0].Ele
			for _, p := range points {
				top = math.Max(top, p.Ele)
			}
			if got := ascent(NewLine(points)); got < top-points[0].Ele-2 {
				t.Errorf("ascent is %.1f, the top is %.1f above the start", got, top-points[0].Ele)
			}
		}
	})
	t.Run("terrain tiles are smoothed more", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		l := NewLine(profile(40_000, 30, func(m float64) float64 { return m/25 + 8*r.NormFloat64() }))
		provided, terrain := l.Relief(ProvidedHeights), l.Relief(TerrainHeights)
		if a, b := provided.Ascent(0, 4e4), terrain.Ascent(0, 4e4); b > 1.1*1600 || b < 1600 || a < b {
			t.Errorf("ascent is %.0f as provided and %.0f as terrain, the road climbs 1600", a, b)
		}
	})
}

func TestReliefKnown(t *testing.T) {
	flat := func(m float64) float64 { return 120 }
	for _, c := range []struct {
		name   string
		points []Point
		known  bool
	}{
		{"every height", profile(10_000, 50, flat), true},
		{"no height", profile(10_000, 50, func(float64) float64 { return unknown }), false},
		{"all heights 0", profile(10_000, 50, func(float64) float64 { return 0 }), false},
		{"first and last only", profile(10_000, 50, func(m float64) float64 {
			if m == 0 || m > 9999 {
				return 50
			}
			return unknown
		}), false},
		{"one in 400 m", profile(10_000, 50, func(m float64) float64 {
			if int(math.Round(m/50))%8 == 0 {
				return 50
			}
			return unknown
		}), true},
		{"one in 500 m", profile(10_000, 50, func(m float64) float64 {
			if int(math.Round(m/50))%10 == 0 {
				return 50
			}
			return unknown
		}), false},
		{"the last tenth unknown", profile(10_000, 50, func(m float64) float64 {
			if m > 9000 {
				return unknown
			}
			return 50
		}), true},
		{"the first eighth unknown", profile(10_000, 50, func(m float64) float64 {
			if m < 1250 {
				return unknown
			}
			return 50
		}), false},
		{"the last eighth unknown", profile(10_000, 50, func(m float64) float64 {
			if m > 8750 {
				return unknown
			}
			return 50
		}), false},
	} {
		if got := NewLine(c.points).Relief(ProvidedHeights); got.Known != c.known {
			t.Errorf("%s: known %v", c.name, got.Known)
		}
	}
	if (Line{}).Relief(ProvidedHeights).Known {
		t.Error("a line of nothing has a known relief")
	}
}

func TestReliefAcrossGaps(t *testing.T) {
	a := profile(5000, 10, func(m float64) float64 { return m / 50 })
	b := profile(5000, 10, func(m float64) float64 { return 2000 - m/50 })
	r := NewLine(a, b).Relief(ProvidedHeights)
	near(t, "ascent", r.Ascent(0, 10_000), 100, 0.1)
	near(t, "descent", r.Descent(0, 10_000), 100, 0.1)
	near(t, "ascent after the gap", r.Ascent(5000, 10_000), 0, 0.01)
}

// TestReliefOfTinyLines: the shortest lines have samples enough.
func TestReliefOfTinyLines(t *testing.T) {
	for _, m := range []float64{1e-150, 1e-6, 0.1, 3, 12, 80} {
		r := NewLine(profile(m, m, func(at float64) float64 { return 100 + at })).Relief(ProvidedHeights)
		if got := r.Ascent(0, r.LengthM); math.IsNaN(got) || got < 0 || got > m+0.1 {
			t.Errorf("%v m climb %v", m, got)
		}
	}
	vertical := NewLine([]Point{{45, 5, 100}, {45, 5, 200}, {45.001, 5, 200}}).Relief(ProvidedHeights)
	if a := vertical.Ascent(0, vertical.LengthM); math.IsNaN(a) {
		t.Error("a step in the heights gives no number")
	}
}

// TestSmooth: what is even stays as it is, to its very ends.
func TestSmooth(t *testing.T) {
	for _, m := range []int{1, 2, 10, 40} {
		slope := make([]float64, 40)
		for i := range slope {
			slope[i] = 700 - 3*float64(i)
		}
		for i, h := range smooth(slope, m) {
			near(t, "height", h, slope[i], 1e-9)
		}
	}
}
