package trip

import (
	"fmt"
	"math"
	"testing"

	"biketrip/store/track"
)

// wavy is a made-up route of n points about 16 m apart, with hills.
func wavy(n int) []track.Point {
	points := make([]track.Point, n)
	for i := range points {
		a := float64(i) / 400
		points[i] = track.Point{
			Lat: 40 + float64(i)*1e-4 + 0.002*math.Sin(a*7),
			Lon: 5 + 0.1*math.Sin(a) + 0.002*math.Cos(a*5),
			Ele: 600 + 300*math.Sin(a*1.7) + 20*math.Sin(a*31),
		}
	}
	return points
}

// BenchmarkDays goes from the points of a route to its days.
func BenchmarkDays(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 300_000} {
		points := wavy(n)
		b.Run(fmt.Sprintf("points=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := track.NewLine(points)
				if _, err := Cut(l, track.ProvidedHeights, DefaultSettings(), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
