package store

import "biketrip/store/track"

const upsertTrack query = `
INSERT INTO track (trip_id, line) VALUES (?, ?)
ON CONFLICT (trip_id) DO UPDATE SET line = excluded.line`

// SaveTrack keeps the route of a trip, rounded as track.Line.Bytes says. A trip
// that does not exist is ErrNotFound.
func (tx *Tx) SaveTrack(tripID string, line track.Line) error {
	return during("save track", tx.saveLine(upsertTrack, tripID, line))
}

const selectTrack query = `
SELECT line FROM track WHERE trip_id = ?`

// Track is the route of a trip, ErrNotFound where none is kept.
func (tx *Tx) Track(tripID string) (track.Line, error) {
	line, err := one(tx, scanLine, selectTrack, tripID)
	return line, during("read track", err)
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

// saveLine keeps a line for the thing of that id. A line that could not be read
// again is not kept: its error wraps track.ErrBytes.
func (tx *Tx) saveLine(q query, id string, line track.Line) error {
	b := line.Bytes()
	if _, err := track.FromBytes(b); err != nil {
		return err
	}
	_, err := tx.exec(q, id, b)
	return err
}

func scanLine(row scanner) (track.Line, error) {
	var b []byte
	if err := row.Scan(&b); err != nil {
		return track.Line{}, err
	}
	return track.FromBytes(b)
}
