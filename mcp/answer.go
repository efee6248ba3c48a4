package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// writeJSON answers with a body that is JSON.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // what fails here is the client's going away
}

// A reply is what one message gets, or several.
type reply struct {
	status  int    // of HTTP, where the message came alone
	body    []byte // nil for nothing
	records []Record
}

// reply tells why there is no result.
func (t *turn) reply(p *Problem) reply {
	return reply{http.StatusOK, envelope(t.id, "error", p.json()), t.records(p)}
}

// replyWith answers with a result.
func (t *turn) replyWith(result json.RawMessage) reply {
	return reply{http.StatusOK, envelope(t.id, "result", result), t.records(t.problem)}
}

// refuse tells what is wrong with a message that does not come to its turn. One
// that asks for no answer learns of it from the status alone.
func (e *Endpoint) refuse(status int, m message, p *Problem) reply {
	if m.id == nil {
		status = http.StatusBadRequest
	}
	return reply{status, envelope(m.replyID(), "error", p.json()), e.recordMessage(m, p)}
}

// envelope is an answer of JSON-RPC.
func envelope(id json.RawMessage, key string, value json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := make([]byte, 0, len(id)+len(value)+64)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`+key+`":`...)
	b = append(b, value...)
	return append(b, '}')
}

// write writes a reply, and gives what is to be recorded of it.
func (a reply) write(w http.ResponseWriter) []Record {
	if a.body == nil {
		w.WriteHeader(a.status)
		return a.records
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, a.status, a.body)
	return a.records
}

// callResult is the result of a call with the answer of its tool, as structured
// content and as text. It is written here since mcp-go escapes < and > in one of
// the two, and both are to be the same bytes.
func callResult(done *mcpgo.CallToolResult, answer json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.Grow(2*len(answer) + len(answer)/4 + 256)
	beginResult(&b, done)
	b.WriteString(`"content":[{"type":"text","text":`)
	writeValue(&b, string(answer))
	b.WriteString(`}],"structuredContent":`)
	b.Write(answer)
	b.WriteByte('}')
	return b.Bytes()
}

// refusalResult is the result of a call that its tool refuses. It has no
// structured content, which would have to be an answer.
func refusalResult(done *mcpgo.CallToolResult, message string) json.RawMessage {
	var b bytes.Buffer
	beginResult(&b, done)
	b.WriteString(`"content":[{"type":"text","text":`)
	writeValue(&b, message)
	b.WriteString(`}],"isError":true}`)
	return b.Bytes()
}

// beginResult writes what mcp-go says of a result. An empty resultType is that of
// an earlier era.
func beginResult(b *bytes.Buffer, done *mcpgo.CallToolResult) {
	b.WriteByte('{')
	if done.ResultType != "" {
		b.WriteString(`"resultType":`)
		writeValue(b, done.ResultType)
		b.WriteByte(',')
	}
	if done.Meta != nil {
		b.WriteString(`"_meta":`)
		writeValue(b, done.Meta)
		b.WriteByte(',')
	}
}

// writeValue writes v as JSON, with < and > as they are.
func writeValue(b *bytes.Buffer, v any) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Sprintf("mcp: %T is no JSON: %v", v, err))
	}
	b.Truncate(b.Len() - 1) // the end of line
}

// mustJSON is v as JSON. It panics where v cannot be that.
func mustJSON(v any) json.RawMessage {
	var b bytes.Buffer
	writeValue(&b, v)
	return b.Bytes()
}
