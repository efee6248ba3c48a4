package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"biketrip/store"
)

// welcomed waits for what the server prints about its first account, and gives the
// link.
func (s *server) welcomed(email string) (link string) {
	s.t.Helper()
	line := regexp.MustCompile(`^to sign in as ` + regexp.QuoteMeta(email) + `, once, within half an hour: (` + regexp.QuoteMeta(s.address) + `/login/[\w-]{43})\n$`)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if found := line.FindStringSubmatch(s.printed()); found != nil {
			return found[1]
		}
	}
	s.t.Fatalf("it prints %q", s.printed())
	return ""
}

// emails are the people of a file.
func emails(t *testing.T, db string) string {
	t.Helper()
	code, out, errs := biketrip("", "user", "list", "--db", db, "--json")
	var listed []listedUser
	if err := json.Unmarshal([]byte(out), &listed); code != exitOK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	var all []string
	for _, u := range listed {
		all = append(all, u.Email)
	}
	return strings.Join(all, " ")
}

// TestFirstRun: the first start makes an account and prints a link with which a
// browser signs in, the log aside; later ones make and print nothing.
func TestFirstRun(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	link := s.welcomed("owner@localhost")
	b := newBrowser(t)
	if page := b.open(link); page.status != http.StatusOK || !strings.Contains(page.body, "owner@localhost") {
		t.Errorf("%d %s", page.status, page.body)
	}
	b.do("POST", link, nil)
	if page := b.open(s.address + "/account"); page.status != http.StatusOK || !strings.Contains(page.body, "owner@localhost") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if s.stop(); strings.Contains(s.text(), "/login") || strings.Contains(s.text(), "owner@") {
		t.Errorf("the log has secrets: %s", s.text())
	}
	for _, c := range []struct{ owner, says string }{{"", ""}, {"OWNER@localhost", ""}, {"eve@example.org", "--owner is not among the people of this file"}} {
		again := startServer(t, dir, []string{"BIKETRIP_OWNER=" + c.owner})
		again.stop()
		if again.printed() != "" || strings.Contains(again.text(), "first account") || strings.Contains(again.text(), "eve@") || strings.Contains(again.text(), "--owner") != (c.says != "") || !strings.Contains(again.text(), c.says) {
			t.Errorf("%s: printed %q: %s", c.owner, again.printed(), again.text())
		}
	}
	if got := emails(t, dbIn(dir)); got != "owner@localhost" {
		t.Errorf("there are %s", got)
	}
}

// TestOwner: the first account is who --owner says, and what is no address starts
// nothing.
func TestOwner(t *testing.T) {
	dir := t.TempDir()
	startServer(t, dir, nil, "--owner", " Anna@example.org").welcomed("Anna@example.org")
	if got := emails(t, dbIn(dir)); got != "Anna@example.org" {
		t.Errorf("there are %s", got)
	}
	if code, _, errs := biketrip("", "serve", "--owner", "\x1b[31m", "--db", filepath.Join(dir, "none.db")); code != exitUsage || !strings.Contains(errs, "--owner must be an e-mail address") || strings.Contains(errs, "\x1b") {
		t.Errorf("exit %d: %s", code, errs)
	}
	added := t.TempDir()
	addUser(t, added, "ben@example.org")
	s := startServer(t, added, nil)
	if s.stop(); s.printed() != "" {
		t.Errorf("printed %q", s.printed())
	}
}

// TestFirstRunBesideUserAdd: whoever adds somebody while the server starts, there is
// a first account where it came first, and none where it did not.
func TestFirstRunBesideUserAdd(t *testing.T) {
	for round := range 8 {
		db := filepath.Join(t.TempDir(), "trips.db")
		file, err := store.Open(t.Context(), store.Options{Path: db, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		added := make(chan string)
		go func() {
			code, _, errs := biketrip("", "user", "add", "anna@example.org", "--db", db)
			added <- fmt.Sprint(code, errs)
		}()
		time.Sleep(time.Duration(round) * 2 * time.Millisecond) // so that each is first now and then
		first, err := ownerFlag{}.welcome(t.Context(), &program{parts: parts{uri: defaultPublic}, file: file})
		if got := <-added; err != nil || got != "0" {
			t.Fatalf("%v, %s", err, got)
		}
		want := "anna@example.org"
		if first.email != "" {
			want = "owner@localhost anna@example.org"
		}
		if got := emails(t, db); got != want {
			t.Errorf("there are %s, want %s", got, want)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
