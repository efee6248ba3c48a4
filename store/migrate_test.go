package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// withMigration are the migrations of this program and one more.
func withMigration(t testing.TB, text string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(schema(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(schema(), name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	files[migrationName(len(names)+1)] = &fstest.MapFile{Data: []byte(text)}
	return files
}

func migrationName(n int) string { return "000" + string(rune('0'+n)) + "_more.sql" }

// known is the newest schema of this program.
func known(t testing.TB) int {
	t.Helper()
	all, err := loadMigrations(schema())
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// fileWithUser makes a closed file with one user in it.
func fileWithUser(t testing.TB) (path string, u User) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "trips.db")
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	u = newOwner(t, s, "a@example.org")
	mustUpdate(t, s, func(tx *Tx) error {
		tr := sampleTrip(u.ID)
		return tx.CreateTrip(&tr)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, u
}

func TestUpgradeKeepsACopy(t *testing.T) {
	path, u := fileWithUser(t)
	kept := copyPath(path, known(t)+1)
	for _, stale := range []string{kept, kept + ".part"} {
		if err := os.WriteFile(stale, []byte("of an earlier upgrade"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := withMigration(t, "CREATE TABLE more (a TEXT) STRICT; INSERT INTO more VALUES ('x'); UPDATE user SET email = 'new@example.org'")
	s, err := open(t.Context(), Options{Path: path}, files)
	if err != nil {
		t.Fatal(err)
	}
	if n := number(t, s.writer.db, "PRAGMA user_version"); n != known(t)+1 {
		t.Errorf("version %d after the upgrade", n)
	}
	if n := number(t, s.writer.db, "SELECT count(*) FROM more"); n != 1 {
		t.Errorf("%d rows of the new table", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept + ".part"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a copy: %v", err)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v %v", info, err)
	}
	if err := checkIntegrity(t.Context(), kept); err != nil {
		t.Error(err)
	}
	mustView(t, openTest(t, kept), func(tx *Tx) error {
		got, err := tx.User(u.ID)
		if got.Email != "a@example.org" {
			t.Errorf("the copy holds %v", got)
		}
		return err
	})
	_, err = Open(t.Context(), Options{Path: path})
	if !errors.Is(err, ErrNewerFile) || !strings.Contains(err.Error(), kept) || !strings.Contains(err.Error(), "newer biketrip") {
		t.Errorf("the older program on the newer file: %v", err)
	}
}

// TestCopyHoldsTheLog upgrades a file whose last commits are still in the log
// of a process that was killed.
func TestCopyHoldsTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	churn := startChild(t, "churn", path)
	for churn.line(t) != "acked 3" {
	}
	churn.kill()
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("no log left: %v", err)
	}
	s, err := open(t.Context(), Options{Path: path}, withMigration(t, "CREATE TABLE more (a TEXT) STRICT"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := rawOpen(t, copyPath(path, known(t)+1), "mode=ro")
	defer kept.Close()
	const versions = "SELECT version FROM trip"
	if a, b := number(t, kept, versions), number(t, s.writer.db, versions); a != b || a < 3 {
		t.Errorf("version %d in the copy, %d in the file", a, b)
	}
}

func TestNoCopyOfANewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	s, err := open(t.Context(), Options{Path: path}, withMigration(t, "CREATE TABLE more (a TEXT) STRICT"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if copies, _ := filepath.Glob(path + ".pre-*"); len(copies) != 0 {
		t.Errorf("copies of nothing: %v", copies)
	}
}

func TestFailingMigration(t *testing.T) {
	for name, text := range map[string]string{
		"a wrong statement at its end": "CREATE TABLE more (a TEXT) STRICT; INSERT INTO nowhere VALUES (1)",
		"rows without what they need":  "CREATE TABLE more (a TEXT) STRICT; DELETE FROM user",
		"words":                        "CREATE TABLE more (a TEXT) STRICT; what is this",
	} {
		path, u := fileWithUser(t)
		_, err := open(t.Context(), Options{Path: path}, withMigration(t, text))
		if err == nil || !strings.Contains(err.Error(), migrationName(known(t)+1)) {
			t.Errorf("%s: %v", name, err)
		}
		s := openTest(t, path)
		if n := number(t, s.writer.db, "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"); n != 0 {
			t.Errorf("%s: half of it is in the file", name)
		}
		mustView(t, s, func(tx *Tx) error {
			_, err := tx.User(u.ID)
			return err
		})
	}
}

// TestNoUpgradeOfADamagedFile keeps no copy that would not serve, and goes no
// further without one.
func TestNoUpgradeOfADamagedFile(t *testing.T) {
	path, _ := fileWithUser(t)
	raw(t, path, "", "PRAGMA ignore_check_constraints = ON", "UPDATE user SET language = 'tlh'")
	_, err := open(t.Context(), Options{Path: path}, withMigration(t, "CREATE TABLE more (a TEXT) STRICT"))
	if err == nil || !strings.Contains(err.Error(), "is damaged: CHECK constraint failed in user") {
		t.Errorf("upgraded: %v", err)
	}
	if copies, _ := filepath.Glob(path + ".pre-*"); len(copies) != 0 {
		t.Errorf("it left %v", copies)
	}
	s := openTest(t, path)
	if n := number(t, s.writer.db, "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"); n != 0 {
		t.Error("it was upgraded all the same")
	}
}

// TestMigrationRebuildsATable drops a table on which others hang.
func TestMigrationRebuildsATable(t *testing.T) {
	path, u := fileWithUser(t)
	s, err := open(t.Context(), Options{Path: path}, withMigration(t, `
		CREATE TABLE user_new (id TEXT NOT NULL PRIMARY KEY, email TEXT NOT NULL COLLATE NOCASE UNIQUE,
		  language TEXT NOT NULL, created_at INTEGER NOT NULL, nickname TEXT NOT NULL DEFAULT '') STRICT;
		INSERT INTO user_new (id, email, language, created_at) SELECT id, email, language, created_at FROM user;
		DROP TABLE user;
		ALTER TABLE user_new RENAME TO user;`))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mustView(t, s, func(tx *Tx) error {
		trips, err := tx.TripHeads(u.ID)
		if len(trips) != 1 {
			t.Errorf("%d trips are left", len(trips))
		}
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error {
		tr := sampleTrip(sampleID(1))
		if err := tx.CreateTrip(&tr); err != ErrNotFound {
			t.Errorf("a trip of nobody: %v", err)
		}
		return nil
	})
}

func TestBesideAnotherSchema(t *testing.T) {
	path, _ := fileWithUser(t)
	files := withMigration(t, "CREATE TABLE more (a TEXT) STRICT")
	_, err := openBeside(t.Context(), Options{Path: path, Create: true}, files)
	if !errors.Is(err, ErrOlderFile) || !strings.Contains(err.Error(), "start the server once") {
		t.Errorf("an older file: %v", err)
	}
	if copies, _ := filepath.Glob(path + ".pre-*"); len(copies) != 0 {
		t.Errorf("it has begun to upgrade: %v", copies)
	}
	s, err := open(t.Context(), Options{Path: path}, files)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := OpenBeside(t.Context(), Options{Path: path}); !errors.Is(err, ErrNewerFile) {
		t.Errorf("a newer file: %v", err)
	}
}

// TestNewerFileStaysAsItIs refuses a file of a newer schema and looks whether
// a byte of it has moved.
func TestNewerFileStaysAsItIs(t *testing.T) {
	for _, mode := range []string{"wal", "delete", "log"} {
		path, _ := fileWithUser(t)
		switch mode {
		case "log": // the version is in the log alone, as a crash leaves it
			db := rawOpen(t, path, "_journal_mode=wal&_pragma=wal_autocheckpoint(0)")
			if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
				t.Fatal(err)
			}
			crashed := filepath.Join(t.TempDir(), "crashed.db")
			copyAside(t, path, crashed, "", "-wal")
			db.Close()
			path = crashed
		default:
			raw(t, path, "_journal_mode="+mode, "PRAGMA user_version = 99")
		}
		old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log, _ := os.ReadFile(path + "-wal")
		for way, open := range ways() {
			_, err := open(t.Context(), Options{Path: path, Create: true})
			if !errors.Is(err, ErrNewerFile) || !strings.Contains(err.Error(), "schema 99") || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("%s, %s: %v", mode, way, err)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(content, after) {
				t.Errorf("%s, %s: the file was changed (%v)", mode, way, err)
			}
			if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
				t.Errorf("%s, %s: the file was written to: %v %v", mode, way, info.ModTime(), err)
			}
			if after, _ := os.ReadFile(path + "-wal"); !bytes.Equal(log, after) {
				t.Errorf("%s, %s: the log was changed", mode, way)
			}
		}
	}
}

func TestMigrationsAreNumbered(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	for name, files := range map[string]fstest.MapFS{
		"a gap":         {"0001_a.sql": file, "0003_b.sql": file},
		"twice":         {"0001_a.sql": file, "0001_b.sql": file},
		"from zero":     {"0000_a.sql": file},
		"too short":     {"1_a.sql": file},
		"not a number":  {"000x_a.sql": file},
		"not in time":   {"0002_a.sql": file},
		"a plus before": {"+001_a.sql": file},
	} {
		if _, err := loadMigrations(files); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
