package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestUsers(t *testing.T) {
	s := newStore(t)
	var anna User
	mustUpdate(t, s, func(tx *Tx) (err error) {
		anna, err = tx.CreateUser("  Anna@Example.org\n", "fr")
		return err
	})
	want := User{ID: anna.ID, Email: "Anna@Example.org", Language: "fr", CreatedAt: testNow.UTC().Truncate(1e6)}
	if d := cmp.Diff(want, anna); d != "" {
		t.Errorf("created (-want +got):\n%s", d)
	}
	if id, err := uuid.Parse(anna.ID); err != nil || id.Version() != 7 {
		t.Errorf("id %s: %v", anna.ID, err)
	}
	bob := newOwner(t, s, "bob@localhost")
	mustView(t, s, func(tx *Tx) error {
		byID, err := tx.User(anna.ID)
		byEmail, err2 := tx.UserByEmail(" ANNA@example.ORG ")
		all, err3 := tx.Users()
		if d := cmp.Diff([]User{anna, anna, anna, bob}, append([]User{byID, byEmail}, all...)); d != "" {
			t.Errorf("read (-want +got):\n%s", d)
		}
		_, err4 := tx.User("nobody")
		_, err5 := tx.UserByEmail("")
		if err4 != ErrNotFound || err5 != ErrNotFound {
			t.Errorf("nobody: %v, %v", err4, err5)
		}
		return errors.Join(err, err2, err3)
	})
}

// TestChangeEmail takes with the address all that was granted under it, and every
// way in.
func TestChangeEmail(t *testing.T) {
	s := newStore(t)
	anna, ben := newOwner(t, s, "anna@example.org"), newOwner(t, s, "ben@example.org")
	later := testNow.Add(time.Hour)
	hers := Grant{UserID: anna.ID, ClientID: "c", ClientName: "Agent", Scopes: []string{"x"}}
	his := Grant{UserID: ben.ID, ClientID: "c", ClientName: "Agent", Scopes: []string{"x"}}
	request := AuthorizationRequest{Hash: Hash{1}, UserID: anna.ID, ClientID: "c", Scopes: []string{"x"}, Challenge: strings.Repeat("x", 43), ExpiresAt: later}
	mustUpdate(t, s, func(tx *Tx) error {
		return errors.Join(tx.CreateGrant(&hers), tx.CreateGrant(&his), tx.CreateRequest(request), tx.CreateLink(Hash{1}, anna.ID, later),
			tx.CreateSession(Hash{1}, anna.ID, later), tx.CreateSession(Hash{2}, ben.ID, later))
	})
	for email, want := range map[string]error{"BEN@example.org": ErrEmailTaken, "ANNA@example.org": ErrEmailTaken, "anna": ErrEmailInvalid} {
		if err := s.Update(t.Context(), func(tx *Tx) error { return tx.ChangeEmail(anna.ID, email) }); !errors.Is(err, want) {
			t.Errorf("%s: %v", email, err)
		}
	}
	if err := s.Update(t.Context(), func(tx *Tx) error { return tx.ChangeEmail("nobody", "x@example.org") }); err != ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
	mustView(t, s, func(tx *Tx) error {
		_, err := tx.LiveGrant(hers.ID, anna.ID, "c")
		return err
	})
	mustUpdate(t, s, func(tx *Tx) error { return tx.ChangeEmail(anna.ID, " anna@example.com ") })
	mustView(t, s, func(tx *Tx) error {
		u, err := tx.User(anna.ID)
		_, grant := tx.LiveGrant(hers.ID, anna.ID, "c")
		_, asked := tx.Request(Hash{1}, anna.ID, Hash{})
		_, link := tx.LinkUser(Hash{1})
		_, session := tx.SessionUser(Hash{1})
		if u.Email != "anna@example.com" || grant != ErrNotFound || asked != ErrNotFound || link != ErrNotFound || session != ErrNotFound {
			t.Errorf("%+v %v %v %v %v", u, grant, asked, link, session)
		}
		_, other := tx.SessionUser(Hash{2})
		_, others := tx.LiveGrant(his.ID, ben.ID, "c")
		return errors.Join(err, other, others)
	})
}

// TestFirstLanguage: that of the first sign-in counts where nobody has said another.
func TestFirstLanguage(t *testing.T) {
	s := newStore(t)
	var anna, ben User
	mustUpdate(t, s, func(tx *Tx) (err error) {
		if anna, err = tx.CreateUser("anna@example.org", ""); err == nil {
			ben, err = tx.CreateUser("ben@example.org", "en")
		}
		return err
	})
	for _, language := range []string{"fr", "en"} {
		mustUpdate(t, s, func(tx *Tx) error {
			return errors.Join(tx.FirstLanguage(anna.ID, language), tx.FirstLanguage(ben.ID, language))
		})
	}
	mustView(t, s, func(tx *Tx) error {
		a, err := tx.User(anna.ID)
		b, err2 := tx.User(ben.ID)
		if anna.Language != "en" || a.Language != "fr" || b.Language != "en" {
			t.Errorf("%+v %+v %+v", anna, a, b)
		}
		return errors.Join(err, err2)
	})
}

// TestSetLanguage: the language of one user changes, to one that there is.
func TestSetLanguage(t *testing.T) {
	s := newStore(t)
	anna, bob := newOwner(t, s, "anna@example.org"), newOwner(t, s, "bob@example.org")
	set := func(id, language string) error {
		return s.Update(t.Context(), func(tx *Tx) error { return tx.SetLanguage(id, language) })
	}
	if err := set(anna.ID, "fr"); err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"de", "", "FR", "en' --"} {
		if err := set(anna.ID, language); !errors.Is(err, ErrLanguageUnknown) {
			t.Errorf("%q: %v", language, err)
		}
	}
	if err := set("nobody", "fr"); !errors.Is(err, ErrNotFound) {
		t.Errorf("nobody: %v", err)
	}
	anna.Language = "fr"
	mustView(t, s, func(tx *Tx) error {
		all, err := tx.Users()
		if d := cmp.Diff([]User{anna, bob}, all); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		return err
	})
}

func TestRefusedUsers(t *testing.T) {
	s := newStore(t)
	newOwner(t, s, "anna@example.org")
	long := strings.Repeat("a", 60) + "@" + strings.Repeat("b.", 95)
	for name, c := range map[string]struct {
		email, language string
		want            error
	}{
		"taken":                {"ANNA@EXAMPLE.ORG", "en", ErrEmailTaken},
		"taken with space":     {" anna@example.org ", "en", ErrEmailTaken},
		"empty":                {"", "en", ErrEmailInvalid},
		"no at":                {"anna", "en", ErrEmailInvalid},
		"with a name":          {"Anna <anna2@example.org>", "en", ErrEmailInvalid},
		"in brackets":          {"<anna2@example.org>", "en", ErrEmailInvalid},
		"with a comment":       {"anna2@example.org (work)", "en", ErrEmailInvalid},
		"two":                  {"a@example.org, b@example.org", "en", ErrEmailInvalid},
		"a header":             {"a@example.org\r\nBcc: b@example.org", "en", ErrEmailInvalid},
		"turned writing":       {"a\u202e@example.org", "en", ErrEmailInvalid},
		"NUL":                  {"a\x00@example.org", "en", ErrEmailInvalid},
		"too long by one":      {long + "bbbb", "en", ErrEmailInvalid},
		"a megabyte":           {strings.Repeat("a", 1<<20) + "@example.org", "en", ErrEmailInvalid},
		"an unknown language":  {"a@example.org", "de", ErrLanguageUnknown},
		"a language in quotes": {"a@example.org", "'en'", ErrLanguageUnknown},
	} {
		err := s.Update(t.Context(), func(tx *Tx) error {
			_, err := tx.CreateUser(c.email, c.language)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	checkUsers(t, s, 1)
	if u := newOwner(t, s, long+"bbb"); len(u.Email) != maxEmail {
		t.Errorf("the longest address has %d bytes", len(u.Email))
	}
}
