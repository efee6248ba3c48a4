package tool

import (
	"encoding/json"
	"testing"

	"biketrip/jobs/plan"
	"biketrip/jobs/plan/view"
	"biketrip/mcp"
	"biketrip/store/trip"

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

// TestWholeDay: a day with all there is to know about one fits the schema, even
// where it allows nothing else, and so does one of which hardly anything is known.
func TestWholeDay(t *testing.T) {
	o := newOffice(t)
	number, text, yes := new(1.5), new("text"), new(true)
	bed := view.Accommodation{
		Name: "Hut", Type: trip.AlpineHut, Lat: 45, Lon: 6, DistanceToEnd: number, URL: text, PossiblyClosed: yes, PriceMin: number, PriceMax: number, PriceExact: number,
	}
	whole := view.NewStage(trip.Reading{Trip: trip.Trip{ID: "t"}, Stages: []trip.Stage{{ID: "s", DistanceM: 1000}}}, 0)
	bare := whole
	whole.Weather = &view.Weather{Date: "2027-07-01", Summary: "Sun", ComfortIndex: new(80), Wind: text}
	whole.Alerts = []view.Alert{{
		Type: "steep", Severity: "warning", Message: "m", Lat: number, Lon: number, Value: number, Threshold: number, Unit: text, DataDate: text,
		Action: &view.AlertAction{Tool: "edit_stages", Arguments: json.RawMessage(`{"action":"rest_day"}`)},
	}}
	whole.Resupply = []view.Resupply{{Name: "Spar", Type: "convenience", For: []string{"lunch", "arrival"}, Detour: number, Arrival: text, Open: new("open")}}
	whole.Accommodations, whole.SelectedAccommodation = []view.Accommodation{bed}, &bed
	whole.Events = []view.Event{{Name: "Fair", StartDate: "2027-07-01T10:00:00+02:00", EndDate: text, URL: text}}
	bare.Weather = &view.Weather{}
	bare.Alerts = []view.Alert{{Severity: "info"}}
	bare.Resupply = []view.Resupply{{For: []string{}}}
	bare.Accommodations = []view.Accommodation{{Type: trip.Hotel}}
	bare.Events = []view.Event{{}}
	for _, day := range []view.Stage{whole, bare} {
		answer, err := json.Marshal(day)
		if err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, o.tools["get_stage"], answer)
	}
}
