package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/oauth"
	"biketrip/store/trip"
)

// verifier is what the server of that address would verify tokens with.
func verifier(t *testing.T, d *desk, public string) *oauth.Server {
	t.Helper()
	keys, err := oauth.OpenKeys(keyFile(d.file.Path()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return oauth.New(oauth.Options{Store: d.file, Keys: keys, DefaultURI: public, Resource: "/mcp", Scopes: trip.Scopes()})
}

// noPublicAddress takes away the address that the environment may give.
func noPublicAddress(t *testing.T) {
	t.Helper()
	t.Setenv("DOMAIN", "")
	t.Setenv("DEFAULT_URI", "")
}

// printedToken is the token that a command line prints.
func printedToken(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := biketrip("", append([]string{"token"}, args...)...)
	token, ended := strings.CutSuffix(out, "\n")
	if code != exitOK || errs != "" || !ended || strings.ContainsAny(token, " \n") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	return token
}

// TestToken prints tokens that the server beside it takes.
func TestToken(t *testing.T) {
	noPublicAddress(t)
	db := filepath.Join(t.TempDir(), "trips.db")
	d := openDesk(t, db)
	id := addClient(t, db, "--name", "Agent")
	server := verifier(t, d, "http://localhost:8080")
	both := []string{trip.ScopeRead, trip.ScopeWrite}
	as := []string{"--db", db, "--user", "ANNA@example.org", "--client", id}
	with := func(args ...string) string { return printedToken(t, append(as[:len(as):len(as)], args...)...) }
	a, err := server.Verify(t.Context(), with())
	if want := (oauth.Access{GrantID: a.GrantID, UserID: d.actor.UserID, ClientID: id, Email: "anna@example.org", Scopes: both}); err != nil || !cmp.Equal(want, a) {
		t.Errorf("%v, %v", a, err)
	}
	again, err := server.Verify(t.Context(), with("--scope", "trips:write"))
	if err != nil || again.GrantID != a.GrantID || !cmp.Equal(again.Scopes, both[1:]) {
		t.Errorf("%v, %v", again, err)
	}
	for _, c := range []struct {
		public string
		token  string
	}{
		{"https://trips.example", with("--default-uri", "https://trips.example:443")},
		{"https://trips.example", with("--domain", "trips.example")},
	} {
		if _, err := verifier(t, d, c.public).Verify(t.Context(), c.token); err != nil {
			t.Error(err)
		}
		if _, err := server.Verify(t.Context(), c.token); !errors.Is(err, oauth.ErrInvalidToken) {
			t.Errorf("a token of another address: %v", err)
		}
	}
	t.Setenv("DOMAIN", "env.example")
	if _, err := verifier(t, d, "https://env.example").Verify(t.Context(), with()); err != nil {
		t.Error(err)
	}
	t.Setenv("DEFAULT_URI", "https://other.example")
	if code, out, errs := biketrip("", append([]string{"token"}, as...)...); code != exitUsage || out != "" || !strings.Contains(errs, "give one of them") {
		t.Errorf("two addresses: exit %d: %s%s", code, out, errs)
	}
	t.Setenv("DOMAIN", "")
	if _, err := verifier(t, d, "https://other.example").Verify(t.Context(), with()); err != nil {
		t.Error(err)
	}
}

// TestTokenAfterKeysAreRemoved: a server that runs takes tokens of a key file
// made anew.
func TestTokenAfterKeysAreRemoved(t *testing.T) {
	noPublicAddress(t)
	db := filepath.Join(t.TempDir(), "trips.db")
	d := openDesk(t, db)
	id := addClient(t, db, "--name", "Agent")
	server := verifier(t, d, "http://localhost:8080")
	if err := os.Remove(keyFile(d.file.Path())); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Verify(t.Context(), printedToken(t, "--db", db, "--user", "anna@example.org", "--client", id)); err != nil {
		t.Error(err)
	}
}

func TestTokenRefused(t *testing.T) {
	noPublicAddress(t)
	dir := t.TempDir()
	db, none := filepath.Join(dir, "trips.db"), filepath.Join(dir, "none.db")
	openDesk(t, db)
	id := addClient(t, db, "--name", "Agent")
	damaged := filepath.Join(dir, "damaged.db")
	openDesk(t, damaged)
	other := addClient(t, damaged, "--name", "Agent")
	if err := os.WriteFile(keyFile(damaged), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	as := func(db, user, client string, more ...string) []string {
		return append([]string{"token", "--db", db, "--user", user, "--client", client}, more...)
	}
	for _, c := range []struct {
		code int
		says []string
		args []string
	}{
		{exitUsage, []string{"--client", "--user", "Try: biketrip token --help"}, []string{"token", "--db", db}},
		{exitError, []string{`no user "ben@example.org"`, "biketrip user list", "biketrip user add EMAIL"}, as(db, "ben@example.org", id)},
		{exitError, []string{"\"b�", "biketrip user list"}, as(db, "b\u202e", id)},
		{exitError, []string{`with the id "x"`, "biketrip client list", "biketrip client add"}, as(db, "anna@example.org", "x")},
		{exitError, []string{`"admin"`, "trips:read, trips:write"}, as(db, "anna@example.org", id, "--scope", "trips:read admin")},
		{exitError, []string{"--scope names no scope", "trips:read, trips:write"}, as(db, "anna@example.org", id, "--scope", " ")},
		{exitError, []string{"no database file yet", "biketrip user add EMAIL"}, as(none, "anna@example.org", id)},
		{exitError, []string{keyFile(damaged), "remove it"}, as(damaged, "anna@example.org", other)},
		{exitUsage, []string{"--default-uri must be", "ends with a slash"}, as(db, "anna@example.org", id, "--default-uri", "https://trips.example/")},
		{exitUsage, []string{"--db names no file"}, as("", "anna@example.org", id)},
	} {
		code, out, errs := biketrip("", c.args...)
		for _, says := range c.says {
			if code != c.code || out != "" || !strings.Contains(errs, says) {
				t.Errorf("%q: exit %d, %s%s", c.args, code, out, errs)
			}
		}
	}
	if left, _ := filepath.Glob(none + "*"); left != nil {
		t.Errorf("what is refused leaves %v", left)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.WriteFile(keyFile(damaged), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(keyFile(damaged), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := biketrip("", as(damaged, "anna@example.org", other)...); code != exitError || out != "" || !strings.Contains(errs, "chmod 600") {
		t.Errorf("keys for all to read: exit %d, %s%s", code, out, errs)
	}
}
