// Package tool is the tools that agents call: what is published about each, its
// arguments, and what it answers.
package tool

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"biketrip/jobs/plan"
	"biketrip/mcp"
	"biketrip/store/trip"
)

// Options are what the tools are made of.
type Options struct {
	Planner *plan.Planner
	Now     func() time.Time // nil: time.Now
}

// Tools are the tools in their published order.
func Tools(o Options) []mcp.Tool {
	if o.Now == nil {
		o.Now = time.Now
	}
	var tools []mcp.Tool
	for _, d := range registry(desk(o)) {
		tools = append(tools, d.published())
	}
	return tools
}

// A desk does the calls.
type desk Options

func (d desk) today() trip.Date { return trip.DateOf(d.Now().UTC()) }

// A caller is on whose behalf a call is made, and whom its progress is told.
type caller struct {
	mcp.Caller
	*mcp.Progress
}

func (c caller) actor() plan.Actor {
	return plan.Actor{UserID: c.UserID, ClientID: c.ClientID, Scopes: c.Scopes}
}

// published is a tool as the wire knows it.
func (d definition) published() mcp.Tool {
	input, output := schemaFile(d.name, "input"), schemaFile(d.name, "output")
	arguments, err := parseSchema(input)
	if err != nil {
		panic(fmt.Errorf("input schema of %s: %w", d.name, err)) // embedded, and read by every test
	}
	return mcp.Tool{
		Name:        d.name,
		Title:       d.title,
		Description: d.description,
		Scope:       d.effect.scope,
		Annotations: d.effect.annotations,
		Input:       input,
		Output:      output,
		Call: func(ctx context.Context, c *mcp.Call) (json.RawMessage, error) {
			checked, coerced, err := arguments.check(d.name, c.Arguments)
			c.Coerced = coerced
			var answer json.RawMessage
			if err == nil {
				answer, err = d.do(ctx, caller{c.Caller, c.Progress}, checked)
			}
			if err != nil {
				c.NearMiss = nearMiss(err)
				return nil, problem(d.name, err)
			}
			return withoutControls(answer), nil
		},
	}
}

//go:embed schema/*.json
var schemas embed.FS

// schemaFile is a published schema, on one line.
func schemaFile(tool, which string) json.RawMessage {
	text, err := schemas.ReadFile("schema/" + tool + "." + which + ".json")
	if err != nil {
		panic(err) // embedded
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		panic(fmt.Errorf("%s schema of %s: %w", which, tool, err))
	}
	return line.Bytes()
}
