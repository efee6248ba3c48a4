package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"biketrip/store/replica"
)

// admitOrRestore is admit for a file that begins with what its replica holds
// where it is missing or has no content.
func admitOrRestore(ctx context.Context, path string, o Options, known int) (version int, err error) {
	version, err = admit(ctx, path, known)
	if err != nil || version > 0 || !o.Replica.On() {
		return version, err
	}
	if version == 0 {
		if err := removeEmpty(path); err != nil {
			return 0, err
		}
	}
	restored, err := replica.Restore(ctx, o.Replica, path, o.log())
	if err != nil {
		return -1, err
	}
	if !restored {
		o.log().Info("the replica is empty: a new file is made", "database", path, "replication", o.Replica.String())
		return -1, nil
	}
	o.log().Info("restored the database from its replica", "database", path, "replication", o.Replica.String())
	return admit(ctx, path, known)
}

// removeEmpty removes a file that has no content, and before it what SQLite left
// beside it when a first start was cut short.
func removeEmpty(path string) error {
	for _, suffix := range []string{"-shm", "-wal", "-journal", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replicate opens the replication of the file. It is nil where there is no
// replica.
func replicate(ctx context.Context, path string, o Options) (*replica.Replica, error) {
	if !o.Replica.On() {
		return nil, nil
	}
	return replica.Open(ctx, o.Replica, path, o.log())
}

// log is where replication logs.
func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Replication is how far the replica is. Where there is none all is well.
func (s *Store) Replication(now time.Time) replica.Health {
	if s.replica == nil {
		return replica.Health{OK: true}
	}
	return s.replica.Health(now)
}

// settleTime is how long it is waited for the replica.
const settleTime = 2 * time.Second

// Settle waits until the replica has all that is committed by now, two seconds at
// most. It is for what must not come back from the dead with a lost machine, as
// what somebody has granted or taken back. Its error says that the replica lacks
// something yet; the file has it in any case.
func (s *Store) Settle(ctx context.Context) error {
	if s.replica == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	return s.replica.Sync(ctx)
}

// selectSchemaVersion reads the head of the file.
const selectSchemaVersion query = `PRAGMA user_version`

// checkPlace is ErrMoved where the file is no longer at its path.
func (s *Store) checkPlace() error {
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(s.opened, now) {
		return fmt.Errorf("%w: %s", ErrMoved, s.path)
	}
	return nil
}

// Check fails where the file cannot be read, or is no longer at its path: what is
// written then is in no file that anybody would open again.
func (s *Store) Check(ctx context.Context) error {
	if err := s.checkPlace(); err != nil {
		return err
	}
	return s.View(ctx, func(tx *Tx) error {
		_, err := one(tx, func(row scanner) (version int, err error) {
			err = row.Scan(&version)
			return version, err
		}, selectSchemaVersion)
		return during("read the database", err)
	})
}
