package store

import (
	"database/sql"
	"fmt"
	"math"

	"biketrip/store/track"
	"biketrip/store/trip"
)

// stageColumns are the columns of a day, without the trip it belongs to, in the
// order of stageValues and scanStage.
const stageColumns = `id, position, rest_day, label, start_label, end_label, distance_m, ascent_m, descent_m,
 start_lat, start_lon, start_ele, end_lat, end_lon, end_ele, span_from_m, span_to_m`

const selectStages query = `
SELECT ` + stageColumns + ` FROM stage WHERE trip_id = ? ORDER BY position`

// Stages are the days of a trip in order, none of a trip that does not exist.
func (tx *Tx) Stages(tripID string) ([]trip.Stage, error) {
	rows, err := many(tx, scanStage, selectStages, tripID)
	if err != nil {
		return nil, during("read days", err)
	}
	stages := make([]trip.Stage, len(rows))
	for i, r := range rows {
		stages[i] = r.Stage
	}
	return stages, nil
}

const selectStage query = `
SELECT ` + stageColumns + ` FROM stage WHERE id = ? AND trip_id = ?`

// Stage is a day of a trip by its id, and its position from 0. A day of another
// trip is ErrNotFound.
func (tx *Tx) Stage(tripID, id string) (stage trip.Stage, position int, err error) {
	row, err := one(tx, scanStage, selectStage, id, tripID)
	return row.Stage, row.position, during("read day", err)
}

// aside is added to positions to move days out of the way of those that take
// their places, since no two may share one even for a moment.
const aside = `1000000`

const moveStagesAside query = `
UPDATE stage SET position = position + ` + aside + ` WHERE trip_id = ?`

const upsertStage query = `
INSERT INTO stage (trip_id, ` + stageColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET position = excluded.position, rest_day = excluded.rest_day,
 label = excluded.label, start_label = excluded.start_label, end_label = excluded.end_label,
 distance_m = excluded.distance_m, ascent_m = excluded.ascent_m, descent_m = excluded.descent_m,
 start_lat = excluded.start_lat, start_lon = excluded.start_lon, start_ele = excluded.start_ele,
 end_lat = excluded.end_lat, end_lon = excluded.end_lon, end_ele = excluded.end_ele,
 span_from_m = excluded.span_from_m, span_to_m = excluded.span_to_m
WHERE trip_id = excluded.trip_id`

const deleteStagesAside query = `
DELETE FROM stage WHERE trip_id = ? AND position >= ` + aside

// SaveStages makes the days of a trip those given, in that order. A day whose
// id is kept stays the same row with all that hangs on it; days not given are
// removed. Days for a trip that does not exist, or an id that is a day of
// another trip, are ErrNotFound.
func (tx *Tx) SaveStages(tripID string, stages []trip.Stage) error {
	seen := make(map[string]bool, len(stages))
	for _, s := range stages {
		if seen[s.ID] {
			return fmt.Errorf("save days: the day %s is there twice", s.ID)
		}
		seen[s.ID] = true
	}
	if _, err := tx.exec(moveStagesAside, tripID); err != nil {
		return during("save days", err)
	}
	for i, s := range stages {
		if err := tx.change(upsertStage, append([]any{tripID}, stageValues(i, s)...)...); err != nil {
			return during("save days", err)
		}
	}
	if _, err := tx.exec(deleteStagesAside, tripID); err != nil {
		return during("save days", err)
	}
	return nil
}

// stageValues are the values of the columns of a day.
func stageValues(position int, s trip.Stage) []any {
	var from, to *float64
	if s.Span != nil {
		from, to = &s.Span.FromM, &s.Span.ToM
	}
	return []any{s.ID, position, s.RestDay, s.Label, s.StartLabel, s.EndLabel, s.DistanceM, s.AscentM, s.DescentM,
		s.Start.Lat, s.Start.Lon, heightValue(s.Start), s.End.Lat, s.End.Lon, heightValue(s.End), from, to}
}

// A stageRow is a day and its place in the trip.
type stageRow struct {
	trip.Stage
	position int
}

func scanStage(row scanner) (s stageRow, err error) {
	var startEle, endEle, from, to sql.NullFloat64
	err = row.Scan(&s.ID, &s.position, &s.RestDay, &s.Label, &s.StartLabel, &s.EndLabel, &s.DistanceM, &s.AscentM, &s.DescentM,
		&s.Start.Lat, &s.Start.Lon, &startEle, &s.End.Lat, &s.End.Lon, &endEle, &from, &to)
	s.Start.Ele, s.End.Ele = height(startEle), height(endEle)
	if from.Valid {
		s.Span = &trip.Span{FromM: from.Float64, ToM: to.Float64}
	}
	return s, err
}

// heightValue is the height of a point as it is stored, NULL where unknown.
func heightValue(p track.Point) sql.NullFloat64 {
	return sql.NullFloat64{Float64: p.Ele, Valid: p.HasEle()}
}

func height(v sql.NullFloat64) float64 {
	if !v.Valid {
		return math.NaN()
	}
	return v.Float64
}
