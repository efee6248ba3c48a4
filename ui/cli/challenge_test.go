package cli

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"biketrip/mcp"
	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// A forger makes tokens beside a running server.
type forger struct {
	t      *testing.T
	file   *store.Store
	server *stay
	userID string
}

func newForger(t *testing.T, s *stay) forger {
	t.Helper()
	file, err := store.OpenBeside(t.Context(), store.Options{Path: s.DB})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	f := forger{t: t, file: file, server: s}
	f.change(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(s.User)
		f.userID = u.ID
		return err
	})
	return f
}

func (f forger) change(fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.file.Update(context.Background(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// issue is a token of an authorization server that is like the one that runs,
// but for what change makes of it.
func (f forger) issue(change func(*oauth.Options)) string {
	f.t.Helper()
	keys, err := oauth.OpenKeys(keyFile(f.server.DB), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	o := oauth.Options{Store: f.file, Keys: keys, DefaultURI: strings.TrimSuffix(f.server.URL, "/mcp"), Resource: mcp.Path, Scopes: trip.Scopes()}
	change(&o)
	issued, err := oauth.New(o).Issue(f.t.Context(), f.userID, f.server.Client, trip.Scopes())
	if err != nil {
		f.t.Fatal(err)
	}
	return issued.Token
}

// key is the one that the server signs with.
func (f forger) key() *ecdsa.PrivateKey {
	f.t.Helper()
	var stored struct {
		Access []struct {
			Key jose.JSONWebKey `json:"key"`
		} `json:"access"`
	}
	text, err := os.ReadFile(keyFile(f.server.DB))
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return stored.Access[0].Key.Key.(*ecdsa.PrivateKey)
}

// signed is a token with the claims of a good one, changed, under the key of the
// server that runs and a type.
func (f forger) signed(kind string, change func(map[string]any)) string {
	f.t.Helper()
	parsed, err := jwt.ParseSigned(f.issue(func(*oauth.Options) {}), []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		f.t.Fatal(err)
	}
	claims := map[string]any{}
	if err := parsed.UnsafeClaimsWithoutVerification(&claims); err != nil {
		f.t.Fatal(err)
	}
	change(claims)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: f.key(), KeyID: parsed.Headers[0].KeyID}}, (&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
	if err != nil {
		f.t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		f.t.Fatal(err)
	}
	return token
}

// knock sends a request with that header of authorization, none for an empty
// one.
func (f forger) knock(method, authorization string) *http.Response {
	f.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	req, err := http.NewRequestWithContext(f.t.Context(), method, f.server.URL, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { res.Body.Close() })
	return res
}

// checkChallenge: the published answer to who has no good token, whole.
func (f forger) checkChallenge(name string, res *http.Response) {
	f.t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	const wantBody = `{"error":"invalid_token","error_description":"A valid access token for this resource is required."}`
	wantHeader := `Bearer resource_metadata="` + strings.TrimSuffix(f.server.URL, "/mcp") + `/.well-known/oauth-protected-resource/mcp", scope="trips:read trips:write"`
	challenges := res.Header.Values("WWW-Authenticate")
	if res.StatusCode != http.StatusUnauthorized || len(challenges) != 1 || challenges[0] != wantHeader || res.Header.Get("Content-Type") != "application/json" || string(body) != wantBody {
		f.t.Errorf("%s: %s %q %q %s", name, res.Status, challenges, res.Header.Get("Content-Type"), body)
	}
}

// TestChallenge: a token that is wrong in any way, and none, meet the very same
// challenge; one that was good until now, too, from the moment it is not.
func TestChallenge(t *testing.T) {
	f := newForger(t, startDemo(t))
	same := func(map[string]any) {}
	set := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	if res := f.knock("POST", "Bearer "+f.signed("at+jwt", same)); res.StatusCode != http.StatusOK {
		t.Fatalf("a good token: %s", res.Status)
	}
	otherKeys := func(o *oauth.Options) {
		keys, err := oauth.OpenKeys(filepath.Join(t.TempDir(), "other.keys"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = keys
	}
	for name, authorization := range map[string]string{
		"none":                      "",
		"another scheme":            "Basic " + f.server.both(),
		"no token":                  "Bearer ",
		"no JWT":                    "Bearer opaque",
		"another audience":          "Bearer " + f.signed("at+jwt", set("aud", []string{"https://elsewhere.example/mcp"})),
		"the origin as audience":    "Bearer " + f.signed("at+jwt", set("aud", strings.TrimSuffix(f.server.URL, "/mcp"))),
		"another issuer":            "Bearer " + f.signed("at+jwt", set("iss", "https://elsewhere.example")),
		"another server altogether": "Bearer " + f.issue(func(o *oauth.Options) { o.DefaultURI = "https://elsewhere.example" }),
		"another key":               "Bearer " + f.issue(otherKeys),
		"another type":              "Bearer " + f.signed("JWT", same),
		"the type of a session":     "Bearer " + f.signed("session+jwt", same),
		"expired": "Bearer " + f.issue(func(o *oauth.Options) {
			o.Now = func() time.Time { return time.Now().Add(-15*time.Minute - time.Second) }
		}),
		"a malformed subject":       "Bearer " + f.signed("at+jwt", set("sub", "1 OR 1=1")),
		"somebody else":             "Bearer " + f.signed("at+jwt", set("sub", "01980000-0000-7000-8000-000000000000")),
		"another client":            "Bearer " + f.signed("at+jwt", set("client_id", "another")),
		"a grant that is not there": "Bearer " + f.signed("at+jwt", set("gid", "01980000-0000-7000-8000-000000000000")),
		"a letter more":             "Bearer " + f.server.both() + "A",
	} {
		f.checkChallenge(name, f.knock("POST", authorization))
	}
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		f.checkChallenge(method, f.knock(method, ""))
	}
}

// TestRevocationCountsAtOnce: of two grants one is revoked, then the account is
// deleted.
func TestRevocationCountsAtOnce(t *testing.T) {
	f := newForger(t, startDemo(t))
	both, reader := "Bearer "+f.server.both(), "Bearer "+f.server.Tokens[trip.ScopeRead]
	good := func(name, authorization string) {
		t.Helper()
		if res := f.knock("POST", authorization); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	good("both", both)
	good("the reader", reader)
	f.change(func(tx *store.Tx) error {
		grants, err := tx.Grants(f.userID, f.server.Client)
		if err == nil {
			err = tx.RevokeGrant(grants[0].ID, "application")
		}
		return err
	})
	f.checkChallenge("revoked", f.knock("POST", both))
	f.checkChallenge("revoked, of the same grant", f.knock("POST", reader))
	renewed := "Bearer " + f.issue(func(*oauth.Options) {})
	good("under a new grant", renewed)
	f.change(func(tx *store.Tx) error { return tx.DeleteUser(f.userID) })
	f.checkChallenge("of a deleted user", f.knock("POST", renewed))
}
