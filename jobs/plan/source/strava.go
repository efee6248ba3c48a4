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

// stravaEmbedRef reads the path of a page for other sites.
func stravaEmbedRef(path []string) (ref Ref, special string) {
	if ref, ok := pathRef(path, "route", trip.StravaRoute); ok {
		return ref, ""
	}
	return Ref{}, "This is a page for other sites: open the route on Strava and copy its address."
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
	title, line, err := readStravaEmbed(ctx, res.Body)
	if err != nil {
		return Route{}, v.unreadable(res, err)
	}
	return v.route(ctx, line, title, res)
}

// stravaData is what the page for other sites says of a route.
type stravaData struct {
	Name, Title text
	Coordinates list
}

const stravaMarker = "__ROUTE_DATA__"

// stravaPatience is how many bytes are read of a page to find its route: each
// object after a marker may go on to the end of the page, and be none.
func stravaPatience(page []byte) int { return 64<<10 + 3*len(page) }

// readStravaEmbed reads the route of a page for other sites: the first JSON
// object after a marker that has points, else the first that has a list of none.
// The errors are ErrTooLarge, that of ctx, or what is wrong with the page.
func readStravaEmbed(ctx context.Context, page []byte) (title string, line *points, err error) {
	err = errors.New("no data in the page")
	for patience := stravaPatience(page); patience > 0; {
		_, rest, _ := bytes.Cut(page, []byte(stravaMarker))
		start := bytes.IndexByte(rest, '{')
		if start < 0 {
			break
		}
		page = rest[start:]
		var data stravaData
		r := bytes.NewReader(page)
		d := json.NewDecoder(r)
		failed := tolerate(d.Decode(&data))
		if patience -= len(page) - r.Len(); failed != nil {
			err = failed
			continue
		}
		page = page[d.InputOffset():]
		if !data.Coordinates.present() {
			continue
		}
		found, failed := readPoints(ctx, data.Coordinates)
		if failed != nil {
			return "", nil, failed
		}
		if line == nil || found.points > 0 {
			title, line = titleOf(data.Name, data.Title), found
		}
		if found.points > 0 {
			break
		}
	}
	if line != nil {
		err = nil
	}
	return title, line, err
}

// stravaExport reads the GPX export. The rider has no file at hand: an answer
// that is no route file is a word about the link or the sign-in.
func (v visit) stravaExport(ctx context.Context) (Route, error) {
	res, err := v.get(ctx, v.ref.String()+"/export_gpx", "application/gpx+xml", "strava.com")
	if err != nil {
		return Route{}, err
	}
	if len(bytes.TrimSpace(res.Body)) == 0 {
		return Route{}, needsLogin(v.ref, nil)
	}
	route, err := ReadFile(bytes.NewReader(res.Body), nil)
	switch {
	case err == nil:
		v.client.Keep(ctx, res)
	case isWebPage(res):
		return Route{}, needsLogin(v.ref, nil)
	case errors.Is(err, ErrUnsupported), errors.Is(err, ErrDamaged):
		return Route{}, misunderstood(v.ref, stravaHost, nil)
	}
	return route, err
}
