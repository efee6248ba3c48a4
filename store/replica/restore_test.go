package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// childRestore restores the file and says so.
func childRestore(path string) error {
	c, err := committed(path)
	if err != nil {
		return err
	}
	fmt.Println("begun")
	restored, err := Restore(context.Background(), c, path, slog.New(slog.DiscardHandler))
	fmt.Println("restored", restored)
	return err
}

// backup is the settings of a replica that holds so many transactions, and the
// folder it is.
func backup(t testing.TB, transactions int) (c Config, folder string) {
	t.Helper()
	url := folderURL(t)
	f := newFile(t, url)
	f.write(t, transactions, 3000)
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	return f.config, strings.TrimPrefix(url, "file://")
}

// restoreTo restores into a directory of its own, in which a failure leaves
// nothing.
func restoreTo(t testing.TB, ctx context.Context, c Config) (out string, restored bool, err error) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "trips.db")
	log := &record{}
	restored, err = Restore(ctx, c, out, slog.New(slog.NewTextHandler(log, nil)))
	if !restored {
		checkEmpty(t, filepath.Dir(out))
	}
	return out, restored, err
}

func checkEmpty(t testing.TB, dir string) {
	t.Helper()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the directory holds %v", entries)
	}
}

func TestRestore(t *testing.T) {
	c, folder := backup(t, 20)
	out, restored, err := restoreTo(t, t.Context(), c)
	if !restored || err != nil {
		t.Fatalf("restored %v, %v", restored, err)
	}
	var names []string
	entries, _ := os.ReadDir(filepath.Dir(out))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"trips.db"}) {
		t.Errorf("the directory holds %v", names)
	}
	if got := inspect(t, out); got != 20 {
		t.Errorf("%d transactions, want 20", got)
	}
	if runtime.GOOS == "windows" {
		return // files have no mode there
	}
	if info, err := os.Stat(out); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, piece := range pieces(t, folder) {
		if info, err := os.Stat(piece); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", piece, info.Mode(), err)
		}
	}
}

// pieces are the files of a replica.
func pieces(t testing.TB, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("no pieces in %s: %v", folder, err)
	}
	return names
}

// TestRestoreFromNothing: an empty replica is no error, and one that is not
// there is.
func TestRestoreFromNothing(t *testing.T) {
	b := newBucket(t)
	db := filepath.Join(t.TempDir(), "trips.db")
	_, restored, err := restoreTo(t, t.Context(), config(t, db, b.url))
	if restored || !errors.Is(err, ErrOutOfReach) || !strings.Contains(err.Error(), "another history") {
		t.Errorf("a bucket that does not answer: %v, %v", restored, err)
	}
	b.start(t)
	if _, restored, err := restoreTo(t, t.Context(), config(t, db, b.url)); restored || err != nil {
		t.Errorf("an empty bucket: %v, %v", restored, err)
	}
	if _, restored, err := restoreTo(t, t.Context(), config(t, db, folderURL(t))); restored || err != nil {
		t.Errorf("a folder that is not made yet: %v, %v", restored, err)
	}
	if _, restored, err := restoreTo(t, t.Context(), config(t, db, folderURL(t)+"/none/copy")); restored || !errors.Is(err, ErrOutOfReach) {
		t.Errorf("a disk that is not there: %v, %v", restored, err)
	}
	if _, err := Restore(t.Context(), config(t, db, folderURL(t)), db+"?mode=memory", nil); !errors.Is(err, errName) {
		t.Errorf("a name that Litestream cuts: %v", err)
	}
	if _, restored, err := restoreTo(t, t.Context(), Config{}); restored || err != nil {
		t.Errorf("off: %v, %v", restored, err)
	}
	if testing.Short() {
		return // the library asks for seven seconds
	}
	b.fail()
	if _, restored, err := restoreTo(t, t.Context(), config(t, db, b.url)); restored || !errors.Is(err, ErrOutOfReach) {
		t.Errorf("a bucket out of order: %v, %v", restored, err)
	}
}

// TestRestoreOver never writes over a file, nor lets an old log play into a
// new one.
func TestRestoreOver(t *testing.T) {
	c, _ := backup(t, 3)
	for suffix, want := range map[string]error{"": fs.ErrExist, "-wal": errLeftOver, "-journal": errLeftOver} {
		out := filepath.Join(t.TempDir(), "trips.db")
		write(t, out+suffix, "precious")
		restored, err := Restore(t.Context(), c, out, slog.New(slog.DiscardHandler))
		if restored || !errors.Is(err, want) || !strings.Contains(err.Error(), out+suffix) {
			t.Errorf("over trips.db%s: %v, %v", suffix, restored, err)
		}
		if got, err := os.ReadFile(out + suffix); string(got) != "precious" {
			t.Errorf("trips.db%s is now %q, %v", suffix, got, err)
		}
	}
}

// TestRestoreForgetsTheLostFile: what Litestream knew of a file that is gone
// does not get into the replica of the new one.
func TestRestoreForgetsTheLostFile(t *testing.T) {
	f := newFile(t, folderURL(t))
	f.write(t, 5, 1000)
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{f.path, f.path + "-wal", f.path + "-shm"} {
		os.Remove(name)
	}
	if restored, err := Restore(t.Context(), f.config, f.path, slog.New(slog.DiscardHandler)); !restored || err != nil {
		t.Fatalf("restored %v, %v", restored, err)
	}
	if _, err := os.Stat(metaPath(f.path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
	f = openAt(t, f.path, f.config.url)
	f.write(t, 5, 1000)
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	if got := drill(t, f.config); got != 10 {
		t.Errorf("%d transactions, want 10", got)
	}
}

// TestRestoreFromDamage changes, cuts and removes each piece of a replica.
func TestRestoreFromDamage(t *testing.T) {
	c, folder := backup(t, 30)
	for _, piece := range pieces(t, folder) {
		whole, err := os.ReadFile(piece)
		if err != nil {
			t.Fatal(err)
		}
		damages := map[string][]byte{"half": whole[:len(whole)/2], "a header": whole[:100], "empty": {}}
		for _, at := range []int{120, len(whole) / 2, len(whole) - 20} {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 0x10
			damages[fmt.Sprintf("byte %d of %d", at, len(whole))] = flipped
		}
		for name, damage := range damages {
			write(t, piece, string(damage))
			_, restored, err := restoreTo(t, t.Context(), c)
			if restored || !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %s: restored %v, %v", filepath.Base(piece), name, restored, err)
			}
		}
		write(t, piece, string(whole))
	}
	all := pieces(t, folder)
	if err := os.Remove(all[0]); err != nil { // the first, without which no later one helps
		t.Fatal(err)
	}
	if len(all) > 1 {
		if _, restored, err := restoreTo(t, t.Context(), c); restored || !errors.Is(err, ErrDamaged) {
			t.Errorf("without the first piece: restored %v, %v", restored, err)
		}
	}
}

// downloads picks the requests for a piece.
func downloads(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, ".ltx")
}

// TestRestoreInterrupted ends a restore in the middle, by its context and by
// the end of the process.
func TestRestoreInterrupted(t *testing.T) {
	b := startBucket(t)
	f := newFile(t, b.url)
	f.write(t, 20, 3000)
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	b.hang(downloads)
	if _, restored, err := restoreTo(t, within(t, 500*time.Millisecond), f.config); restored || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDamaged) {
		t.Errorf("interrupted: restored %v, %v", restored, err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "trips.db")
	c := startChild(t, "restore", path, b.url)
	c.line(t)
	eventually(t, 10*time.Second, "the restore has begun", func() bool {
		_, err := os.Stat(filepath.Join(dir, ".trips.db-restore"))
		return err == nil
	})
	c.kill()
	if left, _ := filepath.Glob(filepath.Join(dir, "trips.db*")); len(left) != 0 {
		t.Errorf("a restore that was killed has left %v", left)
	}
	b.mend()
	c = startChild(t, "restore", path, b.url)
	if got := c.line(t) + c.line(t); got != "begunrestored true" {
		t.Fatal(got)
	}
	c.cmd.Wait()
	if got := inspect(t, path); got != 20 {
		t.Errorf("%d transactions, want 20", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("what the killed one has left is still there: %v", left)
	}
}
