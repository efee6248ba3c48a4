package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestPublishedProblems holds the wire's own problems against the catalogue:
// message, a space, hint; in the data the published keys first, in their order.
func TestPublishedProblems(t *testing.T) {
	raw, err := os.ReadFile("testdata/tool-errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var catalogue map[string]struct {
		RPC             int
		Msg, Hint, Data string
	}
	if err := json.Unmarshal(raw, &catalogue); err != nil {
		t.Fatal(err)
	}
	made := tool("create_trip", "trips:write", echo)
	fill := strings.NewReplacer("{tool}", "create_trip", "{scope}", "trips:write", "«name»", `"make_trip"`, "{near}", `"create_trip"`,
		"{ref}", "0123456789")
	got := map[string]*Problem{
		"insufficient_scope": insufficientScope(&made),
		"unknown_tool":       unknownTool("make_trip", "create_trip"),
		"internal":           internal("0123456789"),
	}
	if len(got) != len(catalogue) {
		t.Errorf("%d problems of %d", len(got), len(catalogue))
	}
	for name, want := range catalogue {
		p, hint := got[name], fill.Replace(want.Hint)
		data := fill.Replace(strings.TrimSuffix(want.Data, "}"))
		if data == "" {
			data = "{"
		} else {
			data += ","
		}
		data += `"code":"` + name + `","hint":` + string(mustJSON(hint)) + `}`
		if diff := cmp.Diff(&Problem{want.RPC, fill.Replace(want.Msg) + " " + hint, json.RawMessage(data)}, p); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestNewProblem(t *testing.T) {
	for _, test := range []struct{ got, want *Problem }{
		{NewProblem(-32603, "No.", ""), &Problem{Code: -32603, Message: "No."}},
		{NewProblem(-32603, "No.", "Ask <again>."), &Problem{-32603, "No. Ask <again>.", json.RawMessage(`{"hint":"Ask <again>."}`)}},
		{NewProblem(-32000, "No.", "", Null("scope"), Number("n", -1<<63), Text("q", "a\"\n")), &Problem{-32000, "No.", json.RawMessage(`{"scope":null,"n":-9223372036854775808,"q":"a\"\n"}`)}},
		{NewProblem(1, "No.", "Why.", Datum{"list", json.RawMessage(`[1,2]`)}), &Problem{1, "No. Why.", json.RawMessage(`{"list":[1,2],"hint":"Why."}`)}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	// What is handed over may be used again.
	data := append(make([]Datum, 0, 4), Null("a"))
	first, second := NewProblem(1, "No.", "One.", data...), NewProblem(1, "No.", "Two.", data...)
	if after := data[:2][1]; after.Key != "" {
		t.Errorf("%q was written behind the end of the data", after.Key)
	}
	if string(first.Data) != `{"a":null,"hint":"One."}` || string(second.Data) != `{"a":null,"hint":"Two."}` {
		t.Errorf("%s %s", first.Data, second.Data)
	}
}

// TestEcho: of the words of a caller at most 40 characters are told back, without
// control characters.
func TestEcho(t *testing.T) {
	for words, want := range map[string]string{
		"":                           `""`,
		"a b":                        `"a b"`,
		strings.Repeat("é", 40):      `"` + strings.Repeat("é", 40) + `"`,
		strings.Repeat("é", 41):      `"` + strings.Repeat("é", 39) + `…"`,
		"a\"b":                       `"a"b"`,
		"a\r\n\t\x00\x1b[31m\u202eb": "\"a[31m\u202eb\"",
		"\xff":                       `"` + string(utf8.RuneError) + `"`,
		strings.Repeat("\x00", 90):   `""`,
	} {
		if got := quoted(words); got != want {
			t.Errorf("%q: got %s, want %s", words, got, want)
		}
	}
}

// TestNearest: names as agents get them wrong.
func TestNearest(t *testing.T) {
	names := []string{"list_trips", "get_trip", "get_stage", "create_trip", "add_waypoint", "share_trip", "unshare_trip", "plan", "abc", "maxDistancePerDay", "confirmationToken", "version"}
	for word, want := range map[string]string{
		"createTrip": "create_trip", "CREATE-TRIP": "create_trip", "createtrip": "create_trip",
		"list_trip": "list_trips", "list_tirps": "list_trips", "lost_trap": "", "gettrips": "get_trip",
		"share-trip": "share_trip", "unsharetrip": "unshare_trip", "share_tripp": "share_trip",
		"waypoint": "add_waypoint", "add": "add_waypoint", "add_waypoint_now": "add_waypoint", "trips": "list_trips", "way": "", "point": "",
		"max_distance": "maxDistancePerDay", "distancePerDay": "maxDistancePerDay", "token": "confirmationToken", "tripVersion": "version", "TRIP_VERSION": "version", "Day": "maxDistancePerDay", "perday": "", "distance": "",
		"plam": "plan", "plum": "", "abd": "", "": "", "delete_everything": "", strings.Repeat("x", 1<<20): "",
	} {
		if got := Near(word, names); got != want {
			t.Errorf("%.20s: got %q, want %q", word, got, want)
		}
	}
}
