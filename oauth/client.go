package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"biketrip/store"
)

const (
	// maxRedirectURIs is how many redirect URIs a client may have.
	maxRedirectURIs = 10
	// maxRedirectURI is the longest of them in bytes.
	maxRedirectURI = 2048
)

// AddClient keeps a client that the operator registers: a public one, without a
// secret. Without a redirect URI it cannot ask people for access, but tokens
// can be issued to it. Its error says what is wrong with which of the values.
func AddClient(ctx context.Context, file *store.Store, name string, redirectURIs []string) (store.Client, error) {
	name = strings.TrimSpace(name)
	if err := checkClientName(name); err != nil {
		return store.Client{}, err
	}
	if len(redirectURIs) > maxRedirectURIs {
		return store.Client{}, fmt.Errorf("a client has at most %d redirect URIs, got %d", maxRedirectURIs, len(redirectURIs))
	}
	for _, uri := range redirectURIs {
		if err := checkRedirectURI(uri); err != nil {
			return store.Client{}, fmt.Errorf("redirect URI %s: %w", cut(uri), err)
		}
	}
	client := store.Client{Kind: store.ClientOperator, Name: name, RedirectURIs: slices.Clone(redirectURIs)}
	err := file.Update(ctx, func(tx *store.Tx) error { return tx.CreateClient(&client) })
	return client, err
}

// cut is a text in an error: quoted, and not longer than a line or two.
func cut(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}

// checkRedirectURI refuses what the answer to a person's decision must not be
// sent to. Allowed are https, http to this computer, and the private scheme of
// an application (RFC 8252, section 7).
func checkRedirectURI(uri string) error {
	switch {
	case len(uri) > maxRedirectURI:
		return fmt.Errorf("it has %d bytes, at most %d are allowed", len(uri), maxRedirectURI)
	case strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return errors.New("it has spaces, backslashes, or characters outside of ASCII, which must be percent-encoded")
	case strings.Contains(uri, "#"):
		return errors.New("it has a fragment (#…)")
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return errors.New("it is not a URI")
	case u.Scheme == "":
		return errors.New("it is not absolute: it must begin with a scheme, such as https://")
	case u.User != nil:
		return errors.New("it has a user or password before the host")
	case !goodPort(u):
		return errors.New("its port is not a number from 1 to 65535")
	case saysAnswer(u.RawQuery):
		return errors.New("its query is malformed, or has a parameter that the answer has as well, such as code or state")
	}
	switch u.Scheme {
	case "https":
		return checkHost(u.Hostname())
	case "http":
		if !isLoopback(u.Hostname()) {
			return errors.New("http is for this computer only (127.0.0.1, [::1] or localhost): use https")
		}
		return nil
	}
	return checkPrivateScheme(u)
}

// checkPrivateScheme refuses a scheme that an operating system or a browser
// gives a meaning of its own, and what is a host with a port rather than a
// scheme with a path.
func checkPrivateScheme(u *url.URL) error {
	switch u.Scheme {
	case "about", "blob", "chrome", "content", "data", "dns", "feed", "file", "filesystem", "ftp", "ftps",
		"gopher", "intent", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "mocha", "news", "nntp",
		"resource", "sftp", "sip", "sms", "smb", "ssh", "tel", "telnet", "urn", "vbscript", "view-source", "ws", "wss":
		return fmt.Errorf("the scheme %s is not one of an application", u.Scheme)
	}
	if u.Host == "" && u.Path == "" { // such as localhost:8080/callback
		return errors.New("after its scheme must come a path or a host, such as com.example.app:/callback")
	}
	return nil
}

// isLoopback says whether a host of a redirect URI is this computer (RFC 8252,
// section 7.3, and localhost).
func isLoopback(host string) bool {
	return host == "127.0.0.1" || host == "::1" || strings.EqualFold(host, "localhost")
}

// checkHost refuses what no browser takes for a host.
func checkHost(host string) error {
	if host == "" {
		return errors.New("it has no host")
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.ContainsFunc(label, odd) {
			return errors.New("its host is none that a browser knows")
		}
	}
	return nil
}

// saysAnswer says whether a query has what a client is answered with, so that it
// could not tell the one from the other (RFC 6749, section 4.1.2; RFC 9207). One that
// readers take apart in different ways may have it.
func saysAnswer(text string) bool {
	query, err := url.ParseQuery(text)
	return err != nil || query.Has("code") || query.Has("state") || query.Has("iss") || query.Has("error") || query.Has("error_description")
}

// goodPort says whether u has no port, or one that can be connected to and is
// written in the one usual way.
func goodPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && port[0] != '0'
}
