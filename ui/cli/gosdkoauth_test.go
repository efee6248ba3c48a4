package cli

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// TestGoSDKSignsIn: the authorization handler of the official Go SDK finds the
// server, has its user asked, and connects, in each way in which the server comes to
// know a client.
func TestGoSDKSignsIn(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil, "--oauth-dynamic-registration", "on")
	v := newConsenter(t, s, dir)
	const document, to = "https://agent.example/client.json", "http://127.0.0.1:5999/cb"
	file := filepath.Join(dir, "client.json")
	if err := os.WriteFile(file, []byte(`{"client_id":"`+document+`","client_name":"Go agent","redirect_uris":["`+to+`"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	v.run("client", "pin", document, file)
	var added struct{ ID string }
	v.read(&added, "client", "add", "--name", "Go agent", "--redirect-uri", to, "--json")
	for name, c := range map[string]auth.AuthorizationCodeHandlerConfig{
		"document":   {ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: document}},
		"operator":   {PreregisteredClient: &oauthex.ClientCredentials{ClientID: added.ID}},
		"registered": {DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Go agent", RedirectURIs: []string{to}}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.RedirectURL = to
			c.AuthorizationCodeFetcher = func(_ context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				answer, err := v.decide(a.URL, "authorize")
				return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, err
			}
			handler, err := auth.NewAuthorizationCodeHandler(&c)
			if err != nil {
				t.Fatal(err)
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.address + "/mcp", OAuthHandler: handler}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 13 {
				t.Errorf("%v, %v", tools, err)
			}
		})
	}
}

// decide follows the address that an application opens, decides, and gives what the
// application is told.
func (v *consenter) decide(address, decision string) (url.Values, error) {
	page := v.open(address)
	next := nextPage.FindStringSubmatch(v.do(http.MethodPost, v.server.address+page.location, url.Values{"decision": {decision}}).body)
	if next == nil {
		return nil, errors.New("no way back")
	}
	back, err := url.Parse(v.open(v.server.address + next[1]).location)
	if err != nil {
		return nil, err
	}
	return back.Query(), nil
}
