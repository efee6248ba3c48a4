package trip

import (
	"fmt"
	"time"
)

// Date is a calendar date, counted in days so that dates can be compared and
// added to. The zero Date is no date.
type Date int32

// epoch is the Unix day of Date 0; day 1 is 1 January of the year 1.
const epoch = -719163

// lastYear is the last one a trip can begin in: its days, too, have dates of
// four digits for the year.
const lastYear = 9998

// DateOf is the calendar date of t in t's own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()/86400 - epoch)
}

// ParseDate reads "2026-07-01", or the date as it is written in an RFC 3339
// date and time: the offset never moves the day.
func ParseDate(s string) (Date, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1 && t.Year() <= lastYear {
			return DateOf(t), nil
		}
	}
	return 0, fmt.Errorf("%q is no calendar date; write one as YYYY-MM-DD", s)
}

// UnmarshalText reads what ParseDate reads.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// IsZero says whether d is no date.
func (d Date) IsZero() bool { return d == 0 }

// Time is midnight UTC of the date.
func (d Date) Time() time.Time {
	return time.Unix((int64(d)+epoch)*86400, 0).UTC()
}

// String is the date as YYYY-MM-DD, empty for no date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Time().Format(time.DateOnly)
}

// NextJuly is the first day of the first July after a date: a day to come, for
// examples.
func NextJuly(after Date) Date {
	july := time.Date(after.Time().Year(), time.July, 1, 0, 0, 0, 0, time.UTC)
	if DateOf(july) <= after {
		july = july.AddDate(1, 0, 0)
	}
	return DateOf(july)
}
