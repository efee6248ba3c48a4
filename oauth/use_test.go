package oauth

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"biketrip/store"
)

// inOffice runs a test in a bubble, whose clock is that of the office.
func inOffice(t *testing.T, test func(t *testing.T, o *office, log *bytes.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := &office{t: t}
		dir := t.TempDir()
		file, err := store.OpenBeside(t.Context(), store.Options{Path: filepath.Join(dir, "trips.db"), Create: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		o.file = file
		if o.keys, err = OpenKeys(filepath.Join(dir, "trips.db.keys"), nil); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		o.server = New(Options{Store: file, Keys: o.keys, DefaultURI: testURI, Resource: "/mcp", Scopes: []string{testRead, testWrite}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		o.update(func(tx *store.Tx) (err error) {
			o.user, err = tx.CreateUser("anna@example.org", "en")
			return err
		})
		if o.client, err = AddClient(t.Context(), o.file, "Agent", nil); err != nil {
			t.Fatal(err)
		}
		test(t, o, &log)
	})
}

// run runs the server; what it gives back stops it.
func (o *office) run() (stop func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	ended := make(chan error)
	go func() { ended <- o.server.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			o.t.Error(err)
		}
	}
}

// TestLastUse writes the last use of a grant within a minute, and when the
// server stops.
func TestLastUse(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office, log *bytes.Buffer) {
		stop := o.run()
		token := o.issue(testRead).Token
		used := func() time.Time { return o.grants()[0].LastUsedAt }
		time.Sleep(10 * time.Second)
		o.verify(token)
		time.Sleep(10 * time.Second)
		o.verify(token)
		last := time.Now()
		if !used().IsZero() {
			t.Error("written in the request")
		}
		time.Sleep(41 * time.Second)
		synctest.Wait()
		if !used().Equal(last) {
			t.Errorf("last used %v, want %v", used(), last)
		}
		time.Sleep(10 * time.Second)
		o.verify(token)
		last = time.Now()
		o.verify(token + "x") // no use
		stop()
		if !used().Equal(last) {
			t.Errorf("at the end: last used %v, want %v", used(), last)
		}
		if log.Len() > 0 {
			t.Error(log)
		}
	})
}

// TestUseOfNothing lets the last use of a grant that is gone fall.
func TestUseOfNothing(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office, log *bytes.Buffer) {
		stop := o.run()
		o.verify(o.issue(testRead).Token)
		o.sql(`DELETE FROM user WHERE id = ?`, o.user.ID)
		time.Sleep(2 * time.Minute)
		stop()
		if len(o.server.used) != 0 || log.Len() > 0 {
			t.Errorf("%v left; %s", o.server.used, log)
		}
	})
}

// TestUseIsKept writes later what the file would not take.
func TestUseIsKept(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office, log *bytes.Buffer) {
		stop := o.run()
		token := o.issue(testRead).Token
		o.sql(`CREATE TRIGGER stuck BEFORE UPDATE ON grant BEGIN SELECT raise(FAIL, 'no room'); END`)
		o.verify(token)
		first := time.Now()
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if log.Len() == 0 || !o.grants()[0].LastUsedAt.IsZero() {
			t.Fatal("the file took it, or nobody is told that it did not")
		}
		if bytes.Contains(log.Bytes(), []byte(o.grants()[0].ID)) {
			t.Errorf("says which grant: %s", log)
		}
		o.sql(`DROP TRIGGER stuck`)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := o.grants()[0].LastUsedAt; !got.Equal(first) {
			t.Errorf("last used %v, want %v", got, first)
		}
		stop()
	})
}

// TestManyCalls checks tokens from many goroutines while uses are written and
// keys looked for.
func TestManyCalls(t *testing.T) {
	o := newOffice(t)
	tokens := []string{o.issue(testRead).Token, o.issue(testWrite).Token}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := o.server.Verify(t.Context(), tokens[n%2]); err != nil {
					t.Error(err)
				}
				o.server.Verify(t.Context(), forge(o.keys.signing().private, o.header().with(fields{"kid": "x"}), fields{}))
				if err := o.server.writeUses(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, g := range o.grants() {
		if !g.LastUsedAt.Equal(testNow) {
			t.Errorf("last used %v", g.LastUsedAt)
		}
	}
}

// TestRunRenews: a server that runs for months renews its keys, and forgets the
// tokens that have expired.
func TestRunRenews(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office, log *bytes.Buffer) {
		stop := o.run()
		defer stop()
		first := o.keys.signing().id
		o.verify(o.issue(testRead).Token)
		time.Sleep(keyLife - time.Minute)
		synctest.Wait()
		if o.keys.signing().id != first || len(o.server.verified.tokens) != 0 {
			t.Errorf("too early, or %d tokens are remembered", len(o.server.verified.tokens))
		}
		time.Sleep(2 * renewEvery)
		synctest.Wait()
		if o.keys.signing().id == first || o.verify(o.issue(testRead).Token) == nil {
			t.Error("the keys are not renewed")
		}
		if log.Len() > 0 {
			t.Error(log)
		}
	})
}

// TestForget: a code is known for a day after its end, a refresh token until its
// end.
func TestForget(t *testing.T) {
	c := newCounter(t)
	code := c.code(c.grant(testRead))
	first := c.post(c.form(code))
	kept := func() (codeKept, tokenKept bool) {
		t.Helper()
		if err := c.server.forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.update(func(tx *store.Tx) error {
			_, codeErr := tx.Code(HashOf(code))
			_, tokenErr := tx.RefreshToken(HashOf(first.RefreshToken))
			codeKept, tokenKept = codeErr == nil, tokenErr == nil
			return nil
		})
		return codeKept, tokenKept
	}
	for _, step := range []struct {
		after       time.Duration
		code, token bool
	}{{codeMemory, true, true}, {codeMemory + 3*time.Minute, false, true}, {refreshLife, false, true}, {refreshLife + time.Second, false, false}} {
		c.now = testNow.Add(step.after)
		if code, token := kept(); code != step.code || token != step.token {
			t.Errorf("after %v: code %v, refresh token %v", step.after, code, token)
		}
	}
}
