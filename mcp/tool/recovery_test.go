package tool

import (
	"maps"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/store"
	"biketrip/store/limit"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// eachView runs a test for an agent that is shown the message alone, and for one
// that is shown the data of the error as well.
func eachView(t *testing.T, test func(t *testing.T, withData bool)) {
	t.Run("message", func(t *testing.T) { test(t, false) })
	t.Run("data", func(t *testing.T) { test(t, true) })
}

// TestRecovery: an agent that knows nothing but what a refusal says makes no
// second mistake, for all the mistakes that are known and more of their kinds.
func TestRecovery(t *testing.T) {
	eachView(t, func(t *testing.T, withData bool) {
		r := newRecoverer(t, withData, nil)
		intended := map[string]object{"N7": {"id": goldenID, "version": 7, "maxDistancePerDay": 60}} // with what belongs to the tool that is meant
		for _, c := range readJSON[[]struct {
			ID, Tool string
			Args     any
			Code     *string
			Next     object
		}](t, "mistake-cases.json") {
			switch c.ID {
			case "B1", "B3", "X1": // TestRecoveryInTime, TestRecoveryDownUnder
				continue
			case "K5", "K6", "X18": // wait for tokens that are given out, for trips that are gone, and for beds
				continue
			}
			if args := intended[c.ID]; args != nil {
				c.Args = args
			}
			mistake := slip{id: c.ID, tool: c.Tool, args: c.Args}
			if c.Code != nil {
				mistake.code = *c.Code
			}
			if c.ID == "K4" || c.ID == "X17" || c.ID == "X22" { // what only the user knows
				mistake.wishes = c.Next
			}
			r.follow(mistake)
		}
		for _, s := range slips() {
			r.follow(s)
		}
	})
}

// TestRecoveryInTime: who is told to wait, waits, and then passes.
func TestRecoveryInTime(t *testing.T) {
	eachView(t, func(t *testing.T, withData bool) {
		now := time.Unix(1_800_000_000, 0)
		r := newRecoverer(t, withData, limit.New(2, time.Minute, func() time.Time { return now }))
		for range 2 {
			r.call("get_trip", object{"id": goldenID})
		}
		now = now.Add(48 * time.Second)
		_, refused := r.call("get_trip", object{"id": goldenID})
		if want := "rate_limited: too many calls from this agent. Retry in 12 seconds. Wait 12 seconds; do not repeat the call before."; refused == nil || refused.Message != want || withData && refused.Data.RetryAfter != 12 {
			t.Fatalf("%+v", refused)
		}
		now = now.Add(12 * time.Second)
		if _, refused := r.call("get_trip", object{"id": goldenID}); refused != nil {
			t.Errorf("%+v", refused)
		}

		r = newRecoverer(t, withData, nil)
		made, _ := r.call("create_trip", object{"sourceUrl": world.TourLink})
		r.follow(slip{id: "B3", tool: "edit_stages", code: "still_computing", args: object{"tripId": made["id"], "action": "rest_day", "stageId": "1", "version": 1}})
	})
}

// TestRecoveryDownUnder: coordinates out of their range are put right where the
// trip is there.
func TestRecoveryDownUnder(t *testing.T) {
	eachView(t, func(t *testing.T, withData bool) {
		r := newRecoverer(t, withData, nil)
		r.o.update(func(tx *store.Tx) error {
			return tx.SaveStages(goldenID, []trip.Stage{{ID: goldenStage(2), DistanceM: 30_000, Start: track.Point{Lat: -33.9, Lon: 151.1}, End: track.Point{Lat: -33.7, Lon: 151.2}}})
		})
		r.follow(slip{id: "X1", tool: "add_waypoint", code: "invalid_parameters", args: object{"tripId": goldenID, "stageId": goldenStage(2), "waypointLat": 151.2, "waypointLon": -33.8}})
	})
}

// TestRecoveryOfADay: the only day of a trip stays, and who wants it gone is led
// to the tool that deletes the trip.
func TestRecoveryOfADay(t *testing.T) {
	eachView(t, func(t *testing.T, withData bool) {
		r := newRecoverer(t, withData, nil)
		r.o.update(func(tx *store.Tx) error {
			stages, err := tx.Stages(goldenID)
			if err != nil {
				return err
			}
			return tx.SaveStages(goldenID, stages[1:3]) // the second is a rest day
		})
		r.follow(slip{id: "X20", tool: "edit_stages", code: "last_day", args: object{"tripId": goldenID, "action": "delete", "version": 7, "stageId": goldenStage(2)}, after: "delete_trip"})
		_, refused := r.call("edit_stages", object{"tripId": goldenID, "action": "delete", "version": 7, "stageId": goldenStage(3)})
		if refused == nil || !strings.HasPrefix(refused.Message, trip.ErrUnavailable().Message) {
			t.Errorf("a rest day stays: %+v", refused)
		}
	})
}

// slips are mistakes of the kinds that are known, on the golden trip.
func slips() []slip {
	edit := func(more object) object {
		args := object{"tripId": goldenID, "version": 7}
		maps.Copy(args, more)
		return args
	}
	update := func(more object) object {
		args := object{"id": goldenID, "version": 7}
		maps.Copy(args, more)
		return args
	}
	second := goldenStage(2)
	create := func(more object) object {
		args := object{"sourceUrl": world.TourLink}
		maps.Copy(args, more)
		return args
	}
	here, there := object{"lat": 44.82, "lon": 5.94}, object{"lat": 44.7, "lon": 6.0}
	return []slip{
		// Types that are other ones.
		{id: "integer as text", tool: "list_trips", args: object{"page": "2", "itemsPerPage": "5"}},
		{id: "integer with a point", tool: "edit_stages", args: edit(object{"action": "rest_day", "stageId": second, "version": 7.0})},
		{id: "half an integer", tool: "list_trips", code: "invalid_parameters", args: object{"page": 1.5}, wishes: object{"page": 1.0}},
		{id: "half an hour", tool: "create_trip", code: "invalid_parameters", args: create(object{"departureHour": "8.5"}), wishes: object{"departureHour": 8.0}},
		{id: "time of day", tool: "create_trip", code: "invalid_parameters", args: create(object{"departureHour": "08:00"})},
		{id: "number with a unit", tool: "create_trip", code: "invalid_parameters", args: create(object{"averageSpeed": "18 km/h"})},
		{id: "number with a comma", tool: "create_trip", code: "invalid_parameters", args: create(object{"averageSpeed": "18,5"})},
		{id: "number in words", tool: "create_trip", code: "invalid_parameters", args: create(object{"averageSpeed": "slow"}), wishes: object{"averageSpeed": 12.0}},
		{id: "number for a flag", tool: "create_trip", code: "invalid_parameters", args: create(object{"ebikeMode": "on"})},
		{id: "flag with a capital", tool: "create_trip", code: "invalid_parameters", args: create(object{"ebikeMode": "True"})},
		{id: "one bed", tool: "update_trip_settings", code: "invalid_parameters", args: update(object{"enabledAccommodationTypes": "hostel"})},
		{id: "no bed", tool: "create_trip", code: "invalid_parameters", args: create(object{"enabledAccommodationTypes": []any{}}), wishes: object{"enabledAccommodationTypes": "hotel"}},
		{id: "point as text", tool: "edit_stages", args: edit(object{"action": "update", "stageId": second, "endPoint": `{"lat":44.82,"lon":5.94}`})},
		{id: "arguments as text", tool: "get_trip", args: `{"id":"` + goldenID + `"}`},
		{id: "wrapped", tool: "edit_stages", code: "invalid_parameters", args: object{"arguments": edit(object{"action": "rest_day", "stageId": second})}},
		{id: "all optionals null", tool: "create_trip", args: create(object{"title": nil, "startDate": nil, "endDate": nil, "fatigueFactor": nil, "ebikeMode": nil, "enabledAccommodationTypes": nil, "idempotencyKey": nil})},
		// Names that are nearly right.
		{id: "snake case", tool: "create_trip", code: "unknown_argument", args: object{"source_url": world.TourLink, "start_date": "2027-07-01"}},
		{id: "name of a day", tool: "edit_stages", code: "unknown_argument", args: edit(object{"action": "update", "stageId": second, "name": "Over the pass"})},
		{id: "url", tool: "create_trip", code: "unknown_argument", args: object{"url": world.TourLink}},
		{id: "name for title", tool: "create_trip", code: "unknown_argument", args: create(object{"name": "Tour"})},
		{id: "a part of the name", tool: "update_trip_settings", code: "unknown_argument", args: update(object{"maxDistance": 60})},
		{id: "an extra one", tool: "create_trip", code: "unknown_argument", args: create(object{"bikeType": "gravel"})},
		{id: "two wrong ones", tool: "update_trip_settings", code: "unknown_argument", args: update(object{"fatigue_factor": 0.8, "colour": "red"})},
		{id: "trip_id", tool: "edit_stages", code: "unknown_argument", args: object{"trip_id": goldenID, "version": 7, "action": "rest_day", "stageId": second}},
		{id: "tripId for id", tool: "get_trip", code: "invalid_parameters", args: object{"tripId": goldenID}},
		{id: "id for tripId", tool: "share_trip", code: "invalid_parameters", args: object{"id": goldenID}},
		{id: "tripId for id of a closed one", tool: "update_trip_settings", code: "unknown_argument", args: object{"tripId": goldenID, "version": 7, "maxDistancePerDay": 60}},
		{id: "confirmation_token", tool: "delete_trip", code: "unknown_argument", args: object{"id": goldenID, "confirmation_token": ""}},
		{id: "query", tool: "search_places", code: "invalid_parameters", args: object{"query": "Gap"}},
		{id: "lat and lon of a waypoint", tool: "add_waypoint", code: "unknown_argument", args: object{"tripId": goldenID, "stageId": second, "lat": 44.85, "lon": 5.9}},
		{id: "latitude and longitude of a bed", tool: "choose_accommodation", code: "unknown_argument", args: edit(object{"stageId": second, "latitude": 44.8186, "longitude": 5.9467})},
		{id: "longitude in a point", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "update", "stageId": second, "endPoint": object{"latitude": 44.82, "lon": 5.94}})},
		{id: "a point with more", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "update", "stageId": second, "endPoint": object{"lat": 44.82, "lon": 5.94, "altitude": 930, "name": "Corps"}})},
		{id: "a kind of bed in the plural", tool: "create_trip", code: "invalid_parameters", args: create(object{"enabledAccommodationTypes": []any{"Hotels", "alpine-hut"}})},
		{id: "camping", tool: "create_trip", code: "invalid_parameters", args: create(object{"enabledAccommodationTypes": []any{"camping", "refuge"}})},
		{id: "a kind of bed that is none", tool: "create_trip", code: "invalid_parameters", args: create(object{"enabledAccommodationTypes": []any{"castle"}}), wishes: object{"enabledAccommodationTypes": "hotel"}},
		{id: "addDay", tool: "edit_stages", code: "unknown_action", args: edit(object{"action": "addd", "startPoint": here, "endPoint": there}), wishes: object{"action": "add"}},
		{id: "remove", tool: "edit_stages", code: "unknown_action", args: edit(object{"action": "remove", "stageId": second})},
		{id: "insert", tool: "edit_stages", code: "unknown_action", args: edit(object{"action": "insert", "startPoint": here, "endPoint": there})},
		{id: "Delete", tool: "edit_stages", code: "unknown_action", args: edit(object{"action": "Delete", "stageId": second})},
		{id: "rest", tool: "edit_stages", code: "unknown_action", args: edit(object{"action": "rest", "stageId": second})},
		{id: "camel case of a tool", tool: "getTrip", code: "unknown_tool", args: object{"id": goldenID}, after: "get_trip"},
		{id: "prefix of a host", tool: "mcp__biketrip__list_trips", code: "unknown_tool", args: object{}, after: "list_trips"},
		{id: "a tool in the singular", tool: "list_trip", code: "unknown_tool", args: object{}, after: "list_trips"},
		// Ids.
		{id: "title as id", tool: "get_trip", code: "trip_not_found", args: object{"id": "Vercors to Gap"}},
		{id: "number as id", tool: "get_trip", code: "trip_not_found", args: object{"id": 3}},
		{id: "no id", tool: "delete_trip", code: "trip_not_found", args: object{"id": ""}},
		{id: "day number", tool: "add_waypoint", code: "stage_not_found", args: object{"tripId": goldenID, "stageId": 2, "waypointLat": 44.85, "waypointLon": 5.9}},
		{id: "day in words", tool: "edit_stages", code: "stage_not_found", args: edit(object{"action": "rest_day", "stageId": "day 2"})},
		{id: "IRI of a day", tool: "get_stage", args: object{"tripId": "/trips/" + goldenID, "stageId": "/trips/" + goldenID + "/stages/" + second}},
		{id: "day of another trip", tool: "choose_accommodation", code: "stage_not_found", args: edit(object{"stageId": "0197f2a4-9999-7a10-8000-000000000002"})},
		// Versions.
		{id: "no version", tool: "edit_stages", code: "missing_version", args: object{"tripId": goldenID, "action": "rest_day", "stageId": second}},
		{id: "version null", tool: "choose_accommodation", code: "missing_version", args: object{"tripId": goldenID, "stageId": second, "version": nil}},
		{id: "version with a letter", tool: "update_trip_settings", code: "missing_version", args: object{"id": goldenID, "maxDistancePerDay": 60, "version": "v7"}},
		{id: "half a version", tool: "edit_stages", code: "missing_version", args: edit(object{"action": "rest_day", "stageId": second, "version": 7.5})},
		{id: "version 0", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "rest_day", "stageId": second, "version": 0}), wishes: object{"version": 7.0}},
		// Confirmations.
		{id: "true for a token", tool: "update_trip_settings", code: "invalid_token", args: update(object{"maxDistancePerDay": 60, "confirmationToken": "true"})},
		{id: "nothing to change", tool: "update_trip_settings", code: "nothing_to_change", args: update(nil), wishes: object{"maxDistancePerDay": 60.0}},
		{id: "what it is already", tool: "update_trip_settings", code: "nothing_to_change", args: update(object{"maxDistancePerDay": 80, "title": "Vercors to Gap"}), wishes: object{"maxDistancePerDay": 60.0}},
		// Values.
		{id: "swapped, in range", tool: "add_waypoint", code: "swapped", args: object{"tripId": goldenID, "stageId": second, "waypointLat": 5.9, "waypointLon": 44.85}},
		{id: "swapped end", tool: "edit_stages", code: "swapped", args: edit(object{"action": "update", "stageId": second, "endPoint": object{"lat": 5.94, "lon": 44.82}})},
		{id: "swapped new day", tool: "edit_stages", code: "swapped", args: edit(object{"action": "add", "startPoint": object{"lat": 5.94, "lon": 44.82}, "endPoint": there})},
		{id: "swapped bed", tool: "choose_accommodation", code: "swapped", args: edit(object{"stageId": second, "selectedAccommodationLat": 5.9467, "selectedAccommodationLon": 44.8186})},
		{id: "out of range in a point", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "add", "startPoint": object{"lat": 120.0, "lon": 44.0}, "endPoint": there})},
		{id: "from 1", tool: "edit_stages", code: "index_out_of_range", args: edit(object{"action": "move", "stageId": second, "toIndex": 4})},
		{id: "far behind the end", tool: "edit_stages", code: "index_out_of_range", args: edit(object{"action": "add", "startPoint": here, "endPoint": there, "position": 9})},
		{id: "before the start", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "add", "startPoint": here, "endPoint": there, "position": -1})},
		{id: "where it is", tool: "edit_stages", code: "nothing_to_change", args: edit(object{"action": "move", "stageId": second, "toIndex": 1}), wishes: object{"toIndex": 0}},
		{id: "position to move to", tool: "edit_stages", code: "needs_field", args: edit(object{"action": "move", "stageId": second, "position": 0})},
		{id: "index to add at", tool: "edit_stages", code: "field_of_other_action", args: edit(object{"action": "add", "startPoint": here, "endPoint": there, "toIndex": 1})},
		{id: "a ride on a rest day", tool: "edit_stages", code: "rest_day", args: edit(object{"action": "update", "stageId": goldenStage(3), "distance": 30})},
		{id: "a detour on a rest day", tool: "add_waypoint", code: "rest_day", args: object{"tripId": goldenID, "stageId": goldenStage(3), "waypointLat": 44.85, "waypointLon": 5.9}},
		{id: "too long a day", tool: "edit_stages", code: "distance_out_of_range", args: edit(object{"action": "update", "stageId": second, "distance": 120})},
		{id: "longer than the route", tool: "edit_stages", code: "distance_out_of_range", args: edit(object{"action": "update", "stageId": goldenStage(4), "distance": 41})},
		{id: "distance in metres", tool: "edit_stages", code: "invalid_parameters", args: edit(object{"action": "update", "stageId": second, "distance": 48_000}), wishes: object{"distance": 48.0}},
		{id: "distance and end", tool: "edit_stages", code: "needs_field", args: edit(object{"action": "update", "stageId": second, "distance": 40, "endPoint": here})},
		{id: "an end alone", tool: "edit_stages", code: "needs_field", args: edit(object{"action": "add", "endPoint": there}), wishes: object{"startPoint": here}},
		{id: "nothing to update", tool: "edit_stages", code: "needs_field", args: edit(object{"action": "update", "stageId": second}), wishes: object{"label": "Over the pass"}},
		{id: "longitude of a bed alone", tool: "choose_accommodation", code: "half_coordinates", args: edit(object{"stageId": second, "selectedAccommodationLon": 5.9467}), wishes: object{"selectedAccommodationLat": 44.8186}},
		{id: "American date", tool: "create_trip", code: "invalid_date", args: create(object{"startDate": "07/01/2027"})},
		{id: "date without zeros", tool: "create_trip", code: "invalid_date", args: create(object{"startDate": "2027-7-1"})},
		{id: "month of no year", tool: "update_trip_settings", code: "invalid_date", args: update(object{"startDate": "July"})},
		{id: "last year", tool: "update_trip_settings", code: "date_in_past", args: update(object{"startDate": "2025-07-01"})},
		{id: "today", tool: "create_trip", code: "date_in_past", args: create(object{"startDate": "2026-11-30"})},
		{id: "end before start", tool: "update_trip_settings", code: "end_before_start", args: update(object{"startDate": "2027-07-10", "endDate": "2027-07-01"})},
		{id: "date in words in a filter", tool: "list_trips", code: "invalid_date", args: object{"startDate": "summer"}},
		{id: "an activity", tool: "create_trip", code: "unsupported_source", args: object{"sourceUrl": "https://www.strava.com/activities/1"}},
		{id: "without TLS", tool: "create_trip", code: "unsupported_source", args: object{"sourceUrl": "http://www.komoot.com/tour/1"}},
		{id: "a file", tool: "create_trip", code: "unsupported_source", args: object{"sourceUrl": "route.gpx"}},
		{id: "page 0", tool: "list_trips", code: "invalid_parameters", args: object{"page": 0}},
		{id: "hour 24", tool: "create_trip", code: "invalid_parameters", args: create(object{"departureHour": 24})},
		{id: "days of 500 km", tool: "create_trip", code: "invalid_parameters", args: create(object{"maxDistancePerDay": 500})},
		{id: "no penalty", tool: "create_trip", code: "invalid_parameters", args: create(object{"elevationPenalty": 0})},
		{id: "a long title", tool: "create_trip", code: "invalid_parameters", args: create(object{"title": strings.Repeat("x", 300)})},
		{id: "a key with spaces", tool: "create_trip", code: "invalid_parameters", args: create(object{"idempotencyKey": "trip to the mountains 1"})},
	}
}
