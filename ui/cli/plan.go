package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"biketrip/jobs/plan/source"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// planCmd cuts a route into days. It needs no server and no database.
type planCmd struct {
	File         string    `arg:"" help:"GPX or FIT file; - reads standard input."`
	StartDate    trip.Date `placeholder:"DATE" help:"Day of departure, YYYY-MM-DD."`
	EndDate      trip.Date `placeholder:"DATE" help:"Last day, YYYY-MM-DD; without it the number of days follows from the distance."`
	settingFlags `group:"Pacing"`
	JSON         bool `help:"Print JSON for programs."`
}

// planned is a route file cut into days.
type planned struct {
	trip.Itinerary
	title    string // empty for none
	source   string
	settings trip.Settings
	start    trip.Date
	end      trip.Date // as asked for
	gapM     float64   // between the segments of the route
}

// Help is the end of the help of the verb.
func (planCmd) Help() string {
	return "Example: biketrip plan ride.gpx --start-date 2027-07-01 --max-distance-per-day 70"
}

// Validate refuses dates and settings that cannot be, before the file is read.
func (c planCmd) Validate() error {
	_, err := trip.RidingDays(c.StartDate, c.EndDate, 0)
	if !c.EndDate.IsZero() && c.EndDate < c.StartDate {
		err = fmt.Errorf("--end-date %s is before --start-date %s", c.EndDate, c.StartDate)
	}
	return errors.Join(inFlags(err), c.settingFlags.Validate())
}

func (c planCmd) Run(s *streams) error {
	p, err := c.plan(s)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(c.File), err)
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
	route, err := c.read(s)
	if err != nil {
		return planned{}, err
	}
	days, err := trip.RidingDays(c.StartDate, c.EndDate, 0)
	if err != nil {
		return planned{}, err
	}
	cut, err := trip.Cut(route.Line, track.ProvidedHeights, c.settings(), days)
	if err != nil {
		return planned{}, err
	}
	for _, w := range route.Warnings {
		fmt.Fprintf(s.err, "biketrip: %s: %s\n", printable(c.File), w)
	}
	return planned{
		Itinerary: cut,
		title:     route.Title,
		source:    c.File,
		settings:  c.settings(),
		start:     c.StartDate,
		end:       c.EndDate,
		gapM:      route.Line.GapM(),
	}, nil
}

// read reads the route file, or standard input.
func (c planCmd) read(s *streams) (source.Route, error) {
	in, size := s.in, int64(0)
	if strings.HasPrefix(c.File, "https://") || strings.HasPrefix(c.File, "http://") {
		return source.Route{}, errors.New("this is a link; download the route as GPX or FIT and name the file")
	}
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return source.Route{}, openError(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			if info.IsDir() {
				return source.Route{}, errors.New("this is a folder; name a GPX or FIT file")
			}
			size = info.Size()
		}
		in = f
	}
	p := newProgress(s.err, isTerminal(s.err), "reading "+printable(c.File), size)
	defer p.done()
	return source.ReadFile(in, p.report)
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
