package cli

import (
	"errors"
	"fmt"
	"os"

	"biketrip/jobs/plan/source"
	"biketrip/store/track"
	"biketrip/store/trip"
)

// planCmd cuts a route into days. It needs no server and no database.
type planCmd struct {
	File         string `arg:"" help:"GPX or FIT file; - reads standard input."`
	StartDate    string `placeholder:"DATE" help:"Day of departure, YYYY-MM-DD."`
	EndDate      string `placeholder:"DATE" help:"Last day, YYYY-MM-DD; without it the number of days follows from the distance."`
	settingFlags `group:"Pacing"`
	JSON         bool `help:"Print JSON for programs."`
}

// outline is a route cut into days.
type outline struct {
	title    string // empty for none
	source   string
	relief   track.Relief
	settings trip.Settings
	start    trip.Date
	end      trip.Date // as asked for
	pacing   trip.Pacing
	days     []trip.Stage
}

// Help is the end of the help of the verb.
func (planCmd) Help() string {
	return "Example: biketrip plan ride.gpx --start-date 2027-07-01 --max-distance-per-day 70"
}

// dates are the dates asked for. Their error is one of usage.
func (c planCmd) dates() (start, end trip.Date, err error) {
	for _, d := range []struct {
		flag, text string
		date       *trip.Date
	}{{"--start-date", c.StartDate, &start}, {"--end-date", c.EndDate, &end}} {
		if d.text == "" {
			continue
		}
		if *d.date, err = trip.ParseDate(d.text); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", d.flag, err)
		}
	}
	return start, end, nil
}

// Validate refuses dates and settings that cannot be, before the file is read.
func (c planCmd) Validate() error {
	start, end, err := c.dates()
	if err == nil {
		_, err = trip.RidingDays(start, end, 0)
	}
	return errors.Join(inFlags(err), c.settingFlags.Validate())
}

func (c planCmd) Run(s *streams) error {
	route, err := c.read(s)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(c.File), err)
	}
	for _, w := range route.Warnings {
		fmt.Fprintf(s.err, "biketrip: %s: %s\n", printable(c.File), w)
	}
	o, err := c.outline(route)
	if err != nil {
		return err
	}
	if c.JSON {
		err = o.writeJSON(s.out)
	} else {
		err = o.writeTable(s.out)
	}
	if err != nil {
		return err
	}
	notes := s.out
	if c.JSON {
		notes = s.err
	}
	for _, n := range o.notes() {
		fmt.Fprintln(notes, n)
	}
	return nil
}

// read reads the route file, or standard input.
func (c planCmd) read(s *streams) (source.Route, error) {
	in, size := s.in, int64(0)
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
	p := newProgress(s.err, "reading "+printable(c.File), size)
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

// outline cuts a route into days.
func (c planCmd) outline(route source.Route) (outline, error) {
	o := outline{title: route.Title, source: c.File, settings: c.settings()}
	var err error
	if o.start, o.end, err = c.dates(); err != nil {
		return outline{}, err
	}
	ridingDays, err := trip.RidingDays(o.start, o.end, 0)
	if err != nil {
		return outline{}, err
	}
	if km := route.Line.Length() / 1000; km*1000 > trip.MaxLengthM {
		return outline{}, fmt.Errorf("%s: the route is %.0f km long, a trip has at most %d km", printable(c.File), km, trip.MaxLengthM/1000)
	}
	o.relief = route.Line.Relief(track.ProvidedHeights)
	if o.pacing, err = trip.Pace(o.relief, o.settings, ridingDays); err != nil {
		return outline{}, inFlags(err)
	}
	o.days = trip.Split(route.Line, o.relief, o.pacing.EndsM)
	return o, nil
}

// date is the calendar date of a day, counted from 0; no date for an undated
// trip.
func (o outline) date(day int) trip.Date {
	if o.start.IsZero() {
		return 0
	}
	return o.start + trip.Date(day)
}
