package tool

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

// TestTripBeforeItsDays: what get_trip and list_trips say of a trip whose route
// is still to come, whole.
func TestTripBeforeItsDays(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 13, 14, 15, 678e6, time.UTC))
	made := o.answer("create_trip", object{"sourceUrl": world.TourLink, "startDate": "2027-06-12T23:30:00-05:00", "endDate": "2027-06-16"})
	id := made["id"].(string)
	want := object{
		"@context": "/contexts/TripCreation", "@id": "/trips/" + id, "@type": "TripCreation", "id": id,
		"result":     "Trip created; the route is being fetched.",
		"nextAction": `Call get_trip with id="` + id + `" after 15 seconds, until partial is false.`,
	}
	if d := cmp.Diff(want, made); d != "" {
		t.Errorf("create_trip (-want +got):\n%s", d)
	}
	want = object{
		"@context": "/contexts/Trip", "@id": "/trips/" + id, "@type": "Trip", "id": id, "version": 1.0,
		"title": nil, "sourceUrl": world.TourLink, "startDate": "2027-06-12T00:00:00+00:00", "endDate": "2027-06-16T00:00:00+00:00",
		"status": "draft", "partial": true, "isLocked": false, "outOfZone": false,
		"fatigueFactor": 0.9, "elevationPenalty": 50.0, "maxDistancePerDay": 80.0, "averageSpeed": 15.0, "ebikeMode": false, "departureHour": 8.0,
		"enabledAccommodationTypes": []any{"camp_site", "hostel", "alpine_hut", "chalet", "guest_house", "hotel", "wilderness_hut"},
		"categoryStatus":            []any{object{"category": "route", "status": "running", "reason": nil}},
		"stageCount":                0.0, "totalDistance": nil, "stages": []any{},
	}
	if d := cmp.Diff(want, o.answer("get_trip", object{"id": id})); d != "" {
		t.Errorf("get_trip (-want +got):\n%s", d)
	}
	want = object{
		"@context": "/contexts/Collection", "@id": "/trips", "@type": "Collection", "totalItems": 1.0,
		"member": []any{object{
			"@id": "/trips/" + id, "@type": "TripSummary", "id": id, "title": nil,
			"startDate": "2027-06-12T00:00:00+00:00", "endDate": "2027-06-16T00:00:00+00:00",
			"totalDistance": nil, "stageCount": 0.0, "status": "analyzing",
			"createdAt": "2026-11-30T13:14:15+00:00", "updatedAt": "2026-11-30T13:14:15+00:00",
		}},
	}
	if d := cmp.Diff(want, o.answer("list_trips", object{})); d != "" {
		t.Errorf("list_trips (-want +got):\n%s", d)
	}
}

// TestTripWithDays: the days add up, and get_stage tells of each what get_trip
// tells.
func TestTripWithDays(t *testing.T) {
	o := newOffice(t)
	o.work()
	r := o.create(object{"sourceUrl": world.TourLink})
	if r["status"] != "ready" || r["version"] != 2.0 || r["title"] == nil || r["startDate"] != nil || r["endDate"] != nil {
		t.Errorf("%v", r)
	}
	stages := r["stages"].([]any)
	if len(stages) < 4 || r["stageCount"] != float64(len(stages)) {
		t.Fatalf("%d days of %v", len(stages), r["stageCount"])
	}
	sum := 0.0
	var end any
	for i, s := range stages {
		line := s.(object)
		sum += line["distance"].(float64)
		day := o.answer("get_stage", object{"tripId": r["id"], "stageId": line["stageId"]})
		if day["id"] != line["stageId"] || day["@id"] != line["@id"] || day["dayNumber"] != float64(i+1) || line["dayNumber"] != float64(i+1) ||
			day["distance"] != line["distance"] || day["elevation"] != line["elevation"] || day["elevation"] == nil || day["elevationLoss"] == nil {
			t.Errorf("day %d: %v, %v", i+1, line, day)
		}
		if i > 0 && !cmp.Equal(end, day["startPoint"]) {
			t.Errorf("day %d begins at %v, the one before ends at %v", i+1, day["startPoint"], end)
		}
		end = day["endPoint"]
		if day["weather"] != nil || day["weatherReason"] != "The trip has no start date." {
			t.Errorf("weather %v, %v", day["weather"], day["weatherReason"])
		}
	}
	if total := r["totalDistance"].(float64); math.Abs(total-sum) > 1e-9 || total < 200 {
		t.Errorf("%v km, the days make %v", total, sum)
	}
	listed := o.answer("list_trips", object{})["member"].([]any)[0].(object)
	for _, same := range []string{"id", "title", "totalDistance", "stageCount", "startDate", "endDate"} {
		if !cmp.Equal(listed[same], r[same]) {
			t.Errorf("list_trips says %s is %v, get_trip %v", same, listed[same], r[same])
		}
	}
	if listed["status"] != "analyzed" {
		t.Errorf("status %v", listed["status"])
	}
}

// TestRestDay: a rest day has no distance and no climb.
func TestRestDay(t *testing.T) {
	o := newOffice(t)
	o.work()
	r := o.create(object{"sourceUrl": world.TourLink, "startDate": "2027-06-12"})
	id := r["id"].(string)
	o.update(func(tx *store.Tx) error {
		stages, err := tx.Stages(id)
		if err != nil {
			return err
		}
		rest := trip.Stage{ID: tx.NewID(), RestDay: true, Label: "Lac", Start: stages[0].End, End: stages[0].End}
		return tx.SaveStages(id, slices.Insert(stages, 1, rest))
	})
	after := o.answer("get_trip", object{"id": id})
	if after["totalDistance"] != r["totalDistance"] || after["stageCount"] != r["stageCount"].(float64)+1 || after["endDate"] == r["endDate"] {
		t.Errorf("with a rest day %v, without %v", after, r)
	}
	line := after["stages"].([]any)[1].(object)
	day := o.answer("get_stage", object{"tripId": id, "stageId": line["stageId"]})
	if line["distance"] != nil || line["elevation"] != nil || line["isRestDay"] != true || day["elevationLoss"] != nil || day["label"] != "Lac" {
		t.Errorf("%v, %v", line, day)
	}
	if day["weatherReason"] != "No forecast was looked up." {
		t.Errorf("%v", day["weatherReason"])
	}
}

// TestLocked: from the day of its start, UTC, a trip is locked, and it can be
// read all the same.
func TestLocked(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2027, 6, 11, 12, 0, 0, 0, time.UTC))
	id := o.answer("create_trip", object{"sourceUrl": world.TourLink, "startDate": "2027-06-12"})["id"]
	for now, locked := range map[time.Time]bool{
		time.Date(2027, 6, 11, 23, 59, 59, 0, time.UTC):                      false,
		time.Date(2027, 6, 12, 0, 0, 0, 0, time.UTC):                         true,
		time.Date(2027, 6, 11, 23, 0, 0, 0, time.FixedZone("west", -5*3600)): true,
		time.Date(2027, 6, 12, 1, 0, 0, 0, time.FixedZone("east", 3*3600)):   false,
		time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC):                          true,
	} {
		o.at(now)
		if got := o.answer("get_trip", object{"id": id})["isLocked"]; got != locked {
			t.Errorf("at %v: locked %v", now, got)
		}
	}
}

// TestFailedRoute: a trip whose route cannot be fetched says so and why.
func TestFailedRoute(t *testing.T) {
	o := newOffice(t)
	o.work()
	r := o.create(object{"sourceUrl": world.PrivateLink})
	route := r["categoryStatus"].([]any)[0].(object)
	if r["status"] != "draft" || r["partial"] != false || route["status"] != "failed" || route["reason"] == nil {
		t.Errorf("%v", r)
	}
	if listed := o.answer("list_trips", object{})["member"].([]any)[0].(object); listed["status"] != "failed" {
		t.Errorf("%v", listed)
	}
	again := o.answer("create_trip", object{"sourceUrl": world.PrivateLink})
	if again["id"] != r["id"] || !strings.HasPrefix(again["result"].(string), "This trip was already created by the same call; its route could not be fetched, and is fetched again.") {
		t.Errorf("%v", again)
	}
	_, err := o.call(o.anna, "get_stage", object{"tripId": r["id"], "stageId": "1"})
	mustRefuse(t, err, `Day "1" was not found in this trip. Copy stageId from the stages of get_trip.`)
}

// TestStageIDs: the number of a day is no id, and the answer names the id.
func TestStageIDs(t *testing.T) {
	o := newOffice(t)
	o.work()
	r := o.create(object{"sourceUrl": world.TourLink})
	second := r["stages"].([]any)[1].(object)["stageId"]
	for _, sent := range []any{"2", 2, " 2 "} {
		_, err := o.call(o.anna, "get_stage", object{"tripId": r["id"], "stageId": sent})
		mustRefuse(t, err, fmt.Sprintf(`Day "2" was not found in this trip. Copy stageId from the stages of get_trip. Day 2 has stageId="%s".`, second))
	}
}

// TestTripsOfOthers: a trip of somebody else is one that does not exist.
func TestTripsOfOthers(t *testing.T) {
	o := newOffice(t)
	o.work()
	r := o.create(object{"sourceUrl": world.TourLink})
	ben := o.person("ben@example.org")
	id, stage := r["id"].(string), r["stages"].([]any)[0].(object)["stageId"]
	missing := "0197f2a4-6c1e-7b53-9d0a-2f4be8c1a7d3"
	for _, tool := range []string{"get_trip", "get_stage"} {
		ask := func(id string) string {
			arguments := object{"id": id}
			if tool == "get_stage" {
				arguments = object{"tripId": id, "stageId": stage}
			}
			_, err := o.call(ben, tool, arguments)
			return strings.ReplaceAll(refusal(t, err).Message, id, "ID")
		}
		if got, want := ask(id), ask(missing); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	if list, err := o.call(ben, "list_trips", object{}); err != nil || list["totalItems"] != 0.0 || len(list["member"].([]any)) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestPaging: pages follow one another, and the last are empty.
func TestPaging(t *testing.T) {
	o := newOffice(t)
	var made []string
	for i := range 5 {
		title := fmt.Sprintf("Trip %d & é", i)
		made = append(made, o.answer("create_trip", object{"sourceUrl": world.TourLink, "title": title})["id"].(string))
	}
	slices.Reverse(made)
	for _, c := range []struct {
		arguments object
		iri       string
		want      []string
	}{
		{object{}, "/trips", made},
		{object{"itemsPerPage": 2}, "/trips?itemsPerPage=2", made[:2]},
		{object{"itemsPerPage": 2, "page": 2}, "/trips?itemsPerPage=2&page=2", made[2:4]},
		{object{"itemsPerPage": "2", "page": 3}, "/trips?itemsPerPage=2&page=3", made[4:]},
		{object{"page": 2}, "/trips?page=2", nil},
		{object{"page": int64(1) << 52}, "/trips?page=4503599627370496", nil},
		{object{"page": 1, "itemsPerPage": 20, "title": "TRIP"}, "/trips?title=TRIP", made},
		{object{"itemsPerPage": 1, "title": " & É", "page": 5}, "/trips?itemsPerPage=1&page=5&title=%26+%C3%89", made[4:]},
	} {
		list := o.answer("list_trips", c.arguments)
		var got []string
		for _, m := range list["member"].([]any) {
			got = append(got, m.(object)["id"].(string))
		}
		if list["totalItems"] != 5.0 || list["@id"] != c.iri || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v of %v, %v\nwant %v", c.arguments, list["@id"], list["totalItems"], got, c.want)
		}
	}
}

// TestFilters: dates that trips are looked for by are calendar dates as written.
func TestFilters(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.answer("create_trip", object{"sourceUrl": world.TourLink, "startDate": "2027-06-12", "endDate": "2027-06-16", "title": "dated"})
	o.answer("create_trip", object{"sourceUrl": world.TourLink, "title": "undated"})
	for _, c := range []struct {
		arguments object
		want      float64
	}{
		{object{"startDate": "2027-06-12"}, 1}, {object{"startDate": "2027-06-13"}, 0},
		{object{"startDate": "2027-06-12T23:59:00-11:00"}, 1}, {object{"endDate": "2027-06-16T00:00:00+14:00"}, 1},
		{object{"endDate": "2027-06-15"}, 0}, {object{"title": "DATED"}, 2}, {object{"title": "UNDATED", "startDate": "2020-01-01"}, 0},
	} {
		if got := o.answer("list_trips", c.arguments)["totalItems"]; got != c.want {
			t.Errorf("%v: %v trips, want %v", c.arguments, got, c.want)
		}
	}
	for _, field := range []string{"startDate", "endDate"} {
		_, err := o.call(o.anna, "list_trips", object{field: "next week"})
		mustRefuse(t, err, `"`+field+`" is not a date: "next week". Send YYYY-MM-DD. For example 2027-07-01.`)
	}
}

// TestCreationIsRepeated: the same call gives the same trip.
func TestCreationIsRepeated(t *testing.T) {
	o := newOffice(t)
	first := o.answer("create_trip", object{"sourceUrl": world.TourLink, "ebikeMode": true})
	again := o.answer("create_trip", object{"sourceUrl": world.TourLink, "ebikeMode": "true", "title": nil})
	if again["id"] != first["id"] || !strings.HasPrefix(again["result"].(string), "This trip was already created by the same call; it is returned again.") {
		t.Errorf("%v, then %v", first, again)
	}
	if !strings.HasSuffix(first["result"].(string), " Without a departure date there is no weather: ask the user.") {
		t.Errorf("%v", first["result"])
	}
	key := strings.Repeat("k", 16)
	o.answer("create_trip", object{"sourceUrl": world.LoopLink, "idempotencyKey": key})
	_, err := o.call(o.anna, "create_trip", object{"sourceUrl": world.TourLink, "idempotencyKey": key})
	mustRefuse(t, err, `This "idempotencyKey" was already used for a different request body. `)
	if n := o.answer("list_trips", object{})["totalItems"]; n != 2.0 {
		t.Errorf("%v trips", n)
	}
}

// TestSettingsArrive: every setting that is sent is the trip's.
func TestSettingsArrive(t *testing.T) {
	o := newOffice(t)
	sent := object{
		"sourceUrl": world.TourLink, "title": "Tour", "fatigueFactor": 0.75, "elevationPenalty": 120.5, "ebikeMode": true, "departureHour": 0.0,
		"maxDistancePerDay": 110.0, "averageSpeed": 18.5, "enabledAccommodationTypes": []any{"hotel", "camp_site"},
	}
	made := o.answer("create_trip", sent)
	got := o.answer("get_trip", object{"id": made["id"]})
	for field, want := range sent {
		if !cmp.Equal(got[field], want) {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
}

// TestCreationRefused: nothing is created, and the refusal says why.
func TestCreationRefused(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		arguments object
		message   string
	}{
		{object{"sourceUrl": "http://www.komoot.com/tour/1"}, `This route address is not supported: "http://www.komoot.com/tour/1". `},
		{object{"sourceUrl": "https://www.strava.com/activities/1"}, `This route address is not supported: `},
		{object{"sourceUrl": world.TourLink, "startDate": "2026-11-30"}, `"startDate" 2026-11-30 is today or in the past: `},
		{object{"sourceUrl": world.TourLink, "startDate": "2027-13-01"}, `"startDate" is not a date: "2027-13-01". Send RFC 3339. For example 2027-07-01T00:00:00+00:00.`},
		{object{"sourceUrl": world.TourLink, "startDate": "2027-01-01", "endDate": "soon"}, `"endDate" is not a date: "soon". `},
		{object{"sourceUrl": world.TourLink, "startDate": "2027-01-02", "endDate": "2027-01-01"}, `"endDate" 2027-01-01 is before "startDate" 2027-01-02. `},
		{object{"sourceUrl": world.TourLink, "startDate": "2027-01-01", "endDate": "2029-01-01"}, `Invalid parameters for tool 'create_trip': "endDate" makes 732 days, a trip has at most 366. Correct `},
	} {
		_, err := o.call(o.anna, "create_trip", c.arguments)
		mustRefuse(t, err, c.message)
	}
	if n := o.answer("list_trips", object{})["totalItems"]; n != 0.0 {
		t.Errorf("%v trips", n)
	}
}

// TestNextActionNeedsAScope: who cannot read is told of the scope, not of a tool.
func TestNextActionNeedsAScope(t *testing.T) {
	o := newOffice(t)
	writer := o.anna
	writer.Scopes = []string{trip.ScopeWrite}
	made, err := o.call(writer, "create_trip", object{"sourceUrl": world.TourLink})
	if err != nil || made["nextAction"] != "The days cannot be read without the scope trips:read: ask the user to grant it." {
		t.Errorf("%v, %v", made, err)
	}
}

// TestHostileText: what others write comes as data, without control characters.
func TestHostileText(t *testing.T) {
	o := newOffice(t)
	title := "Ignore\x00 all\x1b[31m <script>\u0085 \u202e \"x\" \\u0000 🚲"
	made := o.answer("create_trip", object{"sourceUrl": world.TourLink, "title": title})
	want := "Ignore all[31m <script> \u202e \"x\" \\u0000 🚲"
	if got := o.answer("get_trip", object{"id": made["id"]})["title"]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAnErrorIsNoRefusal: what is the server's fault stays an error.
func TestAnErrorIsNoRefusal(t *testing.T) {
	o := newOffice(t)
	o.file.Close()
	for _, c := range []struct {
		tool      string
		arguments object
	}{{"list_trips", object{}}, {"create_trip", object{"sourceUrl": world.TourLink}}} {
		if _, err := o.call(o.anna, c.tool, c.arguments); err == nil || errors.As(err, new(*mcp.Problem)) {
			t.Errorf("%s: %v", c.tool, err)
		}
	}
}
