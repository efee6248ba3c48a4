package world

import (
	"maps"
	"slices"
	"testing"

	"biketrip/store/track"
)

// TestNetworkHangsTogether: every town and pass is reached from every other.
func TestNetworkHangsTogether(t *testing.T) {
	w := New()
	first := w.Towns()[0].ID
	for name, n := range w.nodes {
		if n.id != first && len(w.shortest(first, n.id)) == 0 {
			t.Errorf("no way leads to %s", name)
		}
	}
	if legs := w.shortest(first, 999); legs != nil {
		t.Errorf("a way leads to nowhere: %v", legs)
	}
}

// TestRoads: a point every 20 to 60 m, no node twice, ends that are those of
// towns, passes and junctions to the last digit.
func TestRoads(t *testing.T) {
	w := New()
	ends := map[int64]track.Point{}
	for _, n := range w.nodes {
		ends[n.id] = n.point
	}
	seen, ids := map[int64]bool{}, map[int64]bool{}
	for _, r := range w.Roads() {
		last := len(r.Points) - 1
		if ids[r.ID] || len(r.Nodes) != len(r.Points) || r.Tags()["highway"] != r.Highway {
			t.Errorf("road %d: %d nodes, %d points, %v", r.ID, len(r.Nodes), len(r.Points), r.Tags())
		}
		ids[r.ID] = true
		for i, p := range r.Points {
			end, isEnd := ends[r.Nodes[i]]
			if isEnd != (i == 0 || i == last) || isEnd && end != p || !isEnd && seen[r.Nodes[i]] {
				t.Errorf("road %d: node %d at %v", r.ID, r.Nodes[i], p)
			}
			seen[r.Nodes[i]] = true
			if i > 0 {
				if d := track.Distance(r.Points[i-1], p); d < 20 || d > 60 {
					t.Errorf("road %d: %.1f m between two points", r.ID, d)
				}
			}
			if p.Ele != round(w.HeightAt(p.Lat, p.Lon), 100) {
				t.Errorf("road %d: height %v", r.ID, p.Ele)
			}
		}
	}
	if n := len(ids); n < 55 || n > 70 {
		t.Errorf("%d roads", n)
	}
}

// leg is a piece of a road from one point to the next.
type leg struct {
	road int64
	a, b at
}

// cross says whether two legs cross.
func (l leg) cross(m leg) bool {
	side := func(p, q, r at) bool { return (q.x-p.x)*(r.y-p.y)-(q.y-p.y)*(r.x-p.x) > 0 }
	return side(l.a, l.b, m.a) != side(l.a, l.b, m.b) && side(m.a, m.b, l.a) != side(m.a, m.b, l.b)
}

// TestRoadsMeetAtTheirEnds: no road crosses another, or itself, without a node
// that they share.
func TestRoadsMeetAtTheirEnds(t *testing.T) {
	squares := map[[2]int][]leg{}
	for _, r := range New().Roads() {
		for i := range r.Points[1:] {
			p, q := r.Points[i], r.Points[i+1]
			l := leg{r.ID, planeOf(p.Lat, p.Lon), planeOf(q.Lat, q.Lon)}
			over := map[[2]int]bool{}
			for _, e := range []at{l.a, l.b, {l.a.x, l.b.y}, {l.b.x, l.a.y}} {
				over[[2]int{int(10 * e.x), int(10 * e.y)}] = true
			}
			for s := range over {
				for _, m := range squares[s] {
					shares := m.a == l.a || m.a == l.b || m.b == l.a || m.b == l.b
					if !shares && l.cross(m) {
						t.Errorf("roads %d and %d cross at %v", m.road, l.road, l.a)
					}
				}
				squares[s] = append(squares[s], l)
			}
		}
	}
}

// TestTownsAreNamed: names in several letters, each once, of all kinds.
func TestTownsAreNamed(t *testing.T) {
	kinds, names := map[string]int{}, map[string]bool{}
	for _, town := range New().Towns() {
		kinds[town.Kind]++
		if names[town.Name] || town.Population <= 0 || town.Tags()["place"] != town.Kind {
			t.Errorf("town %+v", town)
		}
		names[town.Name] = true
	}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, []string{"city", "hamlet", "town", "village"}) {
		t.Errorf("kinds %v", kinds)
	}
	for _, name := range []string{"Saint-Aurèze", "L'Orméraie", "Верхолань"} {
		if !names[name] {
			t.Errorf("no %s", name)
		}
	}
}

// TestWhatIsHandedOutIsACopy: nobody changes the world for the others.
func TestWhatIsHandedOutIsACopy(t *testing.T) {
	w := New()
	w.Towns()[0].Name, w.Roads()[0].Name, w.Passes()[0].Name = "x", "x", "x"
	Links()[0].URL = "x"
	w.Requests()["x"] = 1
	if w.Towns()[0].Name == "x" || w.Roads()[0].Name == "x" || w.Passes()[0].Name == "x" || Links()[0].URL == "x" || len(w.Requests()) != 0 {
		t.Error("the world was changed")
	}
}

// TestRoutesFollowRoads: no route leaps from one point to the next, and those
// that are round end where they start.
func TestRoutesFollowRoads(t *testing.T) {
	w := New()
	for _, l := range Links() {
		r, ok := w.Route(l.URL)
		if !ok {
			continue
		}
		for _, s := range r.Line.Segments() {
			for i := range s[1:] {
				if d := track.Distance(s[i], s[i+1]); d > 60 {
					t.Errorf("%s: %.0f m between two points", l.Name, d)
				}
			}
		}
		round := slices.Contains([]string{TourLink, LoopLink, LongLink, UnlistedTourLink, UnlistedRouteLink, OutageLink, HugeLink}, l.URL)
		if round != r.Line.Start().Same(r.Line.End()) {
			t.Errorf("%s: from %v to %v", l.Name, r.Line.Start(), r.Line.End())
		}
	}
}
