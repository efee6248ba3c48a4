package ui

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/textproto"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"biketrip/oauth"
	"biketrip/store"
)

const (
	// maxWishes is how many wishes for a mail wait at once. One more is dropped.
	maxWishes = 100
	// mailTime is how long one attempt to send a mail may take.
	mailTime = 20 * time.Second
	// replyTime is how long the mail server may take for a reply.
	replyTime = 10 * time.Second
)

// mailPauses are the times between the attempts to send a mail.
func mailPauses() []time.Duration { return []time.Duration{time.Second, 5 * time.Second} }

// A MailServer is what mails go out through.
type MailServer struct {
	Host           string
	Port           int
	TLS            bool   // from the first byte on; else nothing is sent before STARTTLS
	Plain          bool   // without TLS, as within one computer
	User, Password string // empty: nobody signs in
	From           string // address that the mails come from
}

// A wish is that of a browser for a sign-in link by mail.
type wish struct {
	email string // as typed
	from  string // the address of the browser
}

// A mailer is the one sender of mail. What it has to send is in memory, and lost
// with the process: who waits for a mail asks again.
type mailer struct {
	store  *store.Store
	server MailServer
	uri    string
	random io.Reader
	log    *slog.Logger
	pauses []time.Duration
	wishes chan wish
}

func newMailer(s *Site) *mailer {
	return &mailer{store: s.Store, server: s.Mail, uri: s.DefaultURI, random: s.random, log: s.Log, pauses: mailPauses(), wishes: make(chan wish, maxWishes)}
}

// ask takes a wish, at once and whatever comes of it.
func (m *mailer) ask(w wish) {
	select {
	case m.wishes <- w:
	default:
		m.log.Warn("a sign-in mail is dropped", "reason", "too many are waiting")
	}
}

// run fulfils wishes until ctx ends.
func (m *mailer) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case w := <-m.wishes:
			m.fulfil(ctx, w)
		}
	}
	if n := len(m.wishes); n > 0 {
		m.log.Warn("sign-in mails are not sent", "reason", "the server stops", "count", n)
	}
}

// fulfil mails a link, where there is somebody of that address.
func (m *mailer) fulfil(ctx context.Context, w wish) {
	var u store.User
	err := m.store.View(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.UserByEmail(w.email)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return
	}
	if err != nil {
		m.log.Error("a sign-in mail is not sent", "error", err)
		return
	}
	var letter *mail.Msg
	for attempt := 1; ; attempt++ {
		err := m.send(ctx, u, w.from, &letter)
		if err == nil {
			m.log.Info("a sign-in mail is sent", "attempt", attempt)
			return
		}
		again := attempt <= len(m.pauses) && mayPass(err)
		m.log.Warn("a sign-in mail is not sent", "attempt", attempt, "reason", reasonOf(err), "again", again)
		if !again {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(m.pauses[attempt-1]):
		}
	}
}

// send sends a letter, which is written once the mail server is there for it: a
// new link ends the one before.
func (m *mailer) send(ctx context.Context, u store.User, from string, letter **mail.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	client, err := m.client(ctx)
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	if *letter == nil {
		if *letter, err = m.write(ctx, u, from); err != nil {
			return err
		}
	}
	if err := client.Send(*letter); !(*letter).IsDelivered() {
		return errors.Join(err, ctx.Err())
	}
	client.Close() // it has the mail, however it takes the farewell
	return nil
}

// client is a connection to come to the mail server, which ends with ctx at the
// latest. A password goes through TLS, or stays on this computer.
func (m *mailer) client(ctx context.Context) (*mail.Client, error) {
	dial := func(dialling context.Context, network, address string) (net.Conn, error) {
		var conn net.Conn
		var err error
		if m.server.TLS {
			conn, err = (&tls.Dialer{Config: &tls.Config{ServerName: m.server.Host, MinVersion: tls.VersionTLS12}}).DialContext(dialling, network, address)
		} else {
			conn, err = new(net.Dialer).DialContext(dialling, network, address)
		}
		if err == nil {
			context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}
	_, domain, _ := strings.Cut(m.server.From, "@")
	options := []mail.Option{mail.WithPort(m.server.Port), mail.WithTimeout(replyTime), mail.WithHELO(domain), mail.WithDialContextFunc(dial)}
	plain, login := mail.SMTPAuthPlain, mail.SMTPAuthLogin
	switch {
	case m.server.TLS:
		options = append(options, mail.WithSSL())
	case m.server.Plain:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
		plain, login = mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if m.server.User != "" {
		options = append(options, mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, plain, login), mail.WithUsername(m.server.User), mail.WithPassword(m.server.Password))
	}
	return mail.NewClient(m.server.Host, options...)
}

// errLetter says that a mail cannot be written; which address is at fault is not
// for the log.
var errLetter = errors.New("the mail cannot be written")

// write makes a new link and writes the letter with it. Whose address has become
// another one meanwhile gets none: store.ErrNotFound.
func (m *mailer) write(ctx context.Context, u store.User, from string) (*mail.Msg, error) {
	var link Link
	err := m.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.UserByEmail(u.Email)
		if err == nil && now.ID != u.ID {
			err = store.ErrNotFound
		}
		if err == nil {
			link, err = NewLinkIn(tx, m.uri, u.ID, m.random)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m.letter(u, from, link)
}

// letter is the letter to a person with a link, in the language of the account. An
// address that would be more than that is errLetter.
func (m *mailer) letter(u store.User, from string, link Link) (*mail.Msg, error) {
	id, _, err := oauth.NewSecret(m.random, "")
	if err != nil {
		return nil, err
	}
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if letter.FromFormat("Biketrip", m.server.From) != nil || letter.To(u.Email) != nil {
		return nil, errLetter
	}
	_, domain, _ := strings.Cut(m.server.From, "@")
	letter.SetMessageIDWithValue(id + "@" + domain)
	letter.SetDate()
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834, section 5
	letter.Subject(text{"Your link to sign in to Biketrip", "Votre lien de connexion à Biketrip"}.in(u.Language))
	letter.SetBodyString(mail.TypeTextPlain, fmt.Sprintf(linkLetter().in(u.Language), from, m.uri, u.Email, link.URL))
	return letter, nil
}

// linkLetter is what a mail with a link says: where the wish comes from, the
// server, the account, and the link.
func linkLetter() text {
	return text{
		`Somebody, most likely you, asked from the network address %s
for a link to sign in at %s as %s.

Open it within half an hour, and press the button there. It works once, and
ends the links from before:

%s

If it was not you, ignore this mail: without the link nobody is signed in.
`,
		`Quelqu’un, sans doute vous, a demandé depuis l’adresse réseau %s
un lien pour se connecter à %s en tant que %s.

Ouvrez-le dans la demi-heure et appuyez sur le bouton. Il sert une fois, et met
fin aux liens précédents :

%s

Si ce n’était pas vous, ignorez ce message : sans le lien, personne n’est
connecté.
`,
	}
}

// codeOf is the code with which a mail server has refused something, 0 for none.
func codeOf(err error) int {
	var told *mail.SendError
	var reply *textproto.Error
	switch {
	case errors.As(err, &told):
		return told.ErrorCode()
	case errors.As(err, &reply):
		return reply.Code
	}
	return 0
}

// mayPass says whether another attempt may do better: what a mail server refuses
// for good is told with a code from 500 (RFC 5321, section 4.2.1).
func mayPass(err error) bool {
	return codeOf(err) < 500 && !errors.Is(err, errLetter) && !errors.Is(err, store.ErrNotFound)
}

// reasonOf is an error without what the mail server says, which may name people.
func reasonOf(err error) string {
	var told *mail.SendError
	code := codeOf(err)
	switch {
	case errors.As(err, &told):
		return fmt.Sprintf("%s, code %d", told.Reason, code)
	case code != 0:
		return fmt.Sprintf("the mail server refuses to begin, code %d", code)
	}
	return err.Error()
}
