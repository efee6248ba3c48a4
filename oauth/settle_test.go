package oauth

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"biketrip/store"
	"biketrip/store/replica"
)

// TestGrantIsInTheReplica: what a person has granted is in the replica once the
// application hears of it.
func TestGrantIsInTheReplica(t *testing.T) {
	d := newDoor(t)
	dir := t.TempDir()
	path, described := filepath.Join(dir, "trips.db"), filepath.Join(dir, "litestream.yml")
	text := fmt.Sprintf("dbs:\n  - path: '%s'\n    replica: {url: 'file://%s'}\n", path, filepath.Join(dir, "replica"))
	if err := os.WriteFile(described, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := replica.ReadConfig(described, path, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	file, err := store.Open(t.Context(), store.Options{Path: path, Replica: config, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d.server.store, d.file = file, file
	d.update(func(tx *store.Tx) (err error) {
		d.user, err = tx.CreateUser("anna@example.org", "en")
		return err
	})
	d.people["anna"] = Person{UserID: d.user.ID, Email: d.user.Email, Session: store.Hash{1}}
	if d.client, err = AddClient(t.Context(), file, "Agent", []string{"http://127.0.0.1/cb"}); err != nil {
		t.Fatal(err)
	}
	if g := d.decide(d.park(), store.Authorize); g.status != http.StatusFound {
		t.Fatalf("%d %s", g.status, g.body)
	}
	copied := filepath.Join(dir, "copied.db")
	if restored, err := replica.Restore(t.Context(), config, copied, log); err != nil || !restored {
		t.Fatalf("%v, %v", restored, err)
	}
	other, err := store.OpenBeside(t.Context(), store.Options{Path: copied})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.View(t.Context(), func(tx *store.Tx) error {
		grants, err := tx.LiveGrants(d.user.ID)
		if len(grants) != 1 {
			t.Errorf("%+v", grants)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
