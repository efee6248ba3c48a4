package cli

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// forge makes a token by hand: a header and claims that are those of a good one but
// for what is changed, signed by sign over its first two parts.
func (f forger) forge(header, claims map[string]any, sign func(input string) []byte) string {
	f.t.Helper()
	h, c := f.good()
	maps.Copy(h, header)
	maps.Copy(c, claims)
	maps.DeleteFunc(h, func(_ string, v any) bool { return v == nil })
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	input := f.part(h) + "." + f.part(c)
	return input + "." + base64.RawURLEncoding.EncodeToString(sign(input))
}

func (f forger) part(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		f.t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// good are header and claims of a good token.
func (f forger) good() (header, claims map[string]any) {
	f.t.Helper()
	parts := strings.Split(f.signed("at+jwt", func(map[string]any) {}), ".")
	for i, into := range []*map[string]any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	return header, claims
}

// es256 signs as the server does (RFC 7518, section 3.4).
func (f forger) es256(input string) []byte {
	sum := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, f.key(), sum[:])
	if err != nil {
		f.t.Fatal(err)
	}
	out := make([]byte, 64)
	r.FillBytes(out[:32])
	s.FillBytes(out[32:])
	return out
}

// send sends a request to the endpoint, changed, and gives the answer.
func (f forger) send(change func(*http.Request)) *http.Response {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+f.server.both())
	change(r)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { res.Body.Close() })
	return res
}

// TestResourceServerAttacks are the attacks on the endpoint by way of tokens and of
// the request around them, by their number, and what they get: the one challenge
// where nothing else is said.
func TestResourceServerAttacks(t *testing.T) {
	f := newForger(t, startDemo(t))
	base := strings.TrimSuffix(f.server.URL, "/mcp")
	refused := func(name, token string) {
		t.Helper()
		f.checkChallenge(name, f.knock("POST", "Bearer "+token))
	}
	accepted := func(name, token string) {
		t.Helper()
		if res := f.knock("POST", "Bearer "+token); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	none := func(string) []byte { return nil }
	accepted("a token that is forged well", f.forge(nil, nil, f.es256))
	for name, attack := range map[string]func(t *testing.T){
		"64 other algorithms": func(t *testing.T) {
			public, err := x509.MarshalPKIXPublicKey(&f.key().PublicKey)
			if err != nil {
				t.Fatal(err)
			}
			hs256 := func(input string) []byte {
				mac := hmac.New(sha256.New, public)
				io.WriteString(mac, input)
				return mac.Sum(nil)
			}
			other, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				t.Fatal(err)
			}
			for _, alg := range []string{"none", "None", "NONE", "", "HS256", "HS384", "RS256", "PS256", "ES384", "ES512", "EdDSA", "es256"} {
				refused(alg+" without a signature", f.forge(map[string]any{"alg": alg}, nil, none))
				refused(alg+" signed with ES256", f.forge(map[string]any{"alg": alg}, nil, f.es256))
			}
			refused("HS256 with the public key", f.forge(map[string]any{"alg": "HS256"}, nil, hs256))
			refused("RS256", f.forge(map[string]any{"alg": "RS256"}, nil, func(input string) []byte {
				sum := sha256.Sum256([]byte(input))
				signature, err := rsa.SignPKCS1v15(rand.Reader, other, 5, sum[:])
				if err != nil {
					t.Fatal(err)
				}
				return signature
			}))
			refused("no alg", f.forge(map[string]any{"alg": nil}, nil, f.es256))
		},
		"65 key ids": func(t *testing.T) {
			for _, kid := range []any{"../../x", "' OR 1=1", "", nil, 5, strings.Repeat("x", 20_000), "x", []string{"x"}} {
				refused(fmt.Sprintf("%.20v", kid), f.forge(map[string]any{"kid": kid}, nil, f.es256))
			}
		},
		"66 keys that the token brings": func(t *testing.T) {
			own := jose.JSONWebKey{Key: &f.key().PublicKey, KeyID: "x"}
			for name, value := range map[string]any{"jku": base + "/keys", "x5u": base + "/cert", "jwk": own, "crit": []string{"exp"}, "x5c": []string{"AAAA"}} {
				refused(name, f.forge(map[string]any{name: value}, nil, f.es256))
			}
		},
		"67 types": func(t *testing.T) {
			for _, typ := range []any{"JWT", "session+jwt", "application/at+jwt2", "", nil, 5} {
				refused(fmt.Sprint(typ), f.forge(map[string]any{"typ": typ}, nil, f.es256))
			}
		},
		"68 one credential for another": func(t *testing.T) {
			b := newBrowser(t)
			in := f.signIn(b, base)
			refused("the cookie of a session", in)
			refused("a refresh token", "rt_"+strings.Repeat("x", 43))
			if got := newBrowser(t).open(base+"/account", "Authorization", "Bearer "+f.server.both()); got.location != "/login" {
				t.Errorf("a token opens a page: %d", got.status)
			}
			if got := newBrowser(t).open(base+"/account", "Cookie", "biketrip="+f.server.both()); got.location != "/login" {
				t.Errorf("a token as a cookie opens a page: %d", got.status)
			}
			f.checkChallenge("a cookie alone", f.send(func(r *http.Request) {
				r.Header.Del("Authorization")
				r.Header.Set("Cookie", "biketrip="+in)
			}))
		},
		"69 to 71 claims": func(t *testing.T) {
			now := time.Now().Unix()
			for name, claims := range map[string]map[string]any{
				"aud of another host": {"aud": []string{"https://other.example/mcp"}}, "aud with more behind": {"aud": f.server.URL + "x"}, "aud with a slash": {"aud": f.server.URL + "/"}, "no aud": {"aud": nil}, "aud of nobody": {"aud": []string{}}, "aud a number": {"aud": 5},
				"another iss": {"iss": "https://other.example"}, "no iss": {"iss": nil}, "iss with a slash": {"iss": base + "/"},
				"exp now": {"exp": now}, "exp a second ago": {"exp": now - 1}, "exp a text": {"exp": fmt.Sprint(now + 900)}, "exp beyond all": {"exp": json.RawMessage("1e400")}, "no exp": {"exp": nil}, "exp null": {"exp": json.RawMessage("null")}, "exp below 0": {"exp": -1},
				"sub malformed": {"sub": "1 OR 1=1"}, "no sub": {"sub": nil}, "sub a number": {"sub": 5}, "gid malformed": {"gid": "x"}, "no gid": {"gid": nil},
			} {
				refused(name, f.forge(nil, claims, f.es256))
			}
			accepted("aud among others", f.forge(nil, map[string]any{"aud": []string{"https://other.example", f.server.URL}}, f.es256))
		},
		"74 where the token stands": func(t *testing.T) {
			token := f.server.both()
			f.checkChallenge("in the address", f.send(func(r *http.Request) {
				r.Header.Del("Authorization")
				r.URL.RawQuery = url.Values{"access_token": {token}}.Encode()
			}))
			f.checkChallenge("in the body", f.send(func(r *http.Request) {
				r.Header.Del("Authorization")
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				body := url.Values{"access_token": {token}}.Encode()
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			}))
			f.checkChallenge("twice", f.send(func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+token) }))
			for _, scheme := range []string{"bearer", "BEARER"} {
				if res := f.knock("POST", scheme+" "+token); res.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", scheme, res.Status)
				}
			}
		},
		"75, 76 host and origin": func(t *testing.T) {
			for _, host := range []string{"evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "127.0.0.1", ""} {
				if res := f.send(func(r *http.Request) { r.Host = host }); host != "" && res.StatusCode != http.StatusForbidden {
					t.Errorf("host %s: %s", host, res.Status)
				}
			}
			if res := f.send(func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "evil.example") }); res.StatusCode != http.StatusOK {
				t.Errorf("X-Forwarded-Host counts: %s", res.Status)
			}
			if got := f.raw("POST http://evil.example/mcp HTTP/1.1\r\nHost: " + strings.TrimPrefix(base, "http://") + "\r\nContent-Length: 0\r\n\r\n"); got != http.StatusForbidden {
				t.Errorf("an address as the target: %d", got)
			}
			for _, origin := range []string{"https://evil.example", "null", base + ".evil.example", strings.Replace(base, "http", "https", 1)} {
				if res := f.send(func(r *http.Request) { r.Header.Set("Origin", origin) }); res.StatusCode != http.StatusForbidden {
					t.Errorf("origin %s: %s", origin, res.Status)
				}
			}
			if res := f.send(func(r *http.Request) { r.Header.Set("Origin", base) }); res.StatusCode != http.StatusOK {
				t.Errorf("our own: %s", res.Status)
			}
		},
		"77 a header of 64 KiB": func(t *testing.T) {
			if got := f.raw("POST /mcp HTTP/1.1\r\nHost: " + strings.TrimPrefix(base, "http://") + "\r\nAuthorization: Bearer " + strings.Repeat("x", 80<<10) + "\r\nContent-Length: 0\r\n\r\n"); got != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("%d", got)
			}
			refused("60,000 letters", strings.Repeat("x", 60_000))
		},
		"78, 79 other shapes": func(t *testing.T) {
			good := f.forge(nil, nil, f.es256)
			parts := strings.Split(good, ".")
			for name, token := range map[string]string{
				"JWE": parts[0] + "..x.x.x", "JSON": `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
				"a part more": good + ".x", "a part less": parts[0] + "." + parts[1], "no signature": parts[0] + "." + parts[1] + ".", "padding": good + "=", "a space": good + " x", "another alphabet": strings.ReplaceAll(good, "_", "/"),
				"zeros":     f.forge(nil, nil, func(string) []byte { return make([]byte, 64) }),
				"truncated": f.forge(nil, nil, func(input string) []byte { return f.es256(input)[:63] }),
				"longer":    f.forge(nil, nil, func(input string) []byte { return append(f.es256(input), 0) }),
				"DER": f.forge(nil, nil, func(input string) []byte {
					sum := sha256.Sum256([]byte(input))
					der, err := ecdsa.SignASN1(rand.Reader, f.key(), sum[:])
					if err != nil {
						t.Fatal(err)
					}
					return der
				}),
			} {
				if token != good { // one without the letter in question
					refused(name, token)
				}
			}
		},
		"81 other methods": func(t *testing.T) {
			for _, method := range []string{"GET", "DELETE", "PUT", "HEAD", "PATCH"} {
				if res := f.knock(method, ""); res.StatusCode != http.StatusUnauthorized || res.Header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s without a token: %s", method, res.Status)
				}
				if res := f.knock(method, "Bearer "+f.server.both()); res.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(res.Header.Get("Allow"), "POST") {
					t.Errorf("%s: %s %v", method, res.Status, res.Header)
				}
			}
		},
	} {
		t.Run(name, attack)
	}
}

// raw sends bytes to the server and gives the status of the answer.
func (f forger) raw(request string) int {
	f.t.Helper()
	u, err := url.Parse(f.server.URL)
	if err != nil {
		f.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close()
	go io.WriteString(conn, request)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// signIn signs the demo's user in, in a browser, and gives its cookie.
func (f forger) signIn(b *browser, base string) string {
	f.t.Helper()
	code, out, errs := biketrip("", "user", "link", f.server.User, "--db", f.server.DB, "--default-uri", base, "--json")
	var link struct{ Link string }
	if err := json.Unmarshal([]byte(out), &link); code != exitOK || err != nil {
		f.t.Fatalf("%v: %s%s", err, out, errs)
	}
	b.do(http.MethodPost, link.Link, nil)
	u, err := url.Parse(base)
	if err != nil {
		f.t.Fatal(err)
	}
	cookies := b.client.Jar.Cookies(u)
	if len(cookies) != 1 {
		f.t.Fatalf("%v", cookies)
	}
	return cookies[0].Value
}
