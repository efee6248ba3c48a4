package mcp

import (
	"net/http"
	"time"
)

// Record is what is known of one call once it is over: of each message that asks
// for a tool, and of each request that is refused before it is known what it asks
// for. What is turned away in front of the endpoint, by Envelope or Guard, is
// none: it costs next to nothing. A record holds no word of the caller's.
type Record struct {
	Tool      string // "" where none that there is was named
	Outcome   Outcome
	Code      string        // of the refusal, "" for none
	Reason    string        // why a token is refused, of which the caller is not told
	Reference string        // to the line of the log that tells what broke
	Duration  time.Duration // from before the token was looked at
	Coerced   []string      // arguments that were read from another type than their own
	NearMiss  string        // what a word of the caller was probably meant for
}

// Outcome is how a call ended.
type Outcome string

const (
	Answered        Outcome = "answered"        // with what was asked for
	Refused         Outcome = "refused"         // by what the caller asks
	Unauthenticated Outcome = "unauthenticated" // no token, or a bad one
	Failed          Outcome = "failed"          // by our fault
	Abandoned       Outcome = "abandoned"       // the caller went away
)

// records is what there is to record of a turn that ends with a problem, nil for
// none: nothing of one that is no call.
func (t *turn) records(p *Problem) []Record {
	if t.call == nil {
		return nil
	}
	r := Record{Outcome: Answered, Reference: t.reference, Coerced: t.call.Coerced, NearMiss: t.call.NearMiss}
	if t.call.tool != nil {
		r.Tool = t.call.tool.Name
	}
	switch {
	case t.gone:
		r.Outcome = Abandoned
	case p != nil:
		r.Outcome, r.Code = Refused, p.name()
		if t.reference != "" {
			r.Outcome = Failed
		}
	}
	return []Record{r}
}

// recordMessage is what there is to record of a message that is refused before its
// turn: nothing of one that is known to ask for something else than a tool.
func (e *Endpoint) recordMessage(m message, p *Problem) []Record {
	if m.method != "" && m.method != methodCall {
		return nil
	}
	return []Record{{Tool: e.nameOf(text(m.params["name"])), Outcome: Refused, Code: p.name()}}
}

// nameOf is the name of a tool that there is, "" for any other word.
func (e *Endpoint) nameOf(word string) string {
	if e.tools[word] == nil {
		return ""
	}
	return word
}

// recordFault is what there is to record of a request that is refused before its
// message is read: nothing of one that cannot hold any.
func (e *Endpoint) recordFault(r *http.Request, f *fault) []Record {
	if r.Method != http.MethodPost {
		return nil
	}
	record := Record{Tool: e.nameOf(r.Header.Get(headerName)), Outcome: Refused, Code: f.code, Reason: f.reason}
	switch {
	case gone(r.Context()):
		record.Outcome, record.Code = Abandoned, ""
	case f.status == http.StatusUnauthorized:
		record.Outcome = Unauthenticated
	case f.status >= http.StatusInternalServerError:
		record.Outcome = Failed
	}
	return []Record{record}
}

// tell hands a record over. Whatever becomes of it there, the call is over.
func (e *Endpoint) tell(r Record) {
	if e.record == nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			e.log.Error("a call is not recorded", "error", value)
		}
	}()
	e.record(r)
}
