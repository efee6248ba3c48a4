package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store/trip"
)

// TestServe: a trip that somebody asks for beside the server gets its days, and
// the server stops when it is told to.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	for status := 0; status != http.StatusOK; status, _ = s.get("/readyz") {
		// The runner is about to look at the file for the first time.
	}
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/healthz": {http.StatusOK, "ok\n"},
		"/readyz":  {http.StatusOK, "ready\n"},
		"/nope":    {http.StatusNotFound, `{"error":"not_found","error_description":"There is nothing at this address."}`},
	} {
		if status, body := s.get(path); status != want.status || body != want.body {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	if info, err := os.Stat(dbIn(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if got := s.logged("serving", "replication"); !strings.Contains(got, "litestream.yml") {
		t.Errorf("replication is told as %q", got)
	}
	d := openDesk(t, dbIn(dir))
	tour := d.days(d.create(world.TourLink, ""))
	if tour.Trip.Version != 2 || tour.Status() != trip.Ready || tour.Trip.Title == "" {
		t.Errorf("the tour is %+v", tour)
	}
	failed := d.create(world.PrivateLink, "Closed \x1b[31m road")
	for d.trip(failed).Partial() {
		time.Sleep(time.Millisecond)
	}
	listTrips(t, dbIn(dir))
	if code := s.stop(); code != exitOK {
		t.Errorf("stopped with %d: %s", code, s.text())
	}
}

// listTrips lists the trips of TestServe, beside the server.
func listTrips(t *testing.T, db string) {
	t.Helper()
	code, out, errs := biketrip("", "trip", "list", "--db", db, "--json")
	var listed []listedTrip
	if err := json.Unmarshal([]byte(out), &listed); code != exitOK || err != nil || len(listed) != 2 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	failed, tour := listed[0], listed[1]
	if tour.Status != trip.ListAnalyzed || tour.Days != 5 || math.Abs(*tour.Distance-260.9) > 0.1 || tour.Reason != nil || tour.Version != 2 || tour.User != "anna@example.org" || tour.StartDate != nil {
		t.Errorf("the tour is listed as %+v", tour)
	}
	if failed.Status != trip.ListFailed || failed.Days != 0 || failed.Reason == nil || !strings.HasPrefix(*failed.Reason, "private: ") {
		t.Errorf("the private one is listed as %+v", failed)
	}
	if code, out, errs := biketrip("", "trip", "list", "--db", db, "--user", "ANNA@example.org"); code != exitOK || strings.Count(out, "\n") != 4 || !strings.Contains(out, failed.ID+" failed: private: ") || strings.Contains(out, "\x1b") {
		t.Errorf("exit %d: %q%s", code, out, errs)
	}
	if code, _, errs := biketrip("", "trip", "list", "--db", db, "--user", "eve@example.org"); code != exitError || !strings.Contains(errs, "no user") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestServeTwice: a file has one server, and an address too.
func TestServeTwice(t *testing.T) {
	dir := t.TempDir()
	first := startServer(t, dir, nil)
	began := time.Now()
	second := launch(t, dir, nil)
	if code := second.wait(); code != exitError || !strings.Contains(second.text(), "another biketrip server holds the file") {
		t.Errorf("exit %d after %v: %s", code, time.Since(began), second.text())
	}
	third := launch(t, t.TempDir(), nil, "--listen", strings.TrimPrefix(first.address, "http://"))
	if code := third.wait(); code != exitError || !strings.Contains(third.text(), "--listen") {
		t.Errorf("exit %d: %s", code, third.text())
	}
}

// TestServeStopsInTime: a client that never sends what it has announced keeps the
// server from stopping for as long as others may take, and no longer.
func TestServeStopsInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	s := startServer(t, t.TempDir(), nil)
	c, err := net.Dial("tcp", s.logged("serving", "listening"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n", strings.TrimPrefix(s.address, "http://"))
	for deadline := time.Now().Add(patience); s.logged("call", "outcome") == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // from the answer on it waits for what was announced
			t.Fatal(s.text())
		}
	}
	if code := s.stop(); code != exitOK || !strings.Contains(s.text(), "requests under way are cut off") {
		t.Errorf("stopped with %d: %s", code, s.text())
	}
}

// TestServeRefuses: what cannot be served says why and makes no file.
func TestServeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		litestream string
		args       []string
		code       int
		says       string
		env        []string
	}{
		"no such folder":    {"", []string{"--db", "missing/trips.db"}, exitError, "does not exist", nil},
		"no such replica":   {"", []string{"--litestream", "other.yml"}, exitError, "other.yml", nil},
		"an unknown key":    {"dbs:\n  - path: ${BIKETRIP_DB}\n    colour: red\n", nil, exitError, "colour", nil},
		"another database":  {"dbs:\n  - path: other.db\n    replica: {url: 'file:///nowhere'}\n", nil, exitError, "other.db", nil},
		"an address alone":  {"", []string{"--listen", "8080"}, exitUsage, "--listen", nil},
		"a word too many":   {"", []string{"ride.gpx"}, exitUsage, "ride.gpx", nil},
		"an unlikely place": {"", []string{"--listen", "192.0.2.1:1"}, exitError, "--listen", nil},
		"a replica unread":  {"", nil, exitError, "there is no litestream.yml here", []string{"BIKETRIP_REPLICA=file:///nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.litestream != "" {
				if err := os.WriteFile(filepath.Join(dir, "litestream.yml"), []byte(c.litestream), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := launch(t, dir, c.env, c.args...)
			if code := s.wait(); code != c.code || !strings.Contains(s.text(), c.says) {
				t.Errorf("exit %d: %s", code, s.text())
			}
			if _, err := os.Stat(dbIn(dir)); err == nil {
				t.Error("a file is made")
			}
		})
	}
}

// TestServeSurvivesKills: a server that is killed while it works on a trip cuts
// it all the same when it is started again, and cuts no trip twice.
func TestServeSurvivesKills(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	dir := t.TempDir()
	d := openDesk(t, dbIn(dir))
	var ids []string
	s := startServer(t, dir, nil)
	for round := range rounds {
		id := d.create(world.TourLink, strings.Repeat("x", round+1))
		ids = append(ids, id)
		d.begun(id)
		time.Sleep(time.Duration(round) * 60 * time.Millisecond / time.Duration(rounds))
		s.kill()
		s = startServer(t, dir, nil)
		d.days(id)
	}
	for _, id := range ids {
		if r := d.trip(id); r.Trip.Version != 2 || r.Status() != trip.Ready || r.Category(trip.CategoryRoute).Status != trip.Done {
			t.Errorf("a trip is %+v", r)
		}
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("stopped with %d: %s", code, s.text())
	}
}

// TestServeRestores: where the file is lost, the server begins with its replica:
// at most two seconds old after a kill, whole after it was told to stop.
func TestServeRestores(t *testing.T) {
	dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "replica")
	config, err := os.ReadFile(repositoryFile(t, "litestream.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "litestream.yml"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"BIKETRIP_REPLICA=file://" + kept}
	lose := func() {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(dir, "*biketrip.db*"))
		if err != nil || len(names) == 0 {
			t.Fatalf("nothing to lose: %v", err)
		}
		hidden, _ := filepath.Glob(filepath.Join(dir, ".biketrip.db*"))
		for _, name := range append(names, hidden...) {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := startServer(t, dir, env)
	if got := s.logged("serving", "replication"); !strings.Contains(got, kept) {
		t.Errorf("replication is told as %q", got)
	}
	d := openDesk(t, dbIn(dir))
	first := d.create(world.TourLink, "first")
	want := d.days(first)
	time.Sleep(2 * time.Second) // what the replica may be behind
	s.kill()
	d.file.Close()
	lose()

	s = startServer(t, dir, env)
	d = openDesk(t, dbIn(dir))
	if got := d.trip(first); len(got.Stages) != len(want.Stages) || got.Trip.Version != want.Trip.Version {
		t.Errorf("after a kill the trip is %+v", got)
	}
	second := d.create(world.TourLink, "second")
	d.days(second)
	d.file.Close()
	if code := s.stop(); code != exitOK {
		t.Errorf("stopped with %d: %s", code, s.text())
	}
	lose()

	startServer(t, dir, env)
	d = openDesk(t, dbIn(dir))
	if got := d.trip(second); len(got.Stages) == 0 {
		t.Errorf("after a stop the trip is %+v", got)
	}
}

// TestServeWithoutItsReplica: a server that has its file serves without its
// replica, and says so.
func TestServeWithoutItsReplica(t *testing.T) {
	if testing.Short() {
		t.Skip("the server needs its time to be sure")
	}
	dir := t.TempDir()
	d := openDesk(t, dbIn(dir))
	s := startServer(t, dir, []string{
		"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x",
		"BIKETRIP_REPLICA=s3://bucket/trips?endpoint=http://127.0.0.1:1&region=eu&force-path-style=true",
	}, "--litestream", repositoryFile(t, "litestream.yml"))
	if r := d.days(d.create(world.TourLink, "")); r.Status() != trip.Ready {
		t.Errorf("%+v", r)
	}
	deadline := time.Now().Add(patience)
	for status := 0; status != http.StatusServiceUnavailable; time.Sleep(10 * time.Millisecond) {
		if status, _ = s.get("/readyz"); time.Now().After(deadline) {
			t.Fatalf("ready without the replica: %s", s.text())
		}
	}
	for !strings.Contains(s.text(), `"msg":"not ready"`) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is said: %s", s.text())
		}
		time.Sleep(10 * time.Millisecond)
	}
	if code := s.stop(); code != exitError || !strings.Contains(s.text(), "the replica may lack the last writes") {
		t.Errorf("stopped with %d: %s", code, s.text())
	}
}

// TestUserAddMakesNoSecondHistory: a file that its replica may have is not made
// anew by a verb beside the server.
func TestUserAddMakesNoSecondHistory(t *testing.T) {
	t.Setenv("BIKETRIP_REPLICA", "file://"+t.TempDir())
	db := dbIn(t.TempDir())
	for _, empty := range []bool{false, true} {
		if empty {
			if err := os.WriteFile(db, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, _, errs := biketrip("", "user", "add", "anna@example.org", "--db", db, "--litestream", repositoryFile(t, "litestream.yml"))
		if info, err := os.Stat(db); code != exitError || !strings.Contains(errs, "start the server once") || err == nil && info.Size() > 0 {
			t.Errorf("exit %d, %v: %s", code, err, errs)
		}
	}
}
