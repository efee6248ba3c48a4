package world

import (
	"math"
	"testing"

	"biketrip/store/track"
)

// TestTerrainIsSmooth: a metre further the ground is nearly as high, and
// nowhere steeper than a mountainside.
func TestTerrainIsSmooth(t *testing.T) {
	w := New()
	for x := -5.0; x < widthKM+5; x += 0.5 {
		for y := -5.0; y < heightKM+5; y += 0.5 {
			here := w.heightOf(at{x, y})
			for _, to := range []at{{0.001, 0}, {0, 0.001}} {
				if step := math.Abs(w.heightOf(at{x, y}.plus(to)) - here); !(step <= 0.8) {
					t.Fatalf("the ground rises %.2f m in a metre at %v", step, at{x, y})
				}
			}
			if !(here > 150 && here < 2900) {
				t.Fatalf("the ground at %v is %.0f m high", at{x, y}, here)
			}
		}
	}
}

// TestTerrainHasNoStep: along lines through all of the land, also at the edges
// of the valleys, a centimetre further the ground is as high.
func TestTerrainHasNoStep(t *testing.T) {
	w := New()
	for i := range w.valleys {
		v := &w.valleys[i]
		first, last := v.floor.ends()
		for _, along := range []float64{first, first + 1, (first + last) / 2, last - 1, last} {
			for off := -6.0; off <= 6; off += 0.05 {
				for _, d := range []at{{1e-5, 0}, {0, 1e-5}} {
					p := v.place(along)
					if v.across {
						p.y += off
					} else {
						p.x += off
					}
					if step := w.heightOf(p.plus(d)) - w.heightOf(p.minus(d)); math.Abs(step) > 0.02 {
						t.Errorf("%s valley: a step of %.2f m at %v", v.name, step, p)
					}
				}
			}
		}
	}
}

func TestPlainAndLake(t *testing.T) {
	w := New()
	for x := 0.0; x <= widthKM; x++ {
		for y := 0.0; y <= 20; y++ {
			if h := w.heightOf(at{x, y}); h < 190 || h > 420 {
				t.Errorf("the plain at %v is %.0f m high", at{x, y}, h)
			}
		}
	}
	for _, p := range []at{{lakeX, lakeY}, {lakeX - 6.9, lakeY}, {lakeX, lakeY + 3.5}, {lakeX + 3, lakeY - 2}} {
		if h := w.heightOf(p); h != lakeM {
			t.Errorf("the lake at %v is %v m high", p, h)
		}
	}
	if d := w.Towns()[0].Point; w.HeightAt(d.Lat, d.Lon) != w.heightOf(planeOf(d.Lat, d.Lon)) {
		t.Error("the height of a place depends on how it is asked")
	}
}

// TestGradients: roads are no steeper than their kind is.
func TestGradients(t *testing.T) {
	limit := map[string]float64{"primary": 12, "secondary": 12, "tertiary": 12, "unclassified": 12, "cycleway": 5, "track": 25}
	highest := 0.0
	for _, r := range New().Roads() {
		if most, known := limit[r.Highway]; !known || steepest(r.Points) > most {
			t.Errorf("road %d, %s, is %.1f %% steep", r.ID, r.Highway, steepest(r.Points))
		}
		for _, p := range r.Points {
			highest = max(highest, p.Ele)
		}
	}
	if highest < 1800 || highest > 2100 {
		t.Errorf("the highest road is at %.0f m", highest)
	}
}

// TestAscents: the routes climb as much as such routes do.
func TestAscents(t *testing.T) {
	w := New()
	for link, per100KM := range map[string][2]float64{
		TourLink: {1000, 1600}, LoopLink: {200, 700}, PlainLink: {200, 500}, LongLink: {500, 1100},
		CollectionLink: {500, 1000}, EmbedLink: {800, 1300}, UnlistedTourLink: {400, 1000},
	} {
		r, _ := w.Route(link)
		relief := r.Line.Relief(track.ProvidedHeights)
		if up := relief.Ascent(0, relief.LengthM) / relief.LengthM * 1e5; !relief.Known || up < per100KM[0] || up > per100KM[1] {
			t.Errorf("%s climbs %.0f m in 100 km, want %v", link, up, per100KM)
		}
	}
}

// TestBorder: the border crosses both of its passes, and the towns lie in the
// country of their side.
func TestBorder(t *testing.T) {
	w := New()
	line := track.NewLine(w.Border())
	for _, p := range w.Passes() {
		near := line.Project(p.Point, 100)
		if atBorder := p.Name != "Col des Trois-Bornes"; atBorder != (len(near) == 1) {
			t.Errorf("%s is at the border: %v", p.Name, !atBorder)
		}
	}
	for _, town := range w.Towns() {
		if north := town.Point.Lat > 46.6; north != (town.Country.Code == "XB") {
			t.Errorf("%s lies in %s", town.Name, town.Country.Name)
		}
	}
}
