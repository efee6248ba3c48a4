package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"biketrip/store"
)

// MaxDocument is the longest metadata document of a client in bytes. Source: MCP
// server reference, "Clients".
const MaxDocument = 64 << 10

// isDocument says whether a client names itself by the address of its metadata
// document. Source: draft-ietf-oauth-client-id-metadata-document.
func isDocument(clientID string) bool { return strings.HasPrefix(clientID, "https://") }

// DocumentHost is the host of a client that names itself by the address of its
// metadata document, empty for any other.
func DocumentHost(clientID string) string {
	if !isDocument(clientID) {
		return ""
	}
	return hostOf(clientID)
}

// checkDocumentURL refuses a client_id that is not the address of a document. Our
// own host is never asked. Source: there, section 3; MCP server reference,
// "Clients".
func checkDocumentURL(clientID, ownHost string) error {
	switch {
	case len(clientID) > maxClientID:
		return fmt.Errorf("its address has %d bytes, at most %d are allowed", len(clientID), maxClientID)
	case strings.ContainsFunc(clientID, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return errors.New("its address has spaces, backslashes, or characters outside of ASCII")
	case strings.Contains(clientID, "#"):
		return errors.New("its address has a fragment (#…)")
	case !isDocument(clientID):
		return errors.New("its address does not begin with https://")
	}
	u, err := url.Parse(clientID)
	switch {
	case err != nil || u.String() != clientID: // what is asked for is what it names itself by
		return errors.New("it is not an address")
	case u.User != nil:
		return errors.New("its address has a user or password")
	case hostnameOf(clientID) == strings.ToLower(ownHost):
		return errors.New("its address is on this server")
	case checkHost(u.Hostname()) != nil:
		return errors.New("its address has no host, or one that no browser knows")
	case !goodPort(u):
		return errors.New("the port of its address is not a number from 1 to 65535")
	case u.Path == "" || u.Path == "/":
		return errors.New("its address has no path")
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." }):
		return errors.New("its address has a path with a segment of dots")
	}
	return nil
}

// parseDocument reads the metadata document of a client. Which of its redirect URIs
// are used is decided when they are: localhost may be among them.
func parseDocument(clientID string, text []byte) (store.Client, error) {
	object, err := readObject(text)
	if err != nil {
		return store.Client{}, err
	}
	var own string
	if err := object.read("client_id", &own); err != nil {
		return store.Client{}, err
	}
	if own != clientID {
		return store.Client{}, fmt.Errorf("its client_id is %s", cut(own))
	}
	c := store.Client{ID: clientID, Kind: store.ClientDocument}
	if err := object.read("client_name", &c.Name); err != nil {
		return store.Client{}, err
	}
	if c.Name, err = shownName(c.Name); err != nil {
		return store.Client{}, err
	}
	if c.RedirectURIs, err = object.redirectURIs(); err != nil {
		return store.Client{}, err
	}
	return c, object.checkPublic()
}

// An object is a JSON object of a stranger.
type object map[string]json.RawMessage

// readObject reads one JSON object and nothing else. A name that is there twice
// means something else to everybody who reads it, and is refused.
func readObject(text []byte) (object, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, errors.New("it is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, value := fmt.Sprint(name), json.RawMessage{}
		if _, twice := o[key]; twice {
			return nil, fmt.Errorf("it has %s twice", cut(key))
		}
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		o[key] = value
	}
	return o, nil
}

// read reads a member that may be missing.
func (o object) read(name string, into any) error {
	value, ok := o[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("its %s is of another type", name)
	}
	return nil
}

// redirectURIs are the 1 to 10 that a stranger must have. Each is https, or http to
// this computer.
func (o object) redirectURIs() (uris []string, err error) {
	if err := o.read("redirect_uris", &uris); err != nil {
		return nil, err
	}
	if n := len(uris); n < 1 || n > maxRedirectURIs {
		return nil, fmt.Errorf("it has %d redirect_uris, not 1 to %d", n, maxRedirectURIs)
	}
	for _, uri := range uris {
		err := checkRedirectURI(uri)
		if u, wrong := url.Parse(uri); err == nil && (wrong != nil || u.Scheme != "https" && u.Scheme != "http") {
			err = errors.New("a scheme of its own is for clients that the operator adds")
		}
		if err != nil {
			return nil, fmt.Errorf("its redirect URI %s: %w", cut(uri), err)
		}
	}
	return uris, nil
}

// checkPublic refuses a document of a client that must show a secret or sign
// something: there are public clients alone. One that can be public, too, is.
// Source: there, section 4.1.
func (o object) checkPublic() error {
	_, secret := o["client_secret"]
	_, until := o["client_secret_expires_at"]
	if secret || until {
		return errors.New("it has a secret, which everybody can read")
	}
	method, methods := "none", []string{}
	if err := o.read("token_endpoint_auth_method", &method); err != nil {
		return err
	}
	if err := o.read("token_endpoint_auth_methods_supported", &methods); err != nil {
		return err
	}
	if strings.HasPrefix(method, "client_secret") || method != "none" && !slices.Contains(methods, "none") {
		return fmt.Errorf("its token_endpoint_auth_method is %s: only public clients are served", cut(method))
	}
	return nil
}
