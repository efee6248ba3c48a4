package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
)

const (
	// demoEmail is the person of the demo.
	demoEmail = "anna@example.org"
	// demoAgent is the name of the agent of the demo.
	demoAgent = "Demo agent"
	// demoTime is how long the demo may take: many times what it takes.
	demoTime = 2 * time.Minute
)

// demoCmd shows the program at work on a made-up region.
type demoCmd struct {
	Stay   bool   `help:"Keep the server of the demo running, for real agents, and print its address and tokens."`
	Listen string `placeholder:"HOST:PORT" help:"With --stay: address to listen at (a free port of this computer)."`
	JSON   bool   `help:"With --stay: print address, user, client and tokens as JSON, on one line."`

	limits limits // what the server is limited to
}

// Validate refuses an address that none can listen at. Without --stay there is
// no need of one, though the variable for the server's may be set.
func (c demoCmd) Validate() error {
	if c.Stay && c.Listen != "" && checkListen(c.Listen) != nil {
		return fmt.Errorf("--listen must be HOST:PORT, such as 127.0.0.1:8080, got %q", c.Listen)
	}
	return nil
}

// Run runs the demo until it is over or, with --stay, until the process is asked
// to stop.
func (c demoCmd) Run(s *streams) error {
	// A closed terminal must not leave the folder behind either.
	ctx, stop := untilStopped(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	c.limits = publishedLimits()
	return c.demo(ctx, s)
}

// demo runs the real server on a file that goes with it, with a made-up world
// outside, and works with it. Nothing is left behind.
func (c demoCmd) demo(ctx context.Context, s *streams) (err error) {
	dir, err := os.MkdirTemp("", "biketrip-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	address := "127.0.0.1:0"
	if c.Stay {
		address = cmp.Or(c.Listen, address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	p, err := assemble(ctx, parts{
		uri:       "http://" + reachedAt(listener.Addr().String()),
		db:        filepath.Join(dir, defaultDB),
		transport: world.New().Transport(),
		limits:    c.limits,
		clients:   clientRules{localhost: oauth.AllowLocalhost},
		log:       c.log(s),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	guest, err := invite(ctx, p)
	if err != nil {
		return err
	}
	working, over := context.WithCancel(ctx)
	all, working := errgroup.WithContext(working)
	all.Go(func() error { return p.run(working, listener) })
	all.Go(func() error {
		defer over()
		if c.Stay {
			return c.stay(working, s, guest)
		}
		return guest.tour(working, s)
	})
	err = all.Wait()
	if ctx.Err() != nil && !c.Stay {
		return errors.New("interrupted; nothing is left behind")
	}
	return err
}

// log is the log of a server: each call where it stays for real agents, and only
// what goes wrong where it shows itself.
func (c demoCmd) log(s *streams) *slog.Logger {
	if c.Stay {
		return newLog(s.err)
	}
	return slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// reachedAt is the host under which a server is reached that listens at an
// address, on all of which it may listen.
func reachedAt(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port())
	}
	return address
}

// A guest is the person of the demo, with an agent.
type guest struct {
	program  *program
	userID   string
	clientID string
}

// invite adds a person and an agent.
func invite(ctx context.Context, p *program) (guest, error) {
	g := guest{program: p}
	err := p.file.Update(ctx, func(tx *store.Tx) error {
		u, err := tx.CreateUser(demoEmail, "en")
		g.userID = u.ID
		return err
	})
	if err != nil {
		return guest{}, err
	}
	agent, err := oauth.AddClient(ctx, p.file, demoAgent, nil)
	g.clientID = agent.ID
	return g, err
}

// token is a token of the agent's.
func (g guest) token(ctx context.Context, scopes ...string) (token string, expires time.Time, err error) {
	issued, err := g.program.auth.Issue(ctx, g.userID, g.clientID, scopes)
	return issued.Token, issued.ExpiresAt, err
}

// endpoint is where agents speak to the server.
func (g guest) endpoint() string { return g.program.uri + mcp.Path }

// stay prints what a real agent needs and waits until ctx ends.
func (c demoCmd) stay(ctx context.Context, s *streams, g guest) error {
	tokens := map[string]string{}
	var until time.Time
	for _, scopes := range [][]string{trip.Scopes(), {trip.ScopeRead}, {trip.ScopeWrite}} {
		token, expires, err := g.token(ctx, scopes...)
		if err != nil {
			return err
		}
		tokens[strings.Join(scopes, " ")], until = token, expires
	}
	if c.JSON {
		line, err := json.Marshal(struct {
			URL    string            `json:"url"`
			User   string            `json:"user"`
			Client string            `json:"client"`
			DB     string            `json:"db"`
			Tokens map[string]string `json:"tokens"` // by scopes
		}{g.endpoint(), demoEmail, g.clientID, g.program.file.Path(), tokens})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.out, "%s\n", line); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.out, "url     %s\nuser    %s\nclient  %s\n", g.endpoint(), demoEmail, g.clientID)
		for _, scopes := range []string{strings.Join(trip.Scopes(), " "), trip.ScopeRead, trip.ScopeWrite} {
			fmt.Fprintf(s.out, "\ntoken   %s\n%s\n", scopes, tokens[scopes])
		}
		fmt.Fprintf(s.out, "\nThe tokens are good until %s. A new one:\n  biketrip token --db %s --default-uri %s --user %s --client %s\nThe world outside is made up; these links lead somewhere:\n",
			until.Local().Format(time.TimeOnly), shellWord(g.program.file.Path()), g.program.uri, demoEmail, g.clientID)
		var rows [][]string
		for _, link := range world.Links() {
			rows = append(rows, []string{"  " + link.URL, link.Gives})
		}
		if err := writeRows(s.out, rows); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Ctrl-C ends it, and nothing is left behind.")
	}
	<-ctx.Done()
	return nil
}
