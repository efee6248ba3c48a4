package mcp

import (
	"context"
	"encoding/json"
	"errors"
)

// Call is one call of a tool.
type Call struct {
	Caller    Caller
	Arguments json.RawMessage // as they were sent, {} for none, and not checked yet
	Progress  *Progress       // nil where the caller does not ask for it, which can be told as well

	// What the tool says of the call for the Record of it: the arguments that
	// were read from another type than their own, and the name that a word of
	// the caller was probably meant for.
	Coerced  []string
	NearMiss string

	tool *Tool
}

// do does the call. What breaks in the tool ends here.
func (e *Endpoint) do(ctx context.Context, t *turn) (answer json.RawMessage, p *Problem) {
	defer e.mend(t, &p)
	answer, err := t.call.tool.Call(ctx, t.call)
	if err == nil {
		answer, err = compact(answer)
	}
	var told *Problem
	switch {
	case err == nil:
		return answer, nil
	case errors.As(err, &told):
		return nil, told
	case gone(ctx):
		t.gone = true
		return nil, givenUp()
	}
	return nil, e.broken(t, err)
}
