package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClients(t *testing.T) {
	s := newStore(t)
	agent := Client{Kind: ClientOperator, Name: "Anna's \"agent\" 🚲", RedirectURIs: []string{"http://127.0.0.1/cb?a=b", "cursor://x"}}
	mute := Client{Kind: ClientOperator, Name: "headless"}
	named := Client{ID: "https://client.example/doc.json", Kind: ClientDocument, Name: strings.Repeat("é", 128), RedirectURIs: []string{"https://client.example/cb"}}
	for _, c := range []*Client{&agent, &mute, &named} {
		mustUpdate(t, s, func(tx *Tx) error { return tx.CreateClient(c) })
	}
	if len(agent.ID) != 36 || agent.ID == mute.ID || named.ID != "https://client.example/doc.json" {
		t.Errorf("ids %q %q %q", agent.ID, mute.ID, named.ID)
	}
	mute.RedirectURIs = []string{}
	mustView(t, s, func(tx *Tx) error {
		for _, want := range []Client{agent, mute, named} {
			got, err := tx.Client(want.ID)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		}
		all, err := tx.Clients()
		if d := cmp.Diff([]Client{agent, mute, named}, all); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if _, err := tx.Client("no such"); err != ErrNotFound {
			t.Errorf("one that is not there: %v", err)
		}
		return err
	})
	for name, c := range map[string]Client{
		"taken":         {ID: agent.ID, Kind: ClientOperator, Name: "again"},
		"nameless":      {Kind: ClientOperator},
		"long name":     {Kind: ClientOperator, Name: strings.Repeat("é", 129)},
		"unknown kind":  {Kind: "friend", Name: "x"},
		"too many URIs": {Kind: ClientOperator, Name: "x", RedirectURIs: make([]string, 11)},
	} {
		given := c
		err := s.Update(t.Context(), func(tx *Tx) error { return tx.CreateClient(&c) })
		if err == nil || errors.Is(err, ErrClientTaken) != (name == "taken") || !cmp.Equal(given, c) {
			t.Errorf("%s: %v, %v", name, err, c)
		}
	}
}

func TestGrants(t *testing.T) {
	s := newStore(t)
	anna, bob := newOwner(t, s, "anna@example.org"), newOwner(t, s, "bob@example.org")
	g := Grant{UserID: anna.ID, ClientID: "c", ClientName: "Agent", RedirectHost: "client.example", Scopes: []string{"trips:read", "trips:write"}}
	other := Grant{UserID: anna.ID, ClientID: "c", ClientName: "Agent", Scopes: []string{"trips:read"}}
	mustUpdate(t, s, func(tx *Tx) error { return errors.Join(tx.CreateGrant(&g), tx.CreateGrant(&other)) })
	live := func(id, user, client string) error {
		t.Helper()
		var err error
		mustView(t, s, func(tx *Tx) error {
			var got LiveGrant
			got, err = tx.LiveGrant(id, user, client)
			if want := (LiveGrant{"anna@example.org", g.Scopes}); err == nil && !cmp.Equal(want, got) {
				t.Errorf("live grant %v", got)
			}
			return nil
		})
		return err
	}
	if err := live(g.ID, anna.ID, "c"); err != nil {
		t.Error(err)
	}
	for _, c := range [][3]string{{g.ID, bob.ID, "c"}, {g.ID, anna.ID, "d"}, {sampleID(1), anna.ID, "c"}, {"", "", ""}} {
		if err := live(c[0], c[1], c[2]); err != ErrNotFound {
			t.Errorf("%v: %v", c, err)
		}
	}
	used, late := testNow.UTC().Truncate(time.Millisecond).Add(time.Minute), testNow.UTC().Truncate(time.Millisecond).Add(time.Hour)
	mustUpdate(t, s, func(tx *Tx) error {
		return errors.Join(tx.TouchGrant(g.ID, used), tx.TouchGrant(g.ID, used.Add(-time.Hour)), tx.TouchGrant(sampleID(1), used))
	})
	s.now = func() time.Time { return late }
	mustUpdate(t, s, func(tx *Tx) error { return tx.RevokeGrant(g.ID, "application") })
	if err := live(g.ID, anna.ID, "c"); err != ErrNotFound {
		t.Errorf("revoked: %v", err)
	}
	for _, id := range []string{g.ID, sampleID(1)} {
		mustUpdate(t, s, func(tx *Tx) error {
			if err := tx.RevokeGrant(id, "again"); err != ErrNotFound {
				t.Errorf("revoke %s: %v", id, err)
			}
			return nil
		})
	}
	g.LastUsedAt, g.RevokedAt, g.RevokeReason = used, late, "application"
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Grants(anna.ID, "c")
		if d := cmp.Diff([]Grant{g, other}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error {
		orphan := Grant{UserID: sampleID(1), ClientID: "c", ClientName: "x", Scopes: []string{"trips:read"}}
		if err := tx.CreateGrant(&orphan); err != ErrNotFound || orphan.ID != "" {
			t.Errorf("a grant of nobody: %v, %v", orphan, err)
		}
		return nil
	})
}
