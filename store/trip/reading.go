package trip

// Reading is a trip as it stands, with what belongs to it.
type Reading struct {
	Trip       Trip
	Stages     []Stage         // in order, none until the route is cut
	Categories []CategoryState // of which something was begun, in the published order
	Locked     bool            // the trip has started: it can no longer be edited
}

// CategoryState is how far a category of a trip is.
type CategoryState struct {
	Category Category
	Status   CategoryStatus
	Reason   string // why it failed, or what to know about what was found; empty for none
}

// Status is how far the trip is.
func (r Reading) Status() Status { return StatusOf(len(r.Stages)) }

// Partial says whether the days are still to come.
func (r Reading) Partial() bool {
	return len(r.Stages) == 0 && r.Category(CategoryRoute).Status == Running
}

// ListStatus is how far the trip is, as a list tells it.
func (r Reading) ListStatus() ListStatus {
	states := make(map[Category]CategoryStatus, len(r.Categories))
	for _, c := range r.Categories {
		states[c.Category] = c.Status
	}
	return ListStatusOf(len(r.Stages), states)
}

// EndDate is the published last day.
func (r Reading) EndDate() Date { return r.Trip.EndDate(len(r.Stages)) }

// Category is the state of a category, without a status where nothing of it was
// begun.
func (r Reading) Category(c Category) CategoryState {
	for _, state := range r.Categories {
		if state.Category == c {
			return state
		}
	}
	return CategoryState{Category: c}
}
