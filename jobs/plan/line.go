package plan

import (
	"context"
	"errors"

	"biketrip/store"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// Line is the route of a trip as its source gave it, where none is kept the way
// from one end of a day to the next, without a point where there are no days.
func (p *Planner) Line(ctx context.Context, r trip.Reading) (line track.Line, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		kept, err := tx.Track(r.Trip.ID)
		line = kept.Line
		return err
	})
	return orStraight(line, err, r.Stages...)
}

// StageLine is the line of one of the days, from 0.
func (p *Planner) StageLine(ctx context.Context, r trip.Reading, day int) (line track.Line, err error) {
	err = p.store.View(ctx, func(tx *store.Tx) error {
		line, err = tx.StageTrack(r.Stages[day].ID)
		return err
	})
	return orStraight(line, err, r.Stages[day])
}

// orStraight is a line, or the way between the ends of days where none is kept.
func orStraight(line track.Line, err error, days ...trip.Stage) (track.Line, error) {
	if !errors.Is(err, store.ErrNotFound) {
		return line, err
	}
	var ends []track.Point
	for _, day := range days {
		ends = append(ends, day.Start, day.End)
	}
	return track.NewLine(ends), nil
}
