package source

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/trip"
)

const (
	komootHost = "www.komoot.com"
	// komootAPI is what the apps of Komoot ask. It is not published for others
	// and may be withdrawn; then the pages still have the route.
	komootAPI     = "https://api.komoot.de/v007/tours/"
	komootAccepts = "application/hal+json"
	// maxTours is the most tours of a collection.
	maxTours = 60
)

// komootRef reads the path of a Komoot address. A path in another language
// begins with it.
func komootRef(path []string) (ref Ref, special string) {
	if isLocale(path[0]) {
		path = path[1:]
	}
	for _, word := range []string{"tour", "invite-tour"} {
		if ref, ok := pathRef(path, word, trip.KomootTour); ok {
			return ref, ""
		}
	}
	if ref, ok := pathRef(path, "collection", trip.KomootCollection); ok {
		return ref, ""
	}
	if ref, ok := pathRef(apiPath(path), "tours", trip.KomootTour); ok {
		return ref, ""
	}
	word := ""
	if len(path) > 0 {
		word = path[0]
	}
	switch word {
	case "smarttour":
		return Ref{}, "This is a suggestion of Komoot: save it there as a tour first, then send the link of that tour."
	case "user":
		return Ref{}, "This is the page of a person: open one of the tours on it and send the link of that."
	case "highlight":
		return Ref{}, "This is a highlight, a single place: send the link of a tour that passes it."
	case "discover":
		return Ref{}, "This is a search: open one of the tours found, save it, and send the link of that tour."
	}
	return Ref{}, "On Komoot, open the tour or the collection and copy its address."
}

// isLocale says whether a segment is a language and a country, such as de-de or
// de-DE.
func isLocale(segment string) bool {
	language, country, _ := strings.Cut(segment, "-")
	return len(language) == 2 && len(country) == 2 && isAmong(language, 'a', 'z') &&
		(isAmong(country, 'a', 'z') || isAmong(country, 'A', 'Z'))
}

// apiPath is a path of the API, which the pages ask as /api/v007/… and the apps
// as /v007/…, without the version and what is before it. It is nil for any other
// path.
func apiPath(path []string) []string {
	if len(path) > 0 && path[0] == "api" {
		path = path[1:]
	}
	if len(path) == 0 {
		return nil
	}
	if number, ok := strings.CutPrefix(path[0], "v"); !ok || number == "" || !isAmong(number, '0', '9') {
		return nil
	}
	return path[1:]
}

// komootTour reads a tour from the API, or from its page where the API refuses
// or answers something new. What the API says for certain stands unless the
// page has the route.
func (v visit) komootTour(ctx context.Context) (Route, error) {
	route, err := v.komootAPITour(ctx)
	if !mayBeElsewhere(err) {
		return route, err
	}
	route, pageErr := v.komootPageTour(ctx)
	if pageErr != nil && ctx.Err() == nil && !errors.Is(err, ErrUnavailable) {
		return Route{}, err
	}
	return route, pageErr
}

func (v visit) komootAPITour(ctx context.Context) (Route, error) {
	var tour struct{ Name text }
	res, err := v.getJSON(ctx, komootAPI+v.ref.ID+query(v.ref.key()), komootAccepts, &tour)
	if err != nil {
		return Route{}, err
	}
	line, lineRes, err := v.komootCoordinates(ctx)
	if err != nil {
		return Route{}, err
	}
	return v.route(ctx, line, tourTitle(tour.Name), res, lineRes)
}

// komootCoordinates fetches the points of a tour.
func (v visit) komootCoordinates(ctx context.Context) (*points, *fetch.Response, error) {
	var answer struct{ Items list }
	address := komootAPI + v.ref.ID + "/coordinates" + query(v.ref.key())
	res, err := v.getJSON(ctx, address, komootAccepts, &answer)
	switch {
	case err != nil:
		return nil, nil, err
	case !answer.Items.present():
		return nil, nil, misunderstood(v.ref, hostOf(address), nil)
	}
	line, err := readPoints(ctx, answer.Items)
	if err != nil {
		return nil, nil, v.unreadable(res, err)
	}
	return line, res, nil
}

// tourTitle is the title of a tour, by the contract never empty.
func tourTitle(name text) string { return titleOf(name, "Komoot Tour") }

func (v visit) komootPageTour(ctx context.Context) (Route, error) {
	res, err := v.komootPage(ctx)
	if err != nil {
		return Route{}, err
	}
	page, err := readKomootPage(res.Body)
	tour := page.Page.Embedded.Tour
	if err != nil || tour == nil {
		return Route{}, v.unreadable(res, err)
	}
	if items := tour.Embedded.Coordinates.Items; items.present() {
		line, err := readPoints(ctx, items)
		if err != nil {
			return Route{}, v.unreadable(res, err)
		}
		return v.route(ctx, line, tourTitle(tour.Name), res)
	}
	// Some pages have only a link to the points. Where it leads is known, and
	// what the page says of it is not followed.
	line, lineRes, err := v.komootCoordinates(ctx)
	if err != nil {
		return Route{}, err
	}
	return v.route(ctx, line, tourTitle(tour.Name), res, lineRes)
}

func (v visit) komootPage(ctx context.Context) (*fetch.Response, error) {
	return v.get(ctx, v.ref.URL(), "text/html", "komoot.com", "www.komoot.de", "komoot.de")
}

// komootPage is what a page hands to its scripts, as far as it is of use.
type komootPage struct {
	Page struct {
		Embedded struct {
			Tour          *komootTour
			CollectionHal *komootCollection
		} `json:"_embedded"`
	}
}

type komootTour struct {
	Name     text
	Embedded struct {
		Coordinates struct{ Items list }
	} `json:"_embedded"`
}

// readKomootPage reads what a page hands to its scripts. The error is what is
// wrong with the page.
func readKomootPage(page []byte) (komootPage, error) {
	_, rest, ok := bytes.Cut(page, []byte(`kmtBoot.setProps("`))
	if !ok {
		return komootPage{}, errors.New("no data in the page")
	}
	props, ok := unescape(rest, '"')
	if !ok {
		return komootPage{}, errors.New("the page breaks off")
	}
	var p komootPage
	if err := decodeJSON(props, &p); err != nil {
		return komootPage{}, err
	}
	return p, nil
}
