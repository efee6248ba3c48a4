package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"biketrip/store"
	"biketrip/ui"
)

// mailFlag says through which mail server people get their sign-in links.
type mailFlag struct {
	SMTP             string `name:"smtp" placeholder:"URL" help:"Mail server that sends people their sign-in links: smtp://USER:PASSWORD@HOST:587 (STARTTLS, but on this computer) or smtps://USER:PASSWORD@HOST:465."`
	SMTPFile         string `name:"smtp-file" placeholder:"FILE" help:"File that holds what --smtp would say."`
	SMTPPasswordFile string `name:"smtp-password-file" placeholder:"FILE" help:"File that holds the password at the mail server alone."`
	MailFrom         string `name:"mail-from" placeholder:"ADDRESS" help:"Address that the mails come from (biketrip@ the host of --default-uri)."`
}

// Validate refuses what is no mail server and no sender. What may be a password is
// not repeated.
func (f mailFlag) Validate() error {
	var err error
	switch {
	case f.SMTP != "" && f.SMTPFile != "":
		return errors.New("--smtp and --smtp-file say the same: give one of them")
	case f.SMTP == "" && f.SMTPFile == "" && f.SMTPPasswordFile != "":
		return errors.New("--smtp-password-file is the password at a mail server: name that with --smtp")
	case f.SMTP != "":
		_, err = f.parse(f.SMTP, f.SMTPPasswordFile != "")
	}
	if f.MailFrom != "" && store.CheckEmail(f.MailFrom) != nil {
		err = errors.Join(err, fmt.Errorf("--mail-from must be an e-mail address, got %q", f.MailFrom))
	}
	return err
}

// mailServer is the mail server of a server that is reached at an address; the zero
// one where there is none.
func (f mailFlag) mailServer(uri string) (ui.MailServer, error) {
	address := f.SMTP
	var password string
	var err error
	if f.SMTPFile != "" {
		if address, err = readSecret("--smtp-file", f.SMTPFile); err != nil {
			return ui.MailServer{}, err
		}
	}
	if address == "" {
		return ui.MailServer{}, nil
	}
	if f.SMTPPasswordFile != "" {
		if password, err = readSecret("--smtp-password-file", f.SMTPPasswordFile); err != nil {
			return ui.MailServer{}, err
		}
	}
	m, err := f.parse(address, password != "")
	if err != nil {
		return ui.MailServer{}, err
	}
	if password != "" {
		m.Password = password
	}
	if m.From = f.MailFrom; m.From == "" {
		m.From = "biketrip@" + hostOf(uri)
		if _, err := netip.ParseAddr(hostOf(uri)); err == nil {
			m.From = "biketrip@localhost" // an address is no domain
		}
	}
	return m, nil
}

// parse is the mail server that an address names. passwordApart says that the
// password is not in it.
func (f mailFlag) parse(address string, passwordApart bool) (ui.MailServer, error) {
	name := "--smtp"
	if f.SMTPFile != "" {
		name = "--smtp-file"
	}
	wrong := func(why string) (ui.MailServer, error) {
		return ui.MailServer{}, fmt.Errorf("%s must be such as smtp://user:password@mail.example.org:587 or smtps://user:password@mail.example.org:465: it %s", name, why)
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong("is no address; in user and password, other characters than letters and digits are written like %40")
	}
	port, known := map[string]int{"smtp": 587, "smtps": 465}[u.Scheme]
	if !known {
		return wrong("does not begin with smtp:// or smtps://")
	}
	_, loopback, err := publicHost(u.Host)
	switch {
	case err != nil:
		return wrong(err.Error())
	case u.Path != "" && u.Path != "/" || strings.ContainsAny(address, "?#"):
		return wrong("has more than user, password, host and port")
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return wrong("has no port")
		}
	}
	password, inAddress := u.User.Password()
	switch user := u.User.Username(); {
	case inAddress && passwordApart:
		return wrong("has a password, which --smtp-password-file has, too")
	case user == "" && (inAddress || passwordApart):
		return wrong("has no user for the password")
	case user != "" && password == "" && !passwordApart:
		return wrong("has a user without a password")
	}
	return ui.MailServer{Host: u.Hostname(), Port: port, TLS: u.Scheme == "smtps", Plain: u.Scheme == "smtp" && loopback, User: u.User.Username(), Password: password}, nil
}

// readSecret is the one line of a file that holds a secret.
func readSecret(flag, path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	line := strings.TrimRight(string(text), "\r\n")
	if line == "" || strings.ContainsAny(line, "\r\n") {
		return "", fmt.Errorf("%s: %s must hold one line", flag, path)
	}
	return line, nil
}
