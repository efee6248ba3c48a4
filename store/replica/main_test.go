package replica

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"
)

// childMode names what the test binary does instead of running tests when it
// is started as a process of its own.
const childMode = "BIKETRIP_REPLICA_CHILD"

func TestMain(m *testing.M) {
	run := map[string]func(path string) error{
		"serve":   childServe,
		"restore": childRestore,
		"idle":    childIdle,
	}[os.Getenv(childMode)]
	if _, err := sqlite.OFDLocking(true); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if run == nil {
		os.Exit(m.Run())
	}
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A child is the test binary running as another process.
type child struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

// startChild starts a child that reads the committed litestream.yml with that
// replica.
func startChild(t testing.TB, mode, path, replica string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(exe, path)}
	c.cmd.Env = append(os.Environ(), childMode+"="+mode, "BIKETRIP_REPLICA="+replica,
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret")
	c.cmd.Stderr = &c.stderr
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	return c
}

// line is the next line the child prints.
func (c *child) line(t testing.TB) string {
	t.Helper()
	if !c.lines.Scan() {
		c.cmd.Wait()
		t.Fatalf("the child printed no more: %v: %s", c.lines.Err(), &c.stderr)
	}
	return c.lines.Text()
}

// kill ends the child as a power cut ends a process, and waits for its end.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// committed is the settings of the file at the top of the repository.
func committed(db string) (Config, error) {
	return ReadConfig(filepath.Join("..", "..", "litestream.yml"), db, os.Getenv)
}

// config is the settings of a file that names db and replica, with quick
// intervals and further lines of the caller's.
func config(t testing.TB, db, replica string, lines ...string) Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "litestream.yml")
	text := "dbs:\n- path: '${BIKETRIP_DB}'\n  monitor-interval: 100ms\n  replica: {url: '" + replica + "', sync-interval: 100ms}\n"
	text += strings.Join(append(lines, ""), "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig(path, db, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// openFile opens the database as the store does. The file is made where it is
// missing.
func openFile(path string) (*sql.DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+
		"?mode=rw&_busy_timeout=5000&_journal_mode=wal&_synchronous=full&_pragma=wal_autocheckpoint(10000)"+
		"&_foreign_keys=1&_txlock=immediate&_dqs=0&_defensive=1&_error_rc=1")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

const schema = `
CREATE TABLE IF NOT EXISTS trip (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS stage (id INTEGER PRIMARY KEY, trip INTEGER NOT NULL REFERENCES trip(id) ON DELETE CASCADE, body BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, trip INTEGER NOT NULL REFERENCES trip(id)) STRICT;`

// writeOnce commits transaction seq, which touches three tables and is bytes
// long.
func writeOnce(db *sql.DB, seq, bytes int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	trip := seq%500 + 1
	for _, s := range []struct {
		text string
		args []any
	}{
		{`INSERT INTO trip VALUES (?, 1, randomblob(?)) ON CONFLICT (id) DO UPDATE SET version = version + 1, body = excluded.body`, []any{trip, bytes}},
		{`DELETE FROM stage WHERE trip = ? AND id % 3 = ?`, []any{trip, seq % 3}},
		{`INSERT INTO stage (trip, body) VALUES (?, randomblob(?))`, []any{trip, bytes / 2}},
		{`INSERT INTO audit VALUES (?, ?)`, []any{seq, trip}},
	} {
		if _, err := tx.Exec(s.text, s.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// A file is a database in use, with its replica open.
type testFile struct {
	path    string
	config  Config
	db      *sql.DB
	replica *Replica
	log     *record
	seq     int
}

// newFile opens a file as a server does, in a directory of its own.
func newFile(t testing.TB, replica string, lines ...string) *testFile {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "trips.db"), replica, lines...)
}

func openAt(t testing.TB, path, replica string, lines ...string) *testFile {
	t.Helper()
	f := &testFile{path: path, config: config(t, path, replica, lines...), log: &record{}}
	var err error
	if f.db, err = openFile(path); err != nil {
		t.Fatal(err)
	}
	if f.replica, err = Open(t.Context(), f.config, path, slog.New(slog.NewTextHandler(f.log, nil))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close(); f.replica.Close() })
	if _, err := f.db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	if err := f.db.QueryRow(`SELECT coalesce(max(seq), 0) FROM audit`).Scan(&f.seq); err != nil {
		t.Fatal(err)
	}
	return f
}

// write commits so many transactions of that many bytes.
func (f *testFile) write(t testing.TB, n, bytes int) {
	t.Helper()
	for range n {
		f.seq++
		if err := writeOnce(f.db, f.seq, bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// close closes the file as a server does.
func (f *testFile) close(t testing.TB) error {
	t.Helper()
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}
	return f.replica.Close()
}

// A record keeps what is logged.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// drill restores into a new file and is the last transaction in it, 0 where the
// replica is empty.
func drill(t testing.TB, c Config) int {
	t.Helper()
	out := filepath.Join(t.TempDir(), "drill.db")
	restored, err := Restore(t.Context(), c, out, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if !restored {
		return 0
	}
	return inspect(t, out)
}

// inspect checks a file and is the last transaction in it.
func inspect(t testing.TB, path string) (last int) {
	t.Helper()
	db, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var integrity string
	var count, broken int
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&integrity); err != nil || integrity != "ok" {
		t.Fatalf("integrity of %s: %s, %v", path, integrity, err)
	}
	if err := db.QueryRow(`SELECT count(*) FROM pragma_foreign_key_check`).Scan(&broken); err != nil || broken != 0 {
		t.Errorf("%d broken foreign keys in %s, %v", broken, path, err)
	}
	if err := db.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name = 'audit'`).Scan(&count); err != nil || count == 0 {
		return 0 // of before the first migration
	}
	if err := db.QueryRow(`SELECT count(*), coalesce(max(seq), 0) FROM audit`).Scan(&count, &last); err != nil {
		t.Fatal(err)
	}
	if count != last {
		t.Errorf("%s has a gap: %d transactions, the last is %d", path, count, last)
	}
	return last
}

// eventually waits until ok, at most so long.
func eventually(t testing.TB, patience time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// folderURL is the URL of a folder for a replica, which is not there yet.
func folderURL(t testing.TB) string {
	return "file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "copy"))
}

// copyAside copies a file that is in use, and those beside it, as a crash would
// leave them.
func copyAside(t testing.TB, from, to string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		in, err := os.Open(from + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := os.Create(to + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// within is a context that ends after d.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
