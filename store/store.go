// Package store is the file everything is kept in: one SQLite database with
// one writer and many readers, its schema, and every statement that runs on it.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"

	"biketrip/store/replica"
)

// writeTimeout bounds a transaction that writes, from its begin to its last
// statement: nobody else writes meanwhile.
const writeTimeout = 30 * time.Second

const (
	// createWait is how long a process waits for another one that makes the
	// file.
	createWait = 5 * time.Second
	// handOver is how long one that has made it may still hold the lock.
	handOver = 50 * time.Millisecond
	// lockEvery is the time between two tries to take the lock.
	lockEvery = 10 * time.Millisecond
)

// A Store is an open database file. It is safe for concurrent use.
type Store struct {
	path    string
	opened  fs.FileInfo // the file at path when it was opened
	now     func() time.Time
	random  io.Reader
	ids     atomic.Uint32 // ids made so far
	writer  *handle
	readers *handle
	replica *replica.Replica // nil where there is none, and beside a server
	lock    *flock.Flock     // nil beside a server
}

// Options say which file is opened and how.
type Options struct {
	Path   string           // the database file, absolute or relative to the working directory
	Create bool             // OpenBeside makes the file where it is missing; Open always does
	Now    func() time.Time // the clock; nil for time.Now
	Random io.Reader        // what ids are made of, safe for concurrent use; nil for crypto/rand

	Replica replica.Config // where Open keeps a second copy of the file; zero for nowhere
	Log     *slog.Logger   // of the replication; nil for none
}

// Open opens the file as its one server: it holds the file's lock until Close,
// makes the file where it is missing, from its replica where there is one, and
// brings it to the newest schema, keeping a copy of an older one as PATH.pre-N,
// where N is the first migration that is applied. Its errors wrap
// ErrServerRunning, ErrNotDatabase, ErrForeign or ErrNewerFile, fs.ErrNotExist
// where the directory does not exist, and replica.ErrOutOfReach where the file
// is missing and nobody knows what the replica holds.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o, schema())
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return s, nil
}

// OpenBeside opens the file as a process that may run beside its server. It
// never migrates: its errors wrap those of Open, ErrOlderFile, and ErrNoFile
// where the file is missing. With o.Create a missing file is made instead, for
// which it holds the lock that long.
func OpenBeside(ctx context.Context, o Options) (*Store, error) {
	s, err := openBeside(ctx, o, schema())
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return s, nil
}

// open is Open with migrations of the caller's.
func open(ctx context.Context, o Options, files fs.FS) (_ *Store, err error) {
	path, migrations, err := begin(o, files)
	if err != nil {
		return nil, err
	}
	// A file of somebody else's is told before anything is put beside it.
	if _, err := admit(ctx, path, len(migrations)); err != nil {
		return nil, err
	}
	lock, err := takeServerLock(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Unlock())
		}
	}()
	version, err := admitOrRestore(ctx, path, o, len(migrations))
	if err != nil {
		return nil, err
	}
	// Once anything has the file open, it is opened and closed by SQLite alone.
	if err := createFile(path); err != nil {
		return nil, err
	}
	copying, err := replicate(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && copying != nil {
			err = errors.Join(err, copying.Close())
		}
	}()
	if err := upgrade(ctx, path, version, migrations); err != nil {
		return nil, err
	}
	s, err := connect(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s.replica, s.lock = copying, lock
	return s, nil
}

// begin is what comes before any look at the file: where it is, which
// migrations there are, and how SQLite is to lock.
func begin(o Options, files fs.FS) (path string, migrations []migration, err error) {
	if migrations, err = loadMigrations(files); err != nil {
		return "", nil, err
	}
	if path, err = resolve(o.Path); err != nil {
		return "", nil, err
	}
	return path, migrations, lockByDescription()
}

// openBeside is OpenBeside with migrations of the caller's.
func openBeside(ctx context.Context, o Options, files fs.FS) (*Store, error) {
	path, migrations, err := begin(o, files)
	if err != nil {
		return nil, err
	}
	version, err := admit(ctx, path, len(migrations))
	if err != nil {
		return nil, err
	}
	if version <= 0 && o.Create {
		if err := createBeside(ctx, path, migrations); err != nil {
			return nil, err
		}
		// Whoever has made it: it is looked at like any other file.
		if version, err = admit(ctx, path, len(migrations)); err != nil {
			return nil, err
		}
	}
	switch {
	case version <= 0:
		return nil, fmt.Errorf("%w: %s", ErrNoFile, path)
	case version < len(migrations):
		return nil, fmt.Errorf("%w: %s has schema %d and this one needs %d: start the server once to upgrade it",
			ErrOlderFile, path, version, len(migrations))
	}
	return connect(ctx, path, o)
}

// takeServerLock takes the lock, or fails at once: whoever holds it is a server,
// or else a process that makes the file and is about to give it back.
func takeServerLock(ctx context.Context, path string) (*flock.Flock, error) {
	lock, err := takeLock(path)
	if !errors.Is(err, ErrServerRunning) {
		return lock, err
	}
	patience := createWait
	if version, err := inspect(ctx, path); err != nil || version > 0 {
		patience = handOver
	}
	return waitForLock(ctx, path, patience, func() bool { return false })
}

// createBeside makes the file under its lock, as a server would, unless
// somebody else is about to.
func createBeside(ctx context.Context, path string, migrations []migration) error {
	lock, err := waitForLock(ctx, path, createWait, func() bool {
		version, err := admit(ctx, path, len(migrations))
		return err != nil || version == len(migrations)
	})
	if lock == nil {
		return err
	}
	return errors.Join(createLocked(ctx, path, migrations), lock.Unlock())
}

// waitForLock takes the lock of a file, for which it waits so long. It gives up
// once done says so, without a lock and without an error.
func waitForLock(ctx context.Context, path string, patience time.Duration, done func() bool) (*flock.Flock, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if done() {
			return nil, nil
		}
		lock, err := takeLock(path)
		if !errors.Is(err, ErrServerRunning) {
			return lock, err
		}
		select {
		case <-wait.Done():
			return nil, err
		case <-time.After(lockEvery):
		}
	}
}

// createLocked makes the file. The caller holds the lock.
func createLocked(ctx context.Context, path string, migrations []migration) error {
	version, err := admit(ctx, path, len(migrations))
	if err != nil {
		return err
	}
	if err := createFile(path); err != nil {
		return err
	}
	return upgrade(ctx, path, version, migrations)
}

// lockByDescription makes SQLite hold its locks by open file description. The
// older kind belongs to the process and is lost as soon as anything in it
// closes the file once.
func lockByDescription() error {
	_, err := sqlite.OFDLocking(true)
	if errors.Is(err, sqlite.ErrOFDLockingUnavailable) {
		return nil
	}
	return err
}

// connect opens writer and readers on a file of the newest schema.
func connect(ctx context.Context, path string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	w, err := openHandle(ctx, path, writing, 1)
	if err != nil {
		return nil, err
	}
	r, err := openHandle(ctx, path, reading, readers)
	if err != nil {
		return nil, errors.Join(err, w.db.Close())
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.Join(err, r.db.Close(), w.db.Close())
	}
	return &Store{path: path, opened: info, now: o.Now, random: o.Random, writer: w, readers: r}, nil
}

// Close closes the readers, then the writer, brings the replica up to date, then
// gives the lock back. It is called once every transaction is over.
func (s *Store) Close() error {
	err := errors.Join(s.readers.db.Close(), s.writer.db.Close())
	if s.replica != nil {
		err = errors.Join(err, s.replica.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Unlock())
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// Path is the absolute path of the file.
func (s *Store) Path() string { return s.path }

// Update runs fn in a transaction that may write, the only one at that time,
// and commits what it did, or undoes all of it where fn fails or panics. Its
// error is that of fn as it is, or that of the transaction itself: after a
// failed commit it is not known whether the change is in the file. fn must call
// neither Update nor View: it would wait for a connection while it holds one.
//
// ctx ends the wait for other writers; the wait for one in another process also
// ends after 5 seconds, with SQLITE_BUSY. Once begun the transaction is finished
// whatever becomes of ctx, within 30 seconds: a statement that is interrupted
// costs the connection and all that is prepared on it.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := s.checkPlace(); err != nil {
		return err
	}
	if err := s.writer.prepare(ctx); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	waited := context.AfterFunc(ctx, cancel)
	sqlTx, err := s.writer.db.BeginTx(run, nil)
	if !waited() {
		err = ctx.Err()
	}
	if sqlTx != nil {
		defer sqlTx.Rollback()
	}
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	statements, cancelStatements := context.WithTimeout(run, writeTimeout)
	defer cancelStatements()
	tx := s.newTx(statements, s.writer, sqlTx)
	if err := fn(tx); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, done := range tx.committed {
		done()
	}
	return nil
}

// View runs fn in a transaction that sees the file as it is at its first read
// and cannot write. fn must call neither Update nor View. ctx ends it at any
// time. Its error is that of fn as it is.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	if err := s.readers.prepare(ctx); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	sqlTx, err := s.readers.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer sqlTx.Rollback()
	return fn(s.newTx(ctx, s.readers, sqlTx))
}
