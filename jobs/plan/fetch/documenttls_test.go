package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A certifier vouches for servers.
type certifier struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newCertifier(t *testing.T) certifier {
	t.Helper()
	c := certifier{t: t}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	c.key = c.newKey()
	c.cert = c.sign(template, template, &c.key.PublicKey, c.key)
	return c
}

func (c certifier) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	return key
}

func (c certifier) sign(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) *x509.Certificate {
	c.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		c.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		c.t.Fatal(err)
	}
	return cert
}

// vouch is a certificate for a name, good until then.
func (c certifier) vouch(name string, until time.Time) tls.Certificate {
	key := c.newKey()
	cert := c.sign(&x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, c.cert, &key.PublicKey, c.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// TestDocumentTransport asks real servers over TLS, by the transport of documents
// with nothing but the address that is dialled changed, and the CA.
func TestDocumentTransport(t *testing.T) {
	ours, others := newCertifier(t), newCertifier(t)
	later := time.Now().Add(time.Hour)
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("https_proxy", "http://127.0.0.1:1")
	big := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Big", strings.Repeat("x", n)) }
	}
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		for range 500 {
			w.Header().Add("X", strings.Repeat("x", 100))
		}
	}
	for name, c := range map[string]struct {
		cert    tls.Certificate
		handler http.HandlerFunc
		kind    Kind // empty for an answer
	}{
		"94 as it should be, past a proxy": {ours.vouch("client.example", later), big(100), ""},
		"92 a header of 17 KiB":            {ours.vouch("client.example", later), big(17 << 10), ErrUnavailable},
		"92 a header of many fields":       {ours.vouch("client.example", later), bomb, ErrUnavailable},
		"93 vouched for by somebody else":  {others.vouch("client.example", later), big(1), ErrUnavailable},
		"93 for another name":              {ours.vouch("other.example", later), big(1), ErrUnavailable},
		"93 out of date":                   {ours.vouch("client.example", time.Now().Add(-time.Minute)), big(1), ErrUnavailable},
	} {
		for _, h2 := range []bool{false, true} {
			server := httptest.NewUnstartedServer(c.handler)
			server.TLS, server.EnableHTTP2 = &tls.Config{Certificates: []tls.Certificate{c.cert}}, h2
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			transport := documentTransport()
			transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
			}
			transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
			transport.TLSClientConfig.RootCAs.AddCert(ours.cert)
			client := client(transport)
			_, err := client.Get(t.Context(), "https://client.example/a.json", documentPolicy)
			switch {
			case c.kind == "" && err != nil:
				t.Errorf("%s, HTTP/2 %v: %v", name, h2, err)
			case c.kind != "":
				wantError(t, err, c.kind)
			}
			server.Close()
		}
	}
}
