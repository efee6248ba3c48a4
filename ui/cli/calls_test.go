package cli

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/jobs/plan/view"
)

// TestCallsAreLogged: each call is one line of JSON in the log of a server, and
// none of them holds what the caller has said.
func TestCallsAreLogged(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, dir, nil)
	a := s.agent(t, dir)
	for _, page := range []any{1, "1", "one", "hush@example.org"} {
		call[view.TripList](t.Context(), a, "list_trips", map[string]any{"page": page})
	}
	call[view.TripList](t.Context(), a, "list_trip", nil)
	r, err := http.NewRequest(http.MethodPost, s.address+"/mcp", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer hush")
	if _, err := http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	type line struct {
		Tool, Outcome, Code, NearMiss, Reason string
		Coerced                               []string
		DurationMS                            float64
	}
	var got []line
	for text := range strings.Lines(s.text()) {
		var keys map[string]any
		var l line
		if err := json.Unmarshal([]byte(text), &keys); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if keys["msg"] != "call" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.DurationMS <= 0 || l.DurationMS > 60_000 {
			t.Errorf("%v: %s", err, text)
		}
		want := []string{"code", "coerced", "durationMS", "level", "msg", "nearMiss", "outcome", "time", "tool"}
		if names := slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(name string) bool { return name == "reason" }); !slices.Equal(names, want) {
			t.Errorf("a line of %v", names)
		}
		l.DurationMS = 0
		got = append(got, l)
	}
	none := []string{}
	want := []line{
		{Tool: "list_trips", Outcome: "answered", Coerced: none},
		{Tool: "list_trips", Outcome: "answered", Coerced: []string{"page"}},
		{Tool: "list_trips", Outcome: "refused", Code: "invalid_parameters", Coerced: none},
		{Tool: "list_trips", Outcome: "refused", Code: "invalid_parameters", Coerced: none},
		{Outcome: "refused", Code: "unknown_tool", NearMiss: "list_trips", Coerced: none},
		{Outcome: "unauthenticated", Code: "invalid_token", Coerced: none},
	}
	if len(got) == len(want) && strings.Contains(got[5].Reason, "the access token is not valid: ") {
		got[5].Reason = ""
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if strings.Contains(s.text(), "hush") {
		t.Errorf("the log holds words of a caller: %s", s.text())
	}
}
