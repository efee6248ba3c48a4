package trip

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Refusal is a request that is understood and not done: what is wrong, and
// what to do about it. Each transport maps its code once.
type Refusal struct {
	Code    string // stable, in lower case
	Message string // the published sentence
	Hint    string // what the caller can do next
	Data    []Datum
	Near    string // the published word that one of the caller's was probably meant for, which the hint names; empty for none
}

// Datum is a number that a refusal carries for programs.
type Datum struct {
	Key   string
	Value int
}

func (r *Refusal) Error() string { return r.Message + " " + r.Hint }

func refuse(code, message, hint string) *Refusal {
	return &Refusal{Code: code, Message: message, Hint: hint}
}

// Quoted is a value of the caller as messages show it: without control
// characters, in quotes, cut to 40 characters with an ellipsis.
func Quoted(s string) string {
	r := []rune(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, s))
	if len(r) > 40 {
		r = append(r[:39], '…')
	}
	return `"` + string(r) + `"`
}

// orNear puts a near miss in front of a hint, where there is one.
func orNear(near, hint string) string {
	if near == "" {
		return hint
	}
	return strings.TrimSpace("Did you mean " + near + "? " + hint)
}

// ErrUnknownArguments names arguments a tool does not publish, of which there are
// so many more; near is the published one that was probably meant, empty for none.
func ErrUnknownArguments(unknown []string, more int, accepted []string, near string) *Refusal {
	quoted := make([]string, len(unknown))
	for i, u := range unknown {
		quoted[i] = Quoted(u)
	}
	list := strings.Join(quoted, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return refuse("unknown_argument",
		fmt.Sprintf("Unknown argument(s): %s. This tool accepts: %s.", list, strings.Join(accepted, ", ")),
		orNear(near, "Leave out what is not in the list."))
}

// ErrInvalidParameters is a call whose arguments do not fit the schema of its
// tool, with what is wrong with each: "page" must be at least 1, got 0.
func ErrInvalidParameters(tool string, problems []string) *Refusal {
	return refuse("invalid_parameters",
		fmt.Sprintf("Invalid parameters for tool '%s': %s.", tool, strings.Join(problems, "; ")),
		"Correct only the arguments named and call again.")
}

// ErrMissingVersion is an edit without the version it is made against.
func ErrMissingVersion(tripID string) *Refusal {
	return refuse("missing_version",
		`This tool requires a "version" argument: the trip version you are editing, as returned by "get_trip".`,
		callGetTrip(tripID)+`, then send its version. "*" is not accepted.`)
}

// ErrStale is an edit of a version that is no longer the current one.
func ErrStale(tripID string, edited, current int) *Refusal {
	r := refuse("stale_version",
		fmt.Sprintf("Trip %s has moved on: you edited version %d, the current one is %d. Reload it and reapply your change.", tripID, edited, current),
		fmt.Sprintf(`Call get_trip with id="%s", check that the change still fits the days, then send it once with version %d.`, tripID, current))
	r.Data = []Datum{{"yourVersion", edited}, {"currentVersion", current}}
	return r
}

// ErrLocked is an edit of a trip that has started.
func ErrLocked() *Refusal {
	return refuse("locked",
		"This trip is locked: its start date is today or in the past.",
		"It can be read, shared, unshared or deleted. To plan it again call create_trip with its sourceUrl and a later startDate.")
}

// ErrAnalysisRunning is a second analysis while one runs.
func ErrAnalysisRunning(tripID string) *Refusal {
	return refuse("analysis_running",
		"An analysis is already in progress for this trip.",
		fmt.Sprintf(`Call get_trip with id="%s" after 15 seconds and read categoryStatus.`, tripID))
}

// ErrConfirmation is a confirmation token that does not fit the call.
func ErrConfirmation(tool string) *Refusal {
	return refuse("invalid_token",
		`This "confirmationToken" is not valid for this call: it was minted for different arguments, has already been used, or has expired.`,
		fmt.Sprintf("Call %s again without it, with the arguments you want, show the impact to the user, then send the new token with the same arguments.", tool))
}

// ErrTripNotFound is a trip that does not exist or belongs to someone else.
func ErrTripNotFound(tripID string) *Refusal {
	return refuse("trip_not_found",
		fmt.Sprintf("Trip %s was not found.", Quoted(tripID)),
		"Call list_trips and copy the id exactly; a title or a day number is not an id.")
}

// ErrTooManyTrips is a trip too many in a short time; the next may come after so
// many seconds.
func ErrTooManyTrips(seconds int) *Refusal {
	r := refuse("rate_limited_create",
		fmt.Sprintf("rate_limited: too many trips created by this account. Retry in %d seconds.", seconds),
		fmt.Sprintf("Wait %d seconds. If you repeat a creation, look at list_trips first.", seconds))
	r.Data = []Datum{{"retryAfter", seconds}}
	return r
}

// ErrTooManySearches is a search for places too many in a short time; the next may
// come after so many seconds.
func ErrTooManySearches(seconds int) *Refusal {
	r := refuse("rate_limited_geocode",
		fmt.Sprintf("rate_limited: too many place searches by this account. Retry in %d seconds.", seconds),
		fmt.Sprintf("Wait %d seconds, or use coordinates you already have.", seconds))
	r.Data = []Datum{{"retryAfter", seconds}}
	return r
}

// ErrIdempotency is a key that was used for another request.
func ErrIdempotency() *Refusal {
	return refuse("idempotency_conflict",
		`This "idempotencyKey" was already used for a different request body.`,
		"Leave idempotencyKey out, or send a new one.")
}

// ErrUnsupportedSource is an address no route can be read from; special says
// more about a near miss, empty for none.
func ErrUnsupportedSource(url, special string) *Refusal {
	return refuse("unsupported_source",
		fmt.Sprintf("This route address is not supported: %s.", Quoted(url)),
		strings.TrimSpace("Send the https link of a public Komoot tour or collection, Strava route or RideWithGPS route. "+special))
}

// ErrRouteFailed is an edit of a trip whose route could not be fetched.
func ErrRouteFailed(tripID, reason string) *Refusal {
	return refuse("route_failed",
		fmt.Sprintf("The route could not be fetched: %s.", reason),
		fmt.Sprintf(`Call analyze_trip with id="%s" to fetch it again, or create_trip with another link.`, tripID))
}

// ErrStillComputing is an edit before the days are there.
func ErrStillComputing(tripID string) *Refusal {
	return refuse("still_computing",
		"The days of this trip are still being computed.",
		fmt.Sprintf(`Call get_trip with id="%s" after 10 seconds, until partial is false.`, tripID))
}

// ErrNoLink is the revocation of a link a trip does not have.
func ErrNoLink() *Refusal {
	return refuse("no_link", "This trip has no public link.", "There is nothing to revoke.")
}

// ErrInvalidDate is a date that cannot be read; format and example say what it
// should look like.
func ErrInvalidDate(field, value, format, example string) *Refusal {
	return refuse("invalid_date",
		fmt.Sprintf(`"%s" is not a date: %s. Send %s.`, field, Quoted(value), format),
		fmt.Sprintf("For example %s.", example))
}

// ErrDateInPast is a departure that would lock the trip at once.
func ErrDateInPast(start, today Date) *Refusal {
	return refuse("date_in_past",
		fmt.Sprintf(`"startDate" %s is today or in the past: the trip would be locked at once.`, start),
		fmt.Sprintf("Today is %s. Ask the user which year or day is meant.", today))
}

// ErrEndBeforeStart is a last day before the first.
func ErrEndBeforeStart(start, end Date) *Refusal {
	return refuse("end_before_start",
		fmt.Sprintf(`"endDate" %s is before "startDate" %s.`, end, start),
		"Send both dates, or leave endDate out.")
}

// nothingSent is the published sentence of an edit that changes nothing.
const nothingSent = "No setting to change was sent."

// ErrNothingToChange is an update without a setting.
func ErrNothingToChange(settings []string) *Refusal {
	return refuse("nothing_to_change",
		nothingSent,
		fmt.Sprintf("Send at least one of %s.", strings.Join(settings, ", ")))
}

// ErrSameSettings is an update with the values that the trip has.
func ErrSameSettings(settings []string) *Refusal {
	return refuse("nothing_to_change",
		nothingSent,
		fmt.Sprintf("The trip has these values already. Send at least one of %s, with another value.", strings.Join(settings, ", ")))
}

// ErrSamePlace is the move of a day, from 0, to where it is.
func ErrSamePlace(day int) *Refusal {
	return refuse("nothing_to_change",
		nothingSent,
		fmt.Sprintf("The day is at toIndex %d already: send another one, from 0 for the first day.", day))
}

// ErrUnknownAction is an action edit_stages does not have; near is the one that
// was probably meant, empty for none.
func ErrUnknownAction(action, near string) *Refusal {
	return refuse("unknown_action",
		fmt.Sprintf(`Unknown "action": %s. It must be one of add, update, move, delete, rest_day.`, Quoted(action)),
		orNear(near, ""))
}

// ErrNeedsStage is an action without the day it acts on.
func ErrNeedsStage(action, tripID string) *Refusal {
	return refuse("needs_stage",
		fmt.Sprintf(`The "%s" action needs a "stageId": copy it from the stages of get_trip.`, action),
		callGetTrip(tripID)+" if you do not have it.")
}

// callGetTrip asks for a trip whose id comes from the caller, as far as it does.
func callGetTrip(tripID string) string {
	if tripID == "" {
		return "Call get_trip with the id of the trip"
	}
	return "Call get_trip with id=" + Quoted(tripID)
}

// ErrDistanceOrPoint is a day whose length and whose end are both asked for.
func ErrDistanceOrPoint(point string) *Refusal {
	return refuse("needs_field",
		fmt.Sprintf(`The "update" action needs either "distance" or "%s", not both.`, point),
		"Send distance alone, or the points alone.")
}

// ErrNeedsField is an action without the fields it needs.
func ErrNeedsField(action, fields string) *Refusal {
	return refuse("needs_field",
		fmt.Sprintf(`The "%s" action needs %s.`, action, fields),
		"move needs toIndex; add needs startPoint and endPoint; update needs at least one of startPoint, endPoint, label, distance.")
}

// ErrFieldOfOtherAction is a field the action has no use for.
func ErrFieldOfOtherAction(field, action, others string) *Refusal {
	return refuse("field_of_other_action",
		fmt.Sprintf(`"%s" does not belong to the "%s" action; it belongs to %s.`, field, action, others),
		"Leave it out, or choose that action.")
}

// ErrIndexOutOfRange is a position a trip of so many days does not have; last
// is the largest it has for this action.
func ErrIndexOutOfRange(field string, index, days, last int) *Refusal {
	return refuse("index_out_of_range",
		fmt.Sprintf(`"%s" %d is out of range: this trip has %d days, so 0 to %d.`, field, index, days, last),
		fmt.Sprintf("Positions start at 0: day %d is position %d.", days, days-1))
}

// ErrStageNotFound is a day this trip does not have. The id of the day of that
// number is named, of none where the number is 0.
func ErrStageNotFound(stageID string, dayNumber int, idOfDay string) *Refusal {
	hint := "Copy stageId from the stages of get_trip."
	if dayNumber > 0 {
		hint += fmt.Sprintf(` Day %d has stageId="%s".`, dayNumber, idOfDay)
	}
	return refuse("stage_not_found", fmt.Sprintf("Day %s was not found in this trip.", Quoted(stageID)), hint)
}

// ErrRestDay is a ride asked of a rest day.
func ErrRestDay(dayNumber int) *Refusal {
	return refuse("rest_day",
		fmt.Sprintf("Day %d is a rest day: it has no route.", dayNumber),
		"Choose the day before or after it.")
}

// ErrLastDay is the removal of the only day.
func ErrLastDay() *Refusal {
	return refuse("last_day", "A trip keeps at least one day.", "To remove the whole trip use delete_trip.")
}

// ErrDistanceOutOfRange is a day longer than the days up to the end of the next
// one leave room for; both in km. What it names is not more than there is.
func ErrDistanceOutOfRange(askedKM, largestKM float64) *Refusal {
	return refuse("distance_out_of_range",
		fmt.Sprintf(`"distance" %s km is out of range for this day: at most %s km.`, decimal(askedKM, -1), decimal(math.Floor(largestKM*1000)/1000, -1)),
		"To take in a whole following day, delete that day with edit_stages.")
}

// ErrHalfCoordinates is a bed with one coordinate.
func ErrHalfCoordinates() *Refusal {
	return refuse("half_coordinates",
		`Send both "selectedAccommodationLat" and "selectedAccommodationLon", or neither to clear the choice.`,
		"Copy both from one entry of accommodations in get_stage.")
}

// ErrBedNotFound is a bed no day end has nearby; nearest is its text, empty
// where the day has no bed.
func ErrBedNotFound(lat, lon float64, nearest string) *Refusal {
	hint := "Copy lat and lon of one entry of accommodations from get_stage without rounding"
	if nearest != "" {
		hint += "; the nearest one is at " + nearest
	}
	return refuse("bed_not_found", fmt.Sprintf("No bed of this day is at %s.", LatLon(lat, lon)), hint+".")
}

// ErrSwapped is a point far away that would be near with its coordinates the
// other way round.
func ErrSwapped(lat, lon, distanceKM float64) *Refusal {
	return refuse("swapped",
		fmt.Sprintf("The point %s is %s km from this day; latitude and longitude look swapped.", LatLon(lat, lon), decimal(distanceKM, 0)),
		fmt.Sprintf("Send latitude %s and longitude %s, if that is the place.", decimal(lon, -1), decimal(lat, -1)))
}

// ErrTooFar is a point far from the day it was sent for.
func ErrTooFar(lat, lon, distanceKM float64) *Refusal {
	return refuse("too_far",
		fmt.Sprintf("The point %s is %s km from this day.", LatLon(lat, lon), decimal(distanceKM, 0)),
		"Look the place up with search_places, with its region, and check the day.")
}

// LatLon is a place as messages write it.
func LatLon(lat, lon float64) string { return decimal(lat, -1) + ", " + decimal(lon, -1) }

// decimal writes a number with so many decimals, -1 for as many as it has.
func decimal(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }

// ErrOutOfZone is a reroute where this server has no map.
func ErrOutOfZone() *Refusal {
	return refuse("out_of_zone",
		"This route leaves the area this server has maps for, so its days cannot be rerouted.",
		"Tell the user; outOfZone is true in get_trip. Move days or add rest days instead.")
}

// ErrNoRouter is an edit that needs a routing engine where there is none.
func ErrNoRouter() *Refusal {
	return refuse("no_router",
		"This server has no routing engine for this place.",
		"Move the end of the day along the route with distance, or ask the operator to import a zone.")
}

// ErrRouterDown is a routing engine that does not answer.
func ErrRouterDown() *Refusal {
	return refuse("router_down", "The routing engine did not answer.", "Try again in a minute; nothing was changed.")
}

// ErrGeocoderDown is a place search that does not answer.
func ErrGeocoderDown() *Refusal {
	return refuse("geocoder_down",
		"The place search service did not answer.",
		"Try once more in a minute, or ask the user for the coordinates.")
}

// ErrSearchUnavailable is a place search this server does not have.
func ErrSearchUnavailable() *Refusal {
	return refuse("search_unavailable",
		"Place search is not available on this server right now.",
		"Use coordinates the user gives, or try again in a minute.")
}

// ErrStorageFull is a write for which the disk has no room.
func ErrStorageFull() *Refusal {
	return refuse("storage_full",
		"The server's disk is full; nothing was changed.",
		"Tell the user; the operator has to free space.")
}

// ErrUnavailable is a published tool whose work this server cannot do.
func ErrUnavailable() *Refusal {
	return refuse("unavailable", "This server cannot do that yet.", "Tell the user; another tool will not help.")
}
