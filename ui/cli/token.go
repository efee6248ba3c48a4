package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"biketrip/mcp"
	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
)

// keyFile is the key file of a database file.
func keyFile(db string) string { return db + ".keys" }

// tokenCmd prints an access token.
type tokenCmd struct {
	fileFlag
	publicFlag
	User   string `required:"" placeholder:"EMAIL" help:"For whom the agent acts."`
	Client string `required:"" placeholder:"ID" help:"Application the token is for, by its id."`
	Scope  string `default:"${scopes}" placeholder:"SCOPES" help:"What the token allows, separated by spaces (${default})."`
}

// Validate refuses a file without a name and an address nobody can be reached
// at.
func (c tokenCmd) Validate() error {
	return errors.Join(c.fileFlag.Validate(), c.publicFlag.Validate())
}

func (c tokenCmd) Run(s *streams) error {
	scopes := strings.FieldsFunc(c.Scope, func(r rune) bool { return r == ' ' || r == ',' })
	return c.beside(func(ctx context.Context, file *store.Store) error {
		public, err := c.reached(ctx, file)
		if err != nil {
			return err
		}
		u, err := userByEmail(ctx, file, c.User)
		if err != nil {
			return err
		}
		keys, err := oauth.OpenKeys(keyFile(file.Path()), nil)
		if err != nil {
			return err
		}
		server := oauth.New(oauth.Options{Store: file, Keys: keys, DefaultURI: public, Resource: mcp.Path, Scopes: trip.Scopes()})
		issued, err := server.Issue(ctx, u.ID, c.Client, scopes)
		switch {
		case errors.Is(err, oauth.ErrUnknownClient):
			return fmt.Errorf("there is no application with the id %s; biketrip client list shows which there are, biketrip client add --name NAME adds one", printable(trip.Quoted(c.Client)))
		case errors.Is(err, oauth.ErrNoScope):
			return fmt.Errorf("--scope names no scope; there are %s", strings.Join(trip.Scopes(), ", "))
		case err != nil:
			return err
		}
		if isTerminal(s.err) {
			fmt.Fprintf(s.err, "for %s until %s:\n", public+mcp.Path, issued.ExpiresAt.Local().Format(time.TimeOnly))
		}
		_, err = fmt.Fprintln(s.out, issued.Token)
		return err
	})
}

// userByEmail is the user of that address.
func userByEmail(ctx context.Context, file *store.Store, email string) (u store.User, err error) {
	err = file.View(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.UserByEmail(email)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return u, fmt.Errorf("there is no user %s; biketrip user list shows who there is, biketrip user add EMAIL adds one", printable(trip.Quoted(email)))
	}
	return u, err
}
