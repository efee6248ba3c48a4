package source

import (
	"math"

	"biketrip/store/track"
)

// Heights on earth, in metres: the shore of the Dead Sea is at -430 m, the top
// of Everest at 8,849 m. A height beyond is a fault of the device.
const (
	lowestM  = -500
	highestM = 9000
)

// place is the point at a position, in degrees, and a height, in metres; ok is
// false where the position is not on earth or not a number. A longitude up to
// one turn beyond ±180 is brought back: route editors write them for lines
// across the antimeridian. A height that is not on earth is unknown.
func place(lat, lon, ele float64) (p track.Point, ok bool) {
	if !(math.Abs(lat) <= 90 && math.Abs(lon) <= 540) {
		return track.Point{}, false
	}
	if lon > 180 {
		lon -= 360
	} else if lon < -180 {
		lon += 360
	}
	if !(ele >= lowestM && ele <= highestM) {
		ele = math.NaN()
	}
	return track.Point{Lat: lat, Lon: lon, Ele: ele}, true
}
