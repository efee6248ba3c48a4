package oauth

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

// The documents byte for byte (spec: RFC 9728, section 2; RFC 8414, section 2).
const (
	wantResource = `{"resource":"https://trips.example/mcp","authorization_servers":["https://trips.example"],"scopes_supported":["trips:read","trips:write"],"bearer_methods_supported":["header"]}`
	wantServer   = `{"issuer":"https://trips.example","authorization_endpoint":"https://trips.example/oauth/authorize","token_endpoint":"https://trips.example/oauth/token","scopes_supported":["trips:read","trips:write"],"response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"],"client_id_metadata_document_supported":true,"authorization_response_iss_parameter_supported":true}`
	wantMissing  = `{"error":"not_found","error_description":"There is no such document."}`
	wantMethod   = `{"error":"invalid_request","error_description":"This document is read with GET."}`
)

// documents serves the documents and asks for them.
func documents(t *testing.T) func(method, path string, fields ...string) (*http.Response, string) {
	t.Helper()
	r := chi.NewRouter()
	New(Options{DefaultURI: testURI, Resource: "/mcp", Scopes: []string{testRead, testWrite}}).Routes(r)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return func(method, path string, fields ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		req.Header.Set("X-Forwarded-Host", "evil.example")
		for i := 0; i < len(fields); i += 2 {
			req.Header.Set(fields[i], fields[i+1])
		}
		res, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(body)
	}
}

// head is what matters of the header of an answer.
func head(res *http.Response) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"Content-Type", "Cache-Control", "Allow", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Allow-Credentials"} {
		if v := res.Header.Values(name); len(v) == 1 {
			out[name] = v[0]
		} else if len(v) > 1 {
			out[name] = "many"
		}
	}
	return out
}

func TestDocuments(t *testing.T) {
	ask := documents(t)
	public := map[string]string{"Content-Type": "application/json", "Cache-Control": "public, max-age=3600", "Access-Control-Allow-Origin": "*"}
	refused := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*", "Allow": "GET, HEAD, OPTIONS"}
	preflight := map[string]string{"Access-Control-Allow-Origin": "*", "Allow": "GET, HEAD, OPTIONS", "Access-Control-Allow-Methods": "GET", "Access-Control-Allow-Headers": "MCP-Protocol-Version, Authorization"}
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource":       wantResource,
		"/.well-known/oauth-protected-resource/mcp":   wantResource,
		"/.well-known/oauth-protected-resource/mcp?x": wantResource,
		"/.well-known/oauth-authorization-server":     wantServer,
	} {
		for _, c := range []struct {
			method string
			status int
			body   string
			head   map[string]string
		}{
			{"GET", 200, want, public},
			{"HEAD", 200, "", public},
			{"OPTIONS", 204, "", preflight},
			{"POST", 405, wantMethod, refused},
			{"PUT", 405, wantMethod, refused},
			{"DELETE", 405, wantMethod, refused},
		} {
			res, body := ask(c.method, path, "Origin", "https://inspector.example", "Access-Control-Request-Method", "GET")
			if d := cmp.Diff(c.body, body); d != "" || res.StatusCode != c.status {
				t.Errorf("%s %s: %d (-want +got):\n%s", c.method, path, res.StatusCode, d)
			}
			if d := cmp.Diff(c.head, head(res)); d != "" {
				t.Errorf("%s %s: header (-want +got):\n%s", c.method, path, d)
			}
			if c.method == "HEAD" && res.ContentLength != int64(len(want)) {
				t.Errorf("HEAD %s: length %d", path, res.ContentLength)
			}
		}
	}
}

// TestOtherDocuments: what is not there is told in JSON, which clients parse
// whatever its status.
func TestOtherDocuments(t *testing.T) {
	ask := documents(t)
	want := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*"}
	for _, path := range []string{
		"/.well-known/",
		"/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp",
		"/.well-known/oauth-authorization-server/mcp",
		"/.well-known/oauth-authorization-server/",
		"/.well-known/oauth-protected-resource/",
		"/.well-known/oauth-protected-resource/mcp/",
		"/.well-known/oauth-protected-resource/mcpx",
		"/.well-known/oauth%2Dprotected-resource",
		"/.well-known/%2e%2e/x",
		"/.well-known//oauth-protected-resource",
		"/.well-known/mcp.json",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			res, body := ask(method, path)
			if d := cmp.Diff(want, head(res)); d != "" || res.StatusCode != 404 || body != wantMissing {
				t.Errorf("%s %s: %d %s\n%s", method, path, res.StatusCode, body, d)
			}
		}
	}
}
