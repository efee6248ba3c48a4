package store

import (
	"errors"
	"strings"
	"testing"

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
