package cli

import (
	"context"
	"errors"
	"fmt"

	"biketrip/store"
	"biketrip/store/trip"
)

// userEmailCmd gives a user another address.
type userEmailCmd struct {
	fileFlag
	yesFlag
	Email string `arg:"" help:"E-mail address of the person."`
	New   string `arg:"" help:"New e-mail address."`
}

func (c userEmailCmd) Run(s *streams) error {
	if store.CheckEmail(c.New) != nil {
		return fmt.Errorf("%s is not an e-mail address", printable(trip.Quoted(c.New)))
	}
	return c.beside(func(ctx context.Context, file *store.Store) error {
		u, err := userByEmail(ctx, file, c.Email)
		if err != nil {
			return err
		}
		question := fmt.Sprintf("%s becomes %s: every application of theirs loses its access, and every browser is signed out.", u.Email, printable(c.New))
		if err := c.confirm(s, question); err != nil {
			return err
		}
		err = file.Update(ctx, func(tx *store.Tx) error { return tx.ChangeEmail(u.ID, c.New) })
		if errors.Is(err, store.ErrEmailTaken) {
			return fmt.Errorf("there is a user %s already", printable(trip.Quoted(c.New)))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s is %s now; to sign in: biketrip user link %s\n", u.Email, printable(c.New), printable(shellWord(c.New)))
		return err
	})
}

// userDeleteCmd removes a user.
type userDeleteCmd struct {
	fileFlag
	yesFlag
	Email string `arg:"" help:"E-mail address of the person."`
}

func (c userDeleteCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		u, err := userByEmail(ctx, file, c.Email)
		if err != nil {
			return err
		}
		if err := c.confirm(s, fmt.Sprintf("%s goes, with every trip of theirs; nothing brings them back.", u.Email)); err != nil {
			return err
		}
		if err := file.Update(ctx, func(tx *store.Tx) error { return tx.DeleteUser(u.ID) }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "deleted %s\n", u.Email)
		return err
	})
}
