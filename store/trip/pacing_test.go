package trip

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"biketrip/store/track"
)

// piece is a part of a route of even slope.
type piece struct{ km, ascentM float64 }

// reliefOf is a route made of pieces.
func reliefOf(pieces ...piece) track.Relief {
	r := track.Relief{Known: true, Knots: []track.Knot{{}}}
	var at track.Knot
	for _, p := range pieces {
		at.OffsetM += p.km * 1000
		at.AscentM += p.ascentM
		r.Knots = append(r.Knots, at)
	}
	r.LengthM = at.OffsetM
	return r
}

func lengthsKM(p Pacing) []float64 {
	out := make([]float64, len(p.EndsM))
	start := 0.0
	for i, end := range p.EndsM {
		out[i] = (end - start) / 1000
		start = end
	}
	return out
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// TestPaceGolden holds the days against worked examples, within 0.05 km.
func TestPaceGolden(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name              string
			Pieces            [][2]*float64
			FatigueFactor     float64
			ElevationPenalty  float64
			MaxDistancePerDay float64
			EbikeMode         bool
			DatedDays         *int
			GaveWay           []Limit
			Days              []float64
		}
	}
	readJSON(t, "testdata/pacing.json", &golden)
	if len(golden.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var pieces []piece
			known := true
			for _, p := range c.Pieces {
				if p[1] == nil {
					known = false
					pieces = append(pieces, piece{*p[0], 0})
					continue
				}
				pieces = append(pieces, piece{*p[0], *p[1]})
			}
			r := reliefOf(pieces...)
			if !known {
				r = track.Relief{LengthM: r.LengthM}
			}
			s := DefaultSettings()
			s.FatigueFactor, s.ElevationPenalty = c.FatigueFactor, c.ElevationPenalty
			s.MaxDayKM, s.EbikeMode = c.MaxDistancePerDay, c.EbikeMode
			days := 0
			if c.DatedDays != nil {
				days = *c.DatedDays
			}
			p, err := Pace(r, s, days)
			if err != nil {
				t.Fatal(err)
			}
			got := lengthsKM(p)
			if !slices.EqualFunc(got, c.Days, func(a, b float64) bool { return math.Abs(a-b) <= 0.05 }) {
				t.Errorf("days\n got %.2f\nwant %.2f", got, c.Days)
			}
			if !slices.Equal(p.GaveWay, c.GaveWay) {
				t.Errorf("gave way %v, want %v", p.GaveWay, c.GaveWay)
			}
		})
	}
}

// TestPaceNumberOfDays holds the number of days against the reference planner.
func TestPaceNumberOfDays(t *testing.T) {
	var golden struct {
		NumberOfDays []struct {
			In struct {
				TotalKM           float64
				MaxDistancePerDay float64
				StartDate         string
				EndDate           string
			}
			Out int
		} `json:"number_of_days"`
	}
	readJSON(t, "testdata/engine.json", &golden)
	if len(golden.NumberOfDays) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range golden.NumberOfDays {
		s := DefaultSettings()
		s.MaxDayKM = c.In.MaxDistancePerDay
		start, _ := ParseDate(c.In.StartDate)
		end, _ := ParseDate(c.In.EndDate)
		days, err := RidingDays(start, end, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Pace(reliefOf(piece{c.In.TotalKM, 0}), s, days)
		if err != nil || len(p.EndsM) != c.Out {
			t.Errorf("%+v: %d days, %v, want %d", c.In, len(p.EndsM), err, c.Out)
		}
	}
}

// TestFewestDays: with one day less something gives way.
func TestFewestDays(t *testing.T) {
	for _, ebike := range []bool{false, true} {
		for _, r := range []track.Relief{reliefOf(piece{262, 4500}), reliefOf(piece{800, 0}), reliefOf(piece{20, 0}), reliefOf(piece{100, 3000}, piece{90, 0})} {
			s := DefaultSettings()
			s.EbikeMode = ebike
			n, ok := FewestDays(r, s)
			if !ok {
				t.Fatal("no number of days is enough")
			}
			if p, err := Pace(r, s, n); err != nil || len(p.GaveWay) > 0 {
				t.Errorf("with %d days %v gave way, %v", n, p.GaveWay, err)
			}
			if n == 1 {
				continue
			}
			if p, err := Pace(r, s, n-1); err != nil || len(p.GaveWay) == 0 {
				t.Errorf("with %d days nothing gave way, %v", n-1, err)
			}
		}
	}
	if n, ok := FewestDays(reliefOf(piece{36_700, 0}), Settings{FatigueFactor: 1, ElevationPenalty: 50, MaxDayKM: 100}); ok {
		t.Errorf("%d days are enough for 36,700 km", n)
	}
}

// TestPaceOfWholeCaps: what measuring left over is spread over the days.
func TestPaceOfWholeCaps(t *testing.T) {
	s := DefaultSettings()
	s.EbikeMode = true
	for _, ebike := range []bool{false, true} {
		s.EbikeMode = ebike
		p, err := Pace(reliefOf(piece{80*124 + 0.09, 0}), s, 0)
		if err != nil || len(p.EndsM) != 124 {
			t.Fatalf("%d days, %v", len(p.EndsM), err)
		}
		for i, km := range lengthsKM(p) {
			if km > 80.001 {
				t.Errorf("day %d has %v km", i+1, km)
			}
		}
		if p, _ := Pace(reliefOf(piece{80*124 + 0.2, 0}), s, 0); len(p.EndsM) != 125 {
			t.Errorf("%d days for 200 m more than 124 whole ones", len(p.EndsM))
		}
	}
}

// TestPaceOfNoPenalty: climbing may count for next to all there is.
func TestPaceOfNoPenalty(t *testing.T) {
	s := DefaultSettings()
	s.ElevationPenalty = 5e-324
	checkPace(t, reliefOf(piece{100, 0}, piece{100, 50}), s, 5)
	if p, err := Pace(reliefOf(piece{200, 0}), s, 0); err != nil || len(p.EndsM) != 3 {
		t.Errorf("%d days on the flat, %v", len(p.EndsM), err)
	}
}

func TestPaceRefusesTooManyDays(t *testing.T) {
	s := DefaultSettings()
	s.ElevationPenalty = 0.001
	if _, err := Pace(reliefOf(piece{300, 3000}), s, 0); !errors.Is(err, ErrTooManyDays) {
		t.Error("a trip of more than 366 days was paced")
	}
	s.EbikeMode = true
	s.ElevationPenalty = 50
	if _, err := Pace(reliefOf(piece{9000, 900_000}), s, 0); !errors.Is(err, ErrTooManyDays) {
		t.Error("an e-bike trip of more than 366 days was paced")
	}
}

func TestLowerCap(t *testing.T) {
	s := DefaultSettings()
	flat := reliefOf(piece{800, 0})
	p, err := Pace(flat, s, 0)
	if err != nil || !p.CapHolds() {
		t.Fatalf("the cap holds %d of %d days, %v", p.HeldByCap, len(p.EndsM), err)
	}
	if km, ok := LowerCap(flat, s); !ok || km != 79 {
		t.Errorf("LowerCap = %v, %v, want 79", km, ok)
	}
	s.MaxDayKM = 30
	if km, ok := LowerCap(flat, s); ok {
		t.Errorf("LowerCap = %v below the lowest cap", km)
	}
	if (Pacing{EndsM: make([]float64, 4), HeldByCap: 2}).CapHolds() {
		t.Error("a cap that holds half of the days holds most")
	}
	wide := DefaultSettings()
	wide.MaxDayKM = 200
	if p, _ := Pace(flat, wide, 6); p.CapHolds() {
		t.Error("a cap that is never reached holds")
	}
}

// checkPace holds any pacing against the rules all of them keep.
func checkPace(t *testing.T, r track.Relief, s Settings, days int) {
	t.Helper()
	p, err := Pace(r, s, days)
	if err != nil {
		if least := r.LengthM / (s.MaxDayKM * 1000); days > 0 || !s.EbikeMode && least+r.Ascent(0, r.LengthM)/s.ElevationPenalty/s.MaxDayKM <= MaxDays {
			t.Fatalf("%d days: %v", days, err)
		}
		return
	}
	again, _ := Pace(r, s, days)
	if !slices.Equal(p.EndsM, again.EndsM) {
		t.Fatal("two pacings of one route differ")
	}
	n := len(p.EndsM)
	if days > 0 && n != days || n == 0 || n > MaxDays {
		t.Fatalf("%d days, asked %d", n, days)
	}
	if days == 0 && len(p.GaveWay) > 0 {
		t.Fatalf("%v gave way without dates", p.GaveWay)
	}
	if p.EndsM[n-1] != r.LengthM {
		t.Fatalf("the last day ends at %v of %v", p.EndsM[n-1], r.LengthM)
	}
	floor := math.Min(floorM, r.LengthM/float64(2*n))
	sum := 0.0
	for i, km := range lengthsKM(p) {
		m := km * 1000
		sum += m
		fault := 0.01 + slack*s.MaxDayKM*1000
		if m < floor-0.01 {
			t.Fatalf("day %d of %d has %.3f m, the floor is %.3f", i+1, n, m, floor)
		}
		if m > s.MaxDayKM*1000+fault && !slices.Contains(p.GaveWay, LimitCap) {
			t.Fatalf("day %d has %.3f m over the cap and it did not give way", i+1, m)
		}
		start := p.EndsM[i] - m
		spent := m + r.Ascent(start, p.EndsM[i])*1000/rangeAscentM
		if s.EbikeMode && len(p.GaveWay) == 0 && spent > rangeM*(1+slack)+1 && m > floor+0.01 {
			t.Fatalf("day %d spends %.1f m of battery and the range did not give way", i+1, spent)
		}
	}
	if math.Abs(sum-r.LengthM) > 0.01 {
		t.Fatalf("days add up to %v of %v", sum, r.LengthM)
	}
}

func FuzzPace(f *testing.F) {
	f.Add([]byte{10, 0, 200, 0, 10, 10}, 0.9, 50.0, 80.0, false, 0)
	f.Add([]byte{100, 250, 50, 0, 1, 255, 200, 3}, 0.5, 1000.0, 30.0, true, 60)
	f.Add([]byte{0, 9, 3, 0}, 1.0, 0.5, 300.0, true, 366)
	f.Add([]byte{90, 0, 90, 9}, 0.9, 5e-324, 80.0, false, 3)
	f.Add([]byte("a2\v7cXZ\x00Z0"), 0.9, 5e-324, 80.0, true, 88)
	f.Add([]byte("000\x002CZ\x0020"), 0.9, 5e-324, 80.0, true, 88)
	f.Fuzz(func(t *testing.T, b []byte, fatigue, penalty, maxKM float64, ebike bool, days int) {
		s := DefaultSettings()
		s.FatigueFactor, s.ElevationPenalty, s.MaxDayKM, s.EbikeMode = fatigue, penalty, maxKM, ebike
		if len(s.Problems()) > 0 || days < 0 || days > MaxDays {
			return
		}
		var pieces []piece
		for ; len(b) >= 2; b = b[2:] {
			pieces = append(pieces, piece{float64(b[0])/3 + 0.1, float64(b[1]) * 7})
		}
		r := reliefOf(pieces...)
		if r.LengthM < 1 || r.LengthM > MaxLengthM {
			return
		}
		checkPace(t, r, s, days)
	})
}
