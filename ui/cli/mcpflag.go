package cli

import (
	"fmt"
)

// mcpFlag says how the endpoint treats its clients.
type mcpFlag struct {
	Origins  []string `name:"mcp-origins" placeholder:"URL" help:"Web site whose pages may call the endpoint from a browser, scheme and host only; may be repeated."`
	Refusals string   `name:"mcp-refusals" placeholder:"error|result" help:"How agents are told what a tool refuses while it runs: as an error of JSON-RPC (error, the default), or as an answer marked as an error (result), for clients whose agent does not get to see errors."`
}

// Validate refuses what no browser calls an origin, and any other way to refuse.
func (f mcpFlag) Validate() error {
	if f.Refusals != "" && f.Refusals != "error" && f.Refusals != "result" {
		return fmt.Errorf("--mcp-refusals must be error or result, got %q", f.Refusals)
	}
	_, err := f.origins()
	return err
}

// origins are the web sites as browsers write them.
func (f mcpFlag) origins() ([]string, error) {
	var origins []string
	for _, text := range f.Origins {
		origin, err := publicURI(text)
		if err != nil {
			return nil, fmt.Errorf("--mcp-origins %w", err)
		}
		origins = append(origins, origin)
	}
	return origins, nil
}
