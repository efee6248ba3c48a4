package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// number is a JSON number. Anything else in its place, and nothing, is unknown:
// one point must not cost the others.
type number struct {
	value float64
	known bool
}

func (n *number) UnmarshalJSON(b []byte) error {
	value, err := strconv.ParseFloat(string(b), 64)
	*n = number{value, err == nil}
	return nil
}

// or is n, or other where n is unknown.
func (n number) or(other number) number {
	if n.known {
		return n
	}
	return other
}

// float is NaN where n is unknown.
func (n number) float() float64 {
	if n.known {
		return n.value
	}
	return math.NaN()
}

// text is a JSON string, empty for anything else in its place.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = ""
	}
	*t = text(s)
	return nil
}

// digits is an id, which sources write as a number or as a string. It is never
// read as a number: one of 64 bits would be rounded. Whether it is an id at
// all, isID tells.
type digits string

func (d *digits) UnmarshalJSON(b []byte) error {
	var s text
	if b[0] != '"' {
		*d = digits(b)
		return nil
	}
	err := s.UnmarshalJSON(b)
	*d = digits(s)
	return err
}

// decodeJSON is json.Unmarshal into the value at out for answers of others: what is
// of another type than it should be is left out, whatever it is and wherever it
// stands. The rest must not suffer from a field that may not even be needed.
func decodeJSON(b []byte, out any) error { return tolerate(json.Unmarshal(b, out)) }

// tolerate is the error of a decoding that goes on after a mismatch of types,
// without that.
func tolerate(err error) error {
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return err
}

// list is a JSON array that is read once it is known to be of use: a key that
// comes twice counts as it came last, and what came before costs nothing.
type list struct{ json.RawMessage }

// present says whether there is an array, be it empty.
func (l list) present() bool { return bytes.HasPrefix(l.RawMessage, []byte("[")) }

// lookEvery is how many elements are decoded between two looks at a context.
const lookEvery = 4096

// each calls read for the elements of the array, one at a time, so that none of
// them lingers in memory. The errors are those of read, or that of ctx.
func (l list) each(ctx context.Context, read func(*json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(l.RawMessage))
	d.Token()
	for n := 0; l.present() && d.More(); n++ {
		if n%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := read(d); err != nil {
			return err
		}
	}
	return nil
}

// points are those of a list.
type points struct{ gatherer }

// readPoints reads a list of points. The errors are ErrTooLarge, or that of ctx.
func readPoints(ctx context.Context, l list) (*points, error) {
	p := new(points)
	err := l.each(ctx, func(d *json.Decoder) error {
		var at jsonPoint
		if err := tolerate(d.Decode(&at)); err != nil {
			return err
		}
		if p.omitted > maxPoints {
			return tooManyPoints()
		}
		return p.add(at.lat.float(), at.lon.float(), at.ele.float())
	})
	return p, err
}

// route is the route of the points. The error is ErrNoRoute.
func (p *points) route(title string, ref Ref) (Route, error) {
	r := reading{title: title, line: p.line()}
	r.points, r.omitted = p.points, p.omitted
	switch {
	case r.points > 0:
		return r.route(ref.what() + " stays in one place; check the link")
	case r.omitted > 0:
		return r.route(ref.what() + " has " + count(r.omitted, "point") + ", none with a usable position; check it at its source")
	}
	return r.route(ref.what() + " is empty; check it at its source")
}

// jsonPoint is a point in any of the spellings of the sources: an object of
// lat, lng and alt (Komoot), of y, x and e or lat, lng and e (RideWithGPS), or
// an array of longitude, latitude and height (Strava).
type jsonPoint struct{ lat, lon, ele number }

func (p *jsonPoint) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		var a [3]number // what the array does not have is left unknown
		err := json.Unmarshal(b, &a)
		*p = jsonPoint{lon: a[0], lat: a[1], ele: a[2]}
		return err
	}
	var o struct{ Lat, Y, Lng, Lon, X, Alt, E number }
	err := json.Unmarshal(b, &o)
	*p = jsonPoint{lat: o.Lat.or(o.Y), lon: o.Lng.or(o.Lon).or(o.X), ele: o.Alt.or(o.E)}
	return err
}

// titleOf is the first of the names that says something once cleaned.
func titleOf(names ...text) string {
	for _, n := range names {
		if t := cleanTitle(string(n)); t != "" {
			return t
		}
	}
	return ""
}
