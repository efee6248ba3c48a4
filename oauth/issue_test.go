package oauth

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store"
)

// TestTokenForm reads a token off its bytes (spec: RFC 9068, section 2).
func TestTokenForm(t *testing.T) {
	o := newOffice(t)
	issued := o.issue(testWrite, testRead, testWrite)
	parts := strings.Split(issued.Token, ".")
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	read := func(part string) (v map[string]any) {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err == nil {
			err = json.Unmarshal(text, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if d := cmp.Diff(map[string]any{"alg": "ES256", "typ": "at+jwt", "kid": o.keys.signing().id}, read(parts[0])); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	claims := read(parts[1])
	if id, _ := claims["jti"].(string); len(id) != 22 {
		t.Errorf("jti %v", claims["jti"])
	}
	delete(claims, "jti")
	second := float64(testNow.Unix())
	if d := cmp.Diff(map[string]any{
		"iss": testURI, "aud": []any{testURI + "/mcp"}, "sub": o.user.ID, "client_id": o.client.ID, "gid": o.grants()[0].ID,
		"scope": "trips:read trips:write", "iat": second, "exp": second + 900,
	}, claims); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	if want := testNow.Truncate(time.Second).Add(15 * time.Minute); !issued.ExpiresAt.Equal(want) || !cmp.Equal(issued.Scopes, []string{testRead, testWrite}) {
		t.Errorf("issued %v, %v", issued.ExpiresAt, issued.Scopes)
	}
	if len(issued.Token) > 1024 {
		t.Errorf("%d bytes", len(issued.Token))
	}
	if o.issue(testRead, testWrite).Token == issued.Token {
		t.Error("two tokens are one")
	}
}

// TestIssueReusesGrants makes a grant only where no living one allows enough.
func TestIssueReusesGrants(t *testing.T) {
	o := newOffice(t)
	count := func(want int) []store.Grant {
		t.Helper()
		grants := o.grants()
		if len(grants) != want {
			t.Fatalf("%d grants, want %d", len(grants), want)
		}
		return grants
	}
	o.issue(testRead)
	o.issue(testRead)
	count(1)
	o.issue(testWrite, testRead)
	grants := count(2)
	o.issue(testWrite)
	o.issue(testRead)
	count(2)
	if g := grants[1]; g.ClientName != "Agent" || g.RedirectHost != "" || !cmp.Equal(g.Scopes, []string{testRead, testWrite}) {
		t.Errorf("grant %v", g)
	}
	o.update(func(tx *store.Tx) error { return tx.RevokeGrant(grants[1].ID, "application") })
	o.issue(testRead)
	count(2)
	if a := o.verify(o.issue(testWrite).Token); a == nil || a.GrantID != count(3)[2].ID {
		t.Errorf("under a revoked grant: %v", a)
	}
}

func TestIssueRefuses(t *testing.T) {
	o := newOffice(t)
	for name, c := range map[string]struct {
		user, client string
		scopes       []string
		want         error
		says         string
	}{
		"unknown user":   {o.client.ID, o.client.ID, []string{testRead}, ErrUnknownUser, ""},
		"unknown client": {o.user.ID, "https://client.example/doc", []string{testRead}, ErrUnknownClient, ""},
		"no scope":       {o.user.ID, o.client.ID, nil, ErrNoScope, ""},
		"unknown scope":  {o.user.ID, o.client.ID, []string{testRead, "admin"}, ErrUnknownScope, `"admin"; there are trips:read, trips:write`},
	} {
		issued, err := o.server.Issue(t.Context(), c.user, c.client, c.scopes)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || issued.Token != "" {
			t.Errorf("%s: %v, %v", name, issued, err)
		}
	}
	if n := len(o.grants()); n != 0 {
		t.Errorf("%d grants are left behind", n)
	}
}

// TestIssueLeavesConsentAlone: what a person has granted by consent is not what
// the operator's tokens hang on.
func TestIssueLeavesConsentAlone(t *testing.T) {
	o := newOffice(t)
	consented := store.Grant{UserID: o.user.ID, ClientID: o.client.ID, ClientName: "Agent", RedirectHost: "client.example", Scopes: []string{testRead, testWrite}}
	o.update(func(tx *store.Tx) error { return tx.CreateGrant(&consented) })
	if a := o.verify(o.issue(testRead).Token); a == nil || a.GrantID == consented.ID {
		t.Errorf("a token under %v", a)
	}
}
