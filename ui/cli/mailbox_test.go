package cli

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// A mailbox is a mail server that keeps what it gets.
type mailbox struct {
	t        *testing.T
	port     string
	received chan received

	mu       sync.Mutex
	refusals []error  // of the recipients to come, in order
	asked    []string // recipients, those refused among them
	signedIn int
}

// received is a mail as it came.
type received struct {
	from, to string
	header   mail.Header
	subject  string
	body     string
}

const (
	mailUser     = "biketrip@relay.example"
	mailPassword = "pa:ss word@%/?#"
)

// A mailDoor is how a mail server is reached.
type mailDoor struct {
	listen string      // empty: 127.0.0.1, at a free port
	tls    *tls.Config // nil for none
	atOnce bool        // TLS from the first byte on, not by STARTTLS
	auth   bool        // who sends must sign in
}

// openMailbox starts a mail server that runs until the test is over.
func openMailbox(t *testing.T, door mailDoor) *mailbox {
	t.Helper()
	if door.listen == "" {
		door.listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", door.listen)
	if err != nil {
		t.Fatal(err)
	}
	m := &mailbox{t: t, received: make(chan received, 100)}
	if _, m.port, err = net.SplitHostPort(listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		s := mailSession{m: m, open: !door.auth}
		if door.auth {
			return &authSession{s}, nil
		}
		return &s, nil
	}))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	server.ErrorLog = log.New(io.Discard, "", 0)
	if door.atOnce {
		listener = tls.NewListener(listener, door.tls)
	} else {
		server.TLSConfig = door.tls
	}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return m
}

// refuse makes it refuse the next recipients.
func (m *mailbox) refuse(how ...error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals = append(m.refusals, how...)
}

// recipients are those that were named to it.
func (m *mailbox) recipients() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.asked...)
}

// next is the next mail.
func (m *mailbox) next() received {
	m.t.Helper()
	select {
	case r := <-m.received:
		return r
	case <-time.After(patience):
		m.t.Fatal("no mail comes")
		return received{}
	}
}

// A mailSession is one connection to a mailbox.
type mailSession struct {
	m    *mailbox
	open bool
	got  received
}

func (s *mailSession) Reset()        {}
func (s *mailSession) Logout() error { return nil }

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if !s.open {
		return smtp.ErrAuthRequired
	}
	s.got = received{from: from}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.got.to = to
	s.m.asked = append(s.m.asked, to)
	if len(s.m.refusals) > 0 {
		err := s.m.refusals[0]
		s.m.refusals = s.m.refusals[1:]
		return err
	}
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	message, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	body := message.Body
	if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	s.got.header, s.got.body = message.Header, string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if s.got.subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil {
		return err
	}
	s.m.received <- s.got
	return nil
}

// An authSession is one in which who sends signs in.
type authSession struct{ mailSession }

func (s *authSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *authSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.m.mu.Lock()
		defer s.m.mu.Unlock()
		s.m.signedIn++
		if user != mailUser || password != mailPassword {
			return &smtp.SMTPError{Code: 535, Message: "wrong password of " + user}
		}
		s.open = true
		return nil
	}), nil
}

// An authority is a certificate authority that the program is told to trust, and a
// certificate of it for this computer.
type authority struct {
	env []string // of a program that trusts it
	tls *tls.Config
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the system takes no authorities from a file")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "A test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4zero},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return authority{
		env: []string{"SSL_CERT_FILE=" + path, "SSL_CERT_DIR=" + filepath.Dir(path)},
		tls: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
	}
}

// freePort is a port at which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}
