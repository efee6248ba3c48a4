package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"biketrip/mcp"
)

// TestCoercedArguments: a call says which of its arguments were read from another
// type, and of a refusal for a name which one was probably meant.
func TestCoercedArguments(t *testing.T) {
	o := newOffice(t)
	o.goldenTrip()
	for _, c := range []struct {
		tool, sent string
		coerced    []string
		nearMiss   string
	}{
		{"list_trips", `{"page":1,"title":"a"}`, nil, ""},
		{"list_trips", `{"page":1.0,"title":null,"itemsPerPage":""}`, nil, ""},
		{"list_trips", `{"page":"1","itemsPerPage":"20","title":" a "}`, []string{"itemsPerPage", "page", "title"}, ""},
		{"get_trip", `{"id":"` + goldenID + `"}`, nil, ""},
		{"get_trip", `{"id":"/trips/` + goldenID + `"}`, []string{"id"}, ""},
		{"get_trip", `{"id":5}`, []string{"id"}, ""},
		{"get_trip", `"{\"id\":\"5\"}"`, []string{"arguments"}, ""},
		{"create_trip", `{"sourceUrl":"x","ebikeMode":"true","enabledAccommodationTypes":"[\"hotel\"]"}`, []string{"ebikeMode", "enabledAccommodationTypes"}, ""},
		{"create_trip", `{"sourceUrl":"x","ebikeMode":true,"enabledAccommodationTypes":["hotel","hotel"]}`, []string{"enabledAccommodationTypes"}, ""},
		{"create_trip", `{"sourceUrl":"x","ebikeMode":true,"enabledAccommodationTypes":["hotel"," hostel"]}`, []string{"enabledAccommodationTypes"}, ""},
		{"edit_stages", `{"tripId":"` + goldenID + `","version":7,"action":"add","startPoint":{"lat":"45","lon":6},"endPoint":{"lat":45,"lon":6}}`, []string{"startPoint"}, ""},
		{"create_trip", `{"sourceUrl":"x","ebike_mode":true}`, nil, "ebikeMode"},
		{"create_trip", `{"url":"x"}`, nil, "sourceUrl"},
		{"create_trip", `{"sourceUrl":"x","enabledAccommodationTypes":["Hotel"]}`, nil, "hotel"},
		{"edit_stages", `{"tripId":"` + goldenID + `","version":7,"action":"restday"}`, nil, "rest_day"},
		{"edit_stages", `{"tripId":"` + goldenID + `","version":7,"action":"add","startPoint":{"lat":45,"lng":6},"endPoint":{"lat":45,"lon":6}}`, nil, "startPoint.lon"},
		{"create_trip", `{"sourceUrl":"x","zzz":true}`, nil, ""},
	} {
		call := &mcp.Call{Caller: o.anna, Arguments: json.RawMessage(c.sent)}
		_, _ = o.tools[c.tool].Call(t.Context(), call)
		if !slices.Equal(call.Coerced, c.coerced) || call.NearMiss != c.nearMiss {
			t.Errorf("%s %s: coerced %q, near miss %q", c.tool, c.sent, call.Coerced, call.NearMiss)
		}
	}
}

// TestNotWithoutLoss: what something is lost of is not taken.
func TestNotWithoutLoss(t *testing.T) {
	o := newOffice(t)
	o.goldenTrip()
	many := "{"
	for i := range maxArguments + 1 {
		many += fmt.Sprintf(`"p%dage":1,`, i)
	}
	edit := `{"tripId":"` + goldenID + `","version":7,"action":"add","startPoint":{"lat":45,"lon":6},"endPoint":`
	for tool, sent := range map[string][]string{
		"edit_stages": {
			edit + `"{\"lat\":45,\"lon\":6}}}]]x"}`, edit + `"{\"lat\":45,\"lon\":6} {}"}`, edit + `{"lat":45,"lon":6},"position":"2.0000000000000000001"}`,
			edit + `{"lat":45,"lon":6},"position":2.00000000000000000001}`, edit + many + `"lat":45,"lon":6}}`,
		},
		"list_trips": {`"{\"page\":1}}}x"`, many + `"page":1}`},
	} {
		for _, s := range sent {
			_, err := o.tools[tool].Call(t.Context(), &mcp.Call{Caller: o.anna, Arguments: json.RawMessage(s)})
			if p := refusal(t, err); p.Code != mcp.CodeParameters {
				t.Errorf("%.200s: %s", s, p.Message)
			}
		}
	}
	if answer := o.answer("list_trips", object{"page": json.RawMessage("1.000")}); answer["totalItems"] != 1.0 {
		t.Errorf("%v", answer)
	}
}
