package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
	"biketrip/ui"
)

// userCmd are the verbs about the people who plan trips here.
type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a person who plans trips here."`
	List   userListCmd   `cmd:"" help:"List the people who plan trips here."`
	Email  userEmailCmd  `cmd:"" help:"Give a person another e-mail address. Applications lose their access."`
	Delete userDeleteCmd `cmd:"" help:"Delete a person, and all trips of theirs."`
	Link   userLinkCmd   `cmd:"" help:"Print a link with which a person signs in, once, within half an hour."`
}

// userAddCmd adds a user.
type userAddCmd struct {
	fileFlag
	replicaFlag
	publicFlag
	Email    string `arg:"" help:"E-mail address, by which the person signs in."`
	Language string `placeholder:"en|fr" help:"Language of pages, mails and alerts, en or fr (that of the browser of the first sign-in)."`
	JSON     bool   `help:"Print JSON for programs."`
}

// Validate refuses a file or an address that cannot be.
func (c userAddCmd) Validate() error {
	if c.Language != "" && c.Language != "en" && c.Language != "fr" {
		return fmt.Errorf("--language must be en or fr, got %q", c.Language)
	}
	return errors.Join(c.fileFlag.Validate(), c.publicFlag.Validate())
}

func (c userAddCmd) Run(s *streams) error {
	if store.CheckEmail(c.Email) != nil {
		return fmt.Errorf("%s is not an e-mail address", printable(trip.Quoted(c.Email)))
	}
	return c.make(s, c.replicaFlag, func(ctx context.Context, file *store.Store) error {
		uri, err := c.reached(ctx, file)
		if err != nil {
			return err
		}
		var u store.User
		err = file.Update(ctx, func(tx *store.Tx) (err error) {
			u, err = tx.CreateUser(c.Email, c.Language)
			return err
		})
		switch {
		case errors.Is(err, store.ErrEmailTaken):
			return fmt.Errorf("there is a user %s already; biketrip user link makes a link to sign in with", printable(trip.Quoted(c.Email)))
		case err != nil:
			return err
		}
		link, err := ui.NewLink(ctx, file, uri, u.ID, rand.Reader)
		if err != nil {
			return err
		}
		if utf8.RuneCountInString(u.Email) > oauth.MaxEmail {
			fmt.Fprintf(s.err, "an account whose address has more than %d characters can give no application access; biketrip user email changes it\n", oauth.MaxEmail)
		}
		if c.JSON {
			return writeJSON(s.out, struct {
				ID    string `json:"id"`
				Email string `json:"email"`
				Link  string `json:"link"` // to sign in with, once
			}{u.ID, u.Email, link.URL})
		}
		_, err = fmt.Fprintf(s.out, "added %s, id %s\nto sign in, within half an hour:\n%s\n", u.Email, u.ID, link.URL)
		return err
	})
}

// userLinkCmd makes a sign-in link.
type userLinkCmd struct {
	fileFlag
	publicFlag
	Email string `arg:"" help:"E-mail address of the person."`
	JSON  bool   `help:"Print JSON for programs."`
}

// Validate refuses a file or an address that cannot be.
func (c userLinkCmd) Validate() error {
	return errors.Join(c.fileFlag.Validate(), c.publicFlag.Validate())
}

func (c userLinkCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		uri, err := c.reached(ctx, file)
		if err != nil {
			return err
		}
		u, err := userByEmail(ctx, file, c.Email)
		if err != nil {
			return err
		}
		link, err := ui.NewLink(ctx, file, uri, u.ID, rand.Reader)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, struct {
				Link      string    `json:"link"`
				ExpiresAt time.Time `json:"expiresAt"`
			}{link.URL, link.ExpiresAt})
		}
		_, err = fmt.Fprintln(s.out, link.URL)
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
