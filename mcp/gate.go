package mcp

import (
	"encoding/json"
	"net/http"
	"time"

	"biketrip/store/limit"
)

// admit is the call that m asks for, or why it does not get any further. What
// the tool gets is what was looked at here.
func (e *Endpoint) admit(c Caller, m message) (*Call, *Problem) {
	name := text(m.params["name"])
	tool := e.tools[name]
	call := &Call{Caller: c, Arguments: m.params["arguments"], tool: tool}
	switch {
	case name == "":
		return call, namelessCall()
	case tool == nil:
		call.NearMiss = Near(name, e.names)
		return call, unknownTool(name, call.NearMiss)
	case !c.May(tool.Scope):
		return call, insufficientScope(tool)
	}
	if wait := e.charge(c, tool); wait > 0 {
		return call, rateLimited(limit.Seconds(wait))
	}
	if isNull(call.Arguments) {
		call.Arguments = json.RawMessage("{}")
	}
	return call, nil
}

// charge counts a call of a user through a client, and gives how long they must
// wait where it is one too many. Source: contract, "Rate limits".
func (e *Endpoint) charge(c Caller, tool *Tool) time.Duration {
	limiters := []*limit.Limiter{e.calls}
	if !tool.Annotations.ReadOnly {
		limiters = append(limiters, e.writes)
	}
	return limit.TakeAll(c.UserID+" "+c.ClientID, limiters...)
}

// checkScope refuses a request whose headers alone say that it will not be
// allowed, so that a client learns what to ask for from HTTP itself. A name that
// is encoded or unknown is left to admit.
func (e *Endpoint) checkScope(r *http.Request, c Caller) *fault {
	if method := r.Header.Get(headerMethod); method != "" && method != methodCall {
		return nil
	}
	tool, known := e.tools[r.Header.Get(headerName)]
	if !known || c.May(tool.Scope) {
		return nil
	}
	return beyondScopes(tool, e.home.metadata())
}
