package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store/trip"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// eras are the revisions of MCP that are served.
var eras = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

// An object is a JSON object.
type object = map[string]any

// A wire speaks to the server as bytes, in one revision.
type wire struct {
	t       testing.TB
	url     string
	token   string
	era     string
	schemas map[string][]*jsonschema.Schema // of the answers of tools: published and closed
}

// ask sends a request and gives status and body.
func (w *wire) ask(method string, params object) (int, object) {
	w.t.Helper()
	modern := w.era == eras[0]
	if modern {
		params["_meta"] = object{"io.modelcontextprotocol/protocolVersion": w.era, "io.modelcontextprotocol/clientCapabilities": object{}}
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), "POST", w.url, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("MCP-Protocol-Version", w.era)
	if modern {
		req.Header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok {
			req.Header.Set("Mcp-Name", name)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var answer object
	if err := json.Unmarshal(text, &answer); err != nil {
		w.t.Fatalf("%v: %s", err, text)
	}
	return res.StatusCode, answer
}

// list reads the schemas of the tools.
func (w *wire) list() {
	w.t.Helper()
	_, answer := w.ask("tools/list", object{})
	w.schemas = map[string][]*jsonschema.Schema{}
	for _, entry := range answer["result"].(object)["tools"].([]any) {
		tool := entry.(object)
		for _, closed := range []bool{false, true} {
			schema := tool["outputSchema"]
			if closed {
				closeObjects(schema)
			}
			c := jsonschema.NewCompiler()
			if err := c.AddResource("mem:///schema", schema); err != nil {
				w.t.Fatal(err)
			}
			compiled, err := c.Compile("mem:///schema")
			if err != nil {
				w.t.Fatal(err)
			}
			w.schemas[tool["name"].(string)] = append(w.schemas[tool["name"].(string)], compiled)
		}
	}
}

// closeObjects makes a schema allow no member that is not published.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case object:
		for _, inner := range s {
			closeObjects(inner)
		}
		if _, isObject := s["properties"].(object); isObject && s["type"] != nil {
			s["additionalProperties"] = false
		}
	case []any:
		for _, inner := range s {
			closeObjects(inner)
		}
	}
}

// call is the answer of a tool, which fits its schema and is the same as text.
func (w *wire) call(name string, arguments object) object {
	w.t.Helper()
	status, answer := w.ask("tools/call", object{"name": name, "arguments": arguments})
	result, ok := answer["result"].(object)
	if status != http.StatusOK || !ok {
		w.t.Fatalf("%s %v: %d %v", name, arguments, status, answer)
	}
	structured := result["structuredContent"].(object)
	content := result["content"].([]any)
	var text any
	if err := json.Unmarshal([]byte(content[0].(object)["text"].(string)), &text); err != nil || len(content) != 1 || !reflect.DeepEqual(text, any(structured)) {
		w.t.Errorf("%s: the text is %v, the structure %v, %v", name, content, structured, err)
	}
	for _, schema := range w.schemas[name] {
		if err := schema.Validate(structured); err != nil {
			w.t.Errorf("%s: %v", name, err)
		}
	}
	return structured
}

// TestWire: in both revisions, over real HTTP, every answer fits the schema that
// the server publishes, and a copy that allows nothing else.
func TestWire(t *testing.T) {
	s := startDemo(t)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w := &wire{t: t, url: s.URL, token: s.both(), era: era}
			w.list()
			hello := map[bool]string{true: "server/discover", false: "initialize"}[era == eras[0]]
			_, answer := w.ask(hello, object{"protocolVersion": era, "capabilities": object{}, "clientInfo": object{"name": "wire", "version": "1"}})
			if told := fmt.Sprint(answer["result"].(object)["instructions"]); !strings.Contains(told, "Account: a•••@example.org. Granted scopes: trips:read trips:write.") || strings.Contains(told, "anna") {
				t.Errorf("instructions %q", told)
			}
			if len(w.schemas) != 13 {
				t.Fatalf("%d tools", len(w.schemas))
			}
			for i, link := range []string{world.TourLink, world.CollectionLink, world.PrivateLink, world.PlainLink} {
				made := w.call("create_trip", object{"sourceUrl": link, "title": fmt.Sprintf("%s %d", era, i), "startDate": trip.NextJuly(trip.DateOf(time.Now().UTC())).String()})
				w.call("get_trip", object{"id": made["id"]})
				w.call("list_trips", object{})
				whole := w.settled(made["id"])
				for _, line := range whole["stages"].([]any) {
					w.call("get_stage", object{"tripId": made["id"], "stageId": line.(object)["stageId"]})
				}
			}
			if list := w.call("list_trips", object{"title": era, "itemsPerPage": 3}); list["totalItems"] != 4.0 || len(list["member"].([]any)) != 3 {
				t.Errorf("%v", list)
			}
		})
	}
}

// settled is a trip for which nothing is under way.
func (w *wire) settled(id any) object {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		whole := w.call("get_trip", object{"id": id})
		if whole["partial"] == false {
			return whole
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the trip stays %v", whole)
		}
	}
}

// TestTokenAloneDecides: a reader cannot write, whatever it says of itself, and
// in the current revision it is told before the body is read.
func TestTokenAloneDecides(t *testing.T) {
	s := startDemo(t)
	for _, era := range eras {
		w := &wire{t: t, url: s.URL, token: s.Tokens["trips:read"], era: era}
		status, answer := w.ask("tools/call", object{"name": "create_trip", "arguments": object{"sourceUrl": world.TourLink}})
		if era == eras[0] {
			if status != http.StatusForbidden || answer["error"] != "insufficient_scope" {
				t.Errorf("%s: %d %v", era, status, answer)
			}
			continue
		}
		problem, _ := answer["error"].(object)
		if status != http.StatusOK || problem["code"] != -32000.0 || !strings.HasPrefix(fmt.Sprint(problem["message"]), "insufficient_scope: ") {
			t.Errorf("%s: %d %v", era, status, answer)
		}
	}
}
