package ui

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/textproto"
	"strings"
	"testing"

	"biketrip/store"
)

// TestMailsWaitWithinBounds: more wishes than may wait are dropped, at once and
// with a word in the log that names nobody, and those that wait when the server
// stops are counted.
func TestMailsWaitWithinBounds(t *testing.T) {
	var log bytes.Buffer
	m := newMailer(&Site{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range maxWishes + 2 {
		m.ask(wish{email: "anna@example.org", from: "192.0.2.7"})
	}
	if n := strings.Count(log.String(), "a sign-in mail is dropped"); n != 2 || strings.Contains(log.String(), "anna") {
		t.Errorf("%d dropped: %s", n, log.String())
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	m.run(stopped)
	if !strings.Contains(log.String(), "the server stops") || !strings.Contains(log.String(), fmt.Sprint("count=", maxWishes)) {
		t.Errorf("%s", log.String())
	}
}

// TestWhatIsToldOfMail: another attempt is made for what may pass, and what a mail
// server says is not repeated.
func TestWhatIsToldOfMail(t *testing.T) {
	for _, c := range []struct {
		err    error
		passes bool
		reason string
	}{
		{fmt.Errorf("auth: %w", &textproto.Error{Code: 535, Msg: "anna@example.org"}), false, "the mail server refuses to begin, code 535"},
		{fmt.Errorf("hello: %w", &textproto.Error{Code: 421, Msg: "anna@example.org"}), true, "the mail server refuses to begin, code 421"},
		{errLetter, false, "the mail cannot be written"},
		{context.DeadlineExceeded, true, "context deadline exceeded"},
	} {
		if mayPass(c.err) != c.passes || reasonOf(c.err) != c.reason {
			t.Errorf("%v: %v, %q", c.err, mayPass(c.err), reasonOf(c.err))
		}
	}
}

// TestLetterTakesNoHeader: an address with a line break in it gets no letter.
func TestLetterTakesNoHeader(t *testing.T) {
	for _, c := range []struct{ to, from string }{
		{"anna@example.org\r\nBcc: eve@example.org", "biketrip@example.org"},
		{"anna@example.org, eve@example.org", "biketrip@example.org"},
		{"anna@example.org", "biketrip@example.org>\r\nBcc: <eve@example.org"},
	} {
		site := Site{Mail: MailServer{From: c.from}, random: strings.NewReader(strings.Repeat("x", 999))}
		if _, err := newMailer(&site).letter(store.User{Email: c.to}, "192.0.2.7", Link{}); err != errLetter {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// TestNoLinkToAnOldAddress: whose address has become another one while a mail server
// was waited for gets no link to the old one, and nor does anybody else.
func TestNoLinkToAnOldAddress(t *testing.T) {
	file, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/trips.db", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var u store.User
	update := func(fn func(*store.Tx) error) {
		t.Helper()
		if err := file.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *store.Tx) (err error) {
		u, err = tx.CreateUser("old@example.org", "en")
		return err
	})
	m := newMailer(&Site{Store: file, DefaultURI: "http://localhost", Mail: MailServer{From: "biketrip@example.org"}, random: strings.NewReader(strings.Repeat("x", 999))})
	if _, err := m.write(t.Context(), u, "192.0.2.7"); err != nil {
		t.Fatal(err)
	}
	update(func(tx *store.Tx) error { return tx.ChangeEmail(u.ID, "new@example.org") })
	if _, err := m.write(t.Context(), u, "192.0.2.7"); err != store.ErrNotFound || mayPass(err) {
		t.Errorf("to nobody: %v", err)
	}
	update(func(tx *store.Tx) error {
		_, err := tx.CreateUser("old@example.org", "en")
		return err
	})
	if _, err := m.write(t.Context(), u, "192.0.2.7"); err != store.ErrNotFound {
		t.Errorf("to somebody else: %v", err)
	}
}
