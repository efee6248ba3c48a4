package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// maxIDBytes bounds an id, which is the one thing of a message that is echoed
// whole.
const maxIDBytes = 256

// A message is one JSON-RPC message as it came. Its keys are read exactly as
// they are written, and where one stands twice the last counts: all that follows
// sees this reading and none looks at the bytes again.
type message struct {
	jsonrpc   string
	id        json.RawMessage // nil where there is none
	method    string          // "" where there is none, or it is no string
	hasMethod bool
	hasResult bool                       // or an error
	params    map[string]json.RawMessage // nil where there are none, or they are no object
	badParams bool                       // they are there and no object
	meta      map[string]json.RawMessage // the _meta of params
}

// readMessage reads one message. What is no JSON, or not one object, is a problem.
func readMessage(body []byte) (message, *Problem) {
	var keys map[string]json.RawMessage
	err := json.Unmarshal(body, &keys)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other), err == nil && keys == nil:
		return message{}, invalidRequest("a message is one JSON object")
	case err != nil, !utf8.Valid(body):
		return message{}, notJSON()
	}
	m := message{jsonrpc: text(keys["jsonrpc"]), id: keys["id"], method: text(keys["method"])}
	_, m.hasMethod = keys["method"]
	m.hasResult = keys["result"] != nil || keys["error"] != nil
	if raw := keys["params"]; !isNull(raw) {
		m.params = object(raw)
		m.badParams = m.params == nil
	}
	m.meta = object(m.params["_meta"])
	return m, nil
}

// isResponse says whether m answers a request, which this server never makes.
func (m message) isResponse() bool { return !m.hasMethod && m.hasResult }

// isNotification says whether m asks for no answer.
func (m message) isNotification() bool { return m.hasMethod && m.id == nil }

// isSilent says whether nothing is answered to m.
func (m message) isSilent() bool { return m.isResponse() || m.isNotification() }

// shape is what is wrong with m as a message of JSON-RPC, nil for nothing. An id
// is a string or an integer. Source: JSON-RPC 2.0 section 4, MCP "Base protocol".
func (m message) shape() *Problem {
	switch {
	case m.jsonrpc != "2.0":
		return invalidRequest(`"jsonrpc" must be "2.0"`)
	case m.isResponse():
		return nil
	case m.method == "":
		return invalidRequest(`"method" must be a string and not empty`)
	case m.id != nil && !isID(m.id):
		return invalidRequest(`"id" must be a string or an integer`)
	case m.badParams:
		return invalidRequest(`"params" must be an object`)
	}
	return nil
}

// replyID is the id of the answer to m, as the caller wrote it.
func (m message) replyID() json.RawMessage {
	if !isID(m.id) {
		return nil
	}
	return m.id
}

func isID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxIDBytes {
		return false
	}
	number := id[0] == '-' || '0' <= id[0] && id[0] <= '9'
	return id[0] == '"' || number && !bytes.ContainsAny(id, ".eE")
}

// text is the string that raw holds, "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// object is what the object raw holds, nil for anything else.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
