package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/store"
)

// addClient adds a client and gives its id.
func addClient(t *testing.T, db string, args ...string) string {
	t.Helper()
	code, out, errs := biketrip("", append([]string{"client", "add", "--db", db, "--json"}, args...)...)
	var added map[string]string
	if err := json.Unmarshal([]byte(out), &added); code != exitOK || err != nil || len(added) != 1 || len(added["id"]) != 36 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	return added["id"]
}

func TestClients(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trips.db")
	first := addClient(t, db, "--name", " My agent", "--redirect-uri", "http://127.0.0.1/cb?a=b,c", "--redirect-uri", "cursor://x")
	code, out, errs := biketrip("", "client", "add", "--db", db, "--name", "Headless")
	if code != exitOK || !strings.HasPrefix(out, "added Headless, id ") || !strings.Contains(out, "biketrip token --user EMAIL --client ") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	_, out, _ = biketrip("", "client", "list", "--db", db, "--json")
	var listed []listedClient
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	want := []listedClient{
		{first, "My agent", store.ClientOperator, []string{"http://127.0.0.1/cb?a=b,c", "cursor://x"}, false, listed[0].CreatedAt},
		{listed[1].ID, "Headless", store.ClientOperator, []string{}, false, listed[1].CreatedAt},
	}
	if d := cmp.Diff(want, listed); d != "" || listed[0].CreatedAt.IsZero() {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, name := range []string{`"id"`, `"name"`, `"kind": "operator"`, `"redirectUris": []`, `"createdAt"`} {
		if !strings.Contains(out, name) {
			t.Errorf("no %s in %s", name, out)
		}
	}
	_, out, _ = biketrip("", "client", "list", "--db", db)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[2], "Headless  operator  ") {
		t.Errorf("listed\n%s", out)
	}
}

func TestClientsRefused(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trips.db")
	openDesk(t, db)
	none := filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "--name", []string{"add", "--db", db}},
		{exitError, "name of the client is empty", []string{"add", "--db", db, "--name", " "}},
		{exitError, `redirect URI "http://client.example/cb": http is for this computer only`, []string{"add", "--db", db, "--name", "x", "--redirect-uri", "http://client.example/cb"}},
		{exitError, "cannot be shown", []string{"add", "--db", db, "--name", "\x1b[31mx"}},
		{exitError, "spaces", []string{"add", "--db", db, "--name", "x", "--redirect-uri", "https://client.example/\x1b[31m"}},
		{exitUsage, "--db names no file", []string{"add", "--db", "", "--name", "x"}},
		{exitError, "no database file yet", []string{"list", "--db", none}},
	} {
		code, out, errs := biketrip("", append([]string{"client"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.says) || strings.Contains(errs, "\x1b") || out != "" {
			t.Errorf("%q: exit %d, %s%s", c.args, code, out, errs)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a list made a file")
	}
	if _, out, _ := biketrip("", "client", "list", "--db", db, "--json"); out != "[]\n" {
		t.Errorf("no clients are %q", out)
	}
	if _, out, _ := biketrip("", "client", "list", "--db", db); !strings.Contains(out, "biketrip client add") {
		t.Errorf("no clients are %q", out)
	}
}
