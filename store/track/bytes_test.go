package track

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

func someLines() map[string]Line {
	holes := tour(500).points
	for i := range holes {
		if i%7 < 2 || i > 480 {
			holes[i].Ele = unknown
		}
	}
	return map[string]Line{
		"nothing":      {},
		"two points":   NewLine([]Point{{45.1234567, 5, 100.04}, {45.2, 5.1, -3.96}}),
		"no heights":   NewLine([]Point{{45, 5, unknown}, {45.2, 5.1, unknown}, {-45.2, -5.1, unknown}}),
		"some heights": NewLine(holes),
		"one height":   NewLine([]Point{{1, 1, unknown}, {1, 2, 7}, {1, 3, unknown}}),
		"segments":     NewLine(tour(50).points, tour(10).points, []Point{{90, 180, 8848.9}, {-90, -180, -430.5}}),
		"tour":         tour(2000),
	}
}

func TestBytes(t *testing.T) {
	for name, l := range someLines() {
		t.Run(name, func(t *testing.T) {
			got, err := FromBytes(l.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(l.Rounded()) {
				t.Errorf("got %v\nwant %v", got.points, l.Rounded().points)
			}
			near(t, "length", got.Length(), l.Rounded().Length(), 0)
			near(t, "length before rounding", got.Length(), l.Length(), 1e-3*l.Length())
			if !got.Rounded().Equal(got) {
				t.Error("rounding twice changes the line")
			}
		})
	}
}

func TestBytesSize(t *testing.T) {
	l := tour(100_000)
	if size := len(l.Bytes()); size > 350_000 {
		t.Errorf("%d points take %d bytes, more than 3.5 each", l.Len(), size)
	}
}

func TestFromBytesDamaged(t *testing.T) {
	whole := someLines()["some heights"].Bytes()
	for i := range whole {
		if _, err := FromBytes(whole[:i]); !errors.Is(err, ErrBytes) {
			t.Fatalf("%d of %d bytes: %v", i, len(whole), err)
		}
	}
	if _, err := FromBytes(append(whole, 0)); !errors.Is(err, ErrBytes) {
		t.Errorf("a byte too many: %v", err)
	}
	segments := binary.AppendUvarint([]byte{bytesVersion}, math.MaxUint64)
	points := binary.AppendUvarint([]byte{bytesVersion, 1}, math.MaxUint64)
	many := append(binary.AppendUvarint([]byte{bytesVersion, 1}, 1<<40), make([]byte, 10)...)
	north := append(binary.AppendVarint([]byte{bytesVersion, 1, 2}, 90*coordinateScale+1), 0, 0, 0, heightsNone)
	for _, b := range [][]byte{nil, {0}, {2, 0, 0}, segments, points, many, north, append([]byte{bytesVersion, 1, 2}, make([]byte, 100)...)} {
		if _, err := FromBytes(b); !errors.Is(err, ErrBytes) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

func FuzzFromBytes(f *testing.F) {
	for _, l := range someLines() {
		if l.Len() < 600 {
			f.Add(l.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := FromBytes(b)
		if err != nil {
			return
		}
		if l.Len() > len(b) || math.IsNaN(l.Length()) {
			t.Fatalf("%d points of %d bytes, %v m", l.Len(), len(b), l.Length())
		}
		again, err := FromBytes(l.Bytes())
		if err != nil || !again.Equal(l.Rounded()) {
			t.Fatalf("written again it is another line: %v", err)
		}
	})
}

// FuzzLine cuts, projects and measures any line of a few points.
func FuzzLine(f *testing.F) {
	point := func(lat, lon, ele float64) (b []byte) {
		for _, v := range []float64{lat, lon, ele} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	f.Add(slices.Concat(point(45, 5, 100), point(45.1, 5, 200), point(45.1, 5.2, unknown)), 0.25, 0.75)
	f.Add(slices.Concat(point(0, 0, 100), point(1e-150, 0, 200)), 0.1, 0.9)
	f.Add(slices.Concat(point(60, 179.9, 1), point(61, -179.9, 2), point(99, 0, 0), point(-90, 0, 1), point(90, 5, 1)), 0.0, 1.0)
	f.Add(slices.Concat(point(-90, 0, 1), point(90, 0, 2)), 0.3, 0.34)
	f.Fuzz(func(t *testing.T, b []byte, from, to float64) {
		var segments [][]Point
		var s []Point
		for ; len(b) >= 24 && len(segments) < 40; b = b[24:] {
			v := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
			p := Point{v(0), v(1), v(2)}
			if !(math.Abs(p.Lat) <= 90 && math.Abs(p.Lon) <= 180) {
				segments, s = append(segments, s), nil // a gap
				continue
			}
			if !(math.Abs(p.Ele) <= 9000) {
				p.Ele = unknown
			}
			s = append(s, p)
		}
		l := NewLine(append(segments, s)...)
		if l.Len() > 40 || !(from >= 0 && from < to && to <= 1) {
			return
		}
		a, b2 := from*l.Length(), to*l.Length()
		parts := l.Cut(0, a).Length() + l.Cut(a, b2).Length() + l.Cut(b2, l.Length()).Length()
		if math.Abs(parts-l.Length()) > 1e-3+1e-6*l.Length() {
			t.Fatalf("parts have %v m of %v", parts, l.Length())
		}
		r := l.Relief(ProvidedHeights)
		up, down := r.Ascent(0, r.LengthM), r.Descent(0, r.LengthM)
		if !(up >= 0 && down >= 0) || !r.Known && up+down != 0 {
			t.Fatalf("ascent %v, descent %v, known %v", up, down, r.Known)
		}
		l.Simplify(20, 5)
		if l.Len() > 0 {
			for _, p := range l.Project(l.At(a), 1000) {
				if !(p.OffsetM >= 0 && p.OffsetM <= l.Length()+1e-6 && p.DistanceM <= 1000) {
					t.Fatalf("%+v of %v m", p, l.Length())
				}
			}
		}
	})
}
