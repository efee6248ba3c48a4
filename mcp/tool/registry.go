package tool

import (
	"bytes"
	"context"
	"encoding/json"

	"biketrip/mcp"
	"biketrip/store/trip"
)

// registry is every tool, in the published order.
func registry(d desk) []definition {
	return []definition{
		{"list_trips", "List trips", listTripsText, reads(ownData), unconfirmed, unversioned, handle(d.listTrips)},
		{"get_trip", "Read a trip", getTripText, reads(ownData), unconfirmed, unversioned, handle(d.getTrip)},
		{"get_stage", "Read one day", getStageText, reads(ownData), unconfirmed, unversioned, handle(d.getStage)},
		{"search_places", "Find a place", searchPlacesText, reads(openWorld), unconfirmed, unversioned, handle(d.searchPlaces)},
		{"create_trip", "Create a trip", createTripText, writes(adds, anew, openWorld), unconfirmed, unversioned, handle(d.createTrip)},
		{"update_trip_settings", "Change trip settings", updateTripSettingsText, writes(destroys, anew, ownData), confirmed, versioned, handle(d.updateTripSettings)},
		{"edit_stages", "Edit the days", editStagesText, writes(destroys, anew, ownData), unconfirmed, versioned, handle(d.editStages)},
		{"add_waypoint", "Add a waypoint", addWaypointText, writes(adds, anew, ownData), unconfirmed, unversioned, handle(d.addWaypoint)},
		{"choose_accommodation", "Choose a bed", chooseAccommodationText, writes(adds, converges, ownData), unconfirmed, versioned, handle(d.chooseAccommodation)},
		{"analyze_trip", "Analyze a trip", analyzeTripText, writes(adds, anew, openWorld), unconfirmed, unversioned, handle(d.analyzeTrip)},
		{"share_trip", "Share a trip", shareTripText, writes(adds, converges, openWorld), unconfirmed, unversioned, handle(d.shareTrip)},
		{"unshare_trip", "Revoke the public link", unshareTripText, writes(destroys, converges, openWorld), confirmed, unversioned, handle(d.unshareTrip)},
		{"delete_trip", "Delete a trip", deleteTripText, writes(destroys, converges, ownData), confirmed, unversioned, handle(d.deleteTrip)},
	}
}

// definition is all there is to say about a tool. It is written without the names
// of its parts, so that it does not compile while one is left out.
type definition struct {
	name, title, description string
	effect                   effect
	confirmation             confirmation
	version                  version
	do                       handler
}

// effect is what a call does to the world: the scope it takes, and what hosts
// are told of it.
type effect struct {
	scope       string
	annotations mcp.Annotations
}

// reads is the effect of a tool that changes nothing.
func reads(r reach) effect {
	return effect{trip.ScopeRead, mcp.Annotations{ReadOnly: true, Idempotent: true, OpenWorld: bool(r)}}
}

// writes is the effect of a tool that changes something.
func writes(h harm, a again, r reach) effect {
	return effect{trip.ScopeWrite, mcp.Annotations{Destructive: bool(h), Idempotent: bool(a), OpenWorld: bool(r)}}
}

// reach is whose data a call touches.
type reach bool

const (
	ownData   reach = false // that of this server
	openWorld reach = true  // that of others, too
)

// harm is what becomes of what was there.
type harm bool

const (
	adds     harm = false // nothing is lost
	destroys harm = true  // something may be
)

// again is what the same call does a second time.
type again bool

const (
	anew      again = false // the same once more
	converges again = true  // nothing more
)

// confirmation is whether the first call only tells what a second one would do.
type confirmation bool

const (
	unconfirmed confirmation = false
	confirmed   confirmation = true
)

// version is whether a call names the version of the trip that it edits.
type version bool

const (
	unversioned version = false
	versioned   version = true
)

// handler does a call with arguments that fit the schema, and gives the answer
// as JSON.
type handler func(ctx context.Context, c caller, arguments json.RawMessage) (json.RawMessage, error)

// handle is the handler of a call with typed arguments and a typed answer.
func handle[A, V any](do func(context.Context, caller, A) (V, error)) handler {
	return func(ctx context.Context, c caller, arguments json.RawMessage) (json.RawMessage, error) {
		var a A
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		v, err := do(ctx, c, a)
		if err != nil {
			return nil, err
		}
		var answer bytes.Buffer
		e := json.NewEncoder(&answer)
		e.SetEscapeHTML(false) // agents read the text as it is
		err = e.Encode(v)
		return bytes.TrimSpace(answer.Bytes()), err
	}
}
