package track

import (
	"encoding/binary"
	"math"
)

// maxHeightDM bounds a stored height, in decimetres either way: 100 km.
const maxHeightDM = 1e6

// reader takes numbers off stored bytes. Once one is missing or out of range
// it is bad and gives zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) byte() byte {
	if r.bad || len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

// count reads a number of things of which each takes at least one byte more.
func (r *reader) count() int {
	v, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || v > uint64(len(r.rest)-n) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

// segments reads where each segment starts and how many points there are in
// all. A point takes two bytes or more, so damaged bytes cannot ask for much
// memory.
func (r *reader) segments() (starts []int, points int) {
	starts = make([]int, r.count())
	for i := range starts {
		starts[i] = points
		length := r.count()
		points += length
		r.bad = r.bad || length < 2 || 2*points > len(r.rest)
	}
	if r.bad {
		return nil, 0
	}
	return starts, points
}

// column reads n numbers of at most limit either way.
func (r *reader) column(n int, limit int64, put func(i int, v int64)) {
	var c column
	rest, at := r.rest, 0
	for i := range n {
		var second int64
		if at < len(rest) && rest[at] < 0x80 {
			// Most differences take one byte.
			second = int64(rest[at]>>1) ^ -int64(rest[at]&1)
			at++
		} else {
			v, size := binary.Varint(rest[at:])
			second, at = v, at+size
			r.bad = r.bad || size <= 0
		}
		v := c.next(second)
		if r.bad || v > limit || v < -limit {
			r.bad = true
			return
		}
		put(i, v)
	}
	r.rest = rest[at:]
}

// heights reads the heights of all points, in whichever of the three forms.
func (r *reader) heights(points []Point) {
	switch r.byte() {
	case heightsNone:
		for i := range points {
			points[i].Ele = math.NaN()
		}
	case heightsAll:
		r.column(len(points), maxHeightDM, func(i int, v int64) { points[i].Ele = float64(v) / heightScale })
	case heightsRuns:
		r.runs(points)
	default:
		r.bad = true
	}
}

// runs reads the runs of known and unknown heights and then the known ones.
// Only the first run may be empty, where the first height is unknown.
func (r *reader) runs(points []Point) {
	known := make([]int, 0, len(points))
	i := 0
	for run := 0; i < len(points); run++ {
		v, n := binary.Uvarint(r.rest)
		if r.bad || n <= 0 || v > uint64(len(points)-i) || v == 0 && run > 0 {
			r.bad = true
			return
		}
		r.rest = r.rest[n:]
		for end := i + int(v); i < end; i++ {
			if run%2 == 0 {
				known = append(known, i)
			} else {
				points[i].Ele = math.NaN()
			}
		}
	}
	r.column(len(known), maxHeightDM, func(i int, v int64) { points[known[i]].Ele = float64(v) / heightScale })
}
