package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store"
	"biketrip/store/track"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// goldenTrip keeps the trip that the golden cases are about: of version 7, with
// four days, the third of which is a rest day.
func (o *office) goldenTrip() {
	t := trip.Trip{OwnerID: o.anna.UserID, Title: "Vercors to Gap", SourceType: trip.FileUpload, Settings: trip.DefaultSettings()}
	t.Settings.FatigueFactor = 0.85
	o.update(func(tx *store.Tx) error { return tx.CreateTrip(&t) })
	o.update(func(tx *store.Tx) error {
		ctx, sqlTx := tx.SQL()
		_, err := sqlTx.ExecContext(ctx, "UPDATE trip SET id = ?, version = 7 WHERE id = ?", goldenID, t.ID)
		return err
	})
	o.update(func(tx *store.Tx) error {
		var stages []trip.Stage
		for i, end := range []track.Point{{Lat: 44.9046, Lon: 5.7881, Ele: 874}, {Lat: 44.8185, Lon: 5.9468, Ele: 930}, {}, {Lat: 44.5594, Lon: 6.0786, Ele: 740}} {
			s := trip.Stage{ID: goldenStage(i + 1), DistanceM: []float64{61_400, 48_900, 0, 40_200}[i], RestDay: i == 2, Start: track.Point{Lat: 45.1885, Lon: 5.7245, Ele: 212}, End: end}
			if i > 0 {
				s.Start = stages[i-1].End
			}
			if s.RestDay {
				s.End = s.Start
			}
			stages = append(stages, s)
		}
		return tx.SaveStages(goldenID, stages)
	})
}

// goldenStage is the id of a day of the golden trip, from 1.
func goldenStage(day int) string { return fmt.Sprintf("0197f2a4-7001-7a10-8000-%012d", day) }

const goldenID = "0197f2a4-6c1e-7b53-9d0a-2f4be8c1a7d3"

// TestMistakes: what agents get wrong is either understood or refused with
// the way out, word for word.
func TestMistakes(t *testing.T) {
	elsewhere := map[string]string{
		"B1": "is a limit of the wire", "B3": "needs a trip without days: TestStillComputing", "X18": "needs beds",
		"N7": "is the wire's: no such tool", "N8": "is the wire's: no such tool", "K6": "needs a trip that is gone",
	}
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.goldenTrip()
	for _, c := range readJSON[[]struct {
		ID, Mistake, Tool, Message, Hint string
		Code                             *string
		Rpc                              int
		Args                             json.RawMessage
	}](t, "mistake-cases.json") {
		if elsewhere[c.ID] != "" {
			continue
		}
		tool, built := o.tools[c.Tool]
		if !built {
			t.Errorf("%s: there is no %s", c.ID, c.Tool)
			continue
		}
		if len(c.Args) == 0 || string(c.Args) == "null" {
			c.Args = json.RawMessage("{}")
		}
		_, err := tool.Call(t.Context(), &mcp.Call{Caller: o.anna, Arguments: c.Args})
		if c.Code == nil {
			// Understood: done, or what this server cannot do yet.
			if err != nil && err.Error() != trip.ErrUnavailable().Error() && !(c.ID == "K5" && strings.HasPrefix(err.Error(), `This "confirmationToken"`)) {
				t.Errorf("%s %s: %v", c.ID, c.Mistake, err)
			}
			continue
		}
		p := refusal(t, err)
		if want := c.Message + " " + c.Hint; p.Message != want || p.Code != c.Rpc {
			t.Errorf("%s %s: %d\n got %s\nwant %s", c.ID, c.Mistake, p.Code, p.Message, want)
		}
	}
}

// TestTaken is how arguments are understood.
func TestTaken(t *testing.T) {
	id := "0197f2a4-6c1e-7b53-9d0a-2f4be8c1a7d3"
	for _, c := range []struct{ tool, sent, taken string }{
		{"get_trip", `{"id":" ` + strings.ToUpper(id) + ` "}`, `{"id":"` + id + `"}`},
		{"get_trip", `{"id":"/trips/` + id + `"}`, `{"id":"` + id + `"}`},
		{"get_trip", `{"id":12345678901234567890}`, `{"id":"12345678901234567890"}`},
		{"get_trip", `{"id":"x","colour":"red"}`, `{"id":"x"}`},
		{"get_trip", `{"id":"x","id":"y"}`, `{"id":"y"}`},
		{"get_trip", `"{\"id\":\"x\"}"`, `{"id":"x"}`},
		{"get_trip", `{"id":""}`, `{"id":""}`},
		{"list_trips", `{"page":"2","itemsPerPage":7.0}`, `{"page":2,"itemsPerPage":7}`},
		{"list_trips", `{"page":1e1}`, `{"page":10}`},
		{"list_trips", `{"page":null,"title":"","startDate":" ","endDate":"null"}`, `{}`},
		{"list_trips", `{"title":"  vélo  "}`, `{"title":"vélo"}`},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":"[\"hotel\",\"hostel\"]"}`, `{"sourceUrl":"x","enabledAccommodationTypes":["hotel","hostel"]}`},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":["hotel","hotel"," hostel"]}`, `{"sourceUrl":"x","enabledAccommodationTypes":["hotel","hostel"]}`},
		{"create_trip", `{"sourceUrl":"x","ebikeMode":"false","averageSpeed":"12.5"}`, `{"sourceUrl":"x","ebikeMode":false,"averageSpeed":12.5}`},
	} {
		s, err := parseSchema(schemaFile(c.tool, "input"))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := s.check(c.tool, json.RawMessage(c.sent))
		if err != nil {
			t.Errorf("%s: %v", c.sent, err)
			continue
		}
		if d := cmp.Diff(decode[any](t, []byte(c.taken)), decode[any](t, got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.sent, d)
		}
	}
}

// TestRefused is how arguments are refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ tool, sent, message string }{
		{"get_trip", `[]`, `Invalid parameters for tool 'get_trip': the arguments must be an object, got an array. `},
		{"get_trip", `"id"`, `Invalid parameters for tool 'get_trip': the arguments must be an object, got "id". `},
		{"get_trip", `7`, `Invalid parameters for tool 'get_trip': the arguments must be an object, got 7. `},
		{"create_trip", `{"arguments":{"sourceUrl":"x"}}`, `Invalid parameters for tool 'create_trip': "sourceUrl" is required; it was found inside "arguments". `},
		{"create_trip", `{"sourceUrl":"x","arguments":{"sourceUrl":"y"}}`, `Unknown argument(s): "arguments". This tool accepts: `},
		{"get_trip", `{}`, `Invalid parameters for tool 'get_trip': "id" is required. `},
		{"get_trip", `{"id":null}`, `Invalid parameters for tool 'get_trip': "id" is required. `},
		{"get_trip", `{"ID":"x"}`, `Invalid parameters for tool 'get_trip': "id" is required (you sent "ID"). `},
		{"get_trip", `{"tripId":"x"}`, `Invalid parameters for tool 'get_trip': "id" is required (you sent "tripId"). `},
		{"get_trip", `{"id":true}`, `Invalid parameters for tool 'get_trip': "id" must be a text, got true. `},
		{"get_trip", `{"id":["x"]}`, `Invalid parameters for tool 'get_trip': "id" must be a text, got an array. `},
		{"get_stage", `{}`, `Invalid parameters for tool 'get_stage': "tripId" is required; "stageId" is required. `},
		{"list_trips", `{"items_per_page":5}`, `Unknown argument(s): "items_per_page". This tool accepts: page, itemsPerPage, title, startDate, endDate. Did you mean "itemsPerPage" for "items_per_page"? Leave out `},
		{"list_trips", `{"page":0,"itemsPerPage":"31"}`, `Invalid parameters for tool 'list_trips': "page" must be at least 1, got 0; "itemsPerPage" must be between 1 and 30, got "31". `},
		{"list_trips", `{"page":1.5}`, `Invalid parameters for tool 'list_trips': "page" must be an integer, got 1.5. `},
		{"list_trips", `{"page":1e300}`, `Invalid parameters for tool 'list_trips': "page" must be an integer, got 1e300. `},
		{"list_trips", `{"page":99999999999999999999}`, `Invalid parameters for tool 'list_trips': "page" must be an integer, got 99999999999999999999. `},
		{"list_trips", `{"page":"1e1"}`, `Invalid parameters for tool 'list_trips': "page" must be an integer, got "1e1". `},
		{"list_trips", `{"title":"` + strings.Repeat("é", 201) + `"}`, `Invalid parameters for tool 'list_trips': "title" must have at most 200 characters, got 201. `},
		{"create_trip", `{"sourceUrl":"x","colour":"red","start_date":"x"}`, `Unknown argument(s): "colour", "start_date". This tool accepts: sourceUrl, title, startDate, endDate, fatigueFactor, elevationPenalty, ebikeMode, departureHour, maxDistancePerDay, averageSpeed, enabledAccommodationTypes, idempotencyKey. Did you mean "startDate" for "start_date"? Leave out `},
		{"create_trip", `{"sourceUrl":"x","elevationPenalty":0}`, `Invalid parameters for tool 'create_trip': "elevationPenalty" must be above 0 and at most 1000, got 0. `},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":[]}`, `Invalid parameters for tool 'create_trip': "enabledAccommodationTypes" must have at least 1, got 0. `},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":[null,"tent"]}`, `Invalid parameters for tool 'create_trip': "enabledAccommodationTypes[0]" must be a text, got null; "enabledAccommodationTypes[1]" must be one of camp_site, hostel, `},
		{"create_trip", `{"sourceUrl":"x","idempotencyKey":"0123456789abcdef\n!"}`, `Invalid parameters for tool 'create_trip': "idempotencyKey" must match ^[A-Za-z0-9_-]+$, got "0123456789abcdef!". `},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":"[\"hotel\"] or so"}`, `Invalid parameters for tool 'create_trip': "enabledAccommodationTypes" must be an array, got "["hotel"] or so"; send `},
		{"edit_stages", `{"arguments":{"tripId":"x","version":7,"action":"delete","stageId":"s"}}`, `Invalid parameters for tool 'edit_stages': "tripId" is required; it was found inside "arguments"; `},
		{"edit_stages", `{"action":"delete"}`, `This tool requires a "version" argument: the trip version you are editing, as returned by "get_trip". Call get_trip with the id of the trip, then send its version. `},
		{"create_trip", `{"sourceUrl":"x","departureHour":"8:00"}`, `Invalid parameters for tool 'create_trip': "departureHour" must be an integer, got "8:00". `},
		{"create_trip", `{}`, `Invalid parameters for tool 'create_trip': "sourceUrl" is required. `},
		{"create_trip", `{"url":"x"}`, `Unknown argument(s): "url". This tool accepts: sourceUrl, `},
	} {
		s, err := parseSchema(schemaFile(c.tool, "input"))
		if err != nil {
			t.Fatal(err)
		}
		taken, _, err := s.check(c.tool, json.RawMessage(c.sent))
		if err == nil || !strings.HasPrefix(err.Error(), c.message) {
			t.Errorf("%s: %s, %v\nwant %s", c.sent, taken, err, c.message)
		}
	}
}

// TestRefusalsAreShort: however much is wrong, the refusal is for somebody who
// reads it.
func TestRefusalsAreShort(t *testing.T) {
	list := func(n int, each func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, each(i))
		}
		return strings.Join(parts, ",")
	}
	many := func(each func(i int) string) string { return list(50_000, each) }
	unknown, near := func(i int) string { return fmt.Sprintf(`"x%d":1`, i) }, func(i int) string { return fmt.Sprintf(`"titl%d":1`, i) }
	for name, c := range map[string]struct{ tool, sent, says string }{
		"items":         {"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":[` + many(func(int) string { return `""` }) + `]}`, `"enabledAccommodationTypes[7]"`},
		"unknown names": {"create_trip", `{"sourceUrl":"x",` + list(40, unknown) + `}`, "and 32 more. This tool accepts: "},
		"too many":      {"create_trip", `{"sourceUrl":"x",` + many(unknown) + `}`, "there are 50001 arguments, more than any tool has"},
		"a long id":     {"edit_stages", `{"tripId":"` + strings.Repeat("x", 1_000_000) + `"}`, `Call get_trip with id="` + strings.Repeat("x", 39) + `…"`},
		"near names":    {"list_trips", `{` + list(40, near) + `}`, `Did you mean "title" for "titl0"`},
		"too many near": {"list_trips", `{` + many(near) + `}`, "there are 50000 arguments, more than any tool has"},
	} {
		s, err := parseSchema(schemaFile(c.tool, "input"))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = s.check(c.tool, json.RawMessage(c.sent))
		if err == nil || len(err.Error()) > 3000 || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %.3000v", name, err)
		}
	}
}

// TestCheckIsTheSchema: what is taken fits the published schema, by another
// reader of it, and what that one takes is taken unchanged.
func TestCheckIsTheSchema(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []any{nil, true, 1, 0, -1, 7.5, 1e9, 31, "", "x", "7", "hotel", strings.Repeat("a", 300), []any{}, []any{"hotel"}, []any{"hotel", "hotel"}, []any{1}, object{}, "2027-07-01", "0123456789abcdef"}
	good := object{
		"id": "x", "tripId": "x", "stageId": "x", "sourceUrl": "x", "q": "x", "version": 1, "action": "rest_day", "waypointLat": 1, "waypointLon": 1,
	}
	for _, d := range registry(desk{}) {
		published := compile(t, decode[any](t, schemaFile(d.name, "input")))
		s, err := parseSchema(schemaFile(d.name, "input"))
		if err != nil {
			t.Fatal(err)
		}
		fits, refused := 0, 0
		for range 5000 {
			sent := object{}
			for _, p := range s.Properties {
				if r.IntN(3) > 0 {
					sent[p.name] = values[r.IntN(len(values))]
				}
			}
			if r.IntN(2) > 0 {
				sent = object{}
				for _, name := range s.Required {
					sent[name] = good[name]
				}
				sent[s.Properties[r.IntN(len(s.Properties))].name] = values[r.IntN(len(values))]
			}
			text, err := json.Marshal(sent)
			if err != nil {
				t.Fatal(err)
			}
			taken, _, err := s.check(d.name, text)
			var told *trip.Refusal
			byAction := errors.As(err, &told) && told.Code != "invalid_parameters" && told.Code != "unknown_argument"
			switch valid := validates(published, text); {
			case byAction:
				refused++ // for more than the schema says
			case err != nil && valid:
				t.Errorf("%s fits its schema: %v", text, err)
			case err == nil && !validates(published, taken):
				t.Errorf("%s does not fit its schema", taken)
			case err == nil:
				fits++
			default:
				refused++
			}
		}
		if fits < 50 || refused < 50 {
			t.Errorf("%s: %d taken, %d refused", d.name, fits, refused)
		}
	}
}

func validates(s *jsonschema.Schema, text []byte) bool {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	return err == nil && s.Validate(v) == nil
}

// FuzzArguments: whatever is sent is refused, or taken as the schema has it.
func FuzzArguments(f *testing.F) {
	f.Add(`{"sourceUrl":"` + world.TourLink + `","enabledAccommodationTypes":"[\"hotel\"]","ebikeMode":"true"}`)
	f.Add(`{"page":"1e1","title":{"a":[null]}}`)
	f.Add(`{"arguments":{"tripId":1},"id":"/a/b/"}`)
	type checked struct {
		name      string
		schema    schema
		published *jsonschema.Schema
	}
	var all []checked
	for _, d := range registry(desk{}) {
		text := schemaFile(d.name, "input")
		s, err := parseSchema(text)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, checked{d.name, s, compile(f, decode[any](f, text))})
	}
	f.Fuzz(func(t *testing.T, sent string) {
		for _, c := range all {
			taken, _, err := c.schema.check(c.name, json.RawMessage(sent))
			if err == nil && !validates(c.published, taken) {
				t.Errorf("%s: %q is taken for %s", c.name, sent, taken)
			}
		}
	})
}
