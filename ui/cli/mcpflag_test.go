package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestMCPFlags: which web sites may call, and how refusals are told, is what the
// flags say.
func TestMCPFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args, env []string
		says      string // in the error
	}{
		"another way to refuse": {[]string{"--mcp-refusals", "no"}, nil, `--mcp-refusals must be error or result, got "no"`},
		"all of the web":        {[]string{"--mcp-origins", "*"}, nil, `--mcp-origins must be scheme and host alone, such as https://example.org: "*"`},
		"a page":                {nil, []string{"BIKETRIP_MCP_ORIGINS=https://a.example,https://b.example/app"}, `"https://b.example/app"`},
		"a site without TLS":    {[]string{"--mcp-origins", "http://a.example"}, nil, `"http://a.example"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, t.TempDir(), c.env, c.args...)
			if code := s.wait(); code != exitUsage || !strings.Contains(s.text(), c.says) {
				t.Errorf("exit %d: %s", code, s.text())
			}
		})
	}
	dir := t.TempDir()
	s := startServer(t, dir, []string{"BIKETRIP_MCP_REFUSALS=result"}, "--mcp-origins", "https://A.example:443", "--mcp-origins", "http://localhost:6274,https://b.example:8443")
	for origin, want := range map[string]int{
		"https://a.example": http.StatusNoContent, "http://localhost:6274": http.StatusNoContent, "https://b.example:8443": http.StatusNoContent, s.address: http.StatusNoContent,
		"https://b.example": http.StatusForbidden, "http://a.example": http.StatusForbidden, "null": http.StatusForbidden,
	} {
		r, err := http.NewRequest(http.MethodOptions, s.address+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if allowed := res.Header.Get("Access-Control-Allow-Origin"); res.StatusCode != want || (allowed == origin) != (want == http.StatusNoContent) {
			t.Errorf("%s: %s, %q may ask", origin, res.Status, allowed)
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_trip","arguments":{"id":"5"}}}`
	r, err := http.NewRequest(http.MethodPost, s.address+"/mcp", strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token(t, dir))
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Trip \"5\" was not found. Call list_trips and copy the id exactly; a title or a day number is not an id."}],"isError":true}}`; err != nil || string(body) != want {
		t.Errorf("%s %s %v", res.Status, body, err)
	}
}
