package cli

import (
	"context"
	"fmt"
	"math"
	"time"

	"biketrip/jobs/plan"
	"biketrip/jobs/plan/view"
	"biketrip/store"
	"biketrip/store/trip"
)

// tripCmd are the verbs about trips.
type tripCmd struct {
	List tripListCmd `cmd:"" help:"List trips, of everybody or of one user."`
}

// tripListCmd lists trips, newest first.
type tripListCmd struct {
	fileFlag
	User string `placeholder:"EMAIL" help:"Only the trips of this user."`
	JSON bool   `help:"Print JSON for programs."`
}

// listedTrip is a trip as a program reads it.
type listedTrip struct {
	ID        string          `json:"id"`
	User      string          `json:"user"`
	Title     *string         `json:"title"` // null until known
	Status    trip.ListStatus `json:"status"`
	Reason    *string         `json:"reason"` // why its route failed, or what to know about it
	Days      int             `json:"days"`
	Distance  *float64        `json:"distance"` // km; null without days
	StartDate *string         `json:"startDate"`
	EndDate   *string         `json:"endDate"`
	Version   int             `json:"version"`
	CreatedAt time.Time       `json:"createdAt"`
}

func (c tripListCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		users, err := c.users(ctx, file)
		if err != nil {
			return err
		}
		listed := []listedTrip{}
		for _, u := range users {
			trips, err := tripsOf(ctx, file, u)
			if err != nil {
				return err
			}
			listed = append(listed, trips...)
		}
		if c.JSON {
			return writeJSON(s.out, listed)
		}
		if len(listed) == 0 {
			_, err := fmt.Fprintln(s.out, "no trip yet")
			return err
		}
		if err := writeRows(s.out, tripRows(listed)); err != nil {
			return err
		}
		for _, t := range listed {
			if t.Status == trip.ListFailed && t.Reason != nil {
				fmt.Fprintf(s.out, "%s failed: %s\n", t.ID, printable(*t.Reason))
			}
		}
		return nil
	})
}

// users are those whose trips are asked for.
func (c tripListCmd) users(ctx context.Context, file *store.Store) (users []store.User, err error) {
	if c.User != "" {
		u, err := userByEmail(ctx, file, c.User)
		return []store.User{u}, err
	}
	err = file.View(ctx, func(tx *store.Tx) (err error) {
		users, err = tx.Users()
		return err
	})
	return users, err
}

// tripsOf are all trips of a user.
func tripsOf(ctx context.Context, file *store.Store, u store.User) ([]listedTrip, error) {
	found, err := plan.New(plan.Options{Store: file}).Trips(ctx, plan.Actor{UserID: u.ID}, plan.Search{}, math.MaxInt, 0)
	if err != nil {
		return nil, err
	}
	var out []listedTrip
	for _, r := range found.Trips {
		out = append(out, listTrip(u, r))
	}
	return out, nil
}

func listTrip(u store.User, r trip.Reading) listedTrip {
	return listedTrip{
		ID:        r.Trip.ID,
		User:      u.Email,
		Title:     view.OrNull(r.Trip.Title),
		Status:    r.ListStatus(),
		Reason:    view.OrNull(r.Category(trip.CategoryRoute).Reason),
		Days:      len(r.Stages),
		Distance:  view.TotalDistance(r.Stages),
		StartDate: view.OrNull(r.Trip.StartDate.String()),
		EndDate:   view.OrNull(r.EndDate().String()),
		Version:   r.Trip.Version,
		CreatedAt: r.Trip.CreatedAt,
	}
}

// tripRows are trips as a table.
func tripRows(trips []listedTrip) [][]string {
	rows := [][]string{{"title", "user", "status", "days", "km", "start", "id"}}
	for _, t := range trips {
		start, title := "-", "(no title yet)"
		if t.StartDate != nil {
			start = *t.StartDate
		}
		if t.Title != nil {
			title = printable(*t.Title)
		}
		rows = append(rows, []string{title, t.User, string(t.Status), fmt.Sprint(t.Days), kilometres(t.Distance), start, t.ID})
	}
	return rows
}
