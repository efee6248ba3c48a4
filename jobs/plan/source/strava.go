package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"biketrip/store/trip"
)

const (
	stravaHost = "www.strava.com"
	// stravaEmbed is the page that other sites show in theirs; it asks nobody
	// to sign in.
	stravaEmbed = "https://strava-embeds.com/route/"
)

const stravaShortLink = "This is a short link: open it in a browser and send the address of the route it leads to."

// stravaRef reads the path of a Strava address.
func stravaRef(path []string) (ref Ref, special string) {
	if ref, ok := pathRef(path, "routes", trip.StravaRoute); ok {
		return ref, ""
	}
	switch path[0] {
	case "activities":
		return Ref{}, "This is an activity: make a route of it on Strava and send the link of the route."
	case "segments":
		return Ref{}, "This is a segment: make a route of it on Strava and send the link of the route."
	case "athletes":
		return Ref{}, "This is the page of a person: open one of the routes and send the link of that."
	}
	return Ref{}, "On Strava, open the route and copy its address."
}

// stravaRoute reads a route from the page for other sites, or as a GPX export,
// which Strava gives to few who have not signed in.
func (v visit) stravaRoute(ctx context.Context) (Route, error) {
	route, err := v.stravaEmbed(ctx)
	if !mayBeElsewhere(err) {
		return route, err
	}
	route, exportErr := v.stravaExport(ctx)
	if errors.Is(err, ErrUnavailable) && errors.Is(exportErr, ErrNeedsLogin) {
		// That the export asks to sign in says nothing of this route.
		return Route{}, err
	}
	return route, exportErr
}

func (v visit) stravaEmbed(ctx context.Context) (Route, error) {
	res, err := v.get(ctx, stravaEmbed+v.ref.ID, "text/html")
	if err != nil {
		return Route{}, err
	}
	data, err := readStravaEmbed(res.Body)
	if err != nil || !data.Coordinates.present {
		return Route{}, v.unreadable(res, err)
	}
	return data.Coordinates.route(titleOf(data.Name, data.Title), v.ref)
}

// stravaData is what the page for other sites says of a route.
type stravaData struct {
	Name, Title text
	Coordinates points
}

// readStravaEmbed reads the route of a page for other sites: the JSON object
// after its marker. The error is ErrTooLarge, or what is wrong with the page.
func readStravaEmbed(page []byte) (stravaData, error) {
	_, rest, ok := bytes.Cut(page, []byte("__ROUTE_DATA__"))
	start := bytes.IndexByte(rest, '{')
	if !ok || start < 0 {
		return stravaData{}, errors.New("no data in the page")
	}
	var data stravaData
	if err := json.NewDecoder(bytes.NewReader(rest[start:])).Decode(&data); err != nil {
		return stravaData{}, err
	}
	return data, nil
}

func (v visit) stravaExport(ctx context.Context) (Route, error) {
	res, err := v.get(ctx, v.ref.String()+"/export_gpx", "application/gpx+xml", "strava.com")
	if err != nil {
		return Route{}, err
	}
	route, err := ReadFile(bytes.NewReader(res.Body), nil)
	switch {
	case err != nil && isWebPage(res):
		return Route{}, needsLogin(v.ref, nil)
	case errors.Is(err, ErrUnsupported):
		return Route{}, misunderstood(v.ref, stravaHost, nil)
	}
	return route, err
}
