package store

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"biketrip/store/track"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// childMode names what the test binary does instead of running tests when it
// is started as a process of its own.
const childMode = "BIKETRIP_STORE_CHILD"

func TestMain(m *testing.M) {
	run := map[string]func(path string) error{
		"hold":  childHold,
		"write": childWrite,
		"churn": childChurn,
	}[os.Getenv(childMode)]
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
	cmd   *exec.Cmd
	stdin io.WriteCloser
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
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
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
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child printed no more: %v", c.lines.Err())
	}
	return c.lines.Text()
}

// kill ends the child as a power cut ends a process, and waits for its end.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// wait waits until the child has ended by itself.
func (c *child) wait(t *testing.T) {
	t.Helper()
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
}

// childHold holds the file as its server until its input ends.
func childHold(path string) error {
	s, err := Open(context.Background(), Options{Path: path})
	if err != nil {
		return err
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// testNow is the time in tests, finer than what is stored.
var testNow = time.Date(2026, 5, 17, 9, 30, 15, 123_456_789, time.FixedZone("", 2*60*60))

func testClock() time.Time { return testNow }

// openTest opens a file as its server for one test.
func openTest(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Now: testClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newStore is an open store in a directory of its own.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openTest(t, filepath.Join(t.TempDir(), "trips.db"))
}

func mustUpdate(t testing.TB, s *Store, fn func(*Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func mustView(t testing.TB, s *Store, fn func(*Tx) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// newOwner makes a user for one test.
func newOwner(t testing.TB, s *Store, email string) User {
	t.Helper()
	var u User
	mustUpdate(t, s, func(tx *Tx) (err error) {
		u, err = tx.CreateUser(email, "en")
		return err
	})
	return u
}

// raw runs statements on the file outside of the store and leaves no process
// behind that holds it.
func raw(t testing.TB, path, parameters string, statements ...string) {
	t.Helper()
	db := rawOpen(t, path, parameters)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func rawOpen(t testing.TB, path, parameters string) *sql.DB {
	t.Helper()
	if err := lockByDescription(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(driver, fileURI(path, parameters))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// number is the one number that a statement on the file yields.
func number(t testing.TB, db *sql.DB, statement string) int {
	t.Helper()
	var n int
	if err := db.QueryRow(statement).Scan(&n); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return n
}

// samePoints compares points so that two unknown heights are the same.
var samePoints = cmp.Comparer(track.Point.Same)

func metres(v float64) *float64 { return &v }

// sampleTrip is a trip that differs from the default in every field.
func sampleTrip(ownerID string) trip.Trip {
	return trip.Trip{
		OwnerID:    ownerID,
		Title:      "Von Küste zu Küste 🚲",
		SourceURL:  "https://www.komoot.com/tour/123?share_token=a%20b",
		SourceType: trip.KomootTour,
		Settings: trip.Settings{
			FatigueFactor:      0.85,
			ElevationPenalty:   62.5,
			MaxDayKM:           95.25,
			AverageSpeedKMH:    17.3,
			DepartureHour:      6,
			EbikeMode:          true,
			AccommodationTypes: []trip.AccommodationType{trip.Hotel, trip.CampSite},
		},
		StartDate:     trip.DateOf(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)),
		WishedEndDate: trip.DateOf(time.Date(2026, 7, 5, 0, 0, 0, 0, time.UTC)),
		OutOfZone:     true,
	}
}

// newestTrip is the newest trip of an owner.
func newestTrip(tx *Tx, ownerID string) (trip.Trip, error) {
	heads, err := tx.TripHeads(ownerID)
	if err == nil && len(heads) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return trip.Trip{}, err
	}
	return tx.Trip(ownerID, heads[0].ID)
}

// sampleID is the n-th of the ids of sampleStages.
func sampleID(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) }

// sampleStages are a day with everything known, a rest day, and a day with
// nothing known.
func sampleStages(first int) []trip.Stage {
	night := track.Point{Lat: 45.123456789, Lon: -0.000001, Ele: 1201.25}
	return []trip.Stage{
		{
			ID: sampleID(first), Label: "Über den Pass", StartLabel: "Grenoble", EndLabel: "Die",
			DistanceM: 81234.567, AscentM: metres(1520.5), DescentM: metres(0),
			Start: track.Point{Lat: 45.18, Lon: 5.72, Ele: -3.5}, End: night,
			Span: &trip.Span{FromM: 0, ToM: 81234.567},
		},
		{ID: sampleID(first + 1), RestDay: true, Start: night, End: night},
		{
			ID: sampleID(first + 2), DistanceM: 40000,
			Start: track.Point{Lat: -90, Lon: 180, Ele: math.NaN()},
			End:   track.Point{Lat: 90, Lon: -180, Ele: math.NaN()},
		},
	}
}

// sampleLine is a line of two parts, in which some heights are not known.
func sampleLine() track.Line {
	unknown := math.NaN()
	return track.NewLine(
		[]track.Point{{Lat: 45.1, Lon: 5.7, Ele: 210.04}, {Lat: 45.1000004, Lon: 5.7100006, Ele: unknown}, {Lat: 45.12, Lon: 5.72, Ele: -1.25}},
		[]track.Point{{Lat: 46, Lon: 179.9999999, Ele: unknown}, {Lat: 46.1, Lon: -179.99, Ele: unknown}},
	)
}
