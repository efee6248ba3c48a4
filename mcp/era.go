package mcp

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// The methods that are served, each in the eras that have it.
const (
	methodInitialize = string(mcpgo.MethodInitialize)
	methodPing       = string(mcpgo.MethodPing)
	methodDiscover   = string(mcpgo.MethodServerDiscover)
	methodList       = string(mcpgo.MethodToolsList)
	methodCall       = string(mcpgo.MethodToolsCall)
	methodResources  = string(mcpgo.MethodResourcesList)
	methodTemplates  = string(mcpgo.MethodResourcesTemplatesList)
	methodRead       = string(mcpgo.MethodResourcesRead)
)

// The headers of a message. Source: MCP 2026-07-28, "Streamable HTTP".
const (
	headerVersion = "MCP-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// An era is the revision of the protocol that a message keeps to, "" for one
// that names none and is of an earlier one.
type era string

// The first revision in which each request says by itself what it keeps to, and
// the last one before, where initialize did.
const (
	firstModern era = "2026-07-28"
	lastLegacy  era = "2025-11-25"
)

// eras are those served, newest first.
var eras = []era{firstModern, lastLegacy, "2025-06-18", "2025-03-26"}

// isModern says whether requests of e carry their revision and name their method
// in headers. Revisions are dates: a later one is modern too.
func (e era) isModern() bool { return e >= firstModern }

func (e era) isServed() bool { return slices.Contains(eras, e) }

// serves says whether the method is one of e.
func (e era) serves(method string) bool {
	switch method {
	case methodList, methodCall, methodResources, methodTemplates, methodRead:
		return true
	case methodDiscover:
		return e.isModern()
	case methodInitialize, methodPing:
		return !e.isModern()
	}
	return false
}

// status is the HTTP status of an answer to a message of e: modern ones have one
// of their own for what is wrong with a message, earlier ones know 200 alone.
func (e era) status(modern int) int {
	if e.isModern() {
		return modern
	}
	return http.StatusOK
}

// negotiate is the revision that initialize agrees on: the one asked for, or the
// last that has an initialize.
func negotiate(asked string) era {
	if e := era(asked); e.isServed() && !e.isModern() {
		return e
	}
	return lastLegacy
}

// eraOf is what m keeps to, by its headers and its _meta, which must agree.
func eraOf(h http.Header, m message) (era, *Problem) {
	header, once := only(h, headerVersion)
	meta := string(versionOf(m))
	e := era(cmp.Or(header, meta))
	switch {
	case !once:
		return e, headerRepeated(headerVersion)
	case header != "" && meta != "" && header != meta:
		return e, headerMismatch(headerVersion, header, meta)
	case e == "", m.method == methodInitialize && !e.isModern():
		return "", nil // initialize agrees on a revision in its params
	case !e.isServed():
		return e, unsupportedVersion(string(e))
	case !e.isModern():
		return e, nil
	case header == "":
		return e, headerMissing(headerVersion)
	}
	return e, checkModern(h, m, meta)
}

// versionOf is what m says in its _meta that it keeps to.
func versionOf(m message) era { return era(text(m.meta[mcpgo.MetaKeyProtocolVersion])) }

// checkModern is what is wrong with the _meta and the headers of a modern
// message, nil for nothing. A notification needs neither: nothing comes of it.
func checkModern(h http.Header, m message, version string) *Problem {
	switch {
	case m.isSilent():
		return nil
	case m.method == methodPing: // of an earlier era: it is told so, not that it lacks _meta
	case version == "":
		return missingMeta(mcpgo.MetaKeyProtocolVersion)
	case object(m.meta[mcpgo.MetaKeyClientCapabilities]) == nil:
		return missingMeta(mcpgo.MetaKeyClientCapabilities)
	}
	named := map[string]string{methodCall: "name", methodRead: "uri"}[m.method]
	if p := agrees(h, headerMethod, m.method); p != nil || named == "" {
		return p
	}
	return agrees(h, headerName, text(m.params[named]))
}

// agrees is what is wrong with a header that repeats a value of the body, nil
// for nothing.
func agrees(h http.Header, name, body string) *Problem {
	sent, once := only(h, name)
	value, readable := mcpgo.DecodeHeaderValue(sent)
	switch {
	case !once:
		return headerRepeated(name)
	case sent == "":
		return headerMissing(name)
	case !readable || value != body:
		return headerMismatch(name, sent, body)
	}
	return nil
}

// only is the value of a header, and whether it stands there once at most.
func only(h http.Header, name string) (string, bool) {
	values := h.Values(name)
	if len(values) == 0 {
		return "", true
	}
	return values[0], len(values) == 1
}

// servedVersions is eras as JSON.
func servedVersions() json.RawMessage { return mustJSON(eras) }
