package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"biketrip/jobs/plan/view"
	"biketrip/store/trip"
)

// writeTable prints the plan for a person, a line a day. The days add up to the
// whole as it is printed.
func (p planned) writeTable(w io.Writer) error {
	title := p.title
	if title == "" {
		title = p.name()
	}
	distance, up, down := view.Tally{Parts: 10}, view.Tally{Parts: 1}, view.Tally{Parts: 1}
	var rows []string
	for i, d := range p.Days {
		row := []string{strconv.Itoa(i + 1)}
		if !p.start.IsZero() {
			row = append(row, p.date(i).Time().Format("Mon 2 Jan 2006"))
		}
		row = append(row, fmt.Sprintf("%.1f", *distance.Add(new(d.DistanceM / 1000))), metres(up.Add(d.AscentM)), metres(down.Add(d.DescentM)))
		row = append(row, p.times(d)...)
		rows = append(rows, strings.Join(row, "\t")+"\t")
	}
	header := "day\tkm\tup m\tdown m\triding\tarrival\t"
	if !p.start.IsZero() {
		header = "day\tdate\tkm\tup m\tdown m\triding\tarrival\t"
	}
	summary := []string{fmt.Sprintf("%.1f km", *distance.Total())}
	if p.Relief.Known {
		summary = append(summary, metres(up.Total())+" m up", metres(down.Total())+" m down")
	}
	summary = append(summary, dayCount(len(p.Days)))
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Join(summary, ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, header)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// name is what a route without a title is called.
func (p planned) name() string {
	switch {
	case p.source == "-":
		return "standard input"
	case isLink(p.source):
		return p.source
	}
	return printable(filepath.Base(p.source))
}

// times are the hours in the saddle and the time of arrival of a day.
func (p planned) times(d trip.Stage) []string {
	ascent := 0.0
	if d.AscentM != nil {
		ascent = *d.AscentM
	}
	riding := trip.RidingHours(d.DistanceM, ascent, p.settings.AverageSpeedKMH)
	arrival := toMinutes(trip.PassageHour(d.DistanceM, d.DistanceM, ascent, p.settings))
	const day = 24 * 60
	clock := clockTime(arrival % day)
	if arrival >= day {
		clock += fmt.Sprintf(" +%dd", arrival/day)
	}
	return []string{clockTime(toMinutes(riding)), clock}
}

func toMinutes(hours float64) int { return int(math.Round(hours * 60)) }

// clockTime writes minutes as 7:05.
func clockTime(minutes int) string { return fmt.Sprintf("%d:%02d", minutes/60, minutes%60) }

// metres writes whole metres, a dash where they are unknown.
func metres(m *float64) string {
	if m == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", *m)
}

// dayCount is so many days in words.
func dayCount(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

// printableLines is text of several lines that cannot move the cursor otherwise
// or colour the terminal.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = printable(line)
		}
	}
	return strings.Join(lines, "\n")
}

// printable is a name that cannot move the cursor or colour the terminal.
func printable(s string) string {
	if s == "" {
		return `""`
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '�'
		}
		return r
	}, s)
}
