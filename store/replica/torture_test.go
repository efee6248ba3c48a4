package replica

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// mayLose is how far the replica may be behind after a kill. Only a machine
// with nothing else to do can promise a time: without one it is just told.
func mayLose(t *testing.T) time.Duration {
	value := os.Getenv("BIKETRIP_FAULTS_MAY_LOSE")
	if value == "" {
		return math.MaxInt64
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// childServe is a server: it restores the file where it is missing, opens it,
// and commits transactions until SIGTERM, each of which it tells with its time.
func childServe(path string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	c, err := committed(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		if _, err := Restore(ctx, c, path, log); err != nil {
			return err
		}
	}
	db, err := openFile(path)
	if err != nil {
		return err
	}
	r, err := Open(ctx, c, path, log)
	if err != nil {
		return err
	}
	if _, err := db.Exec(schema); err != nil {
		return err
	}
	var seq int
	if err := db.QueryRow(`SELECT coalesce(max(seq), 0) FROM audit`).Scan(&seq); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "start %d\n", seq)
	for out.Flush(); ctx.Err() == nil; out.Flush() {
		seq++
		if err := writeOnce(db, seq, 500+rand.IntN(8000)); err != nil {
			return err
		}
		fmt.Fprintf(out, "ack %d %d\n", seq, time.Now().UnixMicro())
		time.Sleep(rand.N(3 * time.Millisecond))
	}
	return errors.Join(db.Close(), r.Close())
}

// rounds is the number of kills: that of the environment, or short and long.
func rounds(t *testing.T, variable string, short, long int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	if testing.Short() {
		return short
	}
	return long
}

func TestKillWithFolder(t *testing.T) {
	torture(t, folderURL(t), rounds(t, "BIKETRIP_FAULTS_FILE_ROUNDS", 2, 8))
}

func TestKillWithBucket(t *testing.T) {
	torture(t, startBucket(t).url, rounds(t, "BIKETRIP_FAULTS_S3_ROUNDS", 1, 4))
}

// torture kills a server again and again while it writes, takes its disk away
// every third time, and ends one in peace. What was acknowledged is in the
// file; what the replica lacks was written just before the kill.
func torture(t *testing.T, replica string, rounds int) {
	path := filepath.Join(t.TempDir(), "trips.db")
	kept, times := 0, map[int]time.Time{}
	for round := range rounds {
		s := serve(t, path, replica, kept, 500*time.Millisecond+rand.N(3*time.Second))
		for seq, at := range times {
			if s.times[seq].IsZero() {
				s.times[seq] = at
			}
		}
		s.kill()
		killed := time.Now()
		s.readOn()
		copied := filepath.Join(t.TempDir(), "copied.db")
		copyAside(t, path, copied, "", "-wal")
		if kept = inspect(t, copied); kept < s.acked {
			t.Errorf("round %d: %d was acknowledged, the file has %d", round, s.acked, kept)
		}
		last := drill(t, s.config)
		if last < s.acked {
			lost := s.lost(killed, last)
			t.Logf("round %d: %d acknowledged, the replica lacks %d, %v", round, s.acked, s.acked-last, lost.Round(time.Millisecond))
			if lost > mayLose(t) {
				t.Errorf("round %d: the replica is %v behind", round, lost)
			}
		}
		times = s.times
		if round%3 == 2 {
			wipe(t, path)
			kept = last
		}
	}
	if runtime.GOOS == "windows" {
		return // nobody is asked to end there
	}
	s := serve(t, path, replica, kept, 500*time.Millisecond)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.readOn()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("ended in peace: %v: %s", err, &s.stderr)
	}
	if last := drill(t, s.config); last != s.acked {
		t.Errorf("ended in peace after %d, the replica has %d", s.acked, last)
	}
	wipe(t, path)
	serve(t, path, replica, s.acked, 0).kill()
}

// A server is a child that writes, and what it has acknowledged.
type server struct {
	*child
	config Config
	begun  time.Time
	acked  int
	times  map[int]time.Time // of each acknowledgement
}

// lost is the time between the oldest commit that the replica lacks, which has
// them up to last, and the kill. While nobody runs nobody catches up: a commit
// of an earlier server counts from the start of this one.
func (s *server) lost(killed time.Time, last int) time.Duration {
	oldest := s.times[last+1]
	if oldest.Before(s.begun) {
		oldest = s.begun
	}
	return killed.Sub(oldest)
}

// serve starts a server, which must begin after transaction from, and lets it
// write for so long.
func serve(t *testing.T, path, replica string, from int, long time.Duration) *server {
	t.Helper()
	s := &server{child: startChild(t, "serve", path, replica), times: map[int]time.Time{}}
	s.config = config(t, path, replica)
	var start int
	if _, err := fmt.Sscanf(s.line(t), "start %d", &start); err != nil {
		t.Fatal(err)
	}
	s.begun = time.Now()
	if start != from {
		t.Fatalf("the server begins after %d, want %d", start, from)
	}
	s.acked = start
	for end := time.Now().Add(long); time.Now().Before(end); {
		s.note(s.line(t))
	}
	return s
}

func (s *server) note(line string) {
	var seq int
	var at int64
	if _, err := fmt.Sscanf(line, "ack %d %d", &seq, &at); err == nil {
		s.acked, s.times[seq] = seq, time.UnixMicro(at)
	}
}

// readOn reads what the server has printed up to its end.
func (s *server) readOn() {
	for s.lines.Scan() {
		s.note(s.lines.Text())
	}
}

// wipe takes the disk away.
func wipe(t testing.TB, path string) {
	t.Helper()
	for _, name := range []string{path, path + "-wal", path + "-shm", metaPath(path)} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}
