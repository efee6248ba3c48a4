package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"biketrip/store"
	"biketrip/store/replica"
)

// defaultDB is the file that a verb works on unless a flag says otherwise.
const defaultDB = "biketrip.db"

// fileFlag names the file that a verb works on.
type fileFlag struct {
	DB string `name:"db" default:"${defaultDB}" placeholder:"FILE" help:"Database file (${default})."`
}

// Validate refuses a file without a name.
func (f fileFlag) Validate() error {
	if f.DB == "" {
		return errors.New("--db names no file")
	}
	return nil
}

// beside opens the file for a verb that may run beside the server, and closes it
// once use is done.
func (f fileFlag) beside(use func(ctx context.Context, s *store.Store) error) error {
	return f.open(false, use)
}

// make is beside for a verb that makes the file where it is missing. It makes
// none in place of one that its replica may still have.
func (f fileFlag) make(s *streams, r replicaFlag, use func(ctx context.Context, s *store.Store) error) error {
	info, err := os.Stat(f.DB)
	missing := errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
	if missing {
		config, err := r.replication(f.DB)
		if err != nil {
			return err
		}
		if config.On() {
			return fmt.Errorf("there is no file %s yet, but there may be one in its replica: start the server once, which restores or makes it", f.DB)
		}
	}
	return f.open(true, func(ctx context.Context, file *store.Store) error {
		err := use(ctx, file)
		if err == nil && missing && isTerminal(s.err) {
			fmt.Fprintf(s.err, "in a new file, %s\n", file.Path())
		}
		return err
	})
}

func (f fileFlag) open(create bool, use func(ctx context.Context, s *store.Store) error) (err error) {
	ctx := context.Background()
	s, err := store.OpenBeside(ctx, store.Options{Path: f.DB, Create: create})
	if errors.Is(err, store.ErrNoFile) {
		return fmt.Errorf("%w; name another one with --db, or make it: biketrip user add EMAIL, or start the server", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return use(ctx, s)
}

// defaultLitestream is where the replica is described unless a flag says
// otherwise.
const defaultLitestream = "litestream.yml"

// replicaVariable is where the litestream.yml of the repository finds the place
// of the replica.
const replicaVariable = "BIKETRIP_REPLICA"

// replicaFlag says where the replica of the file is described.
type replicaFlag struct {
	Litestream string `placeholder:"FILE" help:"Where the database is replicated, in the format of Litestream (litestream.yml of the working directory, where there is one)."`
}

// replication is where the database file is replicated, nowhere for want of a
// file that says so.
func (f replicaFlag) replication(db string) (replica.Config, error) {
	path := f.Litestream
	if path == "" {
		path = defaultLitestream
		_, err := os.Lstat(path) // a link to nothing is a mistake, not a wish
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case missing && os.Getenv(replicaVariable) != "":
			return replica.Config{}, fmt.Errorf("%s is set, but there is no %s here that would read it; name one with --litestream", replicaVariable, defaultLitestream)
		case missing:
			return replica.Config{}, nil
		}
	}
	db, err := filepath.Abs(db)
	if err != nil {
		return replica.Config{}, err
	}
	return replica.ReadConfig(path, db, os.Getenv)
}
