package view

import (
	"net/url"

	"biketrip/store/trip"
)

// TripList is a page of trips.
type TripList struct {
	Head
	TotalItems int           `json:"totalItems"` // over all pages
	Member     []TripSummary `json:"member"`
}

// TripSummary is a trip in a line.
type TripSummary struct {
	ItemHead
	ID            string          `json:"id"`
	Title         *string         `json:"title"`
	StartDate     *string         `json:"startDate"` // RFC 3339
	EndDate       *string         `json:"endDate"`
	TotalDistance *float64        `json:"totalDistance"` // km; null without days
	StageCount    int             `json:"stageCount"`
	CreatedAt     string          `json:"createdAt"` // RFC 3339
	UpdatedAt     string          `json:"updatedAt"`
	Status        trip.ListStatus `json:"status"`
}

// NewTripList is a page of trips, of total in all, that a query has found.
func NewTripList(query url.Values, total int, trips []trip.Reading) TripList {
	iri := "/trips"
	if len(query) > 0 {
		iri += "?" + query.Encode()
	}
	list := TripList{Head: head("Collection", iri), TotalItems: total, Member: make([]TripSummary, len(trips))}
	for i, r := range trips {
		list.Member[i] = TripSummary{
			ItemHead:      ItemHead{TripIRI(r.Trip.ID), "TripSummary"},
			ID:            r.Trip.ID,
			Title:         OrNull(r.Trip.Title),
			StartDate:     OrNull(Date(r.Trip.StartDate)),
			EndDate:       OrNull(Date(r.EndDate())),
			TotalDistance: TotalDistance(r.Stages),
			StageCount:    len(r.Stages),
			CreatedAt:     instant(r.Trip.CreatedAt),
			UpdatedAt:     instant(r.Trip.UpdatedAt),
			Status:        r.ListStatus(),
		}
	}
	return list
}

// TripCreation says that a trip was made.
type TripCreation struct {
	Head
	ID         string `json:"id"`
	Result     string `json:"result"`     // what was done, in a sentence
	NextAction string `json:"nextAction"` // what to do next
}

// NewTripCreation is the answer to the creation of a trip.
func NewTripCreation(tripID, result, nextAction string) TripCreation {
	return TripCreation{head("TripCreation", TripIRI(tripID)), tripID, result, nextAction}
}
