package source

import (
	"bytes"
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

// elements calls each for the elements of a JSON array, which it reads from the
// decoder one at a time, so that none of them lingers in memory. It is false
// for JSON that is no array. It stops at the first error.
func elements(b []byte, each func(*json.Decoder) error) (bool, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, _ := d.Token(); t != json.Delim('[') {
		return false, nil
	}
	for d.More() {
		if err := each(d); err != nil {
			return true, err
		}
	}
	return true, nil
}

// points gathers a JSON array of points as it is decoded. Its error is
// ErrTooLarge.
type points struct {
	gatherer
	present bool // there is an array, be it empty
}

func (p *points) UnmarshalJSON(b []byte) (err error) {
	// A key that comes twice counts as it came last.
	*p = points{}
	p.present, err = elements(b, func(d *json.Decoder) error {
		var at jsonPoint
		var mismatch *json.UnmarshalTypeError
		if err := d.Decode(&at); err != nil && !errors.As(err, &mismatch) {
			return err
		}
		if p.omitted > maxPoints {
			return tooManyPoints()
		}
		return p.add(at.lat.float(), at.lon.float(), at.ele.float())
	})
	return err
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
