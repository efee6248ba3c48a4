package store

import (
	"strings"
	"testing"
	"time"

	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

func TestTrips(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	full := sampleTrip(anna.ID)
	bare := trip.Trip{OwnerID: anna.ID, SourceType: trip.FileUpload, Settings: trip.DefaultSettings()}
	for _, tr := range []*trip.Trip{&full, &bare} {
		given := *tr
		mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(tr) })
		given.ID, given.Version, given.Generation = tr.ID, 1, 1
		given.CreatedAt = testNow.UTC().Truncate(time.Millisecond)
		given.UpdatedAt = given.CreatedAt
		if d := cmp.Diff(given, *tr); d != "" {
			t.Errorf("created (-want +got):\n%s", d)
		}
		checkTrip(t, s, *tr)
	}
	changed := sampleTrip(anna.ID)
	changed.ID, changed.Version, changed.Generation = bare.ID, 7, 3
	changed.CreatedAt = time.Unix(1, 0)
	later := testNow.Add(time.Hour)
	s.now = func() time.Time { return later }
	mustUpdate(t, s, func(tx *Tx) error { return tx.UpdateTrip(&changed) })
	if want := later.UTC().Truncate(time.Millisecond); changed.UpdatedAt != want {
		t.Errorf("updated at %v, want %v", changed.UpdatedAt, want)
	}
	changed.CreatedAt = bare.CreatedAt
	checkTrip(t, s, changed)
	checkTrip(t, s, full)
	bare.Version, bare.UpdatedAt = 8, changed.UpdatedAt
	mustUpdate(t, s, func(tx *Tx) error { return tx.UpdateTrip(&bare) })
	checkTrip(t, s, bare)
}

func TestSourceTypes(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	for _, source := range []trip.SourceType{trip.KomootTour, trip.KomootCollection, trip.StravaRoute, trip.RideWithGPS, trip.FileUpload} {
		tr := sampleTrip(anna.ID)
		tr.SourceType, tr.Settings = source, trip.DefaultSettings()
		mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&tr) })
		checkTrip(t, s, tr)
	}
}

func checkTrip(t *testing.T, s *Store, want trip.Trip) {
	t.Helper()
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Trip(want.OwnerID, want.ID)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("read (-want +got):\n%s", d)
		}
		return err
	})
}

func TestTripsNewestFirst(t *testing.T) {
	s := newStore(t)
	anna, bob := newOwner(t, s, "anna@example.org"), newOwner(t, s, "bob@example.org")
	var want []string
	for i := range 5 {
		s.now = func() time.Time { return testNow.Add(time.Duration(i/2) * time.Second) }
		for _, owner := range []User{anna, bob} {
			tr := sampleTrip(owner.ID)
			mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&tr) })
			if owner == anna {
				want = append([]string{tr.ID}, want...)
			}
		}
	}
	mustView(t, s, func(tx *Tx) error {
		heads, err := tx.TripHeads(anna.ID)
		var got []string
		for _, h := range heads {
			got = append(got, h.ID)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
}

// TestTripHeads: the last day is the one that is published, whatever was wished.
func TestTripHeads(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	filled, bare, wished := sampleTrip(anna.ID), trip.Trip{OwnerID: anna.ID, SourceType: trip.FileUpload, Settings: trip.DefaultSettings()}, sampleTrip(anna.ID)
	mustUpdate(t, s, func(tx *Tx) error { return fillTrip(tx, &filled, 4) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&bare) })
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&wished) })
	mustView(t, s, func(tx *Tx) error {
		stages, err := tx.Stages(filled.ID)
		if err != nil {
			return err
		}
		heads, err := tx.TripHeads(anna.ID)
		want := []TripHead{
			{wished.ID, wished.Title, wished.StartDate, wished.WishedEndDate},
			{bare.ID, "", 0, 0},
			{filled.ID, filled.Title, filled.StartDate, filled.StartDate + trip.Date(len(stages)) - 1},
		}
		if d := cmp.Diff(want, heads); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
}

// TestTripsOfOthers gives the very same answer for a trip of somebody else as
// for one that does not exist, and leaves it alone.
func TestTripsOfOthers(t *testing.T) {
	s := newStore(t)
	anna, bob := newOwner(t, s, "anna@example.org"), newOwner(t, s, "bob@example.org")
	tr := sampleTrip(anna.ID)
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&tr) })
	for _, id := range []string{tr.ID, sampleID(1), "", "' OR 1 --"} {
		mustUpdate(t, s, func(tx *Tx) error {
			if got, err := tx.Trip(bob.ID, id); err != ErrNotFound || got.ID != "" {
				t.Errorf("read %q: %v %v", id, got, err)
			}
			stolen := sampleTrip(bob.ID)
			stolen.ID, stolen.Version, stolen.Generation = id, 9, 9
			if err := tx.UpdateTrip(&stolen); err != ErrNotFound {
				t.Errorf("update %q: %v", id, err)
			}
			if err := tx.DeleteTrip(bob.ID, id); err != ErrNotFound {
				t.Errorf("delete %q: %v", id, err)
			}
			return nil
		})
	}
	mustUpdate(t, s, func(tx *Tx) error {
		orphan := sampleTrip(sampleID(1))
		if err := tx.CreateTrip(&orphan); err != ErrNotFound || orphan.ID != "" {
			t.Errorf("a trip of nobody: %v %v", orphan.ID, err)
		}
		return nil
	})
	checkTrip(t, s, tr)
}

// TestDeletionTakesAllAlong deletes a trip, then an account.
func TestDeletionTakesAllAlong(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	trips := []trip.Trip{sampleTrip(anna.ID), sampleTrip(anna.ID)}
	for i := range trips {
		mustUpdate(t, s, func(tx *Tx) error { return fillTrip(tx, &trips[i], 10*i) })
	}
	checkCounts := func(want map[string]int) {
		t.Helper()
		got := map[string]int{}
		for table := range want {
			got[table] = number(t, s.readers.db, "SELECT count(*) FROM "+table)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("rows (-want +got):\n%s", d)
		}
	}
	mustUpdate(t, s, func(tx *Tx) error {
		g := Grant{UserID: anna.ID, ClientID: "c", ClientName: "Agent", Scopes: []string{"trips:read"}}
		return tx.CreateGrant(&g)
	})
	checkCounts(map[string]int{"user": 1, "trip": 2, "stage": 6, "track": 2, "stage_track": 4, "grant": 1})
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteTrip(anna.ID, trips[0].ID) })
	checkCounts(map[string]int{"user": 1, "trip": 1, "stage": 3, "track": 1, "stage_track": 2})
	checkTrip(t, s, trips[1])
	ben := newOwner(t, s, "ben@example.org")
	mustUpdate(t, s, func(tx *Tx) error {
		a := Answer{Subject: trips[1].SourceURL, URL: trips[1].SourceURL, Body: []byte("x")}
		return tx.KeepAnswer(a, time.Hour)
	})
	checkCounts(map[string]int{"answer": 1})
	mustUpdate(t, s, func(tx *Tx) error {
		if err := tx.DeleteUser(sampleID(1)); err != ErrNotFound {
			t.Errorf("nobody is deleted: %v", err)
		}
		return tx.DeleteUser(anna.ID)
	})
	checkCounts(map[string]int{"user": 1, "trip": 0, "stage": 0, "track": 0, "stage_track": 0, "grant": 0, "answer": 0})
	mustView(t, s, func(tx *Tx) error {
		_, err := tx.User(ben.ID)
		return err
	})
}

// fillTrip creates a trip with days, a track, and a line of each ridden day.
func fillTrip(tx *Tx, tr *trip.Trip, first int) error {
	if err := tx.CreateTrip(tr); err != nil {
		return err
	}
	if err := tx.SaveTrack(tr.ID, Track{Line: sampleLine()}); err != nil {
		return err
	}
	stages := sampleStages(first)
	if err := tx.SaveStages(tr.ID, stages); err != nil {
		return err
	}
	for _, s := range stages {
		if s.RestDay {
			continue
		}
		if err := tx.SaveStageTrack(s.ID, sampleLine()); err != nil {
			return err
		}
	}
	return nil
}

// TestHostileText keeps what a page, a source or an agent may send, byte for
// byte.
func TestHostileText(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	for name, text := range map[string]string{
		"quotes":      `'; DROP TABLE trip; -- "x" ` + "`y`",
		"NUL":         "a\x00b\x00",
		"controls":    "\x01\x1b[31m\r\n\t\x7f\u0085\u2028",
		"directions":  "\u202eevil\u2066",
		"not UTF-8":   "\xff\xfe\xc3\x28",
		"parameters":  "?1 :a @b $c",
		"JSON":        `["hotel"]`,
		"a number":    "007",
		"longest":     strings.Repeat("\U0001F6B2", 255),
		"replacement": "\ufffd",
	} {
		tr := sampleTrip(anna.ID)
		tr.Title, tr.SourceURL = text, text+strings.Repeat(text, 1+1<<20/len(text))
		mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&tr) })
		checkTrip(t, s, tr)
		stages := sampleStages(0)
		stages[0].Label, stages[0].StartLabel, stages[0].EndLabel = text, tr.SourceURL, text
		mustUpdate(t, s, func(tx *Tx) error { return tx.SaveStages(tr.ID, stages) })
		checkStages(t, s, tr.ID, stages)
		mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteTrip(anna.ID, tr.ID) })
		if t.Failed() {
			t.Fatalf("with %s", name)
		}
	}
}

// TestRefusedTrips keeps out of the file what no trip may be, whoever sends it.
func TestRefusedTrips(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	good := sampleTrip(anna.ID)
	mustUpdate(t, s, func(tx *Tx) error { return tx.CreateTrip(&good) })
	for column, spoil := range map[string]func(*trip.Trip){
		"title":               func(tr *trip.Trip) { tr.Title = strings.Repeat("a", 256) },
		"length(title)":       func(tr *trip.Trip) { tr.Title = strings.Repeat("a", 1<<20) },
		"octet_length(title)": func(tr *trip.Trip) { tr.Title = "\x00" + strings.Repeat("a", 1020) },
		"source_type":         func(tr *trip.Trip) { tr.SourceType = "carrier_pigeon" },
		"fatigue_factor":      func(tr *trip.Trip) { tr.Settings.FatigueFactor = 0.49 },
		"elevation_penalty":   func(tr *trip.Trip) { tr.Settings.ElevationPenalty = 0 },
		"max_day_km":          func(tr *trip.Trip) { tr.Settings.MaxDayKM = 301 },
		"average_speed_kmh":   func(tr *trip.Trip) { tr.Settings.AverageSpeedKMH = 4 },
		"departure_hour":      func(tr *trip.Trip) { tr.Settings.DepartureHour = 24 },
		"accommodation_types": func(tr *trip.Trip) { tr.Settings.AccommodationTypes = nil },
		"version":             func(tr *trip.Trip) { tr.Version = 0 },
		"generation":          func(tr *trip.Trip) { tr.Generation = -1 },
	} {
		bad := good
		spoil(&bad)
		err := s.Update(t.Context(), func(tx *Tx) error { return tx.UpdateTrip(&bad) })
		if err == nil || !strings.Contains(err.Error(), column) || !strings.HasPrefix(err.Error(), "update trip: ") {
			t.Errorf("%s: %v", column, err)
		}
	}
	checkTrip(t, s, good)
}
