package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"biketrip/store/trip"
)

// writeTable prints the plan for a person, a line a day.
func (p planned) writeTable(w io.Writer) error {
	title := p.title
	if title == "" {
		title = printable(p.source)
	}
	fmt.Fprintf(w, "%s\n%s\n\n", title, p.summary())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := []string{"day", "km", "up m", "down m", "riding", "arrival"}
	if !p.start.IsZero() {
		header = append([]string{"day", "date"}, header[1:]...)
	}
	fmt.Fprintln(t, strings.Join(header, "\t")+"\t")
	for i, d := range p.Days {
		row := []string{strconv.Itoa(i + 1)}
		if !p.start.IsZero() {
			row = append(row, p.date(i).Time().Format("Mon 2 Jan 2006"))
		}
		row = append(row, fmt.Sprintf("%.1f", d.DistanceM/1000), metres(d.AscentM), metres(d.DescentM))
		row = append(row, p.times(d)...)
		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// summary is the whole route on one line.
func (p planned) summary() string {
	parts := []string{fmt.Sprintf("%.1f km", p.Relief.LengthM/1000)}
	if p.Relief.Known {
		parts = append(parts,
			fmt.Sprintf("%.0f m up", p.Relief.Ascent(0, p.Relief.LengthM)),
			fmt.Sprintf("%.0f m down", p.Relief.Descent(0, p.Relief.LengthM)))
	}
	return strings.Join(append(parts, dayCount(len(p.Days))), ", ")
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

// printable is a file name that cannot move the cursor or colour the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '�'
		}
		return r
	}, s)
}
