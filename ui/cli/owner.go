package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"biketrip/store"
	"biketrip/ui"
)

// defaultOwner is the first account where nobody says whose it is. It can be
// changed.
const defaultOwner = "owner@localhost"

// ownerFlag says whose the first account is.
type ownerFlag struct {
	Owner string `placeholder:"EMAIL" help:"E-mail address of the first account, which is made in a file without any (owner@localhost)."`
}

// Validate refuses what is no e-mail address.
func (f ownerFlag) Validate() error {
	if f.Owner != "" && store.CheckEmail(f.Owner) != nil {
		return fmt.Errorf("--owner must be an e-mail address, got %q", f.Owner)
	}
	return nil
}

// A welcome is the first account of a file, and how it is signed in to.
type welcome struct {
	email string
	link  ui.Link
}

// welcome makes the first account in a file without anybody in it; the zero one
// where there is somebody. Who is added beside the server comes before or after.
func (f ownerFlag) welcome(ctx context.Context, p *program) (first welcome, err error) {
	stranger := false
	err = p.file.Update(ctx, func(tx *store.Tx) error {
		first, stranger = welcome{}, false
		users, err := tx.Users()
		if err != nil {
			return err
		}
		if len(users) > 0 {
			if f.Owner == "" {
				return nil
			}
			_, err := tx.UserByEmail(f.Owner)
			if stranger = errors.Is(err, store.ErrNotFound); stranger {
				return nil
			}
			return err
		}
		u, err := tx.CreateUser(cmp.Or(f.Owner, defaultOwner), "")
		if err != nil {
			return err
		}
		first.email = u.Email
		first.link, err = ui.NewLinkIn(tx, p.uri, u.ID, rand.Reader)
		return err
	})
	if stranger {
		p.log.Warn("--owner is not among the people of this file; biketrip user add adds somebody")
	}
	return first, err
}
