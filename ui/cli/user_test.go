package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsers(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trips.db")
	code, out, errs := biketrip("", "user", "add", "Anna@example.org", "--db", db, "--json")
	var added map[string]any
	if err := json.Unmarshal([]byte(out), &added); code != exitOK || err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	link, _ := added["link"].(string)
	if id, _ := added["id"].(string); len(id) != 36 || added["email"] != "Anna@example.org" || !strings.HasPrefix(link, "http://localhost:8080/login/") || len(added) != 3 {
		t.Errorf("added %v", added)
	}
	code, out, errs = biketrip("", "user", "add", "ben@example.org", "--db", db, "--language", "fr")
	if code != exitOK || !strings.Contains(out, "ben@example.org") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	_, out, _ = biketrip("", "user", "list", "--db", db, "--json")
	var listed []listedUser
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) != 2 || listed[0].Email != "Anna@example.org" || listed[1].Language != "fr" || listed[0].CreatedAt.IsZero() {
		t.Errorf("listed %v", listed)
	}
	_, out, _ = biketrip("", "user", "list", "--db", db)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "Anna@example.org  en ") {
		t.Errorf("listed\n%s", out)
	}
	none := filepath.Join(t.TempDir(), "none.db")
	biketrip("", "user", "add", "anna", "--db", none)
	if left, _ := filepath.Glob(none + "*"); left != nil {
		t.Errorf("what is no address leaves %v", left)
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitError, "there is no user \"ann@example.org\"", []string{"link", "ann@example.org", "--db", db}},
		{exitUsage, "scheme and host alone", []string{"link", "anna@example.org", "--db", db, "--default-uri", "http://localhost/x"}},
		{exitError, "already", []string{"add", "anna@EXAMPLE.org", "--db", db}},
		{exitError, "not an e-mail address", []string{"add", "anna", "--db", db}},
		{exitError, "not an e-mail address", []string{"add", "\x1b[31m@", "--db", db}},
		{exitUsage, "--language", []string{"add", "c@example.org", "--language", "de", "--db", db}},
		{exitUsage, "Try: biketrip user add --help", []string{"add", "--db", db}},
		{exitUsage, "--db names no file", []string{"list", "--db", ""}},
		{exitError, "not an e-mail address", []string{"add", "a\xff@example.org", "--db", db}},
		{exitError, "no database file yet", []string{"list", "--db", filepath.Join(t.TempDir(), "none.db")}},
	} {
		code, _, errs := biketrip("", append([]string{"user"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.says) || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: exit %d, %s", c.args, code, errs)
		}
	}
}

func TestListsOfNothing(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trips.db")
	openDesk(t, db)
	_, out, _ := biketrip("", "trip", "list", "--db", db, "--json")
	if out != "[]\n" {
		t.Errorf("no trips are %q", out)
	}
	_, out, _ = biketrip("", "trip", "list", "--db", db)
	if out != "no trip yet\n" {
		t.Errorf("no trips are %q", out)
	}
	missing := filepath.Join(t.TempDir(), "none.db")
	if code, _, errs := biketrip("", "trip", "list", "--db", missing); code != exitError || !strings.Contains(errs, "no database file yet") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a list made a file")
	}
}
