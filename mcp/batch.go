package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// maxBatch is how many messages may come at once.
const maxBatch = 20

// isBatch says whether a body is a list of messages. Source: JSON-RPC 2.0
// section 6.
func isBatch(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
}

// replyToAll answers several messages of an earlier era, each for itself and one
// after the other; nothing is answered where none of them asks for anything.
func (e *Endpoint) replyToAll(r *http.Request, c Caller, body []byte) reply {
	var items []json.RawMessage
	if json.Unmarshal(body, &items) != nil {
		return e.refuse(http.StatusBadRequest, message{}, notJSON())
	}
	era, p := eraOf(r.Header, message{})
	switch {
	case era.isModern() && era.isServed():
		p = batchOfModern()
	case p == nil && (len(items) == 0 || len(items) > maxBatch):
		p = invalidRequest(fmt.Sprintf("a batch holds 1 to %d messages", maxBatch))
	}
	if p != nil {
		return e.refuse(http.StatusBadRequest, message{}, p)
	}
	var answers [][]byte
	all := reply{status: http.StatusAccepted}
	for _, item := range items {
		a := e.replyToItem(r, c, era, item)
		all.records = append(all.records, a.records...)
		if a.body != nil {
			answers = append(answers, a.body)
		}
	}
	if len(answers) > 0 {
		all.status = http.StatusOK
		all.body = append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
	}
	return all
}

// replyToItem answers one of several messages.
func (e *Endpoint) replyToItem(r *http.Request, c Caller, era era, item json.RawMessage) reply {
	m, p := readMessage(item)
	if p != nil {
		return e.refuse(http.StatusOK, m, p)
	}
	if m.shape() != nil || !m.isSilent() {
		if own := versionOf(m); own.isModern() && own.isServed() {
			p = batchOfModern()
		} else if _, p = eraOf(r.Header, m); p == nil && m.method == methodInitialize {
			p = invalidRequest("initialize comes alone")
		}
	}
	if p != nil {
		return e.refuse(http.StatusOK, m, p)
	}
	t, told := e.take(c, era, m)
	if t == nil {
		return told
	}
	return e.perform(r.Context(), t)
}

// batchOfModern: several messages at once in an era that has no such thing.
func batchOfModern() *Problem {
	return invalidRequest("this revision of the protocol has no batches, send one message a request")
}
