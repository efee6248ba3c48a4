package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// The codes of problems that a caller meets once it may speak. Source: MCP
// server reference, "JSON-RPC errors".
const (
	CodeForbidden  = -32000               // a scope is missing, or a limit is reached
	CodeParameters = mcpgo.INVALID_PARAMS // the arguments do not fit the schema of the tool
	CodeRefusal    = mcpgo.INTERNAL_ERROR // whatever a tool refuses while it runs
)

// Problem is an error of JSON-RPC, told to the caller as it stands.
type Problem struct {
	Code    int
	Message string          // the published sentence, one space, the hint
	Data    json.RawMessage // one object, its published keys first and the hint last; nil for none
}

func (p *Problem) Error() string { return p.Message }

// json is p as the error of an answer.
func (p *Problem) json() json.RawMessage {
	return mustJSON(struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{p.Code, p.Message, p.Data})
}

// name is how the catalogue of errors calls p, or its code where it is not there.
func (p *Problem) name() string {
	return cmp.Or(text(object(p.Data)["code"]), strconv.Itoa(p.Code))
}

// Datum is one key of the data of a problem, its value any JSON.
type Datum struct {
	Key   string
	Value json.RawMessage
}

// Text is a datum that is a string.
func Text(key, value string) Datum { return Datum{key, mustJSON(value)} }

// Number is a datum that is a whole number.
func Number(key string, value int64) Datum {
	return Datum{key, strconv.AppendInt(nil, value, 10)}
}

// Null is a datum that is null.
func Null(key string) Datum { return Datum{key, json.RawMessage("null")} }

// NewProblem is the problem of a published sentence, and of a hint that says
// what to do, "" for none. The hint is part of the message, since some clients
// show nothing else; in the data it follows what else is there, which keeps its
// order.
func NewProblem(code int, message, hint string, data ...Datum) *Problem {
	if hint != "" {
		message += " " + hint
		data = append(data[:len(data):len(data)], Text("hint", hint))
	}
	p := &Problem{Code: code, Message: message}
	if len(data) == 0 {
		return p
	}
	var b bytes.Buffer
	before := byte('{')
	for _, d := range data {
		b.WriteByte(before)
		before = ','
		writeValue(&b, d.Key)
		b.WriteByte(':')
		b.Write(d.Value)
	}
	b.WriteByte('}')
	p.Data = b.Bytes()
	return p
}

// catalogued is a problem that the catalogue of errors has under a name.
func catalogued(code int, name, message, hint string, data ...Datum) *Problem {
	return NewProblem(code, message, hint, append(data, Text("code", name))...)
}

// insufficientScope: the token of the caller does not hold the scope of a tool.
func insufficientScope(tool *Tool) *Problem {
	return catalogued(CodeForbidden, "insufficient_scope",
		fmt.Sprintf("insufficient_scope: this token does not allow %s; it needs %s.", tool.Name, tool.Scope),
		fmt.Sprintf("Ask the user to connect this application again and grant %s.", tool.Scope),
		Text("error", "insufficient_scope"), Text("scope", tool.Scope))
}

// unknownTool: there is no tool of that name, but perhaps one near it.
func unknownTool(name, near string) *Problem {
	hint := "List the tools again."
	if near != "" {
		hint = fmt.Sprintf("Did you mean \"%s\"? Otherwise list the tools again.", near)
	}
	return catalogued(CodeForbidden, "unknown_tool",
		fmt.Sprintf("insufficient_scope: no tool named %s is available.", quoted(name)), hint,
		Text("error", "insufficient_scope"), Null("scope"))
}

// rateLimited: an agent calls more often than it may.
func rateLimited(seconds int) *Problem {
	return catalogued(CodeForbidden, "rate_limited",
		fmt.Sprintf("rate_limited: too many calls from this agent. Retry in %d seconds.", seconds),
		fmt.Sprintf("Wait %d seconds; do not repeat the call before.", seconds),
		Text("error", "rate_limited"), Number("retryAfter", int64(seconds)))
}

// internal: something broke, of which the log tells under the reference.
func internal(reference string) *Problem {
	return catalogued(CodeRefusal, "internal",
		fmt.Sprintf("Something went wrong on the server (reference %s).", reference),
		"Read the trip again before you repeat a change.")
}

// givenUp: the caller has closed its side of the connection, and the call has ended
// with it. Some read the answer all the same.
func givenUp() *Problem {
	return catalogued(CodeRefusal, "given_up", "The connection was closed before the call was done.", "Read the trip again before you repeat a change.")
}

func notJSON() *Problem {
	return NewProblem(mcpgo.PARSE_ERROR, "Parse error: the body is not JSON.", "")
}

func invalidRequest(what string) *Problem {
	return NewProblem(mcpgo.INVALID_REQUEST, "Invalid request: "+what+".", "")
}

// namelessCall: a call that does not say of which tool.
func namelessCall() *Problem {
	return NewProblem(mcpgo.INVALID_PARAMS, `Invalid params: "name" must be the name of a tool.`, "")
}

func unknownMethod(method string) *Problem {
	return NewProblem(mcpgo.METHOD_NOT_FOUND, "Method not found: "+quoted(method)+".", "")
}

// noResource: there are none. The code has changed with the eras. Source: MCP
// 2026-07-28 and before, "Resources", error handling.
func noResource(e era, uri string) *Problem {
	if uri == "" {
		return NewProblem(mcpgo.INVALID_PARAMS, `Invalid params: "uri" must be the address of a resource.`, "")
	}
	code := mcpgo.RESOURCE_NOT_FOUND
	if e.isModern() {
		code = mcpgo.INVALID_PARAMS
	}
	if len(uri) > maxURIBytes {
		uri = cut(uri)
	}
	return NewProblem(code, "Resource not found: "+quoted(uri)+".", "", Text("uri", uri))
}

func missingMeta(key string) *Problem {
	return NewProblem(mcpgo.INVALID_PARAMS, "Missing or invalid _meta field "+key+".", "")
}

func headerMissing(name string) *Problem {
	return NewProblem(mcpgo.HEADER_MISMATCH, "Header mismatch: "+name+" is missing.", "")
}

func headerRepeated(name string) *Problem {
	return NewProblem(mcpgo.HEADER_MISMATCH, "Header mismatch: "+name+" stands more than once.", "")
}

func headerMismatch(name, header, body string) *Problem {
	return NewProblem(mcpgo.HEADER_MISMATCH, fmt.Sprintf("Header mismatch: %s is %s, the body says %s.", name, quoted(header), quoted(body)), "")
}

func unsupportedVersion(version string) *Problem {
	return NewProblem(mcpgo.UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version: "+quoted(version)+".", "",
		Datum{"supported", servedVersions()}, Text("requested", cut(version)))
}

// maxURIBytes is how long an address is at most that is told back whole, as the
// error of one that leads nowhere is to.
const maxURIBytes = 2048

// maxEcho is how many characters of a caller's own words are told back to it.
const maxEcho = 40

// cut is the words of a caller as they are told back: without control characters
// and no longer than maxEcho.
func cut(words string) string {
	all := []rune(withoutControls(words))
	if len(all) <= maxEcho {
		return string(all)
	}
	return string(all[:maxEcho-1]) + "…" // in place of the last one
}

// quoted is cut in quotes.
func quoted(words string) string { return `"` + cut(words) + `"` }
