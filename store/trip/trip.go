// Package trip is what a trip is and which edits it allows: settings, days,
// pacing, lock, refusals. It is pure: no SQL, no network, no clock.
package trip

import "time"

// Trip is one journey of one user, without its days.
type Trip struct {
	ID            string
	OwnerID       string
	Title         string // at most 255 characters, empty until known
	SourceURL     string // empty for an uploaded file
	SourceType    SourceType
	Settings      Settings
	StartDate     Date // no date: the trip is not dated
	WishedEndDate Date // the last day asked for; no date: the distance decides
	Version       int  // what a client edits against, from 1
	Generation    int  // analysis run: a job of an older one changes nothing, from 1
	OutOfZone     bool // the route leaves the area this server has maps for
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// SourceType is where a route came from.
type SourceType string

// The sources of a route.
const (
	KomootTour       SourceType = "komoot_tour"
	KomootCollection SourceType = "komoot_collection"
	StravaRoute      SourceType = "strava_route"
	RideWithGPS      SourceType = "ride_with_gps"
	FileUpload       SourceType = "file_upload"
)

// Locked says whether the trip has started, on a given calendar date in UTC:
// from then on it can be read, shared and deleted, not edited.
func (t Trip) Locked(today Date) bool {
	return !t.StartDate.IsZero() && t.StartDate <= today
}

// EndDate is the published last day: the start and the number of days, rest
// days included, once there are days; before that the last day asked for.
func (t Trip) EndDate(days int) Date {
	if t.StartDate.IsZero() || days == 0 {
		return t.WishedEndDate
	}
	return t.StartDate + Date(days) - 1
}
