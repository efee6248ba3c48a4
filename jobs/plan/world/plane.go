package world

import (
	"math"

	"biketrip/store/track"
)

// Where the region lies: in the open Atlantic, where no map shows land, so that
// nothing in it is taken for a real place.
const (
	south    = 46.0
	west     = -20.8
	widthKM  = 120
	heightKM = 90
)

// kmPerDegree is the length of a degree of latitude on a sphere of the earth's
// mean radius, 6371.0088 km (IUGG).
const kmPerDegree = 6371.0088 * math.Pi / 180

// middleLat is the latitude whose degrees of longitude the plane has.
const middleLat = 46.4

// at is a place in the plane: kilometres east and north of the south-west
// corner of the region.
type at struct{ x, y float64 }

func (a at) plus(b at) at           { return at{a.x + b.x, a.y + b.y} }
func (a at) minus(b at) at          { return at{a.x - b.x, a.y - b.y} }
func (a at) times(f float64) at     { return at{a.x * f, a.y * f} }
func (a at) length() float64        { return math.Hypot(a.x, a.y) }
func towards(a, b at, f float64) at { return a.plus(b.minus(a).times(f)) }

// kmPerLon is the length of a degree of longitude in the plane.
func kmPerLon() float64 { return kmPerDegree * math.Cos(middleLat*math.Pi/180) }

// degrees is the place on the earth, to a millionth of a degree, without a
// height.
func (a at) degrees() track.Point {
	return track.Point{
		Lat: round(south+a.y/kmPerDegree, 1e6),
		Lon: round(west+a.x/kmPerLon(), 1e6),
		Ele: math.NaN(),
	}
}

// planeOf is the place in the plane of a latitude and a longitude.
func planeOf(lat, lon float64) at {
	return at{(lon - west) * kmPerLon(), (lat - south) * kmPerDegree}
}

// round rounds v to one part in scale.
func round(v, scale float64) float64 { return math.Round(v*scale) / scale }
