package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"biketrip/jobs/plan/fetch"
	"biketrip/jobs/plan/source"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// planCmd cuts a route into days. It needs no server and no database.
type planCmd struct {
	Route        string    `arg:"" help:"GPX or FIT file, - for standard input, or the link of a Komoot tour or collection, a Strava route or a RideWithGPS route."`
	StartDate    trip.Date `placeholder:"DATE" help:"Day of departure, YYYY-MM-DD."`
	EndDate      trip.Date `placeholder:"DATE" help:"Last day, YYYY-MM-DD; without it the number of days follows from the distance."`
	settingFlags `group:"Pacing"`
	JSON         bool `help:"Print JSON for programs."`
}

// planned is a route cut into days.
type planned struct {
	trip.Itinerary
	title    string // empty for none
	source   string // the file or the link, without the key that opens it
	settings trip.Settings
	start    trip.Date
	end      trip.Date // as asked for
	gapM     float64   // between the segments of the route
	fixed    bool      // the source says which days there are
}

// Help is the end of the help of the verb.
func (planCmd) Help() string {
	return "Example: biketrip plan ride.gpx --start-date 2027-07-01 --max-distance-per-day 70"
}

// Validate refuses dates and settings that cannot be, before the route is read.
func (c planCmd) Validate() error {
	_, err := trip.RidingDays(c.StartDate, c.EndDate, 0)
	return errors.Join(inFlags(err), c.settingFlags.Validate())
}

func (c planCmd) Run(s *streams) error {
	p, err := c.plan(s)
	if err != nil {
		return err
	}
	notes := s.out
	if c.JSON {
		notes = s.err
		err = p.writeJSON(s.out)
	} else {
		err = p.writeTable(s.out)
	}
	if err != nil {
		return err
	}
	for _, n := range p.notes() {
		if _, err := fmt.Fprintln(notes, n); err != nil {
			return err
		}
	}
	return nil
}

// plan reads the route, cuts it into days, and says what was wrong with it.
func (c planCmd) plan(s *streams) (planned, error) {
	name, route, err := c.read(s)
	if err != nil {
		return planned{}, err
	}
	days, err := trip.RidingDays(c.StartDate, c.EndDate, 0)
	if err != nil {
		return planned{}, err
	}
	var cut trip.Itinerary
	if route.DayEndsM != nil {
		cut, err = trip.CutAt(route.Line, track.ProvidedHeights, route.DayEndsM)
	} else {
		cut, err = trip.Cut(route.Line, track.ProvidedHeights, c.settings(), days)
	}
	if err != nil {
		return planned{}, within(name, err)
	}
	for _, w := range route.Warnings {
		fmt.Fprintf(s.err, "biketrip: %s: %s\n", printable(name), w)
	}
	return planned{
		Itinerary: cut,
		title:     route.Title,
		source:    name,
		settings:  c.settings(),
		start:     c.StartDate,
		end:       c.EndDate,
		gapM:      route.Line.GapM(),
		fixed:     route.DayEndsM != nil,
	}, nil
}

// read reads the route from where it is. name is that place for people to see:
// a link without the key that opens the route.
func (c planCmd) read(s *streams) (name string, route source.Route, err error) {
	if isLink(c.Route) {
		ref, err := source.ParseURL(c.Route)
		if err != nil {
			return "", source.Route{}, err
		}
		name = ref.String()
		route, err = fetchRoute(s, ref)
		return name, route, within(name, err)
	}
	route, err = c.readFrom(s)
	return c.Route, route, within(c.Route, err)
}

// isLink says whether a route is named by a link, be it without its https.
func isLink(route string) bool {
	return strings.Contains(route, "://") || strings.HasPrefix(route, "www.")
}

// within says which route an error is about.
func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", printable(name), err)
}

// readFrom reads the route from a file or from standard input.
func (c planCmd) readFrom(s *streams) (source.Route, error) {
	if c.Route == "-" {
		return c.readFile(s, s.in, 0)
	}
	f, err := os.Open(c.Route)
	if err != nil {
		return source.Route{}, openError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return source.Route{}, openError(err)
	case info.IsDir():
		return source.Route{}, errors.New("this is a folder; name a GPX or FIT file")
	}
	return c.readFile(s, f, info.Size())
}

// readFile reads a route file of so many bytes, 0 for unknown.
func (c planCmd) readFile(s *streams, in io.Reader, size int64) (source.Route, error) {
	p := newProgress(s.err, isTerminal(s.err), "reading "+printable(c.Route), size)
	defer p.done()
	return source.ReadFile(in, p.report)
}

// fetchRoute reads a route from its source.
func fetchRoute(s *streams, ref source.Ref) (source.Route, error) {
	if isTerminal(s.err) {
		fmt.Fprintf(s.err, "fetching %s\n", ref)
	}
	return source.Fetch(context.Background(), fetch.New(fetch.Options{Transport: s.transport}), ref)
}

// openError is what went wrong with a file, without its name.
func openError(err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// date is the calendar date of a day, counted from 0; no date for an undated
// trip.
func (p planned) date(day int) trip.Date {
	if p.start.IsZero() {
		return 0
	}
	return p.start + trip.Date(day)
}
