// Package cli is what a person sees in a terminal: the verbs of the program,
// their flags, and what they print.
package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"biketrip/store/trip"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // what was asked could not be done
	exitUsage = 2 // the command line is wrong
)

// grammar is every verb.
type grammar struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Run the server: the default."`
	Demo    demoCmd    `cmd:"" help:"Show the whole program at work on a made-up region."`
	Plan    planCmd    `cmd:"" help:"Cut a route into days and print them."`
	User    userCmd    `cmd:"" help:"People who plan trips here: add, list, link, email, delete."`
	Client  clientCmd  `cmd:"" help:"Applications that may act for people: add, list, pin, unpin, remove."`
	Grant   grantCmd   `cmd:"" help:"What people have granted to applications: list, revoke."`
	Token   tokenCmd   `cmd:"" help:"Print an access token, with which an agent acts for a person for 15 minutes."`
	Trip    tripCmd    `cmd:"" help:"Trips: list."`
	Version versionCmd `cmd:"" help:"Print the version of the program."`
}

// streams are where a verb reads and writes, and how it reaches the world.
type streams struct {
	in        io.Reader
	out, err  io.Writer
	transport http.RoundTripper // nil for the network
}

// Main runs the program with its arguments, the name of the program left out,
// and gives its exit code.
func Main(args []string, in io.Reader, out, err io.Writer) int {
	return run(args, &streams{in: in, out: out, err: err})
}

// run runs the program and says what went wrong.
func run(args []string, s *streams) int {
	code, err := perform(args, s)
	if err != nil {
		fmt.Fprintln(s.err, "biketrip:", printableLines(err.Error()))
	}
	return code
}

// exited carries the exit code of a flag that ends the program, such as --help.
type exited int

// perform runs the verb that args name.
func perform(args []string, s *streams) (code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(e)
		}
	}()
	parser, err := newParser(s)
	if err != nil {
		return exitError, err
	}
	ctx, err := parser.Parse(meant(args))
	if err != nil {
		return exitUsage, fmt.Errorf("%w\n%s", err, try(parser, args))
	}
	if err := ctx.Run(s); err != nil {
		return exitError, err
	}
	return exitOK, nil
}

// meant is the command line of those who write biketrip help plan, or
// biketrip --version.
func meant(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	case "--version":
		return []string{"version"}
	}
	return args
}

// try is what helps after a wrong command line.
func try(parser *kong.Kong, args []string) string {
	if len(args) == 0 {
		return "Try: biketrip --help"
	}
	verb, node := "", parser.Model.Node
	for _, arg := range args {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == arg })
		if i < 0 {
			break
		}
		verb, node = verb+" "+arg, node.Children[i]
	}
	if verb != "" {
		return fmt.Sprintf("Try: biketrip%s --help", verb)
	}
	if _, err := os.Stat(args[0]); err == nil || isLink(args[0]) {
		return "Try: biketrip plan ROUTE"
	}
	return "Try: biketrip --help"
}

func newParser(s *streams) (*kong.Kong, error) {
	return kong.New(&grammar{},
		kong.Name("biketrip"),
		kong.Description("Plans multi-day bicycle trips: a route becomes a plan day by day."),
		kong.Writers(s.out, s.err),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.DefaultEnvars("BIKETRIP"),
		kong.Vars(settingVars(trip.DefaultSettings())),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}
