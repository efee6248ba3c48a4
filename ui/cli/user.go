package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"biketrip/store"
	"biketrip/store/trip"
)

// userCmd are the verbs about the people who plan trips here.
type userCmd struct {
	Add  userAddCmd  `cmd:"" help:"Add a person who plans trips here."`
	List userListCmd `cmd:"" help:"List the people who plan trips here."`
}

// userAddCmd adds a user.
type userAddCmd struct {
	fileFlag
	replicaFlag
	Email    string `arg:"" help:"E-mail address, by which the person signs in."`
	Language string `default:"en" enum:"en,fr" help:"Language of pages, mails and alerts: en or fr (${default})."`
	JSON     bool   `help:"Print JSON for programs."`
}

func (c userAddCmd) Run(s *streams) error {
	if store.CheckEmail(c.Email) != nil {
		return fmt.Errorf("%s is not an e-mail address", printable(trip.Quoted(c.Email)))
	}
	return c.make(s, c.replicaFlag, func(ctx context.Context, file *store.Store) error {
		var u store.User
		err := file.Update(ctx, func(tx *store.Tx) (err error) {
			u, err = tx.CreateUser(c.Email, c.Language)
			return err
		})
		switch {
		case errors.Is(err, store.ErrEmailTaken):
			return fmt.Errorf("there is a user %s already", trip.Quoted(c.Email))
		case err != nil:
			return err
		}
		if c.JSON {
			return writeJSON(s.out, struct {
				ID    string  `json:"id"`
				Email string  `json:"email"`
				Link  *string `json:"link"` // to sign in with; null where there is none
			}{u.ID, u.Email, nil})
		}
		_, err = fmt.Fprintf(s.out, "added %s, id %s\n", u.Email, u.ID)
		return err
	})
}

// userListCmd lists the users.
type userListCmd struct {
	fileFlag
	JSON bool `help:"Print JSON for programs."`
}

// listedUser is a user as a program reads it.
type listedUser struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Language  string    `json:"language"`
	CreatedAt time.Time `json:"createdAt"`
}

func (c userListCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		var users []store.User
		err := file.View(ctx, func(tx *store.Tx) (err error) {
			users, err = tx.Users()
			return err
		})
		if err != nil {
			return err
		}
		listed := []listedUser{}
		rows := [][]string{{"email", "language", "since", "id"}}
		for _, u := range users {
			listed = append(listed, listedUser{u.ID, u.Email, u.Language, u.CreatedAt})
			rows = append(rows, []string{u.Email, u.Language, u.CreatedAt.Format(time.DateOnly), u.ID})
		}
		if c.JSON {
			return writeJSON(s.out, listed)
		}
		if len(users) == 0 {
			_, err := fmt.Fprintln(s.out, "no user yet; add one with: biketrip user add EMAIL")
			return err
		}
		return writeRows(s.out, rows)
	})
}
