package mcp

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

var conformance = flag.String("conformance", "", "`HOST:PORT` where TestConformanceFixture serves for the official conformance suite, until the test is over")

// TestConformanceFixture serves the endpoint with the tools that the official
// conformance suite asks for, as far as an endpoint can have them whose answers
// are JSON objects. It takes every token.
func TestConformanceFixture(t *testing.T) {
	if *conformance == "" {
		t.Log("nobody asks for it")
		return
	}
	listener, err := net.Listen("tcp", *conformance)
	if err != nil {
		t.Fatal(err)
	}
	uri := "http://" + listener.Addr().String()
	endpoint := New(Options{
		DefaultURI: uri, Scopes: testScopes, Log: slog.New(slog.DiscardHandler), RefusalsAsResults: true, Tools: fixtureTools(),
		Verify: func(context.Context, string) (Caller, error) { return Caller{UserID: "suite", Scopes: testScopes}, nil },
	})
	fmt.Printf(`{"url":"%s%s","tokens":{"trips:read trips:write":"any"}}`+"\n", uri, Path)
	t.Fatal(http.Serve(listener, Guard(uri)(endpoint)))
}

// fixtureTools are named by the suite.
func fixtureTools() []Tool {
	said := func(text string) func(context.Context, *Call) (json.RawMessage, error) {
		return func(context.Context, *Call) (json.RawMessage, error) {
			return mustJSON(map[string]string{"text": text}), nil
		}
	}
	tools := []Tool{
		tool("list_trips", "trips:read", said("none")), // http-header-validation calls the first one
		tool("test_simple_text", "trips:read", said("This is a simple text response for testing.")),
		tool("test_error_handling", "trips:read", func(context.Context, *Call) (json.RawMessage, error) {
			return nil, NewProblem(CodeRefusal, "This tool intentionally returns an error for testing", "")
		}),
		tool("test_tool_with_progress", "trips:read", func(_ context.Context, c *Call) (json.RawMessage, error) {
			for _, part := range []string{"begun", "half way", "done"} {
				c.Progress.Step(part)
				time.Sleep(50 * time.Millisecond)
			}
			return json.RawMessage(`{"text":"done"}`), nil
		}),
		tool("json_schema_2020_12_tool", "trips:read", said("ok")),
	}
	tools[len(tools)-1].Input = json.RawMessage(keywords)
	return tools
}

// keywords is the schema that the suite wants listed as it is, whatever stands in
// it.
const keywords = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"}, "email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]}, "else": {"required": ["email"]},
	"additionalProperties": false
}`
