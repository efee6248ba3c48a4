package world

import (
	"math"
	"slices"

	"biketrip/store/track"
)

// way is a road in one direction.
type way struct {
	to       int64 // node
	lengthM  float64
	road     int // index
	backward bool
}

// open lets traffic on the road that was laid last, in both directions.
func (w *World) open(r Road, lengthM float64) {
	from, to, road := r.Nodes[0], r.Nodes[len(r.Nodes)-1], len(w.roads)-1
	w.ways[from] = append(w.ways[from], way{to, lengthM, road, false})
	w.ways[to] = append(w.ways[to], way{from, lengthM, road, true})
}

// along is the way along the network that passes the named sites in order, by
// the shortest roads between one and the next.
func (w *World) along(names ...string) []track.Point {
	here := w.nodes[names[0]]
	points := []track.Point{here.point}
	for _, name := range names[1:] {
		there := w.nodes[name]
		for _, leg := range w.shortest(here.id, there.id) {
			road := slices.Clone(w.roads[leg.road].Points)
			if leg.backward {
				slices.Reverse(road)
			}
			points = append(points, road[1:]...)
		}
		here = there
	}
	return points
}

// shortest are the roads that lead from one node to another on the shortest way
// (Dijkstra 1959); none where no way does.
func (w *World) shortest(from, to int64) []way {
	type reached struct {
		lengthM float64
		last    way
		before  int64
	}
	best := map[int64]reached{from: {}}
	done := map[int64]bool{}
	for !done[to] {
		here, least := int64(0), math.Inf(1)
		for id, r := range best {
			// Of two as near the one of the lower number, whatever the order of the map.
			if !done[id] && (r.lengthM < least || r.lengthM == least && id < here) {
				here, least = id, r.lengthM
			}
		}
		if here == 0 {
			return nil
		}
		done[here] = true
		for _, leg := range w.ways[here] {
			length := least + leg.lengthM
			if r, known := best[leg.to]; !known || length < r.lengthM {
				best[leg.to] = reached{length, leg, here}
			}
		}
	}
	var legs []way
	for id := to; id != from; id = best[id].before {
		legs = append(legs, best[id].last)
	}
	slices.Reverse(legs)
	return legs
}
