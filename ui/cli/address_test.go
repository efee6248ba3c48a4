package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"
)

// TestAddresses: where the server listens and what it is called.
func TestAddresses(t *testing.T) {
	for uri, want := range map[string]string{
		"http://localhost:8080":     "127.0.0.1:8080",
		"http://localhost:9000":     "127.0.0.1:9000",
		"http://127.0.0.2:9000":     "127.0.0.2:9000",
		"http://[::1]:9000":         "[::1]:9000",
		"http://localhost":          "127.0.0.1:80",
		"https://localhost":         "127.0.0.1:443",
		"https://trips.example.org": "127.0.0.1:8080",
	} {
		if got := listenFor(uri); got != want {
			t.Errorf("%s listens at %s, want %s", uri, got, want)
		}
	}
	for name, c := range map[string]struct {
		args, env []string
		says      string // in the error; empty for none
	}{
		"public without TLS":     {[]string{"--default-uri", "https://trips.example.org"}, nil, "--tls off"},
		"by its domain":          {nil, []string{"DOMAIN=trips.example.org"}, "--tls off"},
		"another TLS":            {[]string{"--tls", "auto"}, nil, "--tls must be off"},
		"http on the network":    {[]string{"--default-uri", "http://trips.example.org"}, nil, "https"},
		"with a path":            {nil, []string{"DEFAULT_URI=http://localhost:8080/trips"}, "path"},
		"two that differ":        {[]string{"--domain", "a.example"}, []string{"DEFAULT_URI=https://b.example"}, "give one of them"},
		"no such prefix":         {nil, []string{"BIKETRIP_DEFAULT_URI=https://b.example"}, ""},
		"public behind a proxy":  {[]string{"--domain", "trips.example.org", "--tls", "off"}, nil, ""},
		"both that are the same": {[]string{"--domain", "A.example", "--tls", "off"}, []string{"DEFAULT_URI=https://a.example"}, ""},
		"at another port":        {[]string{"--default-uri", "http://localhost:8123"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.says == "" {
				startServer(t, t.TempDir(), c.env, c.args...)
				return
			}
			s := launch(t, t.TempDir(), c.env, c.args...)
			if code := s.wait(); code != exitUsage || !strings.Contains(s.text(), c.says) {
				t.Errorf("exit %d: %s", code, s.text())
			}
		})
	}
}

// TestServeForAgents: from an empty folder to an agent that reads its trip, with
// the address that the first screen names.
func TestServeForAgents(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	if got := s.logged("serving", "agents"); got != s.address+"/mcp" {
		t.Errorf("agents are sent to %q: %s", got, s.text())
	}
	a := s.agent(t, dir)
	made, err := call[view.TripCreation](t.Context(), a, "create_trip", map[string]any{"sourceUrl": world.LoopLink})
	if err != nil {
		t.Fatal(err)
	}
	for partial, deadline := true, time.Now().Add(patience); partial; {
		if time.Now().After(deadline) {
			t.Fatal("the days do not come")
		}
		whole, err := call[view.Trip](t.Context(), a, "get_trip", map[string]any{"id": made.ID})
		if err != nil {
			t.Fatal(err)
		}
		partial = whole.Partial
		time.Sleep(500 * time.Millisecond) // calls are limited
	}
	if _, listed, errs := biketrip("", "trip", "list", "--db", dbIn(dir)); !strings.Contains(listed, "Tour du lac") {
		t.Errorf("%s%s", listed, errs)
	}
	if info, err := os.Stat(keyFile(dbIn(dir))); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
	s.stop()
	if strings.Contains(s.text(), "eyJ") || strings.Contains(s.text(), "anna@") { // how every token begins
		t.Errorf("the log has secrets: %s", s.text())
	}
}

// TestDocuments: who meets the challenge finds both documents under the one
// address of the server, and under no other.
func TestDocuments(t *testing.T) {
	s := startServer(t, t.TempDir(), nil)
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp":   `"resource":"` + s.address + `/mcp"`,
		"/.well-known/oauth-protected-resource":       `"authorization_servers":["` + s.address + `"]`,
		"/.well-known/oauth-authorization-server":     `"issuer":"` + s.address + `"`,
		"/.well-known/oauth-authorization-server/mcp": `"error":`,
		"/.well-known/openid-configuration":           `"error":`,
	} {
		if _, body := s.get(path); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/mcp", "/"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s under another host: %s", path, res.Status)
		}
	}
}
