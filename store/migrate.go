package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// applicationID marks a file as one of this program: "Bike" in ASCII, in the
// header field of https://www.sqlite.org/fileformat.html#application_id.
const applicationID = 0x42696b65

//go:embed schema/*.sql
var embedded embed.FS

// schema are the migrations of this program: NNNN_name.sql, from 0001.
func schema() fs.FS {
	sub, err := fs.Sub(embedded, "schema")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return sub
}

// A migration takes a file from one version of the schema to the next.
type migration struct {
	number int // schema version afterwards, from 1
	name   string
	sql    string
}

// loadMigrations reads the migrations of a directory, in order, none missing.
func loadMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var out []migration
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i+1)) {
			return nil, fmt.Errorf("migration %s: want number %04d", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{i + 1, name, string(text)})
	}
	return out, nil
}

// admit is the schema version of the file at path as inspect tells it, and
// refuses one newer than known, the newest this program understands.
func admit(ctx context.Context, path string, known int) (version int, err error) {
	version, err = inspect(ctx, path)
	if err != nil || version <= known {
		return version, err
	}
	back := "a backup made before the upgrade"
	for n := known + 1; n > 1; n-- {
		if _, err := os.Stat(copyPath(path, n)); err == nil {
			back = "the copy " + copyPath(path, n) + " made before the upgrade"
			break
		}
	}
	return 0, fmt.Errorf("%w: %s has schema %d and this one knows %d: run the newer biketrip, or restore %s",
		ErrNewerFile, path, version, known, back)
}

// upgrade brings the file at path, which exists, from version, as admit tells
// it, to the newest schema. The caller holds the lock.
func upgrade(ctx context.Context, path string, version int, all []migration) error {
	if version == len(all) {
		return nil
	}
	return migrate(ctx, path, all, max(version, 0))
}

// migrate applies what comes after version from, all of it or nothing: nobody
// beside sees a file that is half made. A migration that rebuilds a table must
// be able to drop the old one without taking along what hangs on it: foreign
// keys are not enforced meanwhile, but checked after each migration
// (https://www.sqlite.org/lang_altertable.html#otheralter).
func migrate(ctx context.Context, path string, all []migration, from int) (err error) {
	db, err := sql.Open(driver, fileURI(path, migrating))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if from > 0 {
		if err := copyFile(ctx, db, path, from+1); err != nil {
			return fmt.Errorf("copy %s before the upgrade: %w", path, err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, m := range all[from:] {
		if err := m.apply(ctx, tx); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return tx.Commit()
}

// countBroken counts the rows that hang on rows that do not exist.
const countBroken query = `SELECT count(*) FROM pragma_foreign_key_check`

// apply runs the migration and marks the file with its number.
func (m migration) apply(ctx context.Context, tx *sql.Tx) error {
	marks := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, m.number)
	for _, text := range []string{m.sql, marks} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	var broken int
	if err := tx.QueryRowContext(ctx, string(countBroken)).Scan(&broken); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("%d rows hang on rows that do not exist", broken)
	}
	return nil
}

// copyPath is where the file as it was before migration n is kept.
func copyPath(path string, n int) string { return fmt.Sprintf("%s.pre-%d", path, n) }

// vacuumInto writes a compact copy of the file to another one, which is missing
// or empty.
const vacuumInto query = `VACUUM INTO ?`

// copyFile keeps the file at path, open as db, as it is before migration n. The
// copy gets its name once it is whole, checked and on disk.
func copyFile(ctx context.Context, db *sql.DB, path string, n int) (err error) {
	part := copyPath(path, n) + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := createFile(part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	if _, err := db.ExecContext(ctx, string(vacuumInto), part); err != nil {
		return err
	}
	if err := checkIntegrity(ctx, part); err != nil {
		return err
	}
	if err := syncPath(part); err != nil {
		return err
	}
	if err := os.Rename(part, copyPath(path, n)); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	return syncPath(filepath.Dir(path))
}

// findDamage tells the first damage of the file, or ok.
const findDamage query = `PRAGMA integrity_check(1)`

// checkIntegrity fails where the database file at path is damaged.
func checkIntegrity(ctx context.Context, path string) (err error) {
	db, err := sql.Open(driver, fileURI(path, readWrite))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var result string
	if err := db.QueryRowContext(ctx, string(findDamage)).Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%s is damaged: %s", path, result)
	}
	return nil
}

// syncPath waits until the file or directory is on disk.
func syncPath(path string) error {
	flag := os.O_RDWR
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
