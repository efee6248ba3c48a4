package tool

import (
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/trip"
)

// edits are calls without a fault of the tools whose work this server cannot do
// yet, on the golden trip, and what is answered.
func edits() map[string]struct {
	arguments object
	answer    string
} {
	stage := "0197f2a4-7001-7a10-8000-000000000002"
	cannot := trip.ErrUnavailable().Error()
	type call = struct {
		arguments object
		answer    string
	}
	return map[string]call{
		"search_places":        {object{"q": "Gap"}, cannot},
		"update_trip_settings": {object{"id": goldenID, "version": 7, "title": "New"}, cannot},
		"edit_stages":          {object{"tripId": goldenID, "version": 7, "action": "rest_day", "stageId": stage}, cannot},
		"add_waypoint":         {object{"tripId": goldenID, "stageId": stage, "waypointLat": 44.9, "waypointLon": 5.8}, cannot},
		"choose_accommodation": {object{"tripId": goldenID, "version": 7, "stageId": stage}, cannot},
		"analyze_trip":         {object{"id": goldenID}, cannot},
		"share_trip":           {object{"tripId": goldenID}, cannot},
		"unshare_trip":         {object{"tripId": goldenID}, trip.ErrNoLink().Error()},
		"delete_trip":          {object{"id": goldenID}, cannot},
	}
}

// TestUnavailable: what cannot be done yet is said last, once nothing else stands
// against the call.
func TestUnavailable(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.goldenTrip()
	ben := o.person("ben@example.org")
	for tool, c := range edits() {
		_, err := o.call(o.anna, tool, c.arguments)
		if p := refusal(t, err); p.Message != c.answer {
			t.Errorf("%s: %s", tool, p.Message)
		}
		if tool == "search_places" {
			continue
		}
		_, err = o.call(ben, tool, c.arguments)
		mustRefuse(t, err, `Trip "`+goldenID+`" was not found. `)
		if c.arguments["stageId"] != nil {
			c.arguments["stageId"] = "2"
			_, err = o.call(o.anna, tool, c.arguments)
			mustRefuse(t, err, `Day "2" was not found in this trip. `)
			c.arguments["stageId"] = "0197f2a4-7001-7a10-8000-000000000002"
		}
		if c.arguments["version"] != nil {
			c.arguments["version"] = 8
			_, err = o.call(o.anna, tool, c.arguments)
			mustRefuse(t, err, "Trip "+goldenID+" has moved on: you edited version 8, the current one is 7. ")
		}
	}
}

// locking are the tools that a trip which has started refuses.
var locking = []string{"update_trip_settings", "edit_stages", "add_waypoint", "choose_accommodation", "analyze_trip"}

// TestLockedForEdits: a trip that has started refuses edits, before it looks at
// their version, and nothing else.
func TestLockedForEdits(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.goldenTrip()
	o.update(func(tx *store.Tx) error {
		tr, err := tx.Trip(o.anna.UserID, goldenID)
		if err != nil {
			return err
		}
		tr.StartDate = trip.DateOf(tx.Now)
		return tx.UpdateTrip(&tr)
	})
	for tool, c := range edits() {
		if c.arguments["version"] != nil {
			c.arguments["version"] = 3
		}
		want := c.answer
		for _, l := range locking {
			if l == tool {
				want = trip.ErrLocked().Error()
			}
		}
		_, err := o.call(o.anna, tool, c.arguments)
		mustRefuse(t, err, want)
	}
}

// TestStillComputing: a trip without days refuses edits until it has some.
func TestStillComputing(t *testing.T) {
	o := newOffice(t)
	id := o.answer("create_trip", object{"sourceUrl": world.TourLink})["id"]
	for tool, arguments := range map[string]object{
		"update_trip_settings": {"id": id, "version": 9, "title": "New"},
		"edit_stages":          {"tripId": id, "version": 9, "action": "add", "startPoint": object{"lat": 45, "lon": 6}, "endPoint": object{"lat": 45, "lon": 6.1}},
		"analyze_trip":         {"id": id},
		"add_waypoint":         {"tripId": id, "stageId": "1", "waypointLat": 45, "waypointLon": 6},
		"choose_accommodation": {"tripId": id, "stageId": "1", "version": 1},
	} {
		_, err := o.call(o.anna, tool, arguments)
		mustRefuse(t, err, "The days of this trip are still being computed. ")
	}
	_, err := o.call(o.anna, "edit_stages", object{"tripId": id, "version": 1, "action": "rest_day", "stageId": "0197f2a4-7001-7a10-8000-000000000002"})
	mustRefuse(t, err, "The days of this trip are still being computed. ")
}

// TestFailedRouteForEdits: a trip whose route could not be fetched says so to
// every edit.
func TestFailedRouteForEdits(t *testing.T) {
	o := newOffice(t)
	o.work()
	id := o.create(object{"sourceUrl": world.PrivateLink})["id"]
	for tool, arguments := range map[string]object{
		"update_trip_settings": {"id": id, "version": 1, "title": "New"},
		"edit_stages":          {"tripId": id, "version": 1, "action": "rest_day", "stageId": "1"},
		"add_waypoint":         {"tripId": id, "stageId": "1", "waypointLat": 45, "waypointLon": 6},
	} {
		_, err := o.call(o.anna, tool, arguments)
		mustRefuse(t, err, "The route could not be fetched: private: ")
	}
	_, err := o.call(o.anna, "analyze_trip", object{"id": id})
	mustRefuse(t, err, trip.ErrUnavailable().Error())
}

// TestNoDay: an id that names no day is no day.
func TestNoDay(t *testing.T) {
	o := newOffice(t)
	o.goldenTrip()
	for _, stageID := range []string{"", "/", "x/"} {
		for tool, arguments := range map[string]object{
			"add_waypoint":         {"tripId": goldenID, "waypointLat": 45, "waypointLon": 6},
			"choose_accommodation": {"tripId": goldenID, "version": 7},
			"get_stage":            {"tripId": goldenID + "/"},
		} {
			arguments["stageId"] = stageID
			_, err := o.call(o.anna, tool, arguments)
			mustRefuse(t, err, `Day "`+strings.Trim(stageID, "/")+`" was not found in this trip. `)
		}
	}
	_, err := o.call(o.anna, "edit_stages", object{"tripId": goldenID, "version": 7, "action": "delete", "stageId": "/"})
	mustRefuse(t, err, `Day "" was not found in this trip. `)
}

// TestPointsCopied: a point is taken as get_stage gives it, its height null where
// it is unknown.
func TestPointsCopied(t *testing.T) {
	o := newOffice(t)
	o.goldenTrip()
	for _, ele := range []any{nil, "", "null", 120.5} {
		point := object{"lat": 45, "lon": 6, "ele": ele}
		_, err := o.call(o.anna, "edit_stages", object{"tripId": goldenID, "version": 7, "action": "add", "startPoint": point, "endPoint": point})
		mustRefuse(t, err, trip.ErrUnavailable().Error())
	}
}

// TestActions: an action without what it needs, or with what it has no use for, is
// refused before anything is looked up.
func TestActions(t *testing.T) {
	o := newOffice(t)
	point := object{"lat": 45, "lon": 6}
	for _, c := range []struct {
		arguments object
		message   string
	}{
		{object{"action": "updte"}, `Unknown "action": "updte". It must be one of add, update, move, delete, rest_day. Did you mean "update"?`},
		{object{}, `Unknown "action": "". It must be one of `},
		{object{"action": "add"}, `The "add" action needs "startPoint" and "endPoint". `},
		{object{"action": "add", "startPoint": point}, `The "add" action needs "endPoint". `},
		{object{"action": "add", "startPoint": point, "endPoint": point, "stageId": "s"}, `"stageId" does not belong to the "add" action; it belongs to update, move, delete, rest_day. `},
		{object{"action": "update", "stageId": "s"}, `The "update" action needs at least one of startPoint, endPoint, label, distance. `},
		{object{"action": "update", "stageId": "s", "label": ""}, `Trip "x" was not found. `},
		{object{"action": "update", "stageId": "s", "distance": 60, "endPoint": point}, `The "update" action needs either "distance" or "endPoint", not both. Send distance alone, `},
		{object{"action": 5}, `Unknown "action": "5". `},
		{object{"action": "delete", "stageId": "s", "label": ""}, `Trip "x" was not found. `},
		{object{"action": "move", "toIndex": 1}, `The "move" action needs a "stageId": copy it from the stages of get_trip. Call get_trip with id="x"`},
		{object{"action": " delete ", "stageId": "s", "label": "x"}, `"label" does not belong to the "delete" action; it belongs to add, update. `},
	} {
		c.arguments["tripId"], c.arguments["version"] = "x", "1"
		_, err := o.call(o.anna, "edit_stages", c.arguments)
		mustRefuse(t, err, c.message)
	}
}

// TestSettingsRefused: what cannot be asked of settings.
func TestSettingsRefused(t *testing.T) {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.goldenTrip()
	for _, c := range []struct {
		arguments object
		message   string
	}{
		{object{}, "No setting to change was sent. Send at least one of title, startDate, endDate, fatigueFactor, "},
		{object{"startDate": "2026-11-30"}, `"startDate" 2026-11-30 is today or in the past: `},
		{object{"startDate": "soon"}, `"startDate" is not a date: "soon". Send RFC 3339. `},
		{object{"startDate": "2027-07-02", "endDate": "2027-07-01"}, `"endDate" 2027-07-01 is before "startDate" 2027-07-02. `},
		{object{"title": "x", "confirmationToken": "yes"}, `This "confirmationToken" is not valid for this call: `},
		{object{"fatigueFactor": "90 %"}, `Invalid parameters for tool 'update_trip_settings': "fatigueFactor" must be a number, got "90 %". `},
	} {
		c.arguments["id"], c.arguments["version"] = goldenID, 7
		_, err := o.call(o.anna, "update_trip_settings", c.arguments)
		mustRefuse(t, err, c.message)
	}
}
