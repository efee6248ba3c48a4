package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store/trip"
)

// A stay is a demo that keeps running.
type stay struct {
	t      testing.TB
	URL    string            `json:"url"`
	User   string            `json:"user"`
	Client string            `json:"client"`
	DB     string            `json:"db"`
	Tokens map[string]string `json:"tokens"`
	end    func()
}

// startDemo runs the demo in this process until the test is over.
func startDemo(t testing.TB) *stay {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := demoCmd{Stay: true, JSON: true}.demo(ctx, &streams{in: strings.NewReader(""), out: write, err: io.Discard})
		write.CloseWithError(io.EOF)
		ended <- err
	}()
	s := &stay{t: t}
	over := false
	s.end = func() {
		if over {
			return
		}
		over = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(s.end)
	line, err := bufio.NewReader(read).ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), s)
	}
	if err != nil {
		t.Fatalf("%v: %q", err, line)
	}
	return s
}

// both is the token of both scopes.
func (s *stay) both() string { return s.Tokens[strings.Join(trip.Scopes(), " ")] }

// agent is an agent with a token of the demo.
func (s *stay) agent(token string) *agent {
	s.t.Helper()
	a, err := connect(s.t.Context(), s.URL, token)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { a.close() })
	return a
}

// leftovers are what is in a folder.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestDemo: the first command of a newcomer shows a trip day by day and leaves
// nothing behind.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	code, out, errs := biketrip("", "demo")
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{
		"> connect\n  MCP 2026-07-28, as anna@example.org\n",
		"> tools/list\n  13 tools, list_trips the first\n",
		"> create_trip sourceUrl=" + world.TourLink + " startDate=",
		"> list_trips\n  1 trip, ",
		": 5 days, version 2\n",
		"260.9 km, 5 days\n",
		"nothing is left behind",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	_, days, _ := strings.Cut(out, "\n\n  day ")
	if readme := readmeText(t); !strings.Contains(undated(readme), undated("  day "+strings.Split(days, "\n\n")[0])) {
		t.Errorf("the README does not show the days of\n%s", out)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}

// undated is a text without the dates of its days.
func undated(s string) string {
	return regexp.MustCompile(`\w{3} 1?\d \w{3} 20\d\d`).ReplaceAllString(s, "DATE")
}

// TestDemoStays: real agents work with a demo that stays, within the scopes of
// their tokens, and nothing is left of it either.
func TestDemoStays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := startDemo(t)
	for scopes, want := range map[string]string{
		"trips:read trips:write": "list_trips get_trip get_stage search_places create_trip update_trip_settings edit_stages add_waypoint choose_accommodation analyze_trip share_trip unshare_trip delete_trip",
		"trips:read":             "list_trips get_trip get_stage search_places",
		"trips:write":            "create_trip update_trip_settings edit_stages add_waypoint choose_accommodation analyze_trip share_trip unshare_trip delete_trip",
	} {
		names, err := s.agent(s.Tokens[scopes]).tools(t.Context())
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v", scopes, names, err)
		}
	}
	code, token, errs := biketrip("", "token", "--db", s.DB, "--default-uri", strings.TrimSuffix(s.URL, mcp.Path), "--user", s.User, "--client", s.Client)
	if code != exitOK || strings.Count(token, "\n") != 1 {
		t.Fatalf("exit %d: %q%s", code, token, errs)
	}
	list, err := call[view.TripList](t.Context(), s.agent(strings.TrimSpace(token)), "list_trips", nil)
	if err != nil || list.TotalItems != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	s.end()
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}

// TestDemoEndsWithItsTerminal: a closed terminal ends the demo as Ctrl-C does.
func TestDemoEndsWithItsTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no such signal")
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "demo", "--stay", "--json")
	cmd.Env = append(os.Environ(), childMode+"=1", "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGHUP)
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}

// TestDemoRefuses: an address that is none is a mistake, but what the server of
// one's own listens at does not touch the demo.
func TestDemoRefuses(t *testing.T) {
	if code, _, errs := biketrip("", "demo", "--stay", "--listen", "8080"); code != exitUsage || !strings.Contains(errs, "--listen") {
		t.Errorf("exit %d: %s", code, errs)
	}
	t.Setenv("BIKETRIP_LISTEN", "192.0.2.1:1")
	t.Setenv("BIKETRIP_JSON", "true")
	if code, _, errs := biketrip("", "demo"); code != exitOK {
		t.Errorf("exit %d: %s", code, errs)
	}
}
