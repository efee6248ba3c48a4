package plan

import (
	"strings"

	"biketrip/store"
	"biketrip/store/trip"
)

// categoryStates are the states of the categories of which something was begun,
// in the published order. A kind of job this program does not know counts for
// nothing.
func (p *Planner) categoryStates(work []store.Job) []trip.CategoryState {
	byCategory := map[trip.Category][]store.Job{}
	for _, job := range work {
		if c, known := p.categories[job.Kind]; known {
			byCategory[c] = append(byCategory[c], job)
		}
	}
	var out []trip.CategoryState
	for _, c := range trip.Categories() {
		if work := byCategory[c]; len(work) > 0 {
			out = append(out, trip.CategoryState{Category: c, Status: statusOf(work), Reason: reasonOf(work)})
		}
	}
	return out
}

// statusOf is how far the jobs of a category are: running while any of them is
// queued or runs, superseded where a newer run has taken the place of one, else
// done where one of them is, and failed where all have.
func statusOf(work []store.Job) trip.CategoryStatus {
	states := map[store.JobState]bool{}
	for _, job := range work {
		states[job.State] = true
	}
	switch {
	case states[store.JobQueued], states[store.JobRunning]:
		return trip.Running
	case states[store.JobSuperseded]:
		return trip.Superseded
	case states[store.JobDone]:
		return trip.Done
	}
	return trip.Failed
}

// reasonOf is what there is to know about the jobs of a category that are over.
func reasonOf(work []store.Job) string {
	var reasons []string
	for _, job := range work {
		if job.Reason != "" {
			reasons = append(reasons, job.Reason)
		}
	}
	return strings.Join(reasons, " ")
}
