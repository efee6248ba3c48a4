package trip

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
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
// ErrStageNotFound, which names the id of the day that was probably meant, where
// that can be told.
func (r Reading) Day(stageID string) (int, error) {
	if day := slices.IndexFunc(r.Stages, func(s Stage) bool { return s.ID == stageID }); day >= 0 {
		return day, nil
	}
	if day := r.meantDay(stageID); day >= 0 {
		return 0, ErrStageNotFound(stageID, day+1, r.Stages[day].ID)
	}
	return 0, ErrStageNotFound(stageID, 0, "")
}

// minPart is how many characters of an id tell which one it is part of.
const minPart = 24

// meantDay is which of the days is probably meant by what is no id of any: one
// whose id it holds, or is a part of, or whose number it names; -1 for none.
func (r Reading) meantDay(words string) int {
	if day := slices.IndexFunc(r.Stages, func(s Stage) bool {
		return s.ID != "" && strings.Contains(words, s.ID) || len(words) >= minPart && strings.HasPrefix(s.ID, words)
	}); day >= 0 {
		return day
	}
	numbers := dayNumber.FindAllString(words, 2)
	if len(numbers) == 1 && len(words) < minPart && !strings.ContainsAny(words, "-.") {
		if n, err := strconv.Atoi(numbers[0]); err == nil && 1 <= n && n <= len(r.Stages) {
			return n - 1
		}
	}
	if strings.EqualFold(words, "last") {
		return len(r.Stages) - 1
	}
	return -1
}

// dayNumber is a number as it stands in words.
var dayNumber = regexp.MustCompile(`[0-9]+`)
