// Package world is a made-up outside world, written by code: a region with its
// heights, towns and roads, and the sources that serve routes in it, over a
// transport that never dials. The demo and the tests play on it.
package world

import (
	"sync"

	"biketrip/store/track"
)

// World is the made-up region and the outside world around it. Every World is
// the same; each has its own count of requests. It is safe for concurrent use.
type World struct {
	valleys []valley
	towns   []Town
	passes  []Pass
	nodes   map[string]node // by the name of the site
	roads   []Road
	ways    map[int64][]way // by the node they start from
	huge    func() Route
	log     requests
}

// node is a place where roads end.
type node struct {
	id    int64
	place at
	point track.Point
}

// firstRoadNode is the id of the first node that is no end of a road.
const firstRoadNode = 1000

// New is the world.
func New() *World {
	w := &World{valleys: valleys(), nodes: map[string]node{}, ways: map[int64][]way{}}
	w.log.counts = map[string]int{}
	w.settle()
	w.build()
	w.huge = sync.OnceValue(w.hugeRoute)
	return w
}

// settle places the towns, passes and junctions.
func (w *World) settle() {
	for i, s := range sites() {
		place := s.place
		if s.valley != "" {
			place = w.valley(s.valley).place(s.along)
		}
		point := w.point(place)
		n := node{int64(i + 1), planeOf(point.Lat, point.Lon), point}
		w.nodes[s.name] = n
		switch s.kind {
		case "":
		case pass:
			w.passes = append(w.passes, Pass{n.id, s.name, point})
		default:
			w.towns = append(w.towns, Town{n.id, s.name, s.kind, s.population, w.CountryAt(point.Lat, point.Lon), point})
		}
	}
}

// build lays the roads.
func (w *World) build() {
	next := int64(firstRoadNode)
	for i, p := range plans() {
		from, to := w.nodes[p.from], w.nodes[p.to]
		course := w.course(p, from.place, to.place, i)
		r := Road{
			ID: int64(i + 1), Highway: p.highway, Name: p.name, Ref: p.ref, Surface: p.surface(),
			Nodes: make([]int64, len(course)), Points: make([]track.Point, len(course)),
		}
		for k, place := range course {
			r.Nodes[k], r.Points[k] = next, w.point(place)
			next++
		}
		last := len(course) - 1
		r.Nodes[0], r.Points[0] = from.id, from.point
		r.Nodes[last], r.Points[last] = to.id, to.point
		w.roads = append(w.roads, r)
		w.open(r, track.NewLine(r.Points).Length())
	}
}

// point is the place on the earth with its height, to a centimetre.
func (w *World) point(a at) track.Point {
	p := a.degrees()
	p.Ele = round(w.HeightAt(p.Lat, p.Lon), 100)
	return p
}

// valley is the valley of a name that there is.
func (w *World) valley(name string) *valley {
	for i := range w.valleys {
		if w.valleys[i].name == name {
			return &w.valleys[i]
		}
	}
	return nil
}
