// Package oauth is the authorization server (OAuth 2.1): its keys, the clients it
// knows or comes to know, what people grant them, access tokens and what they allow,
// and the two documents by which clients find it. It knows no trip.
package oauth

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"biketrip/jobs/plan/fetch"
	"biketrip/store"
	"biketrip/store/limit"
)

// Options are what a server is made of.
type Options struct {
	Store          *store.Store
	Keys           *Keys
	DefaultURI     string                     // scheme and host of every public address, without a final slash: the issuer
	Resource       string                     // path of what tokens are for
	Scopes         []string                   // that there are, in the order they are told
	Now            func() time.Time           // nil for time.Now
	Authorizations *limit.Limiter             // of visits to the authorization endpoint, by user; nil for any number
	Exchanges      *limit.Limiter             // of requests to the token endpoint, by address; nil for any number
	Registrations  *limit.Limiter             // of clients by themselves, by address; nil for any number
	Address        func(*http.Request) string // where a request comes from, for Exchanges and Registrations; nil: all from one place
	Origins        []string                   // web sites whose pages may ask for tokens and register

	Client          *fetch.Client  // that fetches the documents of clients; nil: none is fetched
	DocumentsByUser *limit.Limiter // of documents that are new here, by user; nil for any number
	DocumentsByHost *limit.Limiter // of them, by their host; nil for any number
	Hosts           []string       // whose documents are taken; none: those of all
	Localhost       Localhost      // what becomes of redirect URIs there; empty for RefuseLocalhost
	Registration    bool           // whether clients may register themselves

	// SignedIn is who is signed in in the browser that a request comes from; nil
	// where nobody can sign in.
	SignedIn func(*http.Request) (Person, bool)

	// ErrorPage tells a person, in a browser, what is wrong with a request; nil:
	// JSON tells it everybody.
	ErrorPage func(w http.ResponseWriter, status int, description string)

	Random io.Reader    // what ids of tokens are made of, safe for concurrent use; nil for crypto/rand
	Log    *slog.Logger // nil for none
}

// A Server issues access tokens and verifies them. It is safe for concurrent
// use.
type Server struct {
	store          *store.Store
	keys           *Keys
	issuer         string
	resource       string // that tokens are for
	scopes         []string
	now            func() time.Time
	random         io.Reader
	log            *slog.Logger
	authorizations *limit.Limiter
	exchanges      *limit.Limiter
	signedIn       func(*http.Request) (Person, bool)
	errorPage      func(w http.ResponseWriter, status int, description string)
	registrations  *limit.Limiter
	address        func(*http.Request) string
	origins        []string

	client                           *fetch.Client
	documentsByUser, documentsByHost *limit.Limiter
	hosts                            []string
	localhost                        Localhost
	registration                     bool
	fetching                         singleflight.Group // of documents, by client_id

	metadata metadata
	verified memory

	mu   sync.Mutex
	used map[string]time.Time // grants, with their last use that is not in the file yet
}

// New is a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Address == nil {
		o.Address = func(*http.Request) string { return "" }
	}
	s := &Server{
		store:          o.Store,
		keys:           o.Keys,
		issuer:         o.DefaultURI,
		resource:       o.DefaultURI + o.Resource,
		scopes:         slices.Clone(o.Scopes),
		now:            o.Now,
		random:         o.Random,
		log:            o.Log,
		authorizations: o.Authorizations,
		exchanges:      o.Exchanges,
		signedIn:       o.SignedIn,
		errorPage:      o.ErrorPage,
		registrations:  o.Registrations,
		address:        o.Address,
		origins:        o.Origins,

		client:          o.Client,
		documentsByUser: o.DocumentsByUser,
		documentsByHost: o.DocumentsByHost,
		hosts:           slices.Clone(o.Hosts),
		localhost:       o.Localhost,
		registration:    o.Registration,

		used: map[string]time.Time{},
	}
	s.metadata = newMetadata(s.issuer, o.Resource, s.scopes, o.Registration)
	return s
}
