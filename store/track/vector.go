package track

import "math"

// vector is a direction from the centre of the earth.
type vector struct{ x, y, z float64 }

// vectorOf is the unit vector to a point; its height does not count.
func vectorOf(p Point) vector {
	sinLat, cosLat := math.Sincos(rad(p.Lat))
	sinLon, cosLon := math.Sincos(rad(p.Lon))
	return vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

func (v vector) plus(w vector) vector   { return vector{v.x + w.x, v.y + w.y, v.z + w.z} }
func (v vector) times(f float64) vector { return vector{v.x * f, v.y * f, v.z * f} }
func (v vector) dot(w vector) float64   { return v.x*w.x + v.y*w.y + v.z*w.z }
func (v vector) length() float64        { return math.Sqrt(v.dot(v)) }
func (v vector) degrees() (lat, lon float64) {
	return deg(math.Atan2(v.z, math.Hypot(v.x, v.y))), wrapLon(deg(math.Atan2(v.y, v.x)))
}

func (v vector) cross(w vector) vector {
	return vector{v.y*w.z - v.z*w.y, v.z*w.x - v.x*w.z, v.x*w.y - v.y*w.x}
}

// towards is the unit vector at right angles to v on the way to w; between
// points on opposite sides of the earth every way is as short as any other.
func (v vector) towards(w vector) vector {
	t := w.plus(v.times(-v.dot(w)))
	if t.length() < 1e-12 {
		if t = v.cross(vector{z: 1}); t.length() < 1e-12 {
			t = vector{x: 1}
		}
	}
	return t.times(1 / t.length())
}
