package oauth

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/store"
)

const (
	testURI   = "https://trips.example"
	testRead  = "trips:read"
	testWrite = "trips:write"
)

// testNow is the time of most tests.
var testNow = time.Date(2027, 5, 1, 9, 30, 15, 700e6, time.UTC)

// childMode makes the test binary, started as a process of its own, open a key
// file and print the id of its key.
const childMode = "BIKETRIP_OAUTH_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMode) == "" {
		os.Exit(m.Run())
	}
	fmt.Scanln() // all are let go at once
	k, err := OpenKeys(os.Getenv(childMode), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(k.signing().id)
}

// An office is a server on a file with a user and a client in it.
type office struct {
	t      testing.TB
	file   *store.Store
	keys   *Keys
	server *Server
	user   store.User
	client store.Client
	now    time.Time
}

func newOffice(t testing.TB) *office {
	t.Helper()
	dir := t.TempDir()
	o := &office{t: t, now: testNow}
	clock := func() time.Time { return o.now }
	file, err := store.OpenBeside(t.Context(), store.Options{Path: filepath.Join(dir, "trips.db"), Create: true, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	o.file = file
	if o.keys, err = OpenKeys(filepath.Join(dir, "trips.db.keys"), clock); err != nil {
		t.Fatal(err)
	}
	log := &journal{}
	t.Cleanup(func() { log.check(t) })
	o.server = New(Options{
		Store: file, Keys: o.keys, DefaultURI: testURI, Resource: "/mcp", Scopes: []string{testRead, testWrite}, Now: clock,
		Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
	o.update(func(tx *store.Tx) (err error) {
		o.user, err = tx.CreateUser("anna@example.org", "en")
		return err
	})
	if o.client, err = AddClient(t.Context(), o.file, "Agent", nil); err != nil {
		t.Fatal(err)
	}
	return o
}

// A journal is the log of a server, which is looked at when its test is over.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// secrets are what no log may hold: codes, handles, refresh tokens and cookies,
// which are 43 letters each, access tokens, and addresses of people.
var secrets = regexp.MustCompile(`(^|[^\w-])(rt_)?[\w-]{43}([^\w-]|$)|eyJ[\w-]+\.[\w-]+|[\w.]+@example\.org`)

func (j *journal) check(t testing.TB) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if found := secrets.FindAllString(j.text.String(), 3); found != nil {
		t.Errorf("105 the log has %q", found)
	}
}

func (o *office) update(fn func(*store.Tx) error) {
	o.t.Helper()
	if err := o.file.Update(o.t.Context(), fn); err != nil {
		o.t.Fatal(err)
	}
}

// sql runs a statement that the program has no need of.
func (o *office) sql(statement string, args ...any) {
	o.t.Helper()
	o.update(func(tx *store.Tx) error {
		ctx, sqlTx := tx.SQL()
		_, err := sqlTx.ExecContext(ctx, statement, args...)
		return err
	})
}

func (o *office) issue(scopes ...string) Issued {
	o.t.Helper()
	issued, err := o.server.Issue(o.t.Context(), o.user.ID, o.client.ID, scopes)
	if err != nil {
		o.t.Fatal(err)
	}
	return issued
}

// grants are those of the user to the client.
func (o *office) grants() (grants []store.Grant) {
	o.t.Helper()
	err := o.file.View(o.t.Context(), func(tx *store.Tx) (err error) {
		grants, err = tx.Grants(o.user.ID, o.client.ID)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return grants
}

// fields are the members of a header or of claims.
type fields map[string]any

// with is f with other members; nil takes one away.
func (f fields) with(others fields) fields {
	out := maps.Clone(f)
	for name, value := range others {
		if out[name] = value; value == nil {
			delete(out, name)
		}
	}
	return out
}

// header is that of a token of o.
func (o *office) header() fields {
	return fields{"alg": "ES256", "typ": "at+jwt", "kid": o.keys.signing().id}
}

// claims are those of a token of o under a grant.
func (o *office) claims(grantID string) fields {
	return fields{
		"iss": testURI, "aud": []string{testURI + "/mcp"}, "sub": o.user.ID, "client_id": o.client.ID,
		"scope": "trips:read trips:write", "gid": grantID, "jti": "j", "iat": o.now.Unix(), "exp": o.now.Unix() + 900,
	}
}

// segment is a part of a token.
func segment(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// forge makes a token by hand, signed with ES256 whatever its header says.
func forge(private *ecdsa.PrivateKey, header, claims any) string {
	input := segment(header) + "." + segment(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(signature(private, input))
}

// signature is r and s of ES256 (RFC 7518, section 3.4).
func signature(private *ecdsa.PrivateKey, input string) []byte {
	sum := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, private, sum[:])
	if err != nil {
		panic(err)
	}
	out := make([]byte, 64)
	r.FillBytes(out[:32])
	s.FillBytes(out[32:])
	return out
}
