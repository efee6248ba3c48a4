package tool

import (
	"slices"

	"biketrip/mcp"
)

// aliases are names that agents send in place of one another.
func aliases() [][]string {
	return [][]string{
		{"id", "tripId"},
		{"lon", "lng", "long", "longitude"},
		{"lat", "latitude"},
		{"sourceUrl", "url", "link"},
		{"title", "name"},
		{"q", "query"},
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
