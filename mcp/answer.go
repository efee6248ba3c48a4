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
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // what fails here is the client's going away
}

// writeError answers a request that is refused before its message is read.
func writeError(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, mustJSON(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description}))
}

// A reply is what one message gets.
type reply struct {
	status int    // of HTTP, where the message came alone
	body   []byte // nil for nothing
}

// resultOf answers a message, under its id as it came.
func resultOf(id, result json.RawMessage) reply {
	return reply{http.StatusOK, envelope(id, "result", result)}
}

// problemOf tells what is wrong with a message, under its id, nil for none.
func problemOf(status int, id json.RawMessage, p *Problem) reply {
	return reply{status, envelope(id, "error", mustJSON(struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{p.Code, p.Message, p.Data}))}
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

// write writes a reply to a message, or to several.
func (a reply) write(w http.ResponseWriter) {
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, a.status, a.body)
}

// callResult is the result of a call with the answer of its tool, as structured
// content and as text. It is written here since mcp-go escapes < and > in one of
// the two, and both are to be the same bytes. An empty resultType is that of an
// earlier era.
func callResult(done *mcpgo.CallToolResult, answer json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.Grow(2*len(answer) + len(answer)/4 + 256)
	b.WriteByte('{')
	if done.ResultType != "" {
		b.WriteString(`"resultType":`)
		writeValue(&b, done.ResultType)
		b.WriteByte(',')
	}
	if done.Meta != nil {
		b.WriteString(`"_meta":`)
		writeValue(&b, done.Meta)
		b.WriteByte(',')
	}
	b.WriteString(`"content":[{"type":"text","text":`)
	writeValue(&b, string(answer))
	b.WriteString(`}],"structuredContent":`)
	b.Write(answer)
	b.WriteByte('}')
	return b.Bytes()
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
