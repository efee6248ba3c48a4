// Package view is the published shape of trips: names, units, and JSON-LD types
// of the answers that agents, pages and programs read. Distances are km, climbs
// metres, coordinates degrees of WGS 84; null is what is unknown.
package view

import (
	"math"
	"time"

	"biketrip/store/track"
	"biketrip/store/trip"
)

// Head is what an answer is about (JSON-LD 1.1).
type Head struct {
	Context string `json:"@context"`
	IRI     string `json:"@id"`
	Type    string `json:"@type"`
}

func head(kind, iri string) Head { return Head{"/contexts/" + kind, iri, kind} }

// ItemHead is what an item of an answer is about.
type ItemHead struct {
	IRI  string `json:"@id"`
	Type string `json:"@type"`
}

// TripIRI is the address of a trip, from the address of the server.
func TripIRI(tripID string) string { return "/trips/" + tripID }

func stageIRI(tripID, stageID string) string { return TripIRI(tripID) + "/stages/" + stageID }

// rfc3339 is RFC 3339 with whole seconds and a numeric offset.
const rfc3339 = "2006-01-02T15:04:05-07:00"

// instant is an instant in UTC.
func instant(t time.Time) string { return t.UTC().Format(rfc3339) }

// Date is a calendar date as answers have it, midnight UTC; empty for none.
func Date(d trip.Date) string {
	if d.IsZero() {
		return ""
	}
	return instant(d.Time())
}

// OrNull is a text, nil where it is empty.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Point is a place.
type Point struct {
	Lat float64  `json:"lat"`
	Lon float64  `json:"lon"`
	Ele *float64 `json:"ele"` // metres
}

// NewPoint is a place to a tenth of a metre.
func NewPoint(p track.Point) Point {
	out := Point{Lat: RoundTo(p.Lat, 1e6), Lon: RoundTo(p.Lon, 1e6)}
	if p.HasEle() {
		out.Ele = new(RoundTo(p.Ele, 10))
	}
	return out
}

// Parts of a kilometre and of a metre to which published amounts are rounded.
const (
	KilometreParts = 1000
	MetreParts     = 10
)

// A Tally rounds a row of amounts to one part of so many where one meets the
// next, so that they add up to the rounded sum.
type Tally struct {
	Parts float64
	sum   float64
}

// Add is the next amount, rounded; nil stays nil.
func (t *Tally) Add(amount *float64) *float64 {
	if amount == nil {
		return nil
	}
	before := math.Round(t.sum * t.Parts)
	t.sum += *amount
	return new((math.Round(t.sum*t.Parts) - before) / t.Parts)
}

// Total is the rounded sum of the amounts so far.
func (t *Tally) Total() *float64 { return new(RoundTo(t.sum, t.Parts)) }

// RoundTo rounds to one part of so many.
func RoundTo(v, parts float64) float64 { return math.Round(v*parts) / parts }
