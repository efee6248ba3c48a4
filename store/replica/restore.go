package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/benbjohnson/litestream"
)

// Restore makes the database file at out, which must be missing, from its
// replica: at boot the file itself, in a drill any other. It says false, and
// makes nothing, where the replica has never received anything. What it makes
// has passed SQLite's full integrity check and is readable by its owner only;
// until then it lies in a folder of its own beside out.
//
// Its error wraps ErrOutOfReach where the replica does not answer, and
// ErrDamaged where it answers with nothing usable; no file is left then. It
// wraps fs.ErrExist where out is there, and says so where only its log is.
func Restore(ctx context.Context, c Config, out string, log *slog.Logger) (restored bool, err error) {
	if !c.On() {
		return false, nil
	}
	if err := checkVacant(out); err != nil {
		return false, fmt.Errorf("restore: %w", err)
	}
	client, err := newClient(c, log)
	if err != nil {
		return false, fmt.Errorf("restore: %w", err)
	}
	found, err := anything(ctx, client)
	if err != nil {
		return false, fmt.Errorf("restore from %s: %w, and a new file would start another history, so none is made: %w", c, ErrOutOfReach, err)
	}
	if !found {
		return false, nil
	}
	if err := restore(ctx, client, out, log); err != nil {
		return false, fmt.Errorf("restore from %s, no file is made: %w", c, err)
	}
	return true, nil
}

// checkVacant refuses to restore over a file, and into the log of one that is
// gone: SQLite would play it into the new file.
func checkVacant(out string) error {
	if strings.Contains(out, "?") {
		return fmt.Errorf("%w: %s", errName, out) // Litestream would check another file
	}
	for _, suffix := range []string{"", "-wal", "-journal"} {
		_, err := os.Lstat(out + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case suffix == "":
			return fmt.Errorf("%s: %w", out, fs.ErrExist)
		default:
			return fmt.Errorf("%w: %s%s is left of a database file that is gone; move it away to begin with the replica", errLeftOver, out, suffix)
		}
	}
	return nil
}

// anything says whether the replica has ever received anything. Litestream
// itself does not tell an empty replica from one that has lost pieces.
func anything(ctx context.Context, client litestream.ReplicaClient) (bool, error) {
	for level := range litestream.SnapshotLevel + 1 {
		if found, err := ask(ctx, client, level); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// restore makes out in a folder of its own and moves it to its place.
func restore(ctx context.Context, client litestream.ReplicaClient, out string, log *slog.Logger) (err error) {
	dir := restorePath(out)
	if err := os.RemoveAll(dir); err != nil { // of a restore that was killed
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	made := filepath.Join(dir, "restored")
	db := litestream.NewDB(made) // for its logger: a replica without one takes the default
	defer db.Close(context.WithoutCancel(ctx))
	db.SetLogger(quietLogger(log))
	r := litestream.NewReplicaWithClient(db, client)
	options := litestream.NewRestoreOptions()
	options.OutputPath = made
	options.IntegrityCheck = litestream.IntegrityCheckFull
	if err := r.Restore(ctx, options); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := os.Chmod(made, 0o600); err != nil {
		return err
	}
	// Litestream's state belongs to the file that is gone.
	if err := os.RemoveAll(metaPath(out)); err != nil {
		return err
	}
	if err := os.Rename(made, out); err != nil {
		return err
	}
	return syncDir(filepath.Dir(out))
}

// restorePath is the folder in which a file is restored, before it is moved to
// its place.
func restorePath(out string) string {
	return filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+"-restore")
}

// syncDir makes a rename outlive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be opened there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
