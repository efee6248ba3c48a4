package store

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"biketrip/store/trip"
)

// tripColumns are the columns of a trip in the order of tripValues and
// scanTrip.
const tripColumns = `id, owner_id, title, source_url, source_type, fatigue_factor, elevation_penalty, max_day_km,
 average_speed_kmh, departure_hour, ebike_mode, accommodation_types, start_date, wished_end_date,
 version, generation, out_of_zone, created_at, updated_at`

const insertTrip query = `
INSERT INTO trip (` + tripColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// CreateTrip keeps a new trip and fills in its id, version and generation, both
// 1, and its times. An owner who does not exist is ErrNotFound.
func (tx *Tx) CreateTrip(t *trip.Trip) error {
	created := *t
	created.ID = tx.NewID()
	created.Version, created.Generation = 1, 1
	created.CreatedAt, created.UpdatedAt = tx.Now, tx.Now
	values, err := tripValues(created)
	if err != nil {
		return during("create trip", err)
	}
	if _, err := tx.exec(insertTrip, values...); err != nil {
		return during("create trip", err)
	}
	*t = created
	return nil
}

const selectTrip query = `
SELECT ` + tripColumns + ` FROM trip WHERE id = ? AND owner_id = ?`

// Trip is the trip of that id if it is the owner's; any other is ErrNotFound.
func (tx *Tx) Trip(ownerID, id string) (trip.Trip, error) {
	t, err := one(tx, scanTrip, selectTrip, id, ownerID)
	return t, during("read trip", err)
}

const selectTripOfJob query = `
SELECT ` + tripColumns + ` FROM trip WHERE id = ?`

// TripOfJob is the trip of that id, whoever owns it: work in the background acts
// for the trip, not for a person.
func (tx *Tx) TripOfJob(id string) (trip.Trip, error) {
	t, err := one(tx, scanTrip, selectTripOfJob, id)
	return t, during("read trip", err)
}

const updateTrip query = `
UPDATE trip SET title = ?3, source_url = ?4, source_type = ?5, fatigue_factor = ?6, elevation_penalty = ?7,
 max_day_km = ?8, average_speed_kmh = ?9, departure_hour = ?10, ebike_mode = ?11, accommodation_types = ?12,
 start_date = ?13, wished_end_date = ?14, version = ?15, generation = ?16, out_of_zone = ?17, updated_at = ?19
WHERE id = ?1 AND owner_id = ?2`

// UpdateTrip keeps all of t but its owner and its time of creation, and fills
// in the time of the update. The version is the caller's to raise: it has read
// it in this transaction, and no other one writes meanwhile.
func (tx *Tx) UpdateTrip(t *trip.Trip) error {
	updated := *t
	updated.UpdatedAt = tx.Now
	values, err := tripValues(updated)
	if err != nil {
		return during("update trip", err)
	}
	if err := tx.change(updateTrip, values...); err != nil {
		return during("update trip", err)
	}
	*t = updated
	return nil
}

const deleteTrip query = `
DELETE FROM trip WHERE id = ? AND owner_id = ?`

const deleteAnswersOfTrip query = `
DELETE FROM answer WHERE subject <> '' AND subject = (SELECT source_url FROM trip WHERE id = ? AND owner_id = ?)`

// DeleteTrip removes the trip of that id, all that hangs on it, and what its
// source has answered, if it is the owner's; any other is ErrNotFound.
func (tx *Tx) DeleteTrip(ownerID, id string) error {
	if _, err := tx.exec(deleteAnswersOfTrip, id, ownerID); err != nil {
		return during("delete trip", err)
	}
	return during("delete trip", tx.change(deleteTrip, id, ownerID))
}

// A TripHead is what a person looks for a trip by.
type TripHead struct {
	ID        string
	Title     string
	StartDate trip.Date // no date: the trip is not dated
	EndDate   trip.Date // as trip.Trip.EndDate has it
}

const selectTripHeads query = `
SELECT id, title, start_date, wished_end_date, (SELECT count(*) FROM stage WHERE trip_id = trip.id)
FROM trip WHERE owner_id = ? ORDER BY created_at DESC, id DESC`

// TripHeads are the heads of all of the owner's trips, newest first.
func (tx *Tx) TripHeads(ownerID string) ([]TripHead, error) {
	heads, err := many(tx, scanTripHead, selectTripHeads, ownerID)
	return heads, during("list trips", err)
}

func scanTripHead(row scanner) (TripHead, error) {
	var h TripHead
	var start, wished sql.NullString
	var days int
	if err := row.Scan(&h.ID, &h.Title, &start, &wished, &days); err != nil {
		return TripHead{}, err
	}
	var dated trip.Trip
	var err error
	if dated.StartDate, err = parseDate(start); err != nil {
		return TripHead{}, err
	}
	if dated.WishedEndDate, err = parseDate(wished); err != nil {
		return TripHead{}, err
	}
	h.StartDate, h.EndDate = dated.StartDate, dated.EndDate(days)
	return h, nil
}

// tripValues are the values of the columns of a trip.
func tripValues(t trip.Trip) ([]any, error) {
	s := t.Settings
	types, err := json.Marshal(s.AccommodationTypes)
	if err != nil {
		return nil, err
	}
	return []any{t.ID, t.OwnerID, t.Title, t.SourceURL, string(t.SourceType), s.FatigueFactor, s.ElevationPenalty, s.MaxDayKM,
		s.AverageSpeedKMH, s.DepartureHour, s.EbikeMode, string(types), dateValue(t.StartDate), dateValue(t.WishedEndDate),
		t.Version, t.Generation, t.OutOfZone, t.CreatedAt.UnixMilli(), t.UpdatedAt.UnixMilli()}, nil
}

func scanTrip(row scanner) (trip.Trip, error) {
	var t trip.Trip
	var types string
	var start, end sql.NullString
	var created, updated int64
	s := &t.Settings
	err := row.Scan(&t.ID, &t.OwnerID, &t.Title, &t.SourceURL, &t.SourceType, &s.FatigueFactor, &s.ElevationPenalty, &s.MaxDayKM,
		&s.AverageSpeedKMH, &s.DepartureHour, &s.EbikeMode, &types, &start, &end,
		&t.Version, &t.Generation, &t.OutOfZone, &created, &updated)
	if err != nil {
		return trip.Trip{}, err
	}
	if err := json.Unmarshal([]byte(types), &s.AccommodationTypes); err != nil {
		return trip.Trip{}, fmt.Errorf("accommodation types of trip %s: %w", t.ID, err)
	}
	if t.StartDate, err = parseDate(start); err != nil {
		return trip.Trip{}, err
	}
	if t.WishedEndDate, err = parseDate(end); err != nil {
		return trip.Trip{}, err
	}
	t.CreatedAt, t.UpdatedAt = instant(created), instant(updated)
	return t, nil
}

// dateValue is a date as it is stored, NULL for none.
func dateValue(d trip.Date) sql.NullString {
	return sql.NullString{String: d.String(), Valid: !d.IsZero()}
}

func parseDate(s sql.NullString) (trip.Date, error) {
	if !s.Valid {
		return 0, nil
	}
	return trip.ParseDate(s.String)
}
