package track

// smooth averages each height with those up to m-1 samples away, the nearer
// the heavier, as a triangle does. Beyond its ends a line goes on as its own
// image turned by half a circle, so the ends keep their height and an even
// slope stays one.
func smooth(heights []float64, m int) []float64 {
	n := len(heights)
	at := func(i int) float64 {
		switch {
		case i < 0:
			return 2*heights[0] - heights[min(-i, n-1)]
		case i >= n:
			return 2*heights[n-1] - heights[max(2*(n-1)-i, 0)]
		}
		return heights[i]
	}
	// The sum of m sums of m samples: sums[j] is that of the samples j-m+1..j.
	sums := make([]float64, n+m-1)
	for i := 1 - m; i <= 0; i++ {
		sums[0] += at(i)
	}
	for j := 1; j < len(sums); j++ {
		sums[j] = sums[j-1] + at(j) - at(j-m)
	}
	out := make([]float64, n)
	total := 0.0
	for _, s := range sums[:m] {
		total += s
	}
	for i := range out {
		out[i] = total / float64(m*m)
		if i+m < len(sums) {
			total += sums[i+m] - sums[i]
		}
	}
	return out
}

// turningPoints are the samples at which the heights turn from falling to
// rising or back, each confirmed by a rise or fall of at least turnM on either
// side, with the extremes before the first and after the last; none where all
// is flat.
func turningPoints(heights []float64, turnM float64) []int {
	var turns []int
	low, high := 0, 0
	rising, falling := false, false
	for i, h := range heights {
		if !falling && h > heights[high] {
			high = i
		}
		if !rising && h < heights[low] {
			low = i
		}
		switch {
		case !rising && h-heights[low] >= turnM:
			turns = append(turns, low)
			rising, falling, high = true, false, i
		case !falling && heights[high]-h >= turnM:
			turns = append(turns, high)
			rising, falling, low = false, true, i
		}
	}
	switch {
	case rising:
		turns = append(turns, high)
	case falling:
		turns = append(turns, low)
	}
	return turns
}
