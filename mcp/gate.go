package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"biketrip/store/limit"
)

// A call is one tools/call that may go on to its tool.
type call struct {
	tool      *Tool
	arguments json.RawMessage // as they were sent, {} for none
}

// admit is the call that m asks for, or why it does not get any further. What
// the tool gets is what was looked at here.
func (e *Endpoint) admit(c Caller, m message) (call, *Problem) {
	name := text(m.params["name"])
	tool, known := e.tools[name]
	switch {
	case name == "":
		return call{}, namelessCall()
	case !known:
		return call{}, unknownTool(name, Near(name, e.names))
	case !c.May(tool.Scope):
		return call{}, insufficientScope(tool)
	}
	if wait := e.charge(c, tool); wait > 0 {
		return call{}, rateLimited(limit.Seconds(wait))
	}
	arguments := m.params["arguments"]
	if isNull(arguments) {
		arguments = json.RawMessage("{}")
	}
	return call{tool, arguments}, nil
}

// charge counts a call of a user through a client, and gives how long they must
// wait where it is one too many. Source: contract, "Rate limits".
func (e *Endpoint) charge(c Caller, tool *Tool) time.Duration {
	var limiters []*limit.Limiter
	if e.calls != nil {
		limiters = append(limiters, e.calls)
	}
	if e.writes != nil && !tool.Annotations.ReadOnly {
		limiters = append(limiters, e.writes)
	}
	return limit.TakeAll(c.UserID+" "+c.ClientID, limiters...)
}

// scopeByHeader answers a request whose headers alone say that it will not be
// allowed, so that a client learns what to ask for from HTTP itself. A name that
// is encoded or unknown is left to admit.
func (e *Endpoint) scopeByHeader(w http.ResponseWriter, r *http.Request, c Caller) bool {
	if method := r.Header.Get(headerMethod); method != "" && method != methodCall {
		return true
	}
	tool, known := e.tools[r.Header.Get(headerName)]
	if !known || c.May(tool.Scope) {
		return true
	}
	setChallenge(w, fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s", resource_metadata="%s"`, tool.Scope, e.home.metadata()))
	writeError(w, http.StatusForbidden, "insufficient_scope", fmt.Sprintf("The access token does not allow %s; it needs %s.", tool.Name, tool.Scope))
	return false
}
