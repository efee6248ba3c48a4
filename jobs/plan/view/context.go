package view

import (
	"encoding/json"
	"fmt"
)

// types are those of answers, each with a context of its name.
func types() []string {
	return []string{
		"Collection", "Trip", "Stage", "TripCreation", "TripSettingsUpdate", "StageEdit", "WaypointRequest", "AccommodationChoice",
		"TripAnalysis", "TripShare", "TripUnshare", "TripDeletion",
	}
}

// Contexts are the JSON-LD contexts that answers name, by type (JSON-LD 1.1,
// section 3.1): what is known elsewhere by that name, and for the rest a name of
// this server's own.
func Contexts() map[string][]byte {
	contexts := map[string][]byte{}
	for _, kind := range types() {
		text, err := json.Marshal(map[string]map[string]string{"@context": {
			"@vocab":      "#",
			"title":       "https://schema.org/name",
			"name":        "https://schema.org/name",
			"displayName": "https://schema.org/description",
			"url":         "https://schema.org/url",
			"sourceUrl":   "https://schema.org/isBasedOn",
			"startDate":   "https://schema.org/startDate",
			"endDate":     "https://schema.org/endDate",
			"createdAt":   "https://schema.org/dateCreated",
			"updatedAt":   "https://schema.org/dateModified",
			"lat":         "https://schema.org/latitude",
			"lon":         "https://schema.org/longitude",
			"ele":         "https://schema.org/elevation",
			"member":      "http://www.w3.org/ns/hydra/core#member",
			"totalItems":  "http://www.w3.org/ns/hydra/core#totalItems",
		}})
		if err != nil {
			panic(fmt.Errorf("context of %s: %w", kind, err)) // it holds texts alone
		}
		contexts[kind] = text
	}
	return contexts
}
