package tool

import (
	"slices"

	"biketrip/mcp"
)

// aliases are words that agents send in place of one another.
func aliases() [][]string {
	return [][]string{
		{"id", "tripId"},
		{"lon", "lng", "long", "longitude", "waypointLon", "selectedAccommodationLon"},
		{"lat", "latitude", "waypointLat", "selectedAccommodationLat"},
		{"ele", "elevation", "alt", "altitude"},
		{"stageId", "dayNumber", "day", "stage"},
		{"sourceUrl", "url", "link"},
		{"startDate", "departureDate", "departure_date"},
		{"maxDistancePerDay", "maxKmPerDay", "kmPerDay", "km_per_day"},
		{"title", "name", "label"},
		{"q", "query"},
		{"toIndex", "position", "index"},
		{"add", "insert"},
		{"update", "edit", "rename"},
		{"move", "reorder"},
		{"delete", "remove"},
		{"camp_site", "camping", "campground"},
		{"alpine_hut", "mountain_hut", "refuge", "hut"},
		{"guest_house", "pension", "gite"},
	}
}

// nearest is the known name that a word is probably meant for, empty for none.
func nearest(word string, known []string) string {
	if near := mcp.Near(word, known); near != "" {
		return near
	}
	for _, names := range aliases() {
		if !slices.Contains(names, word) {
			continue
		}
		for _, name := range known {
			if slices.Contains(names, name) {
				return name
			}
		}
	}
	return ""
}
