package store

import (
	"errors"
	"slices"
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

// TestDocuments keeps what a document says, and forgets strangers alone.
func TestDocuments(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	begin := testNow.UTC().Truncate(time.Millisecond)
	old := Client{ID: "https://a.example/1", Name: "One", RedirectURIs: []string{"https://a.example/cb"}, ExpiresAt: begin.Add(time.Hour)}
	pinned := Client{ID: "https://a.example/2", Name: "Two", RedirectURIs: []string{"https://a.example/cb"}}
	known := Client{ID: "https://a.example/3", Name: "Three", RedirectURIs: []string{"https://a.example/cb"}, ExpiresAt: begin.Add(time.Hour)}
	asking := Client{ID: "https://a.example/4", Name: "Four", RedirectURIs: []string{"https://a.example/cb"}, ExpiresAt: begin.Add(time.Hour)}
	itself, idle := Client{Kind: ClientDynamic, Name: "Five"}, Client{Kind: ClientOperator, Name: "Six"}
	mustUpdate(t, s, func(tx *Tx) error {
		return errors.Join(tx.KeepDocument(old), tx.KeepDocument(pinned), tx.KeepDocument(known), tx.KeepDocument(asking), tx.CreateClient(&itself), tx.CreateClient(&idle),
			tx.CreateGrant(&Grant{UserID: anna.ID, ClientID: known.ID, ClientName: "Three", RedirectHost: "a.example", Scopes: []string{"x"}}),
			tx.CreateRequest(AuthorizationRequest{Hash: Hash{1}, UserID: anna.ID, ClientID: asking.ID, Scopes: []string{"x"}, Challenge: strings.Repeat("x", 43), ExpiresAt: begin}))
	})
	known.Name = "Drei"
	mustUpdate(t, s, func(tx *Tx) error { return tx.KeepDocument(known) })
	names := func() (names []string) {
		mustView(t, s, func(tx *Tx) error {
			all, err := tx.Clients()
			for _, c := range all {
				names = append(names, c.Name)
			}
			return err
		})
		return names
	}
	mustView(t, s, func(tx *Tx) error {
		got, err := tx.Client(known.ID)
		want := known
		want.Kind, want.CreatedAt = ClientDocument, begin
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
	for _, c := range []struct {
		then time.Time
		want []string
	}{
		{begin, []string{"One", "Two", "Drei", "Four", "Five", "Six"}},
		{begin.Add(time.Minute), []string{"One", "Two", "Drei", "Four", "Six"}},
		{begin.Add(2 * time.Hour), []string{"Two", "Drei", "Four", "Six"}},
	} {
		mustUpdate(t, s, func(tx *Tx) error { return tx.ForgetClients(c.then) })
		got := names()
		slices.Sort(got)
		slices.Sort(c.want)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.then, d)
		}
	}
	mustUpdate(t, s, func(tx *Tx) error { return tx.DeleteClient(known.ID, "removed") })
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.DeleteClient(known.ID, "removed") }); err != ErrNotFound {
		t.Errorf("removed twice: %v", err)
	}
	mustView(t, s, func(tx *Tx) error {
		grants, err := tx.Grants(anna.ID, known.ID)
		if len(grants) != 1 || grants[0].RevokeReason != "removed" {
			t.Errorf("%+v", grants)
		}
		return err
	})
}

func TestKeepRegistrations(t *testing.T) {
	s := newStore(t)
	anna := newOwner(t, s, "anna@example.org")
	var all []Client
	mustUpdate(t, s, func(tx *Tx) error {
		for range 5 {
			c := Client{Kind: ClientDynamic, Name: "x"}
			if err := tx.CreateClient(&c); err != nil {
				return err
			}
			all = append(all, c)
		}
		granted := Grant{UserID: anna.ID, ClientID: all[0].ID, ClientName: "x", Scopes: []string{"x"}}
		return errors.Join(tx.CreateGrant(&granted), tx.KeepRegistrations(2))
	})
	mustView(t, s, func(tx *Tx) error {
		left, err := tx.Clients()
		if d := cmp.Diff([]string{all[0].ID, all[3].ID, all[4].ID}, []string{left[0].ID, left[1].ID, left[2].ID}); d != "" || len(left) != 3 {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
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
