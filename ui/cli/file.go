package cli

import (
	"context"
	"errors"
	"fmt"

	"biketrip/store"
)

// fileFlag names the file that a verb works on.
type fileFlag struct {
	DB string `name:"db" default:"biketrip.db" placeholder:"FILE" help:"Database file (${default})."`
}

// beside opens the file for a verb that may run beside the server, and closes
// it once use is done. With create a missing file is made.
func (f fileFlag) beside(create bool, use func(ctx context.Context, s *store.Store) error) (err error) {
	ctx := context.Background()
	s, err := store.OpenBeside(ctx, store.Options{Path: f.DB, Create: create})
	if errors.Is(err, store.ErrNoFile) {
		return fmt.Errorf("%w; name it with --db, or make it with: biketrip user add EMAIL", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return use(ctx, s)
}
