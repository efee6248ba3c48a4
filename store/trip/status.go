package trip

// Status is how far a trip is, as get_trip tells it.
type Status string

// A trip is a draft until its route is cut into days.
const (
	Draft Status = "draft"
	Ready Status = "ready"
)

// StatusOf is the status of a trip with so many days.
func StatusOf(days int) Status {
	if days == 0 {
		return Draft
	}
	return Ready
}

// Category is a part of what is worked out about a trip.
type Category string

// The categories, in the published order.
const (
	CategoryRoute            Category = "route"
	CategoryPointsOfInterest Category = "points_of_interest"
	CategoryAccommodations   Category = "accommodations"
	CategoryTerrainSecurity  Category = "terrain_security"
	CategoryWeather          Category = "weather"
	CategoryContext          Category = "context"
)

// Categories are all categories, in the published order.
func Categories() []Category {
	return []Category{CategoryRoute, CategoryPointsOfInterest, CategoryAccommodations, CategoryTerrainSecurity, CategoryWeather, CategoryContext}
}

// CategoryStatus is how far a category is. Queued work counts as running.
type CategoryStatus string

// The states of a category.
const (
	Running    CategoryStatus = "running"
	Done       CategoryStatus = "done"
	Failed     CategoryStatus = "failed"
	Superseded CategoryStatus = "superseded" // a newer run took its place
)

// ListStatus is how far a trip is, as list_trips tells it.
type ListStatus string

// The states of a listed trip.
const (
	ListDraft     ListStatus = "draft"
	ListAnalyzing ListStatus = "analyzing"
	ListAnalyzed  ListStatus = "analyzed"
	ListFailed    ListStatus = "failed"
)

// ListStatusOf is the state of a listed trip with so many days: it is being
// analyzed while anything runs, and failed where no day came of its route.
func ListStatusOf(days int, categories map[Category]CategoryStatus) ListStatus {
	for _, status := range categories {
		if status == Running {
			return ListAnalyzing
		}
	}
	switch {
	case days > 0:
		return ListAnalyzed
	case categories[CategoryRoute] == Failed:
		return ListFailed
	}
	return ListDraft
}
