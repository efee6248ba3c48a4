package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// driver is the name under which modernc.org/sqlite registers itself.
const driver = "sqlite"

// resolve is the one absolute path of a database file, whatever name it is
// called by: lock, log and copies are named after it. The file need not exist,
// its directory must.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the directory %s does not exist: %w", filepath.Dir(abs), err)
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		return filepath.Join(dir, filepath.Base(abs)), nil
	}
	file, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", file)
	}
	return file, nil
}

// createFile makes the file where it is missing, readable by its owner only.
// SQLite gives its log the same mode.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// fileURI is the name by which SQLite opens a file, with parameters of SQLite
// and of the driver.
func fileURI(path, parameters string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/trips.db
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + parameters
}

// Parameters of a connection that changes nothing about the file of its own
// accord. One that is readOnly cannot write it at all, but does not know of
// CHECK constraints either; one that is not brings the log into the file when
// it is closed as the last.
const (
	readOnly  = "mode=ro" + unobtrusive
	readWrite = "mode=rw" + unobtrusive

	unobtrusive = "&_busy_timeout=5000&_defensive=1&_dqs=0&_error_rc=1"
)

// selectState reads what tells whose file it is. Tables of SQLite and of
// Litestream say nothing about that.
const selectState query = `
SELECT (SELECT application_id FROM pragma_application_id),
       (SELECT user_version FROM pragma_user_version),
       EXISTS (SELECT 1 FROM sqlite_schema
               WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*')`

// inspect is the schema version of the file at path, 0 for one without content
// and -1 where there is none. It refuses what is not a database of this
// program and writes nothing to the file.
func inspect(ctx context.Context, path string) (version int, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	application, version, used, err := readState(ctx, path, readOnly)
	if hasCode(err, sqlite3.SQLITE_READONLY_ROLLBACK) {
		// A crash has left a transaction half written under a rollback journal,
		// which only a connection that writes can undo. A file in WAL mode has
		// no such journal, but a crash while it is turned to WAL leaves one.
		application, version, used, err = readState(ctx, path, readWrite)
	}
	switch {
	case hasCode(err, sqlite3.SQLITE_NOTADB):
		return 0, fmt.Errorf("%w: %s", ErrNotDatabase, path)
	case hasCode(err, sqlite3.SQLITE_CANTOPEN):
		return 0, fmt.Errorf("%s cannot be opened: may this user read and write it, and its directory? %w", path, err)
	case err != nil:
		return 0, fmt.Errorf("read %s: %w", path, err)
	case application == applicationID && (version > 0 || version == 0 && !used):
		return version, nil
	case application != 0 || version != 0 || used:
		return 0, fmt.Errorf("%w: %s", ErrForeign, path)
	}
	return 0, nil
}

// readState reads application id, schema version and whether there is any
// table, on a connection of the given parameters.
func readState(ctx context.Context, path, parameters string) (application, version int, used bool, err error) {
	db, err := sql.Open(driver, fileURI(path, parameters))
	if err != nil {
		return 0, 0, false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, string(selectState)).Scan(&application, &version, &used)
	return application, version, used, err
}

// hasCode says whether err is that result of SQLite, by its basic or by its
// extended code.
func hasCode(err error, code int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == code || e.Code()&0xff == code)
}
