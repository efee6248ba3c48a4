package store

import (
	"fmt"

	"github.com/gofrs/flock"
)

// takeLock takes the lock of the database file at path, or fails at once with
// ErrServerRunning. The lock is a file of its own beside the database: it ends
// with the process that holds it, while the file stays, since removing it
// would let two processes hold two files of one name.
func takeLock(path string) (*flock.Flock, error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the directory of the file must be writable: %w", err)
	}
	if !held {
		return nil, fmt.Errorf("%w: %s", ErrServerRunning, path)
	}
	return lock, nil
}
