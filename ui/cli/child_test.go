package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"biketrip/jobs"
	"biketrip/jobs/plan"
	"biketrip/store"
	"biketrip/store/trip"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// A server is the program running as another process.
type server struct {
	t       testing.TB
	cmd     *exec.Cmd
	address string
	ended   chan struct{} // closed once all of its log is read

	mu  sync.Mutex
	log strings.Builder
	out strings.Builder
}

// Write takes what the server prints.
func (s *server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

// printed is all that the server has printed.
func (s *server) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// startServer starts the program in a folder and waits until it serves.
func startServer(t testing.TB, dir string, env []string, args ...string) *server {
	t.Helper()
	s := launch(t, dir, env, args...)
	deadline := time.Now().Add(patience)
	for s.address == "" {
		if s.over() || time.Now().After(deadline) {
			t.Fatalf("it does not serve: %s", s.text())
		}
		time.Sleep(time.Millisecond)
		s.address = s.logged("serving", "address")
	}
	return s
}

// launch starts the program in a folder.
func launch(t testing.TB, dir string, env []string, args ...string) *server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, ended: make(chan struct{})}
	s.cmd = exec.Command(exe, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir = dir
	s.cmd.Env = append(append(os.Environ(), childMode+"=1"), env...)
	s.cmd.Stdout = s
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read(stderr)
	t.Cleanup(func() {
		s.kill()
		s.keepsSecrets()
	})
	return s
}

// secrets are what no log may hold: codes, handles, refresh tokens and cookies,
// which are 43 letters each, access tokens, and addresses of people.
var secrets = regexp.MustCompile(`(^|[^\w-])(rt_)?[\w-]{43}([^\w-]|$)|eyJ[\w-]+\.[\w-]+|[\w.]+@example\.(org|com)`)

// keepsSecrets looks for secrets in the log of a server that has ended, as every
// one of the tests does.
func (s *server) keepsSecrets() {
	folders := regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `/[^"\s]*`) // their names may be as long
	if found := secrets.FindAllString(folders.ReplaceAllString(s.text(), ""), 3); found != nil {
		s.t.Errorf("105 the log has %q", found)
	}
}

func (s *server) read(r io.Reader) {
	defer close(s.ended)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		s.mu.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
	}
}

func (s *server) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// text is all that the server has logged.
func (s *server) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// logged is a value of the last line of that message, empty for none.
func (s *server) logged(message, key string) string {
	found := ""
	for line := range strings.Lines(s.text()) {
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == message {
			found, _ = fields[key].(string)
		}
	}
	return found
}

// kill ends the server as a power cut would.
func (s *server) kill() {
	s.cmd.Process.Kill()
	<-s.ended
	s.cmd.Wait()
}

// stop asks the server to stop and gives its exit code.
func (s *server) stop() int {
	s.cmd.Process.Signal(syscall.SIGTERM)
	return s.wait()
}

// wait waits for the end of the server and gives its exit code.
func (s *server) wait() int {
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Errorf("it does not stop: %s", s.text())
		s.kill()
	}
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// get is status and body of a page.
func (s *server) get(path string) (status int, body string) {
	s.t.Helper()
	res, err := http.Get(s.address + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// agent is an agent of anna's with both scopes.
func (s *server) agent(t testing.TB, dir string) *agent {
	t.Helper()
	a, err := connect(t.Context(), s.address+"/mcp", s.token(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.close() })
	return a
}

// token is a token of anna's of both scopes, got as the first screen says.
func (s *server) token(t testing.TB, dir string) string {
	t.Helper()
	do := func(args ...string) string {
		t.Helper()
		code, out, errs := biketrip("", append(args, "--db", dbIn(dir))...)
		if code != exitOK {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		return out
	}
	if out := do("user", "add", "anna@example.org", "--json"); !strings.Contains(out, `"link": "http`) {
		t.Errorf("%s", out)
	}
	var client struct{ ID string }
	if err := json.Unmarshal([]byte(do("client", "add", "--name", "My agent", "--json")), &client); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(do("token", "--user", "anna@example.org", "--client", client.ID, "--default-uri", s.address))
}

// A desk does in this process what agents and people do, beside a server.
type desk struct {
	t       testing.TB
	file    *store.Store
	planner *plan.Planner
	actor   plan.Actor
}

// openDesk opens a file, with one user in it, for whom it works.
func openDesk(t testing.TB, path string) *desk {
	t.Helper()
	file, err := store.OpenBeside(t.Context(), store.Options{Path: path, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	d := &desk{t: t, file: file, planner: plan.New(plan.Options{Store: file, Queue: jobs.NewQueue()})}
	err = file.Update(t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail("anna@example.org")
		if err == store.ErrNotFound {
			u, err = tx.CreateUser("anna@example.org", "en")
		}
		d.actor.UserID = u.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// create creates a trip from a link.
func (d *desk) create(link, title string) (id string) {
	d.t.Helper()
	made, err := d.planner.CreateTrip(d.t.Context(), d.actor, plan.Creation{SourceURL: link, Title: title, Settings: trip.DefaultSettings()})
	if err != nil {
		d.t.Fatal(err)
	}
	return made.TripID
}

// trip reads a trip.
func (d *desk) trip(id string) trip.Reading {
	d.t.Helper()
	r, err := d.planner.Trip(d.t.Context(), d.actor, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// begun waits until the server has begun to work on a trip.
func (d *desk) begun(id string) {
	d.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		begun := false
		err := d.file.View(d.t.Context(), func(tx *store.Tx) error {
			work, err := tx.Jobs(id)
			for _, job := range work {
				begun = begun || job.State != store.JobQueued
			}
			return err
		})
		if err != nil {
			d.t.Fatal(err)
		}
		if begun {
			return
		}
	}
	d.t.Fatal("nothing is begun")
}

// days waits until a trip has days.
func (d *desk) days(id string) trip.Reading {
	d.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		r := d.trip(id)
		if len(r.Stages) > 0 || time.Now().After(deadline) {
			return r
		}
		time.Sleep(time.Millisecond)
	}
}

// dbIn is the database file of a folder.
func dbIn(dir string) string { return filepath.Join(dir, "biketrip.db") }

// repositoryFile is the path of a file at the top of the repository.
func repositoryFile(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
