package trip

import (
	"slices"
	"strconv"
)

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

// Day is which of the days, from 0, has that id. A day the trip does not have is
// ErrStageNotFound, which names the id of the day whose number was sent in place
// of one, or of the first.
func (r Reading) Day(stageID string) (int, error) {
	if day := slices.IndexFunc(r.Stages, func(s Stage) bool { return s.ID == stageID }); day >= 0 {
		return day, nil
	}
	if len(r.Stages) == 0 {
		return 0, ErrStageNotFound(stageID, 0, "")
	}
	named, err := strconv.Atoi(stageID)
	if err != nil || named < 1 || named > len(r.Stages) {
		named = 1
	}
	return 0, ErrStageNotFound(stageID, named, r.Stages[named-1].ID)
}
