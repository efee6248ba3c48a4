package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"biketrip/store"
	"biketrip/store/trip"
)

// defaultPublic is where the server is reached unless a flag says otherwise.
const defaultPublic = "http://localhost:8080"

// publicFlag says where people and agents reach the server.
type publicFlag struct {
	DefaultURI string `name:"default-uri" env:"DEFAULT_URI" placeholder:"URL" help:"Public address of the server, scheme and host only (http://localhost:8080)."`
	Domain     string `name:"domain" env:"DOMAIN" placeholder:"HOST" help:"Short for --default-uri https://HOST."`
}

// Validate refuses an address that none can be reached at.
func (f publicFlag) Validate() error {
	_, err := f.uri()
	return err
}

// uri is the public address in its one spelling, without a final slash; empty
// where none is given.
func (f publicFlag) uri() (string, error) {
	var byURI, byDomain string
	var err error
	if f.DefaultURI != "" {
		if byURI, err = publicURI(f.DefaultURI); err != nil {
			return "", fmt.Errorf("--default-uri %w", err)
		}
	}
	if f.Domain != "" {
		if byDomain, err = domainURI(f.Domain); err != nil {
			return "", fmt.Errorf("--domain %w", err)
		}
	}
	if byURI != "" && byDomain != "" && byURI != byDomain {
		return "", fmt.Errorf("--default-uri is %s and --domain is short for %s: give one of them", byURI, byDomain)
	}
	return cmp.Or(byURI, byDomain), nil
}

// reached is the public address for a verb that works on a file: the one that is
// given, that of the server which was last started on it, or else the usual one.
func (f publicFlag) reached(ctx context.Context, file *store.Store) (string, error) {
	given, err := f.uri()
	if err != nil || given != "" {
		return given, err
	}
	address := ""
	err = file.View(ctx, func(tx *store.Tx) (err error) {
		address, err = tx.Address()
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return defaultPublic, nil
	}
	return address, err
}

// domainURI is the public address of a domain.
func domainURI(domain string) (string, error) {
	if strings.ContainsAny(domain, "/@?#") {
		return "", fmt.Errorf("must be a host alone, such as example.org, got %s", trip.Quoted(domain))
	}
	return publicURI("https://" + domain)
}

// publicURI is the one spelling of an address under which a server is reached.
func publicURI(text string) (string, error) {
	wrong := func(why string) (string, error) {
		return "", fmt.Errorf("must be scheme and host alone, such as https://example.org: %s %s", trip.Quoted(text), why)
	}
	u, err := url.Parse(text)
	if err != nil {
		return wrong("is no address")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return wrong("does not begin with https:// (or with http://, for this computer alone)")
	}
	host, loopback, err := publicHost(u.Host)
	switch {
	case u.User != nil:
		return wrong("has a user or password")
	case strings.ContainsAny(text, "?#"):
		return wrong("has a query or a fragment")
	case u.Path == "/":
		return wrong("ends with a slash")
	case u.Path != "":
		return wrong("has a path")
	case err != nil:
		return wrong(err.Error())
	case u.Scheme == "http" && !loopback:
		return wrong("is reached over the network, which needs https")
	}
	usual := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(host, usual), nil
}

// publicHost is the one spelling of a host with or without a port, and whether
// it is this computer.
func publicHost(text string) (host string, loopback bool, err error) {
	u := url.URL{Host: text}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	n, err := strconv.ParseUint(port, 10, 16)
	if port != "" && (err != nil || n == 0 || port[0] == '0') || strings.HasSuffix(text, ":") {
		return "", false, errors.New("has a port that is no number from 1 to 65535")
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.Zone() == "" {
		name, loopback = addr.String(), addr.IsLoopback() && !addr.Is4In6()
		if addr.Is6() {
			name = "[" + name + "]"
		}
	} else if err := checkHostName(name); err != nil {
		return "", false, err
	} else {
		loopback = name == "localhost"
	}
	if port != "" {
		name += ":" + port
	}
	return name, loopback, nil
}

// checkHostName refuses what no browser takes for the name of a host. Names that
// end in a number are addresses to it (WHATWG URL, section 3.5).
func checkHostName(name string) error {
	if name == "" {
		return errors.New("has no host")
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		odd := func(r rune) bool {
			return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}
		switch {
		case label == "":
			return errors.New("has a host with a dot too many")
		case strings.ContainsFunc(label, odd):
			return errors.New("has a host with other characters than letters, digits and hyphens; names in other scripts are written with xn--")
		}
	}
	if last := labels[len(labels)-1]; '0' <= last[0] && last[0] <= '9' {
		return errors.New("has a host that ends in a number and is no address")
	}
	return nil
}
