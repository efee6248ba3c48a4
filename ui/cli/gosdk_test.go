package cli

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestGoSDK: the client of the official Go SDK lists, creates, waits and reads.
func TestGoSDK(t *testing.T) {
	s := startDemo(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: bearer(s.both())}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if info := session.InitializeResult(); info.ProtocolVersion != "2026-07-28" || info.ServerInfo.Name != "bike-trip-planner" || info.ServerInfo.Version != "1.0.0" {
		t.Errorf("connected to %+v", info)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 13 || tools.Tools[0].Name != "list_trips" {
		t.Errorf("%v, %v", tools, err)
	}
	ask := func(tool string, arguments, answer any) error {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return err
		}
		text, ok := result.Content[0].(*mcp.TextContent)
		if !ok || result.IsError {
			t.Fatalf("%s: %+v", tool, result)
		}
		return json.Unmarshal([]byte(text.Text), answer)
	}
	var made view.TripCreation
	if err := ask("create_trip", map[string]any{"sourceUrl": world.TourLink}, &made); err != nil {
		t.Fatal(err)
	}
	var whole view.Trip
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if err := ask("get_trip", map[string]any{"id": made.ID}, &whole); err != nil {
			t.Fatal(err)
		}
		if !whole.Partial {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the trip stays %+v", whole)
		}
	}
	var day view.Stage
	if err := ask("get_stage", map[string]any{"tripId": made.ID, "stageId": whole.Stages[0].StageID}, &day); err != nil || day.DayNumber != 1 || *day.Distance != *whole.Stages[0].Distance {
		t.Errorf("%+v, %v", day, err)
	}
	var list view.TripList
	if err := ask("list_trips", map[string]any{}, &list); err != nil || list.TotalItems != 1 || list.Member[0].ID != made.ID {
		t.Errorf("%+v, %v", list, err)
	}
	var refused *jsonrpc.Error
	if err := ask("get_trip", map[string]any{"id": "nowhere"}, &whole); !errors.As(err, &refused) || refused.Code != -32603 {
		t.Errorf("a trip that is not there: %v", err)
	}
}
