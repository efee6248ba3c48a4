package tool

import (
	"encoding/json"
	"testing"

	"biketrip/jobs/plan"
	"biketrip/mcp"

	"github.com/google/go-cmp/cmp"
)

// publishedTool is a tool as the reference publishes it.
type publishedTool struct {
	Name, Title, Description, Scope string
	Confirmation, NeedsVersion      bool
	Annotations                     struct {
		Title                                                        string
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint bool
	}
	InputSchema, OutputSchema json.RawMessage
}

// TestSurface holds all that is published about each tool against the
// reference, in its order.
func TestSurface(t *testing.T) {
	reference := readJSON[[]publishedTool](t, "tools.json")
	built := registry(desk{Planner: &plan.Planner{}})
	next := 0
	for _, want := range reference {
		if next == len(built) || built[next].name != want.Name {
			continue // comes with another issue
		}
		d := built[next]
		got := d.published()
		next++
		if got.Title != want.Title || got.Title != want.Annotations.Title || got.Description != want.Description || got.Scope != want.Scope {
			t.Errorf("%s: %q %q %q", got.Name, got.Title, got.Description, got.Scope)
		}
		if bool(d.confirmation) != want.Confirmation || bool(d.version) != want.NeedsVersion {
			t.Errorf("%s: confirmation %v, version %v", got.Name, d.confirmation, d.version)
		}
		a := want.Annotations
		if want := (mcp.Annotations{ReadOnly: a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: a.IdempotentHint, OpenWorld: a.OpenWorldHint}); got.Annotations != want {
			t.Errorf("%s: %+v, want %+v", got.Name, got.Annotations, want)
		}
		for _, s := range []struct{ got, want json.RawMessage }{{got.Input, want.InputSchema}, {got.Output, want.OutputSchema}} {
			if d := cmp.Diff(decode[any](t, s.want), decode[any](t, s.got)); d != "" {
				t.Errorf("a schema of %s (-want +got):\n%s", want.Name, d)
			}
		}
	}
	if next != len(built) {
		t.Errorf("%s is not published, or not there", built[next].name)
	}
}

// TestExamples: the published examples fit the schemas, and so the check of
// answers is no stricter than the reference.
func TestExamples(t *testing.T) {
	o := newOffice(t)
	for _, example := range readJSON[[]struct {
		Tool    string
		Answers []json.RawMessage
	}](t, "tool-examples.json") {
		tool, built := o.tools[example.Tool]
		if !built {
			continue
		}
		for _, answer := range example.Answers {
			checkAnswer(t, tool, answer)
		}
	}
}
