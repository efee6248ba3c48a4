package replica

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// quickClose is a setting with which Close gives up soon.
const quickClose = "shutdown-sync-timeout: 1s"

// notOK waits until the replica is not well, and is how it then is.
func (f *testFile) notOK(t testing.TB) (h Health) {
	t.Helper()
	eventually(t, 30*time.Second, "not OK", func() bool {
		h = f.replica.Health(time.Now())
		return !h.OK
	})
	if later := f.replica.Health(time.Now().Add(time.Hour)); h.Reason == "" || later.Lag < time.Hour {
		t.Errorf("it is not OK: %+v, an hour later %+v", h, later)
	}
	return h
}

// ok waits until the replica is well again and holds everything.
func (f *testFile) ok(t testing.TB) {
	t.Helper()
	eventually(t, 60*time.Second, "OK", func() bool {
		h := f.replica.Health(time.Now())
		return h.OK && !h.LastSync.IsZero()
	})
	if err := f.replica.Sync(within(t, 20*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := drill(t, f.config); got != f.seq {
		t.Errorf("the replica has %d transactions of %d", got, f.seq)
	}
}

// TestDownAtBoot serves without its replica, and catches up with it.
func TestDownAtBoot(t *testing.T) {
	b := newBucket(t)
	f := newFile(t, b.url)
	if h := f.replica.Health(time.Now()); !h.OK || !h.LastSync.IsZero() || h.Reason != "" {
		t.Errorf("at first: %+v", h)
	}
	f.write(t, 10, 5000)
	h := f.notOK(t)
	if !h.LastSync.IsZero() || h.Lag < unhealthyAfter || h.WALBytes == 0 {
		t.Errorf("without a replica: %+v", h)
	}
	eventually(t, 30*time.Second, "the reason names the fault", func() bool {
		return strings.Contains(f.replica.Health(time.Now()).Reason, "refused")
	})
	if err := f.replica.Sync(within(t, 200*time.Millisecond)); err == nil {
		t.Error("a sync without a replica succeeds")
	}
	f.write(t, 10, 5000)
	b.start(t)
	f.ok(t)
	if got := f.log.String(); strings.Count(got, "not up to date") != 1 || strings.Count(got, "up to date again") != 1 {
		t.Errorf("logged:\n%s", got)
	}
}

// TestLogStaysBounded writes several times what the log may hold while the
// replica is down.
func TestLogStaysBounded(t *testing.T) {
	b := newBucket(t)
	f := newFile(t, b.url, quickClose)
	total := 400 << 20
	if testing.Short() {
		total = 100 << 20
	}
	const each = 100_000
	var most int64
	for written := 0; written < total; written += each * 3 / 2 {
		f.write(t, 1, each)
		most = max(most, fileSize(f.path+"-wal"))
	}
	t.Logf("%d MB written, the log had %d MB at most", total>>20, most>>20)
	if most > mostWAL {
		t.Errorf("the log has grown to %d of %d MB", most>>20, total>>20)
	}
}

// TestDownLater takes the replica away in three ways and gives it back.
func TestDownLater(t *testing.T) {
	b := startBucket(t)
	f := newFile(t, b.url)
	f.write(t, 5, 5000)
	f.ok(t)
	faults := map[string][2]func(){
		"closed": {b.stop, func() { b.start(t) }},
		"fails":  {b.fail, b.mend},
		"hangs":  {func() { b.hang(nil) }, b.mend},
		"stuck":  {func() { b.hang(new(once).put) }, func() {}},
	}
	for name, fault := range faults {
		if testing.Short() && name != "closed" {
			continue
		}
		fault[0]()
		f.write(t, 20, 5000)
		if h := f.notOK(t); h.LastSync.IsZero() || h.Lag < unhealthyAfter {
			t.Errorf("%s: %+v", name, h)
		}
		f.write(t, 20, 5000)
		fault[1]()
		f.ok(t)
	}
}

// once picks the first upload and no other.
type once struct{ sync.Once }

func (o *once) put(r *http.Request) (first bool) {
	if r.Method == http.MethodPut {
		o.Do(func() { first = true })
	}
	return first
}

// TestCloseWithoutReplica does not claim what it could not do, nor take long
// over it.
func TestCloseWithoutReplica(t *testing.T) {
	b := startBucket(t)
	for name, fault := range map[string]func(){"closed": b.stop, "hangs": func() { b.hang(nil) }} {
		f := newFile(t, b.url, quickClose)
		f.write(t, 5, 1000)
		if name == "hangs" {
			f.ok(t)
		}
		fault()
		f.write(t, 5, 1000)
		begun := time.Now()
		err := f.close(t)
		if !errors.Is(err, ErrBehind) || !strings.Contains(err.Error(), "may lack the last writes") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("%s: closing took %v", name, took)
		}
		b.mend()
		b.stop()
		b.start(t)
		if err := f.replica.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
	}
}

// TestNeverReached: closing before the first try is no success either.
func TestNeverReached(t *testing.T) {
	f := newFile(t, newBucket(t).url, quickClose)
	if err := f.close(t); !errors.Is(err, ErrBehind) {
		t.Errorf("closed: %v", err)
	}
}

// TestOwnFolderGone deletes what Litestream keeps beside the file while it
// runs.
func TestOwnFolderGone(t *testing.T) {
	f := newFile(t, folderURL(t))
	for range 2 {
		f.write(t, 10, 5000)
		f.ok(t)
		if err := os.RemoveAll(metaPath(f.path)); err != nil {
			t.Fatal(err)
		}
		f.write(t, 10, 5000)
		eventually(t, 20*time.Second, "the folder is there again", func() bool {
			_, err := os.Stat(metaPath(f.path))
			return err == nil
		})
		f.ok(t)
	}
	if !strings.Contains(f.log.String(), "a whole copy is sent") {
		t.Errorf("logged:\n%s", f.log)
	}
	path := f.path
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	f = openAt(t, path, f.config.url)
	f.write(t, 10, 5000)
	f.ok(t)
}

// TestReplicaGone: a replica that somebody has removed, or taken a part of, is
// made anew while the server runs.
func TestReplicaGone(t *testing.T) {
	f := newFile(t, folderURL(t))
	f.write(t, 10, 5000)
	f.ok(t)
	folder := strings.TrimPrefix(f.config.url, "file://")
	for _, part := range []string{"", "ltx/9", "ltx/0"} {
		if err := os.RemoveAll(filepath.Join(folder, part)); err != nil {
			t.Fatal(err)
		}
		f.write(t, 3, 1000)
		eventually(t, verifyFolderEvery+20*time.Second, "the replica is whole again without "+part, func() bool {
			copied := filepath.Join(t.TempDir(), "trips.db")
			restored, err := Restore(t.Context(), f.config, copied, slog.New(slog.DiscardHandler))
			return err == nil && restored && inspect(t, copied) == f.seq
		})
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	f.write(t, 3, 1000)
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	if got := drill(t, f.config); got != f.seq {
		t.Errorf("after a stop the replica has %d transactions of %d", got, f.seq)
	}
}

// TestReplicaFurther: a replica that another server has written to is not taken
// for one that has everything.
func TestReplicaFurther(t *testing.T) {
	ctx := t.Context()
	f := newFile(t, folderURL(t), quickClose)
	f.write(t, 5, 1000)
	f.ok(t)
	f.replica.cancel() // from here on it is driven by hand
	<-f.replica.ended
	e := f.replica.engine

	other := filepath.Join(t.TempDir(), "trips.db")
	log := slog.New(slog.DiscardHandler)
	if restored, err := Restore(ctx, f.config, other, log); !restored || err != nil {
		t.Fatal(restored, err)
	}
	g := openAt(t, other, f.config.url)
	for range 3 {
		g.write(t, 1, 1000)
		g.ok(t)
	}
	f.write(t, 1, 1000)
	if err := e.read(ctx); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := e.send(over); err == nil { // Litestream asks again after an error
		t.Fatal("sent without time")
	}
	err := e.send(ctx)
	if !errors.Is(err, errOtherHistory) || !e.lost(err) {
		t.Errorf("sent: %v", err)
	}
}

// TestNoRoomBesideTheFile: while Litestream cannot write beside the file, the
// replica answers and yet lacks what is written.
func TestNoRoomBesideTheFile(t *testing.T) {
	f := newFile(t, folderURL(t))
	f.write(t, 10, 5000)
	f.ok(t)
	meta := metaPath(f.path)
	if err := os.Rename(meta, meta+".aside"); err != nil {
		t.Fatal(err)
	}
	write(t, meta, "in the way")
	f.write(t, 10, 5000)
	f.notOK(t)
	if err := f.replica.Sync(within(t, 10*time.Second)); err == nil {
		t.Error("a sync succeeds")
	}
	if err := os.Remove(meta); err != nil {
		t.Fatal(err)
	}
	f.replica.Sync(within(t, 10*time.Second)) // at once, not when it is time again
	f.ok(t)
}

// TestSyncTogether: whoever waits has its commit in the replica, and a hundred
// callers take few uploads.
func TestSyncTogether(t *testing.T) {
	b := startBucket(t)
	f := newFile(t, b.url)
	f.write(t, 1, 1000)
	if err := f.replica.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	puts := 0
	b.faultWith(func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPut {
			puts++
		}
		return false
	}, func(http.ResponseWriter, *http.Request) {})
	var group sync.WaitGroup
	for range 100 {
		f.write(t, 1, 1000)
		group.Go(func() {
			if err := f.replica.Sync(within(t, 20*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := drill(t, f.config); got != f.seq {
		t.Errorf("the replica has %d transactions of %d", got, f.seq)
	}
	mu.Lock()
	defer mu.Unlock()
	if puts > 100 {
		t.Errorf("%d uploads for 100 callers", puts)
	}
}

// TestSyncAlone: a commit is in the replica as soon as Sync returns, whatever
// the intervals.
func TestSyncAlone(t *testing.T) {
	f := newFile(t, folderURL(t))
	for range 10 {
		f.write(t, 1, 1000)
		if err := f.replica.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := drill(t, f.config); got != f.seq {
			t.Errorf("the replica has %d transactions of %d", got, f.seq)
		}
	}
	if err := f.close(t); err != nil {
		t.Fatal(err)
	}
	if err := f.replica.Sync(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if h := f.replica.Health(time.Now()); h.OK || h.Reason != ErrClosed.Error() {
		t.Errorf("after Close: %+v", h)
	}
}

// TestLeftOver: what an earlier process could not send goes at once, however
// long the intervals are.
func TestLeftOver(t *testing.T) {
	f := newFile(t, newBucket(t).url, quickClose)
	f.write(t, 5, 1000)
	if err := f.close(t); !errors.Is(err, ErrBehind) {
		t.Fatal(err)
	}
	c := config(t, f.path, folderURL(t))
	c.monitor = time.Hour
	r, err := Open(t.Context(), c, f.path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	eventually(t, 20*time.Second, "everything is in the replica", func() bool { return drill(t, c) == 5 })
}

// TestAuthorities: a variable that breaks the S3 library is taken away, loudly.
// TestNoKeys: without keys a bucket is not even asked for.
func TestNoKeys(t *testing.T) {
	b := newBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "trips.db")
	if _, err := Restore(t.Context(), config(t, path, b.url), path, slog.New(slog.DiscardHandler)); !errors.Is(err, errNoKeys) {
		t.Errorf("restored: %v", err)
	}
}

func TestAuthorities(t *testing.T) {
	b := startBucket(t)
	t.Setenv(caBundle, "/etc/ssl/certs/ca-certificates.crt")
	f := newFile(t, b.url)
	f.write(t, 1, 1000)
	f.ok(t)
	if !strings.Contains(f.log.String(), caBundle+" is ignored") {
		t.Errorf("logged:\n%s", f.log)
	}
}

// TestOpenNeedsARegion: without one the library would ask for it before
// anything else.
func TestOpenNeedsARegion(t *testing.T) {
	path := t.TempDir() + "/trips.db"
	_, err := Open(t.Context(), config(t, path, "s3://trips/copy"), path, nil)
	if err == nil || !strings.Contains(err.Error(), "s3://bucket/path?region=…") {
		t.Errorf("opened: %v", err)
	}
	if _, err := Open(t.Context(), Config{}, path, nil); err == nil {
		t.Error("opened a replica that is off")
	}
}
