package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/errgroup"

	"biketrip/jobs"
	"biketrip/jobs/plan"
	"biketrip/jobs/plan/fetch"
	"biketrip/store"
	"biketrip/store/replica"
	"biketrip/ui"
)

const (
	// readHeaderTime is how long a client may take to say what it wants.
	readHeaderTime = 10 * time.Second
	// idleTime is how long a connection is kept for another request.
	idleTime = 2 * time.Minute
	// drainTime is how long requests under way may take once the server stops.
	drainTime = 10 * time.Second
)

// serveCmd runs the server.
type serveCmd struct {
	fileFlag
	replicaFlag
	Listen string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen at (${default}); port 0 takes a free one."`
}

// Validate refuses an address that none can listen at.
func (c serveCmd) Validate() error {
	_, port, err := net.SplitHostPort(c.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--listen must be HOST:PORT, such as 127.0.0.1:8080, got %q", c.Listen)
	}
	return c.fileFlag.Validate()
}

// Run serves until the process is asked to stop. Asked a second time, it stops
// at once.
func (c serveCmd) Run(s *streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return c.serve(ctx, s)
}

// serve runs the server until ctx ends.
func (c serveCmd) serve(ctx context.Context, s *streams) (err error) {
	log := newLog(s.err)
	config, err := c.replication(c.DB)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w; is a server running already? Another address is chosen with --listen", err)
	}
	defer listener.Close()
	file, err := store.Open(ctx, store.Options{Path: c.DB, Replica: config, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	queue := jobs.NewQueue()
	planner := newPlanner(file, queue, fetch.New(fetch.Options{Transport: s.transport, Store: file, Log: log}))
	runner := jobs.NewRunner(jobs.Options{Store: file, Queue: queue, Handlers: planner.Handlers(), Log: log})
	watch := watch{file: file, runner: runner, log: log, now: time.Now}
	c.announce(s, log, "http://"+listener.Addr().String(), file.Path(), config)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return runner.Run(ctx) })
	all.Go(func() error { return watch.run(ctx) })
	all.Go(func() error { return answer(ctx, log, listener, routes(watch)) })
	return all.Wait()
}

// newPlanner is the planner of the program. For one that only reads, queue and
// client may be nil.
func newPlanner(file *store.Store, queue *jobs.Queue, client *fetch.Client) *plan.Planner {
	return plan.New(plan.Options{Store: file, Queue: queue, Client: client})
}

// announce says where the server is and what it keeps where.
func (c serveCmd) announce(s *streams, log *slog.Logger, address, path string, config replica.Config) {
	replication := "off: to switch it on, set " + replicaVariable + " beside a " + defaultLitestream
	if config.On() {
		replication = "to " + config.String()
	}
	if !isTerminal(s.err) {
		log.Info("serving", "address", address, "database", path, "replication", replication)
		return
	}
	fmt.Fprintf(s.err, "biketrip is ready at %s\n  database     %s\n  replication  %s\n  to stop      Ctrl-C\n", address, path, replication)
}

// routes are all that the server answers.
func routes(w watch) http.Handler {
	r := chi.NewRouter()
	ui.Health{Ready: w.ready}.Routes(r)
	return r
}

// answer serves HTTP until ctx ends, then lets the requests under way finish.
func answer(ctx context.Context, log *slog.Logger, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
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
		return errors.Join(err, server.Close())
	}
	return nil
}
