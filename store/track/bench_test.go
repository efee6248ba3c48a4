package track

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tour is a made-up route of n points, 8 to 24 m apart, with hills.
func tour(n int) Line {
	r := rand.New(rand.NewPCG(7, 7))
	points := make([]Point, n)
	lat, lon, ele := 45.18, 5.72, 210.0
	heading, grade := 0.7, 0.0
	for i := range points {
		points[i] = Point{lat, lon, ele}
		heading += r.NormFloat64() * 0.12
		d := 8 + r.Float64()*16
		lat += d * math.Cos(heading) / 111320
		lon += d * math.Sin(heading) / (111320 * math.Cos(rad(lat)))
		grade = grade*0.97 + r.NormFloat64()*0.008
		ele = math.Max(0, ele+d*grade)
	}
	return NewLine(points).Rounded()
}

func BenchmarkNewLine(b *testing.B) {
	segments := tour(100_000).Segments()
	b.ReportAllocs()
	for b.Loop() {
		NewLine(segments...)
	}
}

func BenchmarkBytes(b *testing.B) {
	l := tour(100_000)
	b.ReportAllocs()
	for b.Loop() {
		b.ReportMetric(float64(len(l.Bytes()))/float64(l.Len()), "B/point")
	}
}

func BenchmarkDecode(b *testing.B) {
	bytes := tour(100_000).Bytes()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := decode(bytes); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFromBytes decodes and measures.
func BenchmarkFromBytes(b *testing.B) {
	bytes := tour(100_000).Bytes()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromBytes(bytes); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelief(b *testing.B) {
	l := tour(100_000)
	b.ReportAllocs()
	for b.Loop() {
		l.Relief(ProvidedHeights)
	}
}

func BenchmarkProject(b *testing.B) {
	l := tour(5000)
	p := l.points[2500]
	b.ReportAllocs()
	for b.Loop() {
		l.Project(p, 200)
	}
}

func BenchmarkSimplify(b *testing.B) {
	l := tour(100_000)
	b.ReportAllocs()
	for b.Loop() {
		l.Simplify(10, 20)
	}
}
