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
func (o outline) writeTable(w io.Writer) error {
	title := o.title
	if title == "" {
		title = printable(o.source)
	}
	fmt.Fprintf(w, "%s\n%s\n\n", title, o.summary())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := []string{"day", "km", "up m", "down m", "riding", "arrival"}
	if !o.start.IsZero() {
		header = append([]string{"day", "date"}, header[1:]...)
	}
	fmt.Fprintln(t, strings.Join(header, "\t")+"\t")
	for i, d := range o.days {
		row := []string{strconv.Itoa(i + 1)}
		if !o.start.IsZero() {
			row = append(row, o.date(i).Time().Format("Mon 2 Jan 2006"))
		}
		row = append(row, fmt.Sprintf("%.1f", d.DistanceM/1000), metres(d.AscentM), metres(d.DescentM))
		row = append(row, o.times(d)...)
		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// summary is the whole route on one line.
func (o outline) summary() string {
	parts := []string{fmt.Sprintf("%.1f km", o.relief.LengthM/1000)}
	if o.relief.Known {
		parts = append(parts,
			fmt.Sprintf("%.0f m up", o.relief.Ascent(0, o.relief.LengthM)),
			fmt.Sprintf("%.0f m down", o.relief.Descent(0, o.relief.LengthM)))
	}
	return strings.Join(append(parts, counted(len(o.days), "day")), ", ")
}

// times are the hours in the saddle and the time of arrival of a day.
func (o outline) times(d trip.Stage) []string {
	ascent := 0.0
	if d.AscentM != nil {
		ascent = *d.AscentM
	}
	riding := trip.RidingHours(d.DistanceM, ascent, o.settings.AverageSpeed)
	arrival := trip.PassageHour(d.DistanceM, d.DistanceM, ascent, o.settings)
	clock := hours(math.Mod(arrival, 24))
	if days := math.Floor(arrival / 24); days > 0 {
		clock += fmt.Sprintf(" +%.0fd", days)
	}
	return []string{hours(riding), clock}
}

// hours writes hours as 7:05.
func hours(h float64) string {
	minutes := int(math.Round(h * 60))
	return fmt.Sprintf("%d:%02d", minutes/60, minutes%60)
}

// metres writes whole metres, a dash where they are unknown.
func metres(m *float64) string {
	if m == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", *m)
}

// counted is n things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
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
