package track

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The stored form of a line: one byte of version, the number of segments and
// the number of points of each as uvarints, then three columns, latitude,
// longitude and height, as zigzag varints of the second difference of
// millionths of a degree and of decimetres. A byte before the heights says
// which points have one; where some do, runs of known and unknown heights
// follow it by turns. A point of a planned route takes about 3.4 bytes.
const bytesVersion = 1

const (
	coordinateScale = 1e6
	heightScale     = 10

	heightsNone byte = 0
	heightsAll  byte = 1
	heightsRuns byte = 2
)

// ErrBytes is wrapped by every error of FromBytes.
var ErrBytes = errors.New("no stored track")

// Rounded is the line as Bytes keeps it: coordinates rounded to 1e-6 degrees
// (0.11 m), heights to 0.1 m.
func (l Line) Rounded() Line { return measure(l.rounded()) }

// rounded are the points of the rounded line and where each segment starts.
func (l Line) rounded() (points []Point, starts []int) {
	segments := make([][]Point, len(l.starts))
	for i := range l.starts {
		from, to := l.segment(i)
		segments[i] = make([]Point, to-from)
		for k, p := range l.points[from:to] {
			segments[i][k] = Point{
				Lat: math.Round(p.Lat*coordinateScale) / coordinateScale,
				Lon: math.Round(p.Lon*coordinateScale) / coordinateScale,
				Ele: math.Round(p.Ele*heightScale) / heightScale,
			}
		}
	}
	return gather(segments)
}

// Bytes is the rounded line in its stored form.
func (l Line) Bytes() []byte {
	points, starts := l.rounded()
	l = Line{points: points, starts: starts}
	b := make([]byte, 0, 16+4*len(l.points))
	b = append(b, bytesVersion)
	b = binary.AppendUvarint(b, uint64(len(l.starts)))
	for i := range l.starts {
		from, to := l.segment(i)
		b = binary.AppendUvarint(b, uint64(to-from))
	}
	var lat, lon column
	for _, p := range l.points {
		b = lat.append(b, p.Lat*coordinateScale)
	}
	for _, p := range l.points {
		b = lon.append(b, p.Lon*coordinateScale)
	}
	return l.appendHeights(b)
}

func (l Line) appendHeights(b []byte) []byte {
	known := 0
	for _, p := range l.points {
		if p.HasEle() {
			known++
		}
	}
	switch known {
	case 0:
		return append(b, heightsNone)
	case len(l.points):
		b = append(b, heightsAll)
	default:
		b = l.appendRuns(append(b, heightsRuns))
	}
	var ele column
	for _, p := range l.points {
		if p.HasEle() {
			b = ele.append(b, p.Ele*heightScale)
		}
	}
	return b
}

// appendRuns writes how many points have a height, how many have none, how
// many have one again, up to the last point.
func (l Line) appendRuns(b []byte) []byte {
	run, known := 0, true
	for _, p := range l.points {
		if p.HasEle() != known {
			b = binary.AppendUvarint(b, uint64(run))
			run, known = 0, !known
		}
		run++
	}
	return binary.AppendUvarint(b, uint64(run))
}

// column writes or reads a row of numbers by their second differences.
type column struct{ value, delta int64 }

func (c *column) append(b []byte, v float64) []byte {
	value := int64(math.Round(v))
	delta := value - c.value
	b = binary.AppendVarint(b, delta-c.delta)
	c.value, c.delta = value, delta
	return b
}

func (c *column) next(second int64) int64 {
	c.delta += second
	c.value += c.delta
	return c.value
}

// FromBytes reads what Bytes wrote. Its error wraps ErrBytes.
func FromBytes(b []byte) (Line, error) {
	points, starts, err := decode(b)
	if err != nil {
		return Line{}, err
	}
	return measure(points, starts), nil
}

// decode reads the points and where each segment starts.
func decode(b []byte) (points []Point, starts []int, err error) {
	r := reader{rest: b}
	if v := r.byte(); v != bytesVersion {
		return nil, nil, fmt.Errorf("%w: version %d", ErrBytes, v)
	}
	starts, n := r.segments()
	points = make([]Point, n)
	r.column(n, 90*coordinateScale, func(i int, v int64) { points[i].Lat = float64(v) / coordinateScale })
	r.column(n, 180*coordinateScale, func(i int, v int64) { points[i].Lon = float64(v) / coordinateScale })
	r.heights(points)
	if r.bad || len(r.rest) > 0 {
		return nil, nil, fmt.Errorf("%w: %d bytes are damaged", ErrBytes, len(b))
	}
	return points, starts, nil
}
