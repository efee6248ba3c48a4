package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"biketrip/store/replica"
)

// replicated are options for a file that is replicated to a folder.
func replicated(t *testing.T, path, folder string) Options {
	t.Helper()
	yml := filepath.Join(t.TempDir(), "litestream.yml")
	text := fmt.Sprintf("dbs:\n  - path: '%s'\n    replica: {url: 'file://%s'}\n", path, folder)
	if err := os.WriteFile(yml, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := replica.ReadConfig(yml, path, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Path: path, Replica: config, Log: slog.New(slog.DiscardHandler)}
}

// TestBeginsWithReplica: a file that is missing, or has nothing in it, begins
// with what its replica holds.
func TestBeginsWithReplica(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	o := replicated(t, path, filepath.Join(t.TempDir(), "replica"))
	users := 0
	for name, lose := range map[string]func() error{
		"missing": func() error { return os.Remove(path) },
		"empty": func() error { // as a start leaves it that was cut short
			return errors.Join(os.Truncate(path, 0), os.WriteFile(path+"-wal", nil, 0o600))
		},
		"there": func() error { return nil },
	} {
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		mustUpdate(t, s, func(tx *Tx) error {
			_, err := tx.CreateUser(fmt.Sprintf("user%d@example.org", users), "en")
			return err
		})
		users++
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		os.Remove(path + "-wal")
		os.Remove(path + "-shm")
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		s, err = Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		mustView(t, s, func(tx *Tx) error {
			got, err := tx.Users()
			if len(got) != users {
				t.Errorf("%s: %d users of %d", name, len(got), users)
			}
			return err
		})
		if h := s.Replication(time.Now()); !h.OK {
			t.Errorf("%s: %+v", name, h)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoFileWithoutItsReplica: where nobody knows what the replica holds, no
// file is made that would begin another history.
func TestNoFileWithoutItsReplica(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	_, err := Open(t.Context(), replicated(t, path, filepath.Join(t.TempDir(), "unmounted", "replica")))
	if !errors.Is(err, replica.ErrOutOfReach) {
		t.Errorf("opened: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

// TestCheckMisses: a file that is gone from its path, or another one there, is
// noticed while the old one still answers.
func TestCheckMisses(t *testing.T) {
	s := newStore(t)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.Rename(s.Path(), s.Path()+".aside"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, ErrMoved) {
		t.Errorf("a write that nobody would find: %v", err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, ErrMoved) {
		t.Errorf("without its file: %v", err)
	}
	if err := os.WriteFile(s.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, ErrMoved) {
		t.Errorf("with another file: %v", err)
	}
}

// TestSettle: who waits for the replica finds it up to date, or is told that it is
// not, and waits no longer than that.
func TestSettle(t *testing.T) {
	path, folder := filepath.Join(t.TempDir(), "trips.db"), filepath.Join(t.TempDir(), "replica")
	o := replicated(t, path, folder)
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	newOwner(t, s, "anna@example.org")
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copied.db")
	if restored, err := replica.Restore(t.Context(), o.Replica, copied, o.Log); err != nil || !restored {
		t.Fatalf("%v, %v", restored, err)
	}
	other, err := OpenBeside(t.Context(), Options{Path: copied})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustView(t, other, func(tx *Tx) error {
		_, err := tx.UserByEmail("anna@example.org")
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err == nil {
		t.Error("a replica that is closed follows")
	}
	if err := newStore(t).Settle(t.Context()); err != nil {
		t.Errorf("without a replica: %v", err)
	}
}
