// Package mcp is the wire of the Model Context Protocol: one endpoint, /mcp,
// that checks who asks and how, and gives what is left to the tools. It knows
// no trip. What a message means is mcp-go's; the HTTP around it is ours, since
// every check has its place in an order that is published.
package mcp

import (
	"context"
	"encoding/json"
	"slices"
)

// How this server names itself. Source: MCP server reference, "Endpoint".
const (
	ServerName    = "bike-trip-planner"
	ServerVersion = "1.0.0"
)

// Path is where the endpoint is mounted.
const Path = "/mcp"

// Caller is who calls, as the token stands at present.
type Caller struct {
	UserID, ClientID, Email string
	Scopes                  []string
}

// May says whether the token of the caller holds a scope.
func (c Caller) May(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Annotations are what a tool tells a client of itself before it is called. All
// four go out, false ones too: a client takes a missing one for the worst.
type Annotations struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Tool is one tool as it is published and done.
type Tool struct {
	Name, Title, Description string
	Scope                    string // that a caller needs
	Annotations              Annotations
	Input, Output            json.RawMessage // JSON schemas of the arguments and of the answer, each of an object

	// Call does it. The answer is one JSON object: it goes out as structured
	// content and, with the same bytes, as text. An error that is a *Problem goes
	// to the caller as it is; any other is logged and told as a reference alone,
	// and so is a panic.
	Call func(ctx context.Context, c *Call) (answer json.RawMessage, err error)
}
