package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"golang.org/x/sync/errgroup"

	"biketrip/jobs"
	"biketrip/jobs/plan"
	"biketrip/jobs/plan/fetch"
	"biketrip/mcp"
	"biketrip/mcp/tool"
	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/replica"
	"biketrip/store/trip"
	"biketrip/ui"
)

const (
	// readHeaderTime is how long a client may take to say what it wants.
	readHeaderTime = 10 * time.Second
	// readTime is how long it may take to send all of it.
	readTime = 30 * time.Second
	// maxHeader bounds what comes before a body, the token among it.
	maxHeader = 64 << 10
	// idleTime is how long a connection is kept for another request.
	idleTime = 2 * time.Minute
	// drainTime is how long requests under way may take once the server stops.
	drainTime = 10 * time.Second
)

// parts are what a program is made of.
type parts struct {
	uri       string // under which it is reached: scheme and host
	db        string // database file
	replica   replica.Config
	transport http.RoundTripper // to the world outside; nil for the network
	limits    limits
	origins   []string       // web sites whose pages may call the endpoint
	asResult  bool           // how a refusal of a tool is told
	clients   clientRules    // which applications may ask people for access
	proxies   []netip.Prefix // that may say where a request comes from
	mail      ui.MailServer  // zero for none
	log       *slog.Logger
}

// A program is the server, wired: the file and all that works on it.
type program struct {
	parts
	file   *store.Store
	auth   *oauth.Server
	site   *ui.Site
	runner *jobs.Runner
	watch  watch
	routes http.Handler
}

// assemble opens the file and wires all that works on it.
func assemble(ctx context.Context, p parts) (_ *program, err error) {
	file, err := store.Open(ctx, store.Options{Path: p.db, Replica: p.replica, Log: p.log})
	if errors.Is(err, store.ErrServerRunning) {
		return nil, fmt.Errorf("%w; stop it, or name another file with --db", err)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if err := keepAddress(ctx, file, p.uri); err != nil {
		return nil, err
	}
	keys, err := oauth.OpenKeys(keyFile(file.Path()), nil)
	if err == nil {
		err = keys.Renew()
	}
	if err != nil {
		return nil, err
	}
	client := fetch.New(fetch.Options{Transport: p.transport, Store: file, Log: p.log})
	queue := jobs.NewQueue()
	planner := plan.New(plan.Options{
		Store:     file,
		Queue:     queue,
		Client:    client,
		Creations: p.limits.creations.limiter(),
		Searches:  p.limits.searches.limiter(),
	})
	runner := jobs.NewRunner(jobs.Options{Store: file, Queue: queue, Handlers: planner.Handlers(), Log: p.log})
	program := &program{
		parts:  p,
		file:   file,
		runner: runner,
		watch:  watch{file: file, runner: runner, log: p.log, now: time.Now},
	}
	program.site = &ui.Site{
		Store: file, Endpoint: p.uri + mcp.Path, DefaultURI: p.uri, Log: p.log, Address: program.cameFrom,
		Mail: p.mail, MailsTo: p.limits.mailsTo.in(15 * time.Minute), MailsFrom: p.limits.mailsFrom.in(15 * time.Minute), Guesses: p.limits.guesses.in(time.Hour),
	}
	program.auth = oauth.New(oauth.Options{
		Store: file, Keys: keys, DefaultURI: p.uri, Resource: mcp.Path, Scopes: trip.Scopes(), Log: p.log,
		SignedIn: program.site.SignedIn, ErrorPage: program.site.ErrorPage,
		Authorizations: p.limits.authorizations.in(5 * time.Minute), Exchanges: p.limits.exchanges.limiter(), Address: program.cameFrom,
		Client: client, DocumentsByUser: p.limits.documentsByUser.in(time.Hour), DocumentsByHost: p.limits.documentsByHost.in(time.Hour),
		Hosts: p.clients.hosts, Localhost: p.clients.localhost,
		Registration: p.clients.registration, Registrations: p.limits.registrations.limiter(), Origins: p.origins,
	})
	program.site.Auth = program.auth
	program.routes = program.router(planner)
	return program, nil
}

// keepAddress keeps where the server is reached, for what is done beside it.
func keepAddress(ctx context.Context, file *store.Store, uri string) error {
	return file.Update(ctx, func(tx *store.Tx) error {
		if was, err := tx.Address(); err == nil && was == uri {
			return nil
		}
		return tx.SetAddress(uri)
	})
}

// router are all routes that the server answers.
func (p *program) router(planner *plan.Planner) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.GetHead, mcp.Envelope(p.limits.requests.limiter(), p.cameFrom), mcp.Guard(p.uri))
	ui.Health{Ready: p.watch.ready}.Routes(r)
	ui.Contexts(r)
	p.auth.Routes(r)
	p.site.Routes(r)
	r.NotFound(p.site.NotFound)
	r.Handle(mcp.Path, mcp.New(mcp.Options{
		DefaultURI:        p.uri,
		Scopes:            trip.Scopes(),
		Verify:            p.verify,
		Tools:             tool.Tools(tool.Options{Planner: planner}),
		Calls:             p.limits.calls.limiter(),
		Writes:            p.limits.writes.limiter(),
		Instructions:      tool.Instructions(time.Now),
		Origins:           p.origins,
		RefusalsAsResults: p.asResult,
		Record:            logCall(p.log),
		Log:               p.log,
	}))
	return r
}

// verify is who calls with a token.
func (p *program) verify(ctx context.Context, token string) (mcp.Caller, error) {
	a, err := p.auth.Verify(ctx, token)
	if errors.Is(err, oauth.ErrInvalidToken) {
		err = fmt.Errorf("%w: %s", mcp.ErrInvalidToken, strings.TrimPrefix(err.Error(), oauth.ErrInvalidToken.Error()+": "))
	}
	return mcp.Caller{UserID: a.UserID, ClientID: a.ClientID, Email: a.Email, Scopes: a.Scopes}, err
}

// run serves until ctx ends, or something fails.
func (p *program) run(ctx context.Context, listener net.Listener) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{p.runner.Run, p.watch.run, p.auth.Run, p.site.Run} {
		all.Go(func() error { return part(ctx) })
	}
	all.Go(func() error { return answer(ctx, p.log, listener, p.routes) })
	return all.Wait()
}

// close closes the file.
func (p *program) close() error { return p.file.Close() }

// answer serves HTTP until ctx ends, then lets the requests under way finish.
func answer(ctx context.Context, log *slog.Logger, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
		ReadTimeout:       readTime,
		MaxHeaderBytes:    maxHeader,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		log.Warn("requests under way are cut off", "error", err)
		return server.Close()
	}
	return nil
}
