package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestDirectoryOfSomebodyElse opens a file in a directory that may be read
// only.
func TestDirectoryOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trips.db")
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // never unlocked: the thread ends with its identity
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		for way, open := range ways() {
			_, err := open(t.Context(), Options{Path: path, Create: true})
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v", way, err)
			}
		}
	}()
	<-done
}
