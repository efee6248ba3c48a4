package tool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"biketrip/jobs/plan"
	"biketrip/jobs/plan/view"
	"biketrip/mcp"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

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
	if len(built) != len(reference) {
		t.Fatalf("%d tools of %d", len(built), len(reference))
	}
	for i, want := range reference {
		d := built[i]
		got := d.published()
		if got.Name != want.Name {
			t.Errorf("tool %d is %s, want %s", i+1, got.Name, want.Name)
		}
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

// TestSurfaceLock: what hosts ask their users about again when it changes is
// changed on purpose: -update writes the lock anew. It is looked at as it is
// listed, so that nothing is added to it on the way.
func TestSurfaceLock(t *testing.T) {
	lock := map[string]string{}
	for _, listed := range listedTools(t) {
		identity := encode(t, []json.RawMessage{listed["name"], listed["annotations"], listed["inputSchema"], listed["outputSchema"], listed["_meta"]})
		lock[decode[string](t, listed["name"])] = fmt.Sprintf("%x", sha256.Sum256(identity))
		if text := encode(t, listed); strings.Contains(string(text), "requiresUserInteraction") {
			t.Errorf("a tool that hosts ask about again and again: %s", text)
		}
	}
	if *update {
		text, err := json.MarshalIndent(lock, "", "  ")
		if err == nil {
			err = os.WriteFile("surface.lock.json", append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("surface.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(decode[map[string]string](t, text), lock); d != "" {
		t.Errorf("the surface has changed (-was +is):\n%s", d)
	}
}

// listedTools are the tools as an agent of both scopes gets them.
func listedTools(t *testing.T) []map[string]json.RawMessage {
	t.Helper()
	endpoint := mcp.New(mcp.Options{
		DefaultURI: "http://localhost:8080", Scopes: trip.Scopes(), Tools: Tools(Options{}), Log: slog.New(slog.DiscardHandler),
		Verify: func(context.Context, string) (mcp.Caller, error) { return mcp.Caller{Scopes: trip.Scopes()}, nil },
	})
	r := httptest.NewRequest(http.MethodPost, "http://localhost:8080/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r.Header.Set("Authorization", "Bearer anna")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	endpoint.ServeHTTP(w, r)
	list := decode[struct {
		Result struct{ Tools []map[string]json.RawMessage }
	}](t, w.Body.Bytes()).Result.Tools
	if len(list) != 13 {
		t.Fatalf("%d tools: %s", len(list), w.Body)
	}
	return list
}

// TestContexts: every type of answer has a context.
func TestContexts(t *testing.T) {
	contexts := view.Contexts()
	used := map[string]bool{}
	for _, d := range registry(desk{}) {
		var output struct {
			Properties map[string]struct{ Const string }
		}
		if err := json.Unmarshal(schemaFile(d.name, "output"), &output); err != nil {
			t.Fatal(err)
		}
		kind := output.Properties["@type"].Const
		if used[kind] = true; contexts[kind] == nil {
			t.Errorf("%s answers a %q, which has no context", d.name, kind)
		}
	}
	if len(used) != len(contexts) {
		t.Errorf("%d contexts, %d types", len(contexts), len(used))
	}
}

// TestReadsAndWrites: which tools change nothing, all of them.
func TestReadsAndWrites(t *testing.T) {
	reads := map[string]bool{
		"list_trips": true, "get_trip": true, "get_stage": true, "search_places": true,
		"create_trip": false, "update_trip_settings": false, "edit_stages": false, "add_waypoint": false, "choose_accommodation": false,
		"analyze_trip": false, "share_trip": false, "unshare_trip": false, "delete_trip": false,
	}
	for _, tool := range Tools(Options{}) {
		read, known := reads[tool.Name]
		if !known || tool.Annotations.ReadOnly != read || (tool.Scope == trip.ScopeRead) != read || read && tool.Annotations.Destructive {
			t.Errorf("%s: %+v, %s", tool.Name, tool.Annotations, tool.Scope)
		}
		delete(reads, tool.Name)
	}
	if len(reads) > 0 {
		t.Errorf("%v are missing", reads)
	}
}

// TestReadmeShowsTheTools: the table of the README is that of the registry.
func TestReadmeShowsTheTools(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, d := range registry(desk{}) {
		asks := ""
		if d.confirmation {
			asks = ", once confirmed"
		}
		if d.version {
			asks += ", against a version"
		}
		fmt.Fprintf(&table, "| `%s` | `%s` | %s%s |\n", d.name, d.effect.scope, d.title, asks)
	}
	if !strings.Contains(string(readme), table.String()) {
		t.Errorf("the README does not show\n%s", table.String())
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
