package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store"
	"biketrip/store/trip"
)

// tokens is how many tokens a model is given for a text, by the estimate of four
// bytes each.
func tokens(text []byte) int { return len(text) / 4 }

// TestToolsAreShort: the list of tools leaves a model room to think.
func TestToolsAreShort(t *testing.T) {
	var each []int
	all := 0
	for _, tool := range Tools(Options{}) {
		text, err := json.Marshal(struct { // what models are given
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		}{tool.Name, tool.Description, tool.Input})
		if err != nil {
			t.Fatal(err)
		}
		n := tokens(text)
		if n > 700 || len(tool.Output) > 8000 {
			t.Errorf("%s takes %d tokens, its output schema %d bytes", tool.Name, n, len(tool.Output))
		}
		each, all = append(each, n), all+n
	}
	slices.Sort(each)
	if median := each[len(each)/2]; all > 4500 || median > 330 {
		t.Errorf("all take %d tokens, half of them %d or more", all, median)
	}
	t.Logf("%d tokens, the longest %d", all, each[len(each)-1])
}

// TestAnswersAreShort: so do answers, even where every name is a long one.
func TestAnswersAreShort(t *testing.T) {
	o := newOffice(t)
	name := func(i int) string { return fmt.Sprintf("Sankt Margarethen-Unterwaldschlag %d", i) }
	var id string
	var stages []trip.Stage
	for n := range 20 {
		made := o.answer("create_trip", object{"sourceUrl": world.LongLink, "title": fmt.Sprintf("%d: %s", n, strings.Repeat("Vienna to Trieste ", 2)), "startDate": "2028-06-01"})
		id = made["id"].(string)
		o.update(func(tx *store.Tx) error {
			stages = nil
			for i := range 14 {
				stages = append(stages, trip.Stage{ID: tx.NewID(), StartLabel: name(i), EndLabel: name(i + 1), DistanceM: 101234.5 + float64(i), AscentM: new(1870.4), DescentM: new(1801.2)})
			}
			return tx.SaveStages(id, stages)
		})
	}
	for _, c := range []struct {
		tool      string
		arguments object
		most      int
	}{
		{"get_trip", object{"id": id}, 2500},
		{"get_stage", object{"tripId": id, "stageId": stages[3].ID}, 3000},
		{"list_trips", object{}, 2000},
	} {
		sent, err := json.Marshal(c.arguments)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := o.tools[c.tool].Call(t.Context(), &mcp.Call{Caller: o.anna, Arguments: sent})
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens(answer); n > c.most {
			t.Errorf("%s answers in %d tokens, want at most %d", c.tool, n, c.most)
		} else {
			t.Logf("%s: %d tokens", c.tool, n)
		}
	}
}
