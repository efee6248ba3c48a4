package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"biketrip/jobs"
	"biketrip/jobs/plan/source"
	"biketrip/store"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// routeKind is the job that fetches the route of a trip and cuts it into days.
const routeKind = "route"

// maxWait is how long a rider is left to wait for a source that asks for
// patience: beyond that the route fails, and the reason says when to ask again.
const maxWait = 10 * time.Minute

// fetchRoute is the job of routeKind.
func (p *Planner) fetchRoute(ctx context.Context, job jobs.Job) (jobs.Result, error) {
	var t trip.Trip
	err := p.store.View(ctx, func(tx *store.Tx) (err error) {
		t, err = tx.TripOfJob(job.TripID)
		return err
	})
	if err != nil {
		return jobs.Result{}, fmt.Errorf("fetch route: %w", err)
	}
	ref, err := source.ParseURL(t.SourceURL)
	if err != nil {
		return jobs.Result{}, &jobs.Failure{Reason: err.Error(), Final: true, Err: errors.New("the link of the trip is not understood")}
	}
	route, err := source.Fetch(ctx, p.client, ref)
	if err != nil {
		return jobs.Result{}, routeFailure(err)
	}
	first, err := cutRoute(route, t)
	if err != nil {
		return jobs.Result{}, &jobs.Failure{Reason: err.Error(), Final: true, Err: err}
	}
	return jobs.Result{
		Save:   func(tx *store.Tx) error { return p.saveFirstDays(tx, job.TripID, first) },
		Reason: strings.Join(route.Warnings, " "),
	}, nil
}

// routeFailure is why a source gave no route, and whether it may do so later.
func routeFailure(err error) error {
	var problem *source.Problem
	if !errors.As(err, &problem) {
		return err
	}
	again, after := problem.Passing()
	return &jobs.Failure{Reason: problem.Error(), Final: !again || after > maxWait, After: after, Err: err}
}

// firstDays are the days that a route is cut into for the first time.
type firstDays struct {
	title string // of the source
	track store.Track
	days  []trip.Stage // without ids
	lines []track.Line // of each day
}

// cutRoute cuts a route as it will be kept, so that another cut of what was kept
// gives the same days. Its errors are those of trip.RidingDays and trip.Cut.
func cutRoute(route source.Route, t trip.Trip) (firstDays, error) {
	line := route.Line.Rounded()
	days, err := trip.RidingDays(t.StartDate, t.WishedEndDate, 0)
	if err != nil {
		return firstDays{}, err
	}
	var cut trip.Itinerary
	if route.DayEndsM != nil {
		cut, err = trip.CutAt(line, track.ProvidedHeights, route.DayEndsM)
	} else {
		cut, err = trip.Cut(line, track.ProvidedHeights, t.Settings, days)
	}
	lines := make([]track.Line, len(cut.Days))
	for i, day := range cut.Days {
		lines[i] = line.Cut(day.Span.FromM, day.Span.ToM)
	}
	return firstDays{route.Title, store.Track{Line: line, DayEndsM: route.DayEndsM}, cut.Days, lines}, err
}

// saveFirstDays keeps route and days of a trip and asks for what is to be worked
// out about them.
func (p *Planner) saveFirstDays(tx *store.Tx, tripID string, first firstDays) error {
	t, err := tx.TripOfJob(tripID)
	if err != nil {
		return err
	}
	for i := range first.days {
		first.days[i].ID = tx.NewID()
	}
	if err := tx.SaveTrack(t.ID, first.track); err != nil {
		return err
	}
	if err := tx.SaveStages(t.ID, first.days); err != nil {
		return err
	}
	for i, line := range first.lines {
		if err := tx.SaveStageTrack(first.days[i].ID, line); err != nil {
			return err
		}
	}
	if t.Title == "" {
		t.Title = first.title
	}
	t.Version++
	if err := tx.UpdateTrip(&t); err != nil {
		return err
	}
	for _, producer := range p.producers {
		if err := p.queue.Enqueue(tx, t.ID, producer.Kind, t.Generation); err != nil {
			return err
		}
	}
	return nil
}
