package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"biketrip/store"
)

// A child is the test binary running as another process.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, mode, path string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(exe, path)}
	c.cmd.Env = append(os.Environ(), childMode+"="+mode)
	c.cmd.Stderr = os.Stderr
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

// kill ends the child as a power cut ends a process, and waits for its end.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// childRun runs the jobs of a file until none are active.
func childRun(path string, maxAttempts int, handlers func(s *store.Store) map[string]Handler) error {
	s, err := store.Open(context.Background(), store.Options{Path: path})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := NewRunner(Options{Store: s, Queue: NewQueue(), Handlers: handlers(s), MaxAttempts: maxAttempts})
	over := make(chan error, 1)
	go func() { over <- r.Run(ctx) }()
	for active := true; active && err == nil; time.Sleep(time.Millisecond) {
		err = s.View(ctx, func(tx *store.Tx) error {
			jobs, err := tx.ActiveJobs()
			active = len(jobs) > 0
			return err
		})
	}
	cancel()
	return errors.Join(err, <-over, s.Close())
}

// saveAloud is bump for the one owner of a file. It prints "saving" and "saved"
// around what it writes, before the commit.
func saveAloud(tripID string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		fmt.Println("saving")
		u, err := tx.UserByEmail("anna@example.org")
		if err != nil {
			return err
		}
		err = bump(u.ID, tripID)(tx)
		fmt.Println("saved")
		return err
	}
}

// childWork does jobs, and prints "in" for each.
func childWork(path string) error {
	return childRun(path, 1000, func(*store.Store) map[string]Handler {
		work := func(_ context.Context, job Job) (Result, error) {
			fmt.Println("in")
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			return Result{Save: saveAloud(job.TripID)}, nil
		}
		return map[string]Handler{"a": work, "b": work, "c": work}
	})
}

// TestKill kills a process again and again while it does jobs: while a handler
// works, within the transaction that keeps the result, and around commits. In
// the end each is done, and has had its effect once.
func TestKill(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	path := filepath.Join(t.TempDir(), "trips.db")
	var trips []string
	killed := 0
	for round := range rounds {
		trips = append(trips, enqueueMore(t, path)...)
		c := startChild(t, "work", path)
		wanted := []string{"in", "saving", "saved"}[round%3]
		for n := 1 + rand.IntN(12); n > 0 && c.lines.Scan(); {
			if c.lines.Text() == wanted {
				n--
			}
		}
		// A commit takes about as long as this at most.
		time.Sleep(time.Duration(rand.IntN(400)) * time.Microsecond)
		c.kill()
		if !c.cmd.ProcessState.Success() {
			killed++
		}
		checkOnce(t, path, trips)
	}
	if killed < rounds*3/4 {
		t.Errorf("only %d of %d children were killed while they worked", killed, rounds)
	}
	c := startChild(t, "work", path)
	for c.lines.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	done, crashes := checkOnce(t, path, trips)
	if want := 3 * len(trips); done != want || crashes == 0 {
		t.Errorf("%d jobs of %d are done, %d attempts ended with the process", done, want, crashes)
	}
}

// enqueueMore asks for three jobs of each of five new trips.
func enqueueMore(t *testing.T, path string) []string {
	t.Helper()
	var trips []string
	t.Run("enqueue", func(t *testing.T) {
		y := newYard(t, path)
		trips = y.trips(5)
		for _, id := range trips {
			y.enqueue(id, "a", "b", "c")
		}
	})
	return trips
}

// checkOnce compares what was saved of each trip with its jobs that are done,
// and counts those.
func checkOnce(t *testing.T, path string, trips []string) (done, crashes int) {
	t.Helper()
	t.Run("check", func(t *testing.T) {
		y := newYard(t, path)
		for _, id := range trips {
			n := y.number(`SELECT count(*) FROM job WHERE trip_id = ? AND state = 'done'`, id)
			if saves := y.saves(id); saves != n {
				t.Errorf("%d jobs of a trip are done and had an effect %d times", n, saves)
			}
			done += n
		}
		crashes = y.number(`SELECT sum(crashes) FROM job`)
		if n := y.number(`SELECT count(*) FROM job WHERE state NOT IN ('queued', 'running', 'done')`); n != 0 {
			t.Errorf("%d jobs are lost", n)
		}
		if active, messages := y.number(`SELECT count(*) FROM job WHERE message_id <> ''`),
			y.number(`SELECT count(*) FROM goqite`); active != messages {
			t.Errorf("%d active jobs, %d messages", active, messages)
		}
	})
	return done, crashes
}

// childKiller does jobs, one of which kills the process while others run.
func childKiller(path string) error {
	return childRun(path, 3, func(*store.Store) map[string]Handler {
		return map[string]Handler{
			"work": func(_ context.Context, job Job) (Result, error) {
				fmt.Println("work")
				time.Sleep(50 * time.Millisecond)
				return Result{Save: saveAloud(job.TripID)}, nil
			},
			"killer": func(context.Context, Job) (Result, error) {
				fmt.Println("killer")
				time.Sleep(20 * time.Millisecond)
				p, err := os.FindProcess(os.Getpid())
				if err != nil {
					return Result{}, err
				}
				p.Kill()
				select {}
			},
		}
	})
}

// TestKiller starts a process again and again that one of its jobs kills. That
// job ends after its attempts, and those that ran beside it are done.
func TestKiller(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db")
	var innocent []string
	var killer string
	t.Run("enqueue", func(t *testing.T) {
		y := newYard(t, path)
		innocent, killer = y.trips(8), y.trip()
		for i, id := range innocent {
			if i == 2 {
				y.enqueue(killer, "killer", "work")
			}
			y.enqueue(id, "work")
		}
	})
	var starts int
	for ended := false; !ended && starts < 10; starts++ {
		c := startChild(t, "killer", path)
		killers := 0
		for c.lines.Scan() {
			if c.lines.Text() == "killer" {
				killers++
			}
		}
		err := c.cmd.Wait()
		if ended = err == nil; !ended && killers != 1 {
			t.Fatalf("start %d ended without the killer: %v", starts, err)
		}
	}
	if starts != 4 {
		t.Errorf("%d starts, want 3 that are killed and one more", starts)
	}
	t.Run("check", func(t *testing.T) {
		y := newYard(t, path)
		y.check(killer, "killer", store.JobFailed, 3, ReasonGaveUp, crashed)
		y.check(killer, "work", store.JobDone, 1, "", "")
		beside := 0
		for _, id := range innocent {
			j := y.job(id, "work")
			if j.State != store.JobDone || y.saves(id) != 1 || j.Crashes > 1 {
				t.Errorf("a job beside the killer is %s, crashed %d times and had an effect %d times", j.State, j.Crashes, y.saves(id))
			}
			beside += j.Crashes
		}
		if beside == 0 {
			t.Error("the killer never ran beside another job")
		}
		y.checkNoMessages()
	})
}
