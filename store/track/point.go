// Package track is the geometry of a route: a line of points, its length,
// its ascent, and the ways to cut, simplify, project and store it. It is pure:
// no network, no clock, nothing else of this program.
package track

import "math"

// Point is a place on the earth: WGS 84 degrees, and metres above sea level.
// Ele is NaN where no height is known.
type Point struct {
	Lat, Lon, Ele float64
}

// HasEle says whether the height of p is known.
func (p Point) HasEle() bool { return !math.IsNaN(p.Ele) }

// Same says whether p and q are the same place at the same height; two unknown
// heights are the same.
func (p Point) Same(q Point) bool {
	return p.Lat == q.Lat && p.Lon == q.Lon && (p.Ele == q.Ele || !p.HasEle() && !q.HasEle())
}

// earthRadiusM is the mean radius R1 of the earth (IUGG), in metres.
const earthRadiusM = 6371008.8

// Distance is the length of the great circle between two points in metres, by
// the haversine formula; it is right across the antimeridian.
func Distance(p, q Point) float64 {
	return distance(&p, &q, math.Cos(rad(p.Lat)), math.Cos(rad(q.Lat)))
}

// distance is Distance with the cosines of both latitudes known.
func distance(p, q *Point, cosP, cosQ float64) float64 {
	lat, lon := rad(q.Lat-p.Lat)/2, rad(q.Lon-p.Lon)/2
	if math.Abs(lat) < shortRad && math.Abs(lon) < shortRad {
		lat, lon = shortSin(lat), shortSin(lon)
		h := lat*lat + cosP*cosQ*lon*lon
		s := math.Sqrt(h)
		return 2 * earthRadiusM * s * (1 + h*(1.0/6+h*(3.0/40)))
	}
	lat, lon = math.Sin(lat), math.Sin(lon)
	h := lat*lat + cosP*cosQ*lon*lon
	return 2 * earthRadiusM * math.Asin(math.Sqrt(math.Min(1, h)))
}

// shortRad is the half angle below which the first terms of the series of sine
// and arcsine are exact to 1e-14 and three times as fast: legs of some 60 km.
const shortRad = 0.005

func shortSin(x float64) float64 { return x * (1 - x*x*(1.0/6-x*x*(1.0/120))) }

func rad(deg float64) float64 { return deg * math.Pi / 180 }
func deg(rad float64) float64 { return rad * 180 / math.Pi }

// wrapLon brings a longitude into [-180, 180).
func wrapLon(lon float64) float64 {
	if lon >= -180 && lon < 180 {
		return lon
	}
	return lon - 360*math.Floor((lon+180)/360)
}
