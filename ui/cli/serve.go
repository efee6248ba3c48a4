package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"biketrip/mcp"
)

// serveCmd runs the server.
type serveCmd struct {
	fileFlag
	replicaFlag
	publicFlag
	mcpFlag
	clientsFlag
	mailFlag
	ownerFlag
	Listen       string         `placeholder:"HOST:PORT" help:"Address to listen at (the port of --default-uri on this computer: 127.0.0.1:8080); port 0 takes a free one."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"Proxy in front whose X-Forwarded-For is believed, such as 127.0.0.1/32; may be repeated."`
	TLS          string         `name:"tls" placeholder:"off" help:"Who speaks TLS where --default-uri is public: off for a proxy in front."`
}

// Validate refuses an address that none can listen at or be reached at.
func (c serveCmd) Validate() error {
	if c.Listen != "" && checkListen(c.Listen) != nil {
		return fmt.Errorf("--listen must be HOST:PORT, such as 127.0.0.1:8080, got %q", c.Listen)
	}
	uri, err := c.uri()
	if err != nil {
		return err
	}
	if c.TLS != "" && c.TLS != "off" {
		return fmt.Errorf("--tls must be off, got %q", c.TLS)
	}
	if uri != "" && !isLoopback(hostOf(uri)) && c.TLS == "" {
		return fmt.Errorf("%s is a public address, which must be reached by TLS: put a proxy in front that speaks it, and say --tls off", uri)
	}
	return errors.Join(c.mcpFlag.Validate(), c.clientsFlag.Validate(), c.fileFlag.Validate(), c.mailFlag.Validate(), c.ownerFlag.Validate())
}

// checkListen is an error for what is no address to listen at.
func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return err
}

// Run serves until the process is asked to stop. Asked a second time, it stops
// at once.
func (c serveCmd) Run(s *streams) error {
	ctx, stop := untilStopped(os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.serve(ctx, s)
}

// untilStopped ends when the process is asked to stop by one of the signals. From
// then on it can be stopped at once.
func untilStopped(signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// serve runs the server until ctx ends.
func (c serveCmd) serve(ctx context.Context, s *streams) (err error) {
	log := newLog(s.err)
	config, err := c.replication(c.DB)
	if err != nil {
		return err
	}
	origins, err := c.origins()
	if err != nil {
		return err
	}
	listener, uri, err := c.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	clients, err := c.rules(uri)
	if err != nil {
		return err
	}
	mail, err := c.mailServer(uri)
	if err != nil {
		return err
	}
	p, err := assemble(ctx, parts{
		uri: uri, db: c.DB, replica: config, transport: s.transport, log: log, limits: publishedLimits(), proxies: c.TrustedProxy, mail: mail,
		origins: origins, asResult: c.Refusals == "result", clients: clients,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := c.announce(ctx, s, p, listener.Addr().String()); err != nil {
		return err
	}
	return p.run(ctx, listener)
}

// listen listens, and says under which address the server is reached: the one
// that is given, or else this computer at the port it listens at.
func (c serveCmd) listen() (_ net.Listener, uri string, err error) {
	if uri, err = c.uri(); err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", cmp.Or(c.Listen, listenFor(cmp.Or(uri, defaultPublic))))
	if err != nil {
		return nil, "", fmt.Errorf("%w; is a server running already? Another address is chosen with --listen", err)
	}
	if uri == "" {
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, "", errors.Join(err, listener.Close())
		}
		uri = "http://localhost:" + port
	}
	return listener, uri, nil
}

// listenFor is where a server listens that is reached at an address: there, on
// this computer, or where a proxy in front is usually pointed to.
func listenFor(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || !isLoopback(u.Hostname()) {
		return "127.0.0.1:8080"
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
}

// hostOf is the host of an address, without a port.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// announce says where the server is and what it keeps where and, in a file that was
// without anybody in it, how its first account is signed in to. The link is told
// to who started the server, and not to the log.
func (c serveCmd) announce(ctx context.Context, s *streams, p *program, listening string) error {
	replication := "off: to switch it on, set " + replicaVariable + " beside a " + defaultLitestream
	if p.replica.On() {
		replication = "to " + p.replica.String()
	}
	first, err := c.welcome(ctx, p)
	if err != nil {
		return err
	}
	if isTerminal(s.err) {
		fmt.Fprintf(s.err, "biketrip is ready at %s\n  for agents   %s\n  database     %s\n  replication  %s\n  to stop      Ctrl-C\n", p.uri, p.uri+mcp.Path, p.file.Path(), replication)
		if first.email != "" {
			fmt.Fprintf(s.err, "\nSign in as %s, once, within half an hour:\n  %s\nThen give an agent the address for agents. It asks you for access.\n", first.email, first.link.URL)
		}
		return nil
	}
	if first.email != "" {
		told := "its sign-in link is on standard output"
		if _, err := fmt.Fprintf(s.out, "to sign in as %s, once, within half an hour: %s\n", first.email, first.link.URL); err != nil {
			told = "biketrip user link makes its sign-in link"
		}
		p.log.Info("the first account is made", "next", told)
	}
	p.log.Info("serving", "address", p.uri, "agents", p.uri+mcp.Path, "listening", listening, "database", p.file.Path(), "replication", replication)
	return nil
}

// shellWord is a text as one word of a command line.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
