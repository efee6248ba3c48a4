package source

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// gpxPoint is the point that is open; it is kept once its element is closed, so
// that none is kept half.
type gpxPoint struct {
	role          role // other for none
	lat, lon, ele float64
	comma         bool // its position has decimal commas
}

// newPoint is the point whose start tag has the attributes. A coordinate that
// is missing or no number is NaN.
func newPoint(r role, attributes []xml.Attr) gpxPoint {
	p := gpxPoint{role: r, lat: math.NaN(), lon: math.NaN(), ele: math.NaN()}
	for _, a := range attributes {
		switch a.Name.Local {
		case "lat":
			p.lat = decimal(a.Value)
		case "lon":
			p.lon = decimal(a.Value)
		default:
			continue
		}
		p.comma = p.comma || strings.Contains(a.Value, ",")
	}
	return p
}

// decimal is a number as GPX writes it (xsd:decimal), or with a decimal comma,
// as programs write it that follow the language of their user. It is NaN for
// anything else.
func decimal(text string) float64 {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	// Go also reads hexadecimal numbers and underscores between digits.
	if strings.ContainsAny(text, "_xX") {
		return math.NaN()
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// height is the number of an ele, NaN where unknown. A comma before three
// digits may divide thousands: it is a decimal comma only where commas says
// that the position has such.
func height(text string, commas bool) float64 {
	if _, digits, ok := strings.Cut(strings.TrimSpace(text), ","); ok && len(digits) == 3 && !commas {
		return math.NaN()
	}
	return decimal(text)
}
