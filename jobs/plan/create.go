package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"biketrip/jobs/plan/source"
	"biketrip/store"
	"biketrip/store/limit"
	"biketrip/store/trip"
)

const (
	// repeatWindow is how long a request is the same one as before: from the
	// beginning of one such window of time to the end of the next.
	repeatWindow = 5 * time.Minute
	// keyLifetime is how long a key that a client chose is remembered.
	keyLifetime = 24 * time.Hour
	// maxTitle is the longest title in characters.
	maxTitle = 255
)

// Creation is a trip that is asked for.
type Creation struct {
	SourceURL      string // the link of a route
	Title          string // empty: the title of the source
	StartDate      trip.Date
	EndDate        trip.Date // not kept without a start
	Settings       trip.Settings
	IdempotencyKey string // makes two equal requests distinct; empty for none
}

// Created is the trip of a creation.
type Created struct {
	TripID   string
	Repeated bool // an earlier request has made it
	Again    bool // and its route, which could not be fetched, is fetched again
}

// CreateTrip makes a trip, whose route is fetched and cut in the background.
// The same request of the same actor makes no second trip within five to ten
// minutes, or with the same key within a day; where the route of the first
// could not be fetched, it is fetched again. Its errors are the refusals
// trip.ErrUnsupportedSource, trip.ErrDateInPast, trip.ErrEndBeforeStart,
// trip.ErrIdempotency and trip.ErrTooManyTrips, and a trip.SettingError for each value out of its range.
func (p *Planner) CreateTrip(ctx context.Context, actor Actor, c Creation) (Created, error) {
	ref, err := source.ParseURL(c.SourceURL)
	if err != nil {
		return Created{}, err
	}
	if c.StartDate.IsZero() {
		c.EndDate = 0
	}
	if err := c.validate(); err != nil {
		return Created{}, err
	}
	c.SourceURL = ref.URL()
	t := trip.Trip{
		OwnerID:       actor.UserID,
		Title:         c.Title,
		SourceURL:     c.SourceURL,
		SourceType:    ref.Type,
		Settings:      c.Settings,
		StartDate:     c.StartDate,
		WishedEndDate: c.EndDate,
	}
	var created Created
	err = p.store.Update(ctx, func(tx *store.Tx) (err error) {
		if today := trip.DateOf(tx.Now); !c.StartDate.IsZero() && c.StartDate <= today {
			return trip.ErrDateInPast(c.StartDate, today)
		}
		if created, err = p.repeat(tx, actor, c); err != nil || created.Repeated {
			return err
		}
		if err := p.chargeCreation(actor); err != nil {
			return err
		}
		if err := tx.CreateTrip(&t); err != nil {
			return err
		}
		made := store.Creation{UserID: actor.UserID, Key: c.key(), Request: c.request(), TripID: t.ID}
		if err := tx.SaveCreation(made); err != nil {
			return err
		}
		created.TripID = t.ID
		return p.queue.Enqueue(tx, t.ID, routeKind, t.Generation)
	})
	if err != nil {
		return Created{}, err
	}
	return created, nil
}

// chargeCreation counts a creation, and refuses one too many.
func (p *Planner) chargeCreation(actor Actor) error {
	if wait := p.creations.Take(actor.UserID); wait > 0 {
		return trip.ErrTooManyTrips(limit.Seconds(wait))
	}
	return nil
}

// validate says which values are out of their range.
func (c Creation) validate() error {
	if _, err := trip.RidingDays(c.StartDate, c.EndDate, 0); err != nil {
		return err
	}
	var problems []error
	if n := utf8.RuneCountInString(c.Title); n > maxTitle {
		problems = append(problems, trip.SettingError{Field: "title", Text: fmt.Sprintf("must have at most %d characters, got %d", maxTitle, n)})
	}
	for _, e := range c.Settings.Problems() {
		problems = append(problems, e)
	}
	return errors.Join(problems...)
}

// repeat is what the same request has made before, its route fetched again where
// it had failed; nothing where there is no such request.
func (p *Planner) repeat(tx *store.Tx, actor Actor, c Creation) (Created, error) {
	if err := tx.ForgetCreations(actor.UserID, tx.Now.Add(-keyLifetime)); err != nil {
		return Created{}, err
	}
	made, err := tx.Creation(actor.UserID, c.key())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Created{}, nil
	case err != nil:
		return Created{}, err
	case made.Request != c.request():
		return Created{}, trip.ErrIdempotency()
	case c.IdempotencyKey == "" && tx.Now.Truncate(repeatWindow).Sub(made.CreatedAt) > repeatWindow:
		return Created{}, nil
	}
	again, err := p.fetchAgain(tx, actor, made.TripID)
	return Created{TripID: made.TripID, Repeated: true, Again: again}, err
}

// fetchAgain fetches the route of a trip again if it could not be fetched.
func (p *Planner) fetchAgain(tx *store.Tx, actor Actor, tripID string) (again bool, err error) {
	t, err := tx.Trip(actor.UserID, tripID)
	if err != nil {
		return false, err
	}
	r, err := p.read(tx, t)
	if err != nil || r.Category(trip.CategoryRoute).Status != trip.Failed {
		return false, err
	}
	return true, p.queue.Enqueue(tx, t.ID, routeKind, t.Generation)
}

// key tells a request from others of the same person: the key the client chose,
// or one made of what is asked for.
func (c Creation) key() string {
	if c.IdempotencyKey != "" {
		return "key:" + c.IdempotencyKey
	}
	request := c.request()
	return "request:" + hex.EncodeToString(request[:])
}

// request stands for what is asked for, whatever the order of the kinds of bed.
func (c Creation) request() [32]byte {
	c.IdempotencyKey = ""
	c.Settings.AccommodationTypes = slices.Compact(slices.Sorted(slices.Values(c.Settings.AccommodationTypes)))
	b, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Errorf("a creation as JSON: %w", err)) // it holds nothing that cannot be written
	}
	return sha256.Sum256(b)
}
