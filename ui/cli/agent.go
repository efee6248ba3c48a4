package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// An agent calls the tools of a server over MCP, as those of people do.
type agent struct{ client *client.Client }

// connect connects an agent with a token to the endpoint of a server.
func connect(ctx context.Context, endpoint, token string) (*agent, error) {
	c, err := client.NewStreamableHttpClient(endpoint,
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}),
		transport.WithHTTPBasicClient(&http.Client{Transport: &http.Transport{}})) // the server is on this computer: no proxy
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcpgo.InitializeRequest{}
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "biketrip-demo", Version: programVersion()}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &agent{c}, nil
}

func (a *agent) close() error { return a.client.Close() }

// tools are the names of the tools that the token allows.
func (a *agent) tools(ctx context.Context) ([]string, error) {
	list, err := a.client.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

// call calls a tool and reads its answer.
func call[V any](ctx context.Context, a *agent, tool string, arguments map[string]any) (v V, err error) {
	request := mcpgo.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	result, err := a.client.CallTool(ctx, request)
	if err != nil {
		return v, fmt.Errorf("%s: %w", tool, err)
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(structured, &v)
	}
	if err != nil {
		return v, fmt.Errorf("the answer of %s: %w", tool, err)
	}
	return v, nil
}
