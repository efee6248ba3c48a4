package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store"
	"biketrip/store/limit"
)

// Localhost is what becomes of a redirect URI to http://localhost, where another
// program than the one that asked may be listening. The operator's own clients may
// have any.
type Localhost string

// The ways to treat it.
const (
	RefuseLocalhost Localhost = "refuse" // who has one is refused, whatever else there is
	IgnoreLocalhost Localhost = "ignore" // it is not one of the client's
	AllowLocalhost  Localhost = "allow"  // it is like any other to this computer
)

// documentPolicy is how a document is fetched. Source: MCP server reference,
// "Clients".
var documentPolicy = fetch.Policy{Document: true, NoRedirect: true, Accept: "application/json", MaxBytes: MaxDocument, Timeout: 5 * time.Second}

// resolve is the client of that id, as it may be used: of what it has registered
// only the redirect URIs that count here. One that names itself by a document that
// is not known, or too old, has it fetched. The error is a *refusal for one that
// cannot be used; why stands in the log alone, so that nobody learns from us what
// there is in our network.
func (s *Server) resolve(ctx context.Context, person Person, clientID string) (store.Client, error) {
	c, err := s.readClient(ctx, clientID)
	unknown := errors.Is(err, store.ErrNotFound)
	if err != nil && !unknown {
		return store.Client{}, err
	}
	if isDocument(clientID) && (unknown || s.isStale(c)) {
		if err := s.mayFetch(clientID); err != nil {
			return store.Client{}, s.refuseClient(clientID, err)
		}
		if c, err = s.fetchOnce(ctx, person, clientID); err != nil {
			return store.Client{}, err
		}
	} else if unknown {
		return store.Client{}, s.refuseClient(clientID, errors.New("nobody has added it, and it is not the address of a document"))
	}
	return s.admit(c)
}

func (s *Server) readClient(ctx context.Context, clientID string) (c store.Client, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.Client(clientID)
		return err
	})
	return c, err
}

func (s *Server) isStale(c store.Client) bool {
	return !c.ExpiresAt.IsZero() && !s.now().Before(c.ExpiresAt)
}

// mayFetch is why no document is fetched from an address.
func (s *Server) mayFetch(clientID string) error {
	if s.client == nil {
		return errors.New("no document is fetched here")
	}
	if err := checkDocumentURL(clientID, hostnameOf(s.issuer)); err != nil {
		return err
	}
	return s.checkTrusted(clientID)
}

// isOwn says whether a document would be on this server.
func (s *Server) isOwn(clientID string) bool {
	return hostnameOf(clientID) == hostnameOf(s.issuer)
}

// hostnameOf is the host of an address in small letters, without its port and a final
// dot.
func hostnameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// checkTrusted refuses a document of a host that is not among those the operator
// trusts, if any are named.
func (s *Server) checkTrusted(clientID string) error {
	if len(s.hosts) > 0 && !slices.Contains(s.hosts, hostnameOf(clientID)) {
		return errors.New("its host is none of those that --clients names (biketrip client pin admits it all the same)")
	}
	return nil
}

// fetchOnce is fetchDocument, one for all who want the same at a time, which ends
// within the time of the policy whoever leaves. Who was told to wait for having asked
// too often speaks for nobody else.
func (s *Server) fetchOnce(ctx context.Context, person Person, clientID string) (store.Client, error) {
	for {
		own := false
		got, err, _ := s.fetching.Do(clientID, func() (any, error) {
			own = true
			return s.fetchDocument(context.WithoutCancel(ctx), person, clientID)
		})
		if errors.As(err, new(*tooMany)) && !own {
			continue
		}
		if err != nil {
			return store.Client{}, err
		}
		return got.(store.Client), nil
	}
}

// fetchDocument fetches the document of a client and keeps what it says, unless
// somebody else just has. Asking for one that is new here is limited.
func (s *Server) fetchDocument(ctx context.Context, person Person, clientID string) (store.Client, error) {
	known, err := s.readClient(ctx, clientID)
	switch {
	case err == nil && !s.isStale(known):
		return known, nil
	case errors.Is(err, store.ErrNotFound):
		if err := s.chargeDocument(person, clientID); err != nil {
			return store.Client{}, err
		}
	case err != nil:
		return store.Client{}, err
	}
	res, err := s.client.Get(ctx, clientID, documentPolicy)
	if err != nil {
		return store.Client{}, s.refuseClient(clientID, fmt.Errorf("its document cannot be fetched (biketrip client pin takes it from a file): %w", err))
	}
	c, err := parseDocument(clientID, res.Body)
	if err != nil {
		return store.Client{}, s.refuseClient(clientID, fmt.Errorf("what is there, of type %s: %w", cut(res.Header.Get("Content-Type")), err))
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		if now, err := tx.Client(clientID); err == nil && now.ExpiresAt.IsZero() { // pinned meanwhile
			c = now
			return nil
		}
		c.ExpiresAt = tx.Now.Add(documentLife(res.Header))
		return tx.KeepDocument(c)
	})
	return c, err
}

// chargeDocument counts a document that is new here, for the person and for its
// host.
func (s *Server) chargeDocument(person Person, clientID string) error {
	wait := limit.TakeEach(limit.Charge{Limiter: s.documentsByUser, Key: person.UserID}, limit.Charge{Limiter: s.documentsByHost, Key: hostnameOf(clientID)})
	if wait > 0 {
		return &tooMany{tooOften(limit.Seconds(wait))}
	}
	return nil
}

// A tooMany is the refusal of somebody who has asked for too many new documents.
type tooMany struct{ *refusal }

func (t *tooMany) Unwrap() error { return t.refusal }

// admit is a client as it may be used here, with the redirect URIs that count. It
// is asked each time: the operator may have changed what counts.
func (s *Server) admit(c store.Client) (store.Client, error) {
	if c.Kind == store.ClientOperator {
		return c, nil
	}
	err := error(nil)
	switch {
	case c.Kind == store.ClientDynamic && !s.registration:
		err = errors.New("it has registered itself, which --oauth-dynamic-registration does not let it any more")
	case c.Kind == store.ClientDynamic && len(s.hosts) > 0:
		err = errors.New("it has registered itself, and --clients names the hosts that may")
	case c.Kind == store.ClientDocument && s.isOwn(c.ID):
		err = errors.New("its address is on this server")
	case c.Kind == store.ClientDocument && !c.ExpiresAt.IsZero():
		err = s.checkTrusted(c.ID)
	}
	if err == nil {
		c.RedirectURIs, err = s.localhost.Among(c.RedirectURIs)
	}
	if err != nil {
		return store.Client{}, s.refuseClient(c.ID, err)
	}
	return c, nil
}

// Among are the redirect URIs that count. Its error says why a client with these is
// refused.
func (l Localhost) Among(uris []string) ([]string, error) {
	if l == AllowLocalhost {
		return uris, nil
	}
	counted := slices.DeleteFunc(slices.Clone(uris), isLocalhost)
	switch {
	case len(counted) < len(uris) && l != IgnoreLocalhost:
		return nil, errors.New("it has a redirect URI to http://localhost, which --oauth-localhost-redirects refuses")
	case len(counted) == 0:
		return nil, errors.New("it has no redirect URI but to http://localhost, which --oauth-localhost-redirects ignores")
	}
	return counted, nil
}

// isLocalhost says whether a redirect URI is to the name localhost, which need not
// be this computer.
func isLocalhost(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Hostname(), "localhost")
}

// refuseClient tells the operator why a client is refused, and the client that it is.
func (s *Server) refuseClient(clientID string, reason error) *refusal {
	s.log.Warn("a client is refused", "client", logged(clientID), "reason", reason)
	return unknownClient()
}

// logged is an address for the log: without a user, a password and a query, and not
// long.
func logged(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		u.User, u.RawQuery = nil, ""
		address = u.String()
	}
	return cut(address)
}

// unknownClient is the same for all that cannot be used.
func unknownClient() *refusal {
	return badRequest("invalid_client", "This application is not known here, or cannot be used.")
}
