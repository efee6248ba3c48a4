package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"
)

func TestPragmas(t *testing.T) {
	s := newStore(t)
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1",
		"wal_autocheckpoint": "10000", "cache_size": "-16000", "temp_store": "2", "mmap_size": "0",
		"writable_schema": "0", "query_only": "0",
	}
	checkPragmas(t, s.writer, 1, want)
	want["query_only"] = "1"
	checkPragmas(t, s.readers, readers, want)
	if runtime.GOOS == "linux" && !sqlite.OFDLockingEnabled() {
		t.Error("locks belong to the process")
	}
}

// checkPragmas reads every pragma on every connection that the handle opens.
func checkPragmas(t *testing.T, h *handle, connections int, want map[string]string) {
	t.Helper()
	if got := h.db.Stats().MaxOpenConnections; got != connections {
		t.Errorf("at most %d connections, want %d", got, connections)
	}
	for range connections {
		conn, err := h.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "PRAGMA writable_schema = ON"); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name := range want {
			var v string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got[name] = v
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("pragmas (-want +got):\n%s", d)
		}
		if _, err := conn.ExecContext(t.Context(), `SELECT "no such column"`); err == nil {
			t.Error("a double-quoted name is taken for a string")
		}
	}
}

// TestNoWriteAheadLog refuses to go on where SQLite has not turned to it.
func TestNoWriteAheadLog(t *testing.T) {
	s := newStore(t)
	path := s.Path() + ".other"
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openHandle(t.Context(), path, readOnly, 1); err == nil || !strings.Contains(err.Error(), "write-ahead log") {
		t.Errorf("opened: %v", err)
	}
}

func TestOnlyOneServer(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, filepath.Join(dir, "trips.db"))
	link := filepath.Join(dir, "link.db")
	paths := []string{s.Path()}
	if err := os.Symlink(s.Path(), link); err == nil {
		paths = append(paths, link)
	} else {
		t.Logf("no symbolic links here: %v", err)
	}
	for _, path := range paths {
		start := time.Now()
		_, err := Open(t.Context(), Options{Path: path})
		if !errors.Is(err, ErrServerRunning) || !strings.Contains(err.Error(), s.Path()) {
			t.Errorf("a second server by %s: %v", path, err)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("the refusal took %v", took)
		}
	}
	mustUpdate(t, s, func(tx *Tx) error {
		_, err := tx.CreateUser("still@works.example", "en")
		return err
	})
}

func TestLockEndsWithItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	holder := startChild(t, "hold", path)
	holder.line(t)
	if _, err := Open(t.Context(), Options{Path: path}); !errors.Is(err, ErrServerRunning) {
		t.Fatalf("beside another process: %v", err)
	}
	if _, err := OpenBeside(t.Context(), Options{Path: filepath.Join(filepath.Dir(path), "other.db")}); !errors.Is(err, ErrNoFile) {
		t.Fatalf("another file: %v", err)
	}
	holder.kill()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openTest(t, path)
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trips.db")
	if _, err := OpenBeside(t.Context(), Options{Path: path}); !errors.Is(err, ErrNoFile) {
		t.Fatalf("without a file: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a refusal left %v", entries)
	}
	beside, err := OpenBeside(t.Context(), Options{Path: path, Create: true, Now: func() time.Time { return testClock().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	server := openTest(t, path)
	u := newOwner(t, beside, "a@example.org")
	v := newOwner(t, server, "b@example.org")
	for _, s := range []*Store{server, beside} {
		mustView(t, s, func(tx *Tx) error {
			users, err := tx.Users()
			if len(users) != 2 || users[0].ID != u.ID || users[1].ID != v.ID {
				t.Errorf("users: %v", users)
			}
			return err
		})
	}
	if _, err := OpenBeside(t.Context(), Options{Path: filepath.Join(dir, "new.db"), Create: true}); err != nil {
		t.Errorf("another file beside it: %v", err)
	}
}

func TestBesideFillsAnEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenBeside(t.Context(), Options{Path: path}); !errors.Is(err, ErrNoFile) {
		t.Errorf("without Create: %v", err)
	}
	s, err := OpenBeside(t.Context(), Options{Path: path, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	s := newStore(t)
	newOwner(t, s, "a@example.org")
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(s.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", info.Name(), info.Mode())
		}
	}
}

func TestFileNames(t *testing.T) {
	for _, name := range []string{"a b.db", "a?b.db", "a#b.db", "a%20b.db", "a%b.db", "é漢🚲.db", "a&mode=memory.db", "a'b\".db", "file:a.db", ":memory:"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `?"<>|:`) {
			continue
		}
		dir := filepath.Join(t.TempDir(), "d i?r#%41")
		if runtime.GOOS == "windows" {
			dir = filepath.Join(t.TempDir(), "d i r#%41")
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		s, err := Open(t.Context(), Options{Path: path})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u := newOwner(t, s, "a@example.org")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var names []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, []string{name, name + ".lock"}) {
			t.Errorf("%s: the directory holds %q", name, names)
		}
		mustView(t, openTest(t, path), func(tx *Tx) error {
			_, err := tx.User(u.ID)
			return err
		})
	}
}

func TestRelativeFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openTest(t, "trips.db")
	if !filepath.IsAbs(s.Path()) {
		t.Errorf("path is %s", s.Path())
	}
	if _, err := Open(t.Context(), Options{Path: "./x/../trips.db"}); !errors.Is(err, ErrServerRunning) {
		t.Errorf("by another name: %v", err)
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"/srv/trips.db":            "file:///srv/trips.db?mode=ro",
		"/srv/50%?#&.db":           "file:///srv/50%25%3F%23&.db?mode=ro",
		"C:/Users/Zoé B/trips.db":  "file:///C:/Users/Zo%C3%A9%20B/trips.db?mode=ro",
		"//server/share/trips.db":  "file:////server/share/trips.db?mode=ro",
		"/srv/;attach+x=y;/a:b.db": "file:///srv/;attach+x=y;/a:b.db?mode=ro",
	} {
		if got := fileURI(path, "mode=ro"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestRefusedFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, content []byte) string {
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	whole, _ := fileWithUser(t)
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	raw(t, at("foreign.db"), "", "CREATE TABLE t (a)")
	raw(t, at("marked.db"), "", "PRAGMA application_id = 7", "CREATE TABLE t (a)")
	raw(t, at("emptied.db"), "", "PRAGMA user_version = 3")
	raw(t, at("negative.db"), "", fmt.Sprintf("PRAGMA application_id = %d", applicationID), "PRAGMA user_version = -3")
	raw(t, at("unversioned.db"), "", fmt.Sprintf("PRAGMA application_id = %d", applicationID), "CREATE TABLE user (a)")
	dangling := at("dangling.db")
	if err := os.Symlink(at("gone.db"), dangling); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for name, c := range map[string]struct {
		path string
		want error
		text string
	}{
		"a directory":                 {dir, nil, "no regular file"},
		"no directory":                {at("none/trips.db"), fs.ErrNotExist, "the directory " + at("none") + " does not exist"},
		"a file for a directory":      {filepath.Join(whole, "trips.db"), nil, "not a directory"},
		"a link to nowhere":           {dangling, fs.ErrNotExist, "gone.db"},
		"a byte that has no place":    {at("a\x00b.db"), nil, "invalid argument"},
		"text":                        {write("text.db", []byte("name,km\nGrenoble,80\n")), ErrNotDatabase, at("text.db")},
		"two bytes":                   {write("bytes.db", []byte("SQ")), ErrNotDatabase, at("bytes.db")},
		"zeroes":                      {write("zero.db", make([]byte, 8192)), ErrNotDatabase, at("zero.db")},
		"half a header":               {write("header.db", content[:60]), nil, "malformed"},
		"a truncated database":        {write("half.db", content[:len(content)/2/4096*4096]), nil, "malformed"},
		"a database of somebody":      {at("foreign.db"), ErrForeign, at("foreign.db")},
		"a database of another mark":  {at("marked.db"), ErrForeign, at("marked.db")},
		"ours with a version below 0": {at("negative.db"), ErrForeign, at("negative.db")},
		"ours without a version":      {at("unversioned.db"), ErrForeign, at("unversioned.db")},
		"an empty one with a version": {at("emptied.db"), ErrForeign, at("emptied.db")},
	} {
		before, _ := os.ReadFile(c.path)
		for _, way := range []string{"server", "beside", "server"} {
			_, err := ways()[way](t.Context(), Options{Path: c.path, Create: true})
			if err == nil {
				t.Errorf("%s, %s: opened", name, way)
				continue
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
		if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// ways are the two ways to open a file.
func ways() map[string]func(context.Context, Options) (*Store, error) {
	return map[string]func(context.Context, Options) (*Store, error){"server": Open, "beside": OpenBeside}
}

// TestTablesOfLitestream opens a file in which only Litestream has written.
func TestTablesOfLitestream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	raw(t, path, "_journal_mode=wal", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
	openTest(t, path)
}

// TestEmptyFile opens a file of no bytes as one that is to be made.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	newOwner(t, s, "a@example.org")
}

// TestHalfWrittenRollback opens a file that a crash has left in the middle of
// a write under a rollback journal.
func TestHalfWrittenRollback(t *testing.T) {
	dir := t.TempDir()
	live, crashed := filepath.Join(dir, "live.db"), filepath.Join(dir, "crashed.db")
	s := openTest(t, live)
	u := newOwner(t, s, "a@example.org")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, live, "_journal_mode=delete", "VACUUM")
	db := rawOpen(t, live, "_pragma=cache_size(1)&_pragma=cache_spill(1)")
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, s := range []string{"UPDATE user SET email = 'lost@example.org'", "CREATE TABLE fill (a)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO fill SELECT randomblob(2000) FROM n"} {
		if _, err := tx.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	copyAside(t, live, crashed, "", "-journal")
	if _, _, _, err := readState(t.Context(), crashed, readOnly); err == nil {
		t.Fatal("the copy is not half written")
	}
	mustView(t, openTest(t, crashed), func(tx *Tx) error {
		got, err := tx.User(u.ID)
		if got.Email != "a@example.org" {
			t.Errorf("user %v", got)
		}
		return err
	})
}

// copyAside copies a file that is in use, and those beside it, as a crash would
// leave them.
func copyAside(t *testing.T, from, to string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		b, err := os.ReadFile(from + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDoubleClose leaves the lock to the one who has it.
func TestDoubleClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	openTest(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Path: path}); !errors.Is(err, ErrServerRunning) {
		t.Errorf("after a late Close of another store: %v", err)
	}
	if err := s.View(t.Context(), func(*Tx) error { return nil }); err == nil || errors.Is(err, sql.ErrNoRows) {
		t.Errorf("a closed store reads: %v", err)
	}
}
