package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"biketrip/store"
)

// verify is what a token allows; nil where it is invalid.
func (o *office) verify(token string) *Access {
	o.t.Helper()
	a, err := o.server.Verify(o.t.Context(), token)
	if errors.Is(err, ErrInvalidToken) {
		return nil
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return &a
}

func TestVerify(t *testing.T) {
	o := newOffice(t)
	issued := o.issue(testWrite, testRead)
	want := &Access{GrantID: o.grants()[0].ID, UserID: o.user.ID, ClientID: o.client.ID, Email: "anna@example.org", Scopes: []string{testRead, testWrite}}
	if d := cmp.Diff(want, o.verify(issued.Token)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	want.Scopes = []string{testWrite}
	if d := cmp.Diff(want, o.verify(o.issue(testWrite).Token)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// The last moment, and the first one after it.
	o.now = issued.ExpiresAt.Add(-time.Nanosecond)
	if o.verify(issued.Token) == nil {
		t.Error("refused before it expires")
	}
	o.now = issued.ExpiresAt
	if o.verify(issued.Token) != nil {
		t.Error("accepted when it has expired")
	}
}

// TestWhatIsRead accepts what a token of another version of this program may
// look like.
func TestWhatIsRead(t *testing.T) {
	o := newOffice(t)
	o.issue(testRead, testWrite)
	private := o.keys.signing().private
	claims := o.claims(o.grants()[0].ID)
	for name, c := range map[string]fields{
		"by hand":         nil,
		"audience string": {"aud": testURI + "/mcp"},
		"two audiences":   {"aud": []string{testURI + "/api", testURI + "/mcp"}},
		"more claims":     {"auth_time": 1, "nbf": nil},
		"issued now":      {"iat": o.now.Unix()},
	} {
		if o.verify(forge(private, o.header(), claims.with(c))) == nil {
			t.Errorf("%s: refused", name)
		}
	}
	none := o.verify(forge(private, o.header(), claims.with(fields{"scope": "openid offline_access"})))
	if none == nil || len(none.Scopes) != 0 {
		t.Errorf("without a scope of ours: %v", none)
	}
}

// TestClaims refuses what is signed with the right key but says what it must
// not (spec: RFC 9068, section 4; RFC 8725, section 3).
func TestClaims(t *testing.T) {
	o := newOffice(t)
	o.issue(testRead, testWrite)
	private, grantID := o.keys.signing().private, o.grants()[0].ID
	var bob store.User
	o.update(func(tx *store.Tx) (err error) {
		bob, err = tx.CreateUser("bob@example.org", "fr")
		return err
	})
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		claims fields
		reason string
	}{
		"other issuer":         {fields{"iss": "https://evil.example"}, "issuer"},
		"issuer with a slash":  {fields{"iss": testURI + "/"}, "issuer"},
		"no issuer":            {fields{"iss": nil}, "issuer"},
		"other audience":       {fields{"aud": []string{"https://evil.example/mcp"}}, "another resource"},
		"audience prefix":      {fields{"aud": testURI + "/mcpx"}, "another resource"},
		"audience with slash":  {fields{"aud": testURI + "/mcp/"}, "another resource"},
		"audience issuer":      {fields{"aud": []string{testURI}}, "another resource"},
		"no audience":          {fields{"aud": nil}, "another resource"},
		"empty audience":       {fields{"aud": []string{}}, "another resource"},
		"audience of numbers":  {fields{"aud": []int{1}}, "claims"},
		"audience object":      {fields{"aud": fields{}}, "claims"},
		"expired":              {fields{"exp": o.now.Unix()}, "expired"},
		"no expiry":            {fields{"exp": nil}, "never expires"},
		"expiry null":          {fields{"exp": raw("null")}, "never expires"},
		"expiry text":          {fields{"exp": "4000000000"}, "claims"},
		"expiry beyond":        {fields{"exp": raw("1e400")}, "claims"},
		"expiry overflows":     {fields{"exp": raw("9223372036854775807")}, "claims"},
		"issued in the future": {fields{"iat": o.now.Unix() + 1}, "future"},
		"not issued":           {fields{"iat": nil}, "does not say when"},
		"malformed user":       {fields{"sub": "anna"}, "sub"},
		"user in braces":       {fields{"sub": "{" + o.user.ID + "}"}, "sub"},
		"user with NUL":        {fields{"sub": o.user.ID[:35] + "\x00"}, "sub"},
		"no user":              {fields{"sub": nil}, "sub"},
		"user a number":        {fields{"sub": 7}, "claims"},
		"malformed grant":      {fields{"gid": "' OR 1=1 --"}, "gid"},
		"no grant":             {fields{"gid": nil}, "gid"},
		"no client":            {fields{"client_id": nil}, "client_id"},
		"client with NUL":      {fields{"client_id": "a\x00b"}, "client_id"},
		"client too long":      {fields{"client_id": strings.Repeat("c", 2049)}, "client_id"},
		"client a list":        {fields{"client_id": []string{o.client.ID}}, "claims"},
		"other client":         {fields{"client_id": "https://client.example/doc"}, "revoked or gone"},
		"other user":           {fields{"sub": bob.ID}, "revoked or gone"},
		"unknown grant":        {fields{"gid": bob.ID}, "revoked or gone"},
		"too long":             {fields{"jti": strings.Repeat("j", 4096)}, "too long"},
		"other case":           {fields{"exp": nil, "EXP": o.now.Unix() + 900}, "never expires"},
	} {
		claims := o.claims(grantID).with(c.claims)
		_, err := o.server.Verify(t.Context(), forge(private, o.header(), claims))
		if !errors.Is(err, ErrInvalidToken) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	twice := segment(o.header()) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"a","iss":"`+testURI+`"}`))
	twice += "." + base64.RawURLEncoding.EncodeToString(signature(private, twice))
	for name, payload := range map[string]string{"a member twice": twice, "a list": forge(private, o.header(), []int{1}), "null": forge(private, o.header(), nil)} {
		if _, err := o.server.Verify(t.Context(), payload); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeader refuses every other header than that of an access token (RFC 8725,
// sections 3.1 and 3.11; RFC 7515, section 4.1).
func TestHeader(t *testing.T) {
	o := newOffice(t)
	o.issue(testRead)
	k := o.keys.signing()
	claims := o.claims(o.grants()[0].ID)
	jwk, err := jose.JSONWebKey{Key: &k.private.PublicKey}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header fields
		reason string
	}{
		"alg none":         {fields{"alg": "none"}, "not signed with ES256"},
		"alg HS256":        {fields{"alg": "HS256"}, "not signed with ES256"},
		"alg RS256":        {fields{"alg": "RS256"}, "not signed with ES256"},
		"alg ES384":        {fields{"alg": "ES384"}, "not signed with ES256"},
		"alg small":        {fields{"alg": "es256"}, "not signed with ES256"},
		"no alg":           {fields{"alg": nil}, "not signed with ES256"},
		"typ JWT":          {fields{"typ": "JWT"}, "type"},
		"typ of a session": {fields{"typ": "session+jwt"}, "type"},
		"no typ":           {fields{"typ": nil}, "type"},
		"no kid":           {fields{"kid": nil}, "kid"},
		"kid empty":        {fields{"kid": ""}, "kid"},
		"kid a path":       {fields{"kid": "../../" + k.id}, "kid"},
		"kid SQL":          {fields{"kid": "' OR 1=1"}, "kid"},
		"kid NUL":          {fields{"kid": k.id + "\x00"}, "kid"},
		"kid too long":     {fields{"kid": strings.Repeat("k", 65)}, "kid"},
		"kid a number":     {fields{"kid": 1}, "header"},
		"kid unknown":      {fields{"kid": strings.Repeat("k", 64)}, "unknown"},
		"jwk":              {fields{"jwk": json.RawMessage(jwk)}, "header"},
		"jku":              {fields{"jku": "https://evil.example/jwks"}, "header"},
		"x5u":              {fields{"x5u": "https://evil.example/cert"}, "header"},
		"x5c":              {fields{"x5c": []string{"AAAA"}}, "header"},
		"x5c null":         {fields{"x5c": json.RawMessage("null")}, "header"},
		"crit":             {fields{"crit": []string{"exp"}}, "header"},
		"b64":              {fields{"b64": true}, "header"},
		"cty":              {fields{"cty": "JWT"}, "header"},
		"nonce":            {fields{"nonce": "n"}, "header"},
	} {
		_, err := o.server.Verify(t.Context(), forge(k.private, o.header().with(c.header), claims))
		if !errors.Is(err, ErrInvalidToken) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSignature refuses what is not signed with the key it names.
func TestSignature(t *testing.T) {
	o := newOffice(t)
	token := o.issue(testRead).Token
	k := o.keys.signing()
	claims := o.claims(o.grants()[0].ID)
	input := token[:strings.LastIndex(token, ".")]
	head, body, _ := strings.Cut(input, ".")
	encode := base64.RawURLEncoding.EncodeToString
	of := func(alg string) string { return segment(o.header().with(fields{"alg": alg})) + "." + segment(claims) }
	signed := func(input string, sig []byte) string { return input + "." + encode(sig) }

	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&k.private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, public)
	mac.Write([]byte(of("HS256")))
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(of("RS256")))
	rsaSignature, err := rsa.SignPKCS1v15(nil, rsaKey, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	sum = sha256.Sum256([]byte(input))
	der, err := ecdsa.SignASN1(rand.Reader, k.private, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	good := signature(k.private, input)
	if o.verify(signed(input, good)) == nil {
		t.Fatal("refuses a good signature")
	}
	for name, bad := range map[string]string{
		"other key":          forge(stranger, o.header(), claims),
		"alg none":           of("none") + ".",
		"HS256, public key":  signed(of("HS256"), mac.Sum(nil)),
		"RS256":              signed(of("RS256"), rsaSignature),
		"none":               input + ".",
		"zero":               signed(input, make([]byte, 64)),
		"cut":                signed(input, good[:63]),
		"longer":             signed(input, append(good[:64:64], 0)),
		"DER":                signed(input, der),
		"of another payload": signed(head+"."+segment(claims), good),
		"empty":              "",
		"dots":               "..",
		"no signature":       input,
		"four parts":         token + ".x",
		"a JWE":              token + ".x.y",
		"space before":       " " + token,
		"line end":           token + "\n",
		"line end inside":    head + "\n." + token[len(head)+1:],
		"padded":             token + "==",
		"twice":              token + " " + token,
		"as JSON":            `{"protected":"` + head + `","payload":"` + body + `","signature":"` + encode(good) + `"}`,
		"no JSON":            encode([]byte("{")) + "." + body + "." + encode(good),
		"JSON null":          encode([]byte("null")) + "." + body + "." + encode(good),
		"64 KiB":             strings.Repeat("a", 1<<16),
	} {
		if _, err := o.server.Verify(t.Context(), bad); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGrantRules: a token is worth what its grant is worth at present.
func TestGrantRules(t *testing.T) {
	o := newOffice(t)
	token := o.issue(testRead, testWrite).Token
	g := o.grants()[0]
	o.sql(`UPDATE grant SET scopes = 'trips:write other' WHERE id = ?`, g.ID)
	if a := o.verify(token); a == nil || !cmp.Equal(a.Scopes, []string{testWrite}) {
		t.Errorf("narrowed: %v", a)
	}
	o.sql(`UPDATE grant SET scopes = 'other' WHERE id = ?`, g.ID)
	if a := o.verify(token); a == nil || len(a.Scopes) != 0 {
		t.Errorf("nothing left: %v", a)
	}
	o.sql(`UPDATE user SET email = 'anna@example.com' WHERE id = ?`, o.user.ID)
	if a := o.verify(token); a == nil || a.Email != "anna@example.com" {
		t.Errorf("moved: %v", a)
	}
	o.update(func(tx *store.Tx) error { return tx.RevokeGrant(g.ID, "application") })
	if o.verify(token) != nil {
		t.Error("accepted although revoked")
	}
	second := o.issue(testRead).Token
	if o.verify(second) == nil || o.verify(token) != nil {
		t.Error("a new grant is not apart from the old one")
	}
	o.sql(`DELETE FROM user WHERE id = ?`, o.user.ID)
	if o.verify(second) != nil {
		t.Error("accepted although the user is deleted")
	}
}

// TestNoLook tells a file that fails from a token that is wrong.
func TestNoLook(t *testing.T) {
	o := newOffice(t)
	token := o.issue(testRead).Token
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.server.Verify(ctx, token); err == nil || errors.Is(err, ErrInvalidToken) {
		t.Errorf("call given up: %v", err)
	}
	o.file.Close()
	if _, err := o.server.Verify(t.Context(), token); err == nil || errors.Is(err, ErrInvalidToken) {
		t.Errorf("file closed: %v", err)
	}
	if _, err := o.server.Verify(t.Context(), token+"x"); !errors.Is(err, ErrInvalidToken) {
		t.Errorf("file closed, token wrong: %v", err)
	}
}

// FuzzVerify accepts nothing that was not signed, whatever it is.
func FuzzVerify(f *testing.F) {
	o := newOffice(f)
	token := o.issue(testRead, testWrite).Token
	signed := token[:strings.LastIndex(token, ".")]
	for _, seed := range []string{token, signed, "..", token + ".a", `{"protected":"e30"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := o.server.Verify(context.Background(), text)
		if err == nil && !strings.HasPrefix(text, signed+".") || err != nil && !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
