package oauth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

func mustOpen(t *testing.T, path string, now time.Time) *Keys {
	t.Helper()
	k, err := OpenKeys(path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ids are the keys by age.
func (k *Keys) ids() (ids []string) {
	for _, key := range k.keys {
		ids = append(ids, key.id)
	}
	return ids
}

// onlyFile fails where a folder holds anything else than that file.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || !cmp.Equal(all, []string{path}) {
		t.Errorf("the folder holds %v, %v", all, err)
	}
}

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db.keys")
	made := mustOpen(t, path, testNow)
	if again := mustOpen(t, path, testNow); !cmp.Equal(made.ids(), again.ids()) || len(made.ids()) != 1 {
		t.Errorf("keys %v, then %v", made.ids(), again.ids())
	}
	onlyFile(t, path)
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if !made.keys[0].createdAt.Equal(testNow) {
		t.Errorf("created at %v", made.keys[0].createdAt)
	}
	if _, err := OpenKeys(filepath.Join(t.TempDir(), "none", "keys"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := OpenKeys(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestKeyFileMadeAtOnce: however many make the file, all have the same key.
func TestKeyFileMadeAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db.keys")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	var children []*exec.Cmd
	var starts []func() error
	var mu sync.Mutex
	for range 4 {
		c := exec.Command(exe)
		c.Env = append(os.Environ(), childMode+"="+path)
		c.Stdout, c.Stderr = lockedWriter{&mu, &out}, lockedWriter{&mu, &errs}
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children, starts = append(children, c), append(starts, in.Close)
	}
	ids := make(chan string, 8)
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range cap(ids) {
		all.Go(func() {
			<-begin
			k, err := OpenKeys(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			ids <- k.signing().id
		})
	}
	for _, start := range starts {
		if err := start(); err != nil {
			t.Error(err)
		}
	}
	close(begin)
	all.Wait()
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, &errs)
		}
	}
	close(ids)
	want := mustOpen(t, path, testNow).signing().id
	for id := range ids {
		if id != want {
			t.Errorf("a goroutine has %s, the file %s", id, want)
		}
	}
	if got := out.String(); got != strings.Repeat(want+"\n", len(children)) {
		t.Errorf("processes have\n%sthe file %s", got, want)
	}
	onlyFile(t, path)
}

// lockedWriter lets several processes write to one buffer.
type lockedWriter struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// TestPlace makes the file where there are no links, and never over another.
func TestPlace(t *testing.T) {
	noLinks := func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: errors.ErrUnsupported}
	}
	for name, link := range map[string]func(from, to string) error{"links": os.Link, "no links": noLinks} {
		path := filepath.Join(t.TempDir(), "keys")
		for _, text := range []string{"first", "second"} {
			written := path + ".new"
			if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := place(written, path, link); err != nil && (name == "links" || text == "first") {
				t.Errorf("%s, %s: %v", name, text, err)
			}
			onlyFile(t, path)
		}
		if got, err := os.ReadFile(path); string(got) != "first" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestKeyFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such mode here")
	}
	path := filepath.Join(t.TempDir(), "trips.db.keys")
	made := mustOpen(t, path, testNow)
	for mode, good := range map[fs.FileMode]bool{0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o620: false, 0o604: false, 0o602: false, 0o666: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := OpenKeys(path, nil)
		if (err == nil) != good {
			t.Errorf("%o: %v", mode, err)
		}
		if !good {
			for _, says := range []string{path, "chmod 600", "remove it"} {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%o: %v", mode, err)
				}
			}
			if err := made.Renew(); err == nil {
				t.Errorf("%o: renewed", mode)
			}
		}
	}
}

func TestDamagedKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db.keys")
	good := mustOpen(t, path, testNow).keys[0]
	other, err := newKey(testNow)
	if err != nil {
		t.Fatal(err)
	}
	change := func(with func(s, o fields)) string {
		var s, o fields
		if err := errors.Join(json.Unmarshal(good.stored, &s), json.Unmarshal(other.stored, &o)); err != nil {
			t.Fatal(err)
		}
		with(s, o)
		text, err := json.Marshal(fields{accessMember: []fields{s}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	inKey := func(name string, value any) string {
		return change(func(s, _ fields) { s["key"].(map[string]any)[name] = value })
	}
	fromOther := func(names ...string) string {
		return change(func(s, o fields) {
			for _, name := range names {
				s["key"].(map[string]any)[name] = o["key"].(map[string]any)[name]
			}
		})
	}
	large, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := jose.JSONWebKey{Key: large}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty":             "",
		"no JSON":           "secret",
		"null":              "null",
		"a list":            "[]",
		"no keys":           "{}",
		"keys null":         `{"access":null}`,
		"no key in it":      `{"access":[]}`,
		"keys a text":       `{"access":"x"}`,
		"key null":          `{"access":[null]}`,
		"key empty":         `{"access":[{}]}`,
		"half a file":       string(good.stored[:100]),
		"too large":         strings.Repeat(" ", maxKeyFile+1),
		"public half alone": change(func(s, _ fields) { delete(s["key"].(map[string]any), "d") }),
		"d of another":      fromOther("d"),
		"kid of another":    fromOther("kid"),
		"d is 0":            inKey("d", strings.Repeat("A", 43)),
		"d too large":       inKey("d", strings.Repeat("_", 42)+"8"),
		"d short":           inKey("d", "AAAA"),
		"off the curve":     inKey("x", strings.Repeat("A", 43)),
		"other curve":       change(func(s, _ fields) { s["key"] = json.RawMessage(jwk) }),
		"symmetric":         change(func(s, _ fields) { s["key"] = fields{"kty": "oct", "k": "AAAA"} }),
		"no date":           change(func(s, _ fields) { delete(s, "createdAt") }),
		"odd date":          change(func(s, _ fields) { s["createdAt"] = "yesterday" }),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenKeys(path, nil)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, []byte(change(func(fields, fields) {})), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, path, testNow).ids(); !cmp.Equal(got, []string{good.id}) {
		t.Errorf("the good key: %v", got)
	}
}

// TestRenew lets a key sign for 90 days and verify 16 minutes more.
func TestRenew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.db.keys")
	first := mustOpen(t, path, testNow).signing().id
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Members of other versions stay.
	content = bytes.Replace(content, []byte("{"), []byte(`{"forms": {"key": "a<b", "n": 12345678901234567890},`), 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(now time.Time) *Keys {
		t.Helper()
		k := mustOpen(t, path, now)
		if err := k.Renew(); err != nil {
			t.Fatal(err)
		}
		if again := mustOpen(t, path, now); !cmp.Equal(again.ids(), k.ids()) {
			t.Errorf("has %v, the file %v", k.ids(), again.ids())
		}
		onlyFile(t, path)
		return k
	}
	before, _ := os.Stat(path)
	if k := at(testNow.Add(keyLife)); !cmp.Equal(k.ids(), []string{first}) {
		t.Errorf("after 90 days: %v", k.ids())
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("written although nothing changed")
	}
	turn := testNow.Add(keyLife + time.Millisecond)
	k := at(turn)
	second := k.signing().id
	if second == first || !cmp.Equal(k.ids(), []string{first, second}) {
		t.Errorf("after more: %v, first %s", k.ids(), first)
	}
	if k := at(turn.Add(keyLinger)); !cmp.Equal(k.ids(), []string{first, second}) {
		t.Errorf("while it lingers: %v", k.ids())
	}
	if k := at(turn.Add(keyLinger + time.Millisecond)); !cmp.Equal(k.ids(), []string{second}) {
		t.Errorf("after that: %v", k.ids())
	}
	k = at(turn.Add(3 * keyLife))
	if ids := k.ids(); len(ids) != 2 || ids[0] != second {
		t.Errorf("long after: %v", ids)
	}
	var members map[string]json.RawMessage
	if content, err = os.ReadFile(path); err == nil {
		err = json.Unmarshal(content, &members)
	}
	var forms bytes.Buffer
	if err == nil {
		err = json.Compact(&forms, members["forms"])
	}
	if err != nil || forms.String() != `{"key":"a<b","n":12345678901234567890}` && forms.String() != `{"key":"a\u003cb","n":12345678901234567890}` {
		t.Errorf("members of others: %s, %v", &forms, err)
	}
}

// TestRenewedTokens: a token outlives the time of its key, and a key that is
// replaced is worth nothing once its last token has expired, whether the server
// was started again or not.
func TestRenewedTokens(t *testing.T) {
	o := newOffice(t)
	o.now = testNow.Add(keyLife + time.Second)
	old := o.issue(testRead).Token
	stolen := o.keys.signing()
	if err := o.keys.Renew(); err != nil {
		t.Fatal(err)
	}
	fresh := o.issue(testRead).Token
	if o.verify(old) == nil || o.verify(fresh) == nil {
		t.Error("refused after the keys were renewed")
	}
	if old[:strings.Index(old, ".")] == fresh[:strings.Index(fresh, ".")] {
		t.Error("the old key still signs")
	}
	forged := func() bool {
		header := o.header().with(fields{"kid": stolen.id})
		return o.verify(forge(stolen.private, header, o.claims(o.grants()[0].ID))) != nil
	}
	if !forged() {
		t.Error("the old key is forgotten at once")
	}
	o.now = o.now.Add(keyLinger + time.Second)
	if forged() {
		t.Error("the old key verifies for ever")
	}
}

// TestReplacedKeyFile: once the file is made anew, tokens of its keys are good at
// once, and those of the keys before are not any more.
func TestReplacedKeyFile(t *testing.T) {
	o := newOffice(t)
	old := o.issue(testRead).Token
	if o.verify(forge(o.keys.signing().private, o.header().with(fields{"kid": "stranger"}), fields{})) != nil {
		t.Fatal("a stranger's token is accepted")
	}
	for range 3 {
		if err := os.Remove(o.keys.path); err != nil {
			t.Fatal(err)
		}
		beside := New(Options{Store: o.file, Keys: mustOpen(t, o.keys.path, o.now), DefaultURI: testURI, Resource: "/mcp", Scopes: []string{testRead}, Now: func() time.Time { return o.now }})
		issued, err := beside.Issue(t.Context(), o.user.ID, o.client.ID, []string{testRead})
		if err != nil {
			t.Fatal(err)
		}
		if o.verify(old) != nil {
			t.Error("the old key verifies")
		}
		if o.verify(issued.Token) == nil {
			t.Error("the new one does not")
		}
		old = issued.Token
	}
}

// TestRemovedKeyFile: where the file is removed a new one is made, and the tokens
// of its keys die, remembered or not.
func TestRemovedKeyFile(t *testing.T) {
	o := newOffice(t)
	remembered, other := o.issue(testRead).Token, o.issue(testRead).Token
	if o.verify(remembered) == nil {
		t.Fatal("refused")
	}
	if err := os.Remove(o.keys.path); err != nil {
		t.Fatal(err)
	}
	if o.verify(remembered) != nil || o.verify(other) != nil {
		t.Error("a token of a key that was removed is good")
	}
	if o.verify(o.issue(testRead).Token) == nil {
		t.Error("a token of the new key is not")
	}
	onlyKey(t, o.keys.path)
}

// onlyKey checks that a key file is its owner's alone and holds one key.
func onlyKey(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if ids := mustOpen(t, path, testNow).ids(); len(ids) != 1 {
		t.Errorf("keys %v", ids)
	}
}

// TestKeyFileFailsLater keeps the keys that are known where the file cannot be
// read any more, and goes by it again once it can.
func TestKeyFileFailsLater(t *testing.T) {
	o := newOffice(t)
	token := o.issue(testRead).Token
	stranger := forge(o.keys.signing().private, o.header().with(fields{"kid": "stranger"}), fields{})
	good, err := os.ReadFile(o.keys.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"{}", "", "{"} {
		if err := os.WriteFile(o.keys.path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if o.verify(stranger) != nil || o.verify(token) == nil {
				t.Errorf("%q: a known key is forgotten", damaged)
			}
		}
		if _, err := o.keys.find("stranger"); err == nil || !strings.Contains(err.Error(), o.keys.path) {
			t.Errorf("%q: %v", damaged, err)
		}
	}
	if err := os.WriteFile(o.keys.path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := o.keys.find("stranger"); err != nil || o.verify(token) == nil {
		t.Errorf("mended: %v", err)
	}
}

// FuzzParseKeys never panics.
func FuzzParseKeys(f *testing.F) {
	k, err := newKey(testNow)
	if err != nil {
		f.Fatal(err)
	}
	content, err := formatKeys(nil, []key{k})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte(`{"access":[{"createdAt":"2027-05-01T00:00:00Z","key":{"kty":"EC","crv":"P-256"}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		_, keys, err := parseKeys(content)
		if (err == nil) != (len(keys) > 0) {
			t.Errorf("%d keys, %v", len(keys), err)
		}
	})
}
