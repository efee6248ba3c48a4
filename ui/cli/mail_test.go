package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

// addUser adds a person in the file of a folder.
func addUser(t *testing.T, dir, email string, args ...string) {
	t.Helper()
	code, _, errs := biketrip("", append([]string{"user", "add", email, "--db", dbIn(dir)}, args...)...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
}

// askLink asks for a link by mail.
func (b *browser) askLink(s *server, email string, header ...string) seen {
	b.t.Helper()
	return b.do("POST", s.address+"/login", url.Values{"email": {email}}, header...)
}

// link is the link in a mail of a server.
func (r received) link(s *server) string {
	return regexp.MustCompile(regexp.QuoteMeta(s.address) + `/login/[\w-]{43}\n`).FindString(r.body)
}

// said waits for a line of the log.
func (s *server) said(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.text(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("it does not say %s: %s", text, s.text())
		}
	}
}

// TestMailedLink: from the flags to the browser that is signed in, through each
// kind of mail server.
func TestMailedLink(t *testing.T) {
	authority := newAuthority(t)
	secrets := t.TempDir()
	password, whole := filepath.Join(secrets, "password"), filepath.Join(secrets, "smtp")
	login := url.UserPassword(mailUser, mailPassword).String()
	for name, c := range map[string]struct {
		door mailDoor
		args func(port string) []string
	}{
		"on this computer": {mailDoor{}, func(port string) []string {
			return []string{"--smtp", "smtp://localhost:" + port}
		}},
		"on this computer, signed in": {mailDoor{auth: true}, func(port string) []string {
			return []string{"--smtp", "smtp://" + login + "@127.0.0.1:" + port}
		}},
		"TLS from the first byte on": {mailDoor{tls: authority.tls, atOnce: true, auth: true}, func(port string) []string {
			if err := os.WriteFile(whole, []byte("smtps://"+login+"@127.0.0.1:"+port+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--smtp-file", whole}
		}},
		// 0.0.0.0 reaches this computer, and is none of its own addresses.
		"STARTTLS": {mailDoor{listen: "0.0.0.0:0", tls: authority.tls, auth: true}, func(port string) []string {
			if err := os.WriteFile(password, []byte(mailPassword+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--smtp", "smtp://" + url.User(mailUser).String() + "@0.0.0.0:" + port, "--smtp-password-file", password, "--mail-from", "trips@example.org"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, box := t.TempDir(), openMailbox(t, c.door)
			s := startServer(t, dir, authority.env, c.args(box.port)...)
			addUser(t, dir, "Anna@example.org")
			b := newBrowser(t)
			if page := b.open(s.address + "/login"); !strings.Contains(page.body, `name="email"`) {
				t.Errorf("%s", page.body)
			}
			answer := b.askLink(s, " anna@EXAMPLE.org ")
			b.guarded(answer)
			if answer.status != http.StatusOK || strings.Contains(strings.ToLower(answer.body), "anna") {
				t.Errorf("%d %s", answer.status, answer.body)
			}
			got := box.next()
			link := strings.TrimSpace(got.link(s))
			sender := "biketrip@localhost"
			if name == "STARTTLS" {
				sender = "trips@example.org"
			}
			if got.from != sender || got.to != "Anna@example.org" || got.header.Get("From") != `"Biketrip" <`+sender+">" || got.subject != "Your link to sign in to Biketrip" || got.header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("%+v", got)
			}
			for _, want := range []string{"127.0.0.1\n", s.address + " as Anna@example.org", "within half an hour", "If it was not you"} {
				if !strings.Contains(got.body, want) {
					t.Errorf("the mail does not say %q: %s", want, got.body)
				}
			}
			for range 2 { // as programs do that look at mails
				if page := b.open(link); page.status != http.StatusOK {
					t.Errorf("%d %s", page.status, page.body)
				}
			}
			b.do("POST", link, nil)
			if page := b.open(s.address + "/account"); !strings.Contains(page.body, "Anna@example.org") {
				t.Errorf("%d %s", page.status, page.body)
			}
			s.said("a sign-in mail is sent")
			if s.stop(); strings.Contains(strings.ToLower(s.text()), "anna@") || strings.Contains(s.text(), "/login/") || strings.Contains(s.text(), mailPassword) || strings.Contains(s.text(), login) {
				t.Errorf("the log has secrets: %s", s.text())
			}
		})
	}
}

// TestMailInFrench: a mail is in the language of the account, whatever that of the
// browser.
func TestMailInFrench(t *testing.T) {
	dir, box := t.TempDir(), openMailbox(t, mailDoor{})
	s := startServer(t, dir, nil, "--smtp", "smtp://localhost:"+box.port)
	addUser(t, dir, "ben@example.org", "--language", "fr")
	newBrowser(t).askLink(s, "ben@example.org", "Accept-Language", "en")
	got := box.next()
	if got.subject != "Votre lien de connexion à Biketrip" || !strings.Contains(got.body, "Ouvrez-le dans la demi-heure") || got.link(s) == "" {
		t.Errorf("%s\n%s", got.subject, got.body)
	}
}

// TestMailTellsNothing: the page answers the same for an address with an account,
// for one without, and for one that has had its three mails, and only the first
// gets any.
func TestMailTellsNothing(t *testing.T) {
	dir, box := t.TempDir(), openMailbox(t, mailDoor{})
	s := startServer(t, dir, nil, "--smtp", "smtp://localhost:"+box.port, "--trusted-proxy", "127.0.0.1/32")
	for _, email := range []string{"anna@example.org", "ben@example.org", "clea@example.org"} {
		addUser(t, dir, email)
	}
	ask := func(email string) seen {
		t.Helper()
		got := newBrowser(t).askLink(s, email, "X-Forwarded-For", "203.0.113.9")
		got.header.Del("Date")
		return got
	}
	known := ask("anna@example.org")
	for _, email := range []string{"eve@example.org", "anna@example.org", "ANNA@example.org", "anna@example.org", "anna@Example.org", "ben@example.org"} {
		if got := ask(email); known.status != http.StatusOK || !cmp.Equal(known, got, cmp.AllowUnexported(seen{})) {
			t.Errorf("%s: %s", email, cmp.Diff(known, got, cmp.AllowUnexported(seen{})))
		}
	}
	links := map[string]bool{}
	for _, want := range []string{"anna@example.org", "anna@example.org", "anna@example.org", "ben@example.org"} {
		got := box.next()
		links[got.link(s)] = true
		if got.to != want || !strings.Contains(got.body, "203.0.113.9") {
			t.Errorf("to %s instead of %s", got.to, want)
		}
	}
	if len(links) != 4 || links[""] {
		t.Errorf("%d links", len(links))
	}

	// Seven of ten from this address are used up.
	for range 3 {
		ask("nobody@example.org")
	}
	refused := ask("clea@example.org")
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); refused.status != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 900 || !strings.Contains(refused.body, "<h1>Too many requests</h1>") {
		t.Errorf("%d %v %s", refused.status, refused.header, refused.body)
	}
	if other := newBrowser(t).askLink(s, "clea@example.org", "X-Forwarded-For", "203.0.113.10"); other.status != http.StatusOK {
		t.Errorf("from elsewhere: %d", other.status)
	}
	if got := box.next(); got.to != "clea@example.org" {
		t.Errorf("to %s", got.to)
	}
	want := []string{"anna@example.org", "anna@example.org", "anna@example.org", "ben@example.org", "clea@example.org"}
	if d := cmp.Diff(want, box.recipients()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for deadline := time.Now().Add(patience); strings.Count(s.text(), "a sign-in mail is sent") < len(want); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s", s.text())
		}
	}
	if strings.Contains(s.text(), "not sent") {
		t.Errorf("mails for nobody are begun: %s", s.text())
	}
}

// TestMailIsAskedForHere: no other web site asks for a mail, what is no address is
// refused, and where there is no mail server the page says who makes a link.
func TestMailIsAskedForHere(t *testing.T) {
	box := openMailbox(t, mailDoor{})
	s := startServer(t, t.TempDir(), nil, "--smtp", "smtp://localhost:"+box.port, "--owner", "anna@example.org")
	b := newBrowser(t)
	if got := b.askLink(s, "anna@example.org", "Sec-Fetch-Site", "cross-site"); got.status != http.StatusForbidden {
		t.Errorf("from another site: %d", got.status)
	}
	for _, email := range []string{"", "anna", "anna@example.org\r\nBcc: eve@example.org", "anna@example.org, eve@example.org", strings.Repeat("a", 5000) + "@example.org"} {
		if got := b.askLink(s, email); got.status != http.StatusBadRequest {
			t.Errorf("%.60q: %d", email, got.status)
		}
	}
	b.askLink(s, "anna@example.org")
	if box.next(); len(box.recipients()) != 1 {
		t.Errorf("%v", box.recipients())
	}
	without := startServer(t, t.TempDir(), nil)
	page := b.open(without.address + "/login")
	if strings.Contains(page.body, "<form") || !strings.Contains(page.body, "biketrip user link") {
		t.Errorf("%s", page.body)
	}
	if got := b.askLink(without, "owner@localhost"); got.status != http.StatusMethodNotAllowed {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestMailIsTriedAgain: a mail server that is away, or asks for patience, gets the
// mail a little later; one that refuses it for good is not asked again. The link
// before lives until there is a new one, and the log names nobody.
func TestMailIsTriedAgain(t *testing.T) {
	dir, port := t.TempDir(), freePort(t)
	s := startServer(t, dir, nil, "--smtp", "smtp://localhost:"+port)
	addUser(t, dir, "anna@example.org")
	code, out, errs := biketrip("", "user", "link", "anna@example.org", "--db", dbIn(dir), "--default-uri", s.address)
	if code != exitOK {
		t.Fatal(errs)
	}
	b := newBrowser(t)
	if got := b.askLink(s, "anna@example.org"); got.status != http.StatusOK {
		t.Errorf("%d", got.status)
	}
	s.said("connection refused")
	if page := b.open(strings.TrimSpace(out)); page.status != http.StatusOK {
		t.Errorf("the link from before: %d", page.status)
	}
	box := openMailbox(t, mailDoor{listen: "127.0.0.1:" + port})
	box.refuse(&smtp.SMTPError{Code: 451, Message: "anna@example.org, later"})
	link := box.next().link(s)
	if page := b.open(strings.TrimSpace(link)); link == "" || page.status != http.StatusOK {
		t.Errorf("%q: %d", link, page.status)
	}
	box.refuse(&smtp.SMTPError{Code: 550, Message: "<anna@example.org> is not here"})
	b.askLink(s, "anna@example.org")
	s.said(`"attempt":1,"reason":"sending SMTP RCPT TO command, code 550","again":false`)
	b.askLink(s, "anna@example.org")
	box.next()
	if got := len(box.recipients()); got != 4 { // later, taken, refused, taken
		t.Errorf("%d recipients", got)
	}
	if s.stop(); strings.Contains(s.text(), "anna") || strings.Contains(s.text(), "/login/") {
		t.Errorf("the log has secrets: %s", s.text())
	}
}

// TestMailPasswordIsKept: no password goes to a mail server in the clear, to one
// that nobody vouches for, or into the log.
func TestMailPasswordIsKept(t *testing.T) {
	authority := newAuthority(t)
	for name, c := range map[string]struct {
		door   mailDoor
		scheme string
		says   string
	}{
		"no STARTTLS":        {mailDoor{listen: "0.0.0.0:0", auth: true}, "smtp", "does not support STARTTLS"},
		"STARTTLS, a stray":  {mailDoor{listen: "0.0.0.0:0", tls: authority.tls, auth: true}, "smtp", "certificate"},
		"TLS, a stray":       {mailDoor{tls: authority.tls, atOnce: true, auth: true}, "smtps", "certificate"},
		"no TLS, but wished": {mailDoor{auth: true}, "smtps", "tls"},
	} {
		t.Run(name, func(t *testing.T) {
			box := openMailbox(t, c.door)
			host := "127.0.0.1"
			if c.door.listen != "" {
				host = "0.0.0.0"
			}
			s := startServer(t, t.TempDir(), nil, "--owner", "anna@example.org", "--smtp", c.scheme+"://"+url.UserPassword(mailUser, mailPassword).String()+"@"+host+":"+box.port)
			newBrowser(t).askLink(s, "anna@example.org")
			s.said("a sign-in mail is not sent")
			if !strings.Contains(s.logged("a sign-in mail is not sent", "reason"), c.says) {
				t.Errorf("%s", s.text())
			}
			s.stop()
			box.mu.Lock()
			defer box.mu.Unlock()
			if box.signedIn > 0 || len(box.asked) > 0 || strings.Contains(s.text(), "relay.example") {
				t.Errorf("%d, %v, %s", box.signedIn, box.asked, s.text())
			}
		})
	}
}

// TestMailPasswordIsWrong: a password that is wrong is told without the name, and
// once.
func TestMailPasswordIsWrong(t *testing.T) {
	box := openMailbox(t, mailDoor{auth: true})
	s := startServer(t, t.TempDir(), []string{"BIKETRIP_SMTP=smtp://" + url.User(mailUser).String() + ":other@localhost:" + box.port}, "--owner", "anna@example.org")
	newBrowser(t).askLink(s, "anna@example.org")
	s.said(`"attempt":1,"reason":"the mail server refuses to begin, code 535","again":false`)
	if strings.Contains(s.text(), "relay.example") {
		t.Errorf("%s", s.text())
	}
}

// TestServeStopsBesideMail: a mail server that takes a connection and says nothing
// holds nobody up.
func TestServeStopsBesideMail(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, port, _ := net.SplitHostPort(silent.Addr().String())
	s := startServer(t, t.TempDir(), nil, "--owner", "anna@example.org", "--smtp", "smtp://localhost:"+port)
	newBrowser(t).askLink(s, "anna@example.org")
	c, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if code := s.stop(); code != exitOK || !strings.Contains(s.text(), "a sign-in mail is not sent") || strings.Contains(s.text(), "timeout") {
		t.Errorf("exit %d: %s", code, s.text())
	}
}

// TestMailFlags: what is no mail server stops the start, and no password is
// repeated.
func TestMailFlags(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		flags mailFlag
		want  string // as JSON; empty for an error
		says  string
	}{
		{mailFlag{}, `{"Host":"","Port":0,"TLS":false,"Plain":false,"User":"","Password":"","From":""}`, ""},
		{mailFlag{SMTP: "smtp://localhost:25"}, `{"Host":"localhost","Port":25,"TLS":false,"Plain":true,"User":"","Password":"","From":"biketrip@a.example"}`, ""},
		{mailFlag{SMTP: "smtp://u:hush%40@m.example"}, `{"Host":"m.example","Port":587,"TLS":false,"Plain":false,"User":"u","Password":"hush@","From":"biketrip@a.example"}`, ""},
		{mailFlag{SMTP: "smtps://u:hush@[::1]/", MailFrom: "t@b.example"}, `{"Host":"::1","Port":465,"TLS":true,"Plain":false,"User":"u","Password":"hush","From":"t@b.example"}`, ""},
		{mailFlag{SMTP: "smtps://u@m.example:1465", SMTPPasswordFile: file("p", "hush\r\n")}, `{"Host":"m.example","Port":1465,"TLS":true,"Plain":false,"User":"u","Password":"hush","From":"biketrip@a.example"}`, ""},
		{mailFlag{SMTPFile: file("whole", "smtp://u:hush@m.example")}, `{"Host":"m.example","Port":587,"TLS":false,"Plain":false,"User":"u","Password":"hush","From":"biketrip@a.example"}`, ""},
		{mailFlag{SMTPFile: file("wrong", "hush")}, "", "--smtp-file must be"},
		{mailFlag{SMTPFile: file("two", "hush\nhush")}, "", "one line"},
		{mailFlag{SMTPFile: file("none", "\n")}, "", "one line"},
		{mailFlag{SMTPFile: filepath.Join(dir, "missing")}, "", "--smtp-file: "},
		{mailFlag{SMTP: "smtp://u@m.example", SMTPPasswordFile: filepath.Join(dir, "missing")}, "", "--smtp-password-file: "},
		{mailFlag{SMTP: "smtp://u:hush@m.example", SMTPPasswordFile: file("p2", "hush")}, "", "has, too"},
		{mailFlag{SMTP: "smtp://m.example", SMTPPasswordFile: file("p3", "hush")}, "", "no user"},
		{mailFlag{SMTPPasswordFile: file("p4", "hush")}, "", "--smtp"},
		{mailFlag{SMTP: "smtp://m.example", SMTPFile: file("p5", "hush")}, "", "one of them"},
		{mailFlag{SMTP: "smtp://u@m.example"}, "", "without a password"},
		{mailFlag{SMTP: "smtp://:hush@m.example"}, "", "no user"},
		{mailFlag{SMTP: "smtp://u:hush@"}, "", "has no host"},
		{mailFlag{SMTP: "smtp://u:hush@m.example:0"}, "", "port"},
		{mailFlag{SMTP: "smtp://u:hush@m.example:65536"}, "", "port"},
		{mailFlag{SMTP: "smtp://u:hush@m.example:x"}, "", "no address"},
		{mailFlag{SMTP: "smtp://u:hu/sh@m.example"}, "", "no address"},
		{mailFlag{SMTP: "smtp://u:hush@m.example/in"}, "", "more than"},
		{mailFlag{SMTP: "smtp://u:hush@m.example?x=1"}, "", "more than"},
		{mailFlag{SMTP: "http://u:hush@m.example"}, "", "smtp:// or smtps://"},
		{mailFlag{SMTP: "u:hush@m.example"}, "", "smtp:// or smtps://"},
		{mailFlag{SMTP: "m.example:25"}, "", "smtp:// or smtps://"},
		{mailFlag{MailFrom: "Anna <anna@example.org>"}, "", "--mail-from must be an e-mail address"},
	} {
		err := c.flags.Validate()
		var got []byte
		if err == nil {
			m, wrong := c.flags.mailServer("https://a.example:8443")
			err = wrong
			if got, wrong = json.Marshal(m); wrong != nil {
				t.Fatal(wrong)
			}
		}
		if c.want != "" && (err != nil || string(got) != c.want) {
			t.Errorf("%+v: %s, %v", c.flags, got, err)
		}
		if c.want == "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "hu/")) {
			t.Errorf("%+v: %v", c.flags, err)
		}
	}
	for uri, want := range map[string]string{"http://localhost:8080": "biketrip@localhost", "http://127.0.0.1:8080": "biketrip@localhost", "http://[::1]:8080": "biketrip@localhost", "https://trips.example": "biketrip@trips.example"} {
		if m, err := (mailFlag{SMTP: "smtp://localhost"}).mailServer(uri); err != nil || m.From != want {
			t.Errorf("%s: %s, %v", uri, m.From, err)
		}
	}
	if code, _, errs := biketrip("", "serve", "--smtp", "smtp://u:hush@m.example?x=1"); code != exitUsage || strings.Contains(errs, "hush") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
