package trip

import "math"

// RidingHours is how long a way takes in the saddle, in hours: every 500 m of
// ascent take 2 km/h off the average speed, which never falls below 5 km/h.
func RidingHours(distanceM, ascentM, averageSpeedKMH float64) float64 {
	speed := math.Max(5, averageSpeedKMH-2*ascentM/500)
	return distanceM / 1000 / speed
}

// PassageHour is when a rider passes a point of a day, in hours of the local
// day of departure, above 24 after midnight. atM is the distance from the
// start of the day, held between 0 and distanceM. Breaks are spread over the
// day: 10 minutes for every full two hours in the saddle, and an hour for lunch
// where noon falls on the ride.
func PassageHour(atM, distanceM, ascentM float64, s Settings) float64 {
	departure := float64(s.DepartureHour)
	if distanceM <= 0 {
		return departure
	}
	riding := RidingHours(distanceM, ascentM, s.AverageSpeedKMH)
	breaks := math.Floor(riding/2) / 6
	if departure < 12 && departure+riding > 12 {
		breaks++
	}
	share := math.Max(0, math.Min(1, atM/distanceM))
	return departure + share*(riding+breaks)
}
