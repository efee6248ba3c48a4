package store

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"biketrip/store/track"
)

// A Track is the route of a trip as its source gave it.
type Track struct {
	Line     track.Line
	DayEndsM []float64 // where each day ends that the source has fixed, in metres from the start; nil where pacing cuts
}

const upsertTrack query = `
INSERT INTO track (trip_id, line, day_ends) VALUES (?, ?, ?)
ON CONFLICT (trip_id) DO UPDATE SET line = excluded.line, day_ends = excluded.day_ends`

// SaveTrack keeps the route of a trip, rounded as track.Line.Bytes says. A trip
// that does not exist is ErrNotFound.
func (tx *Tx) SaveTrack(tripID string, t Track) error {
	var ends sql.NullString
	if t.DayEndsM != nil {
		b, err := json.Marshal(t.DayEndsM)
		if err != nil {
			return during("save track", err)
		}
		ends = sql.NullString{String: string(b), Valid: true}
	}
	return during("save track", tx.saveLine(upsertTrack, tripID, t.Line, ends))
}

const selectTrack query = `
SELECT line, day_ends FROM track WHERE trip_id = ?`

// Track is the route of a trip, ErrNotFound where none is kept.
func (tx *Tx) Track(tripID string) (Track, error) {
	t, err := one(tx, scanTrack, selectTrack, tripID)
	return t, during("read track", err)
}

func scanTrack(row scanner) (t Track, err error) {
	var line []byte
	var ends sql.NullString
	if err := row.Scan(&line, &ends); err != nil {
		return Track{}, err
	}
	if ends.Valid {
		if err := json.Unmarshal([]byte(ends.String), &t.DayEndsM); err != nil {
			return Track{}, fmt.Errorf("ends of days: %w", err)
		}
	}
	t.Line, err = track.FromBytes(line)
	return t, err
}

const upsertStageTrack query = `
INSERT INTO stage_track (stage_id, line) VALUES (?, ?)
ON CONFLICT (stage_id) DO UPDATE SET line = excluded.line`

// SaveStageTrack keeps the line of a ridden day, rounded as track.Line.Bytes
// says. A day that does not exist is ErrNotFound.
func (tx *Tx) SaveStageTrack(stageID string, line track.Line) error {
	return during("save track of day", tx.saveLine(upsertStageTrack, stageID, line))
}

const selectStageTrack query = `
SELECT line FROM stage_track WHERE stage_id = ?`

// StageTrack is the line of a ridden day, ErrNotFound where none is kept.
func (tx *Tx) StageTrack(stageID string) (track.Line, error) {
	line, err := one(tx, scanLine, selectStageTrack, stageID)
	return line, during("read track of day", err)
}

// saveLine keeps a line, and more beside it, for the thing of that id. A line
// that could not be read again is not kept: its error wraps track.ErrBytes.
func (tx *Tx) saveLine(q query, id string, line track.Line, more ...any) error {
	b := line.Bytes()
	if _, err := track.FromBytes(b); err != nil {
		return err
	}
	_, err := tx.exec(q, append([]any{id, b}, more...)...)
	return err
}

func scanLine(row scanner) (track.Line, error) {
	var b []byte
	if err := row.Scan(&b); err != nil {
		return track.Line{}, err
	}
	return track.FromBytes(b)
}
