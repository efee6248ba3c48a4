package view

import (
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"biketrip/store/track"
	"biketrip/store/trip"

	"github.com/google/go-cmp/cmp"
)

func reading() trip.Reading {
	start, _ := trip.ParseDate("2027-06-12")
	day := func(id string, m, up float64) trip.Stage {
		return trip.Stage{ID: id, DistanceM: m, AscentM: &up, DescentM: new(up / 3), Start: track.Point{Lat: 45.12345678, Lon: -0.1, Ele: 12.345}, End: track.Point{Lat: 46, Lon: 6, Ele: math.NaN()}}
	}
	rest := trip.Stage{ID: "b", RestDay: true, Label: "Lac", EndLabel: "Corps"}
	return trip.Reading{
		Trip:       trip.Trip{ID: "t", Title: "Tour", Version: 3, StartDate: start, Settings: trip.DefaultSettings(), CreatedAt: time.Unix(1790000000, 0).In(time.FixedZone("east", 3*3600)), UpdatedAt: time.UnixMilli(1790000000999)},
		Stages:     []trip.Stage{day("a", 1000.4, 0.04), rest, day("c", 1000.4, 0.04), day("d", 1000.4, 0.04)},
		Categories: []trip.CategoryState{{Category: trip.CategoryRoute, Status: trip.Done}, {Category: trip.CategoryWeather, Status: trip.Failed, Reason: "No answer."}},
		Locked:     true,
	}
}

// TestDaysAddUp: what is rounded adds up to the rounded whole, and a day is the
// same alone as among others.
func TestDaysAddUp(t *testing.T) {
	r := reading()
	v := NewTrip(r)
	sum := 0.0
	for i, line := range v.Stages {
		day := NewStage(r, i)
		if !cmp.Equal(line.Distance, day.Distance) || !cmp.Equal(line.Elevation, day.Elevation) || line.StageID != day.ID || line.IRI != day.IRI {
			t.Errorf("day %d: %+v, %+v", i, line, day)
		}
		if (line.Distance == nil) != r.Stages[i].RestDay {
			t.Errorf("day %d: distance %v", i, line.Distance)
		}
		if line.Distance != nil {
			sum += *line.Distance
		}
	}
	if math.Abs(sum-3.001) > 1e-9 || *v.TotalDistance != 3.001 {
		t.Errorf("%v, of %v", sum, *v.TotalDistance)
	}
}

// TestDates: dates are midnight UTC, instants whole seconds, and the last day
// counts rest days.
func TestDates(t *testing.T) {
	r := reading()
	v := NewTrip(r)
	if *v.StartDate != "2027-06-12T00:00:00+00:00" || *v.EndDate != "2027-06-15T00:00:00+00:00" {
		t.Errorf("%s to %s", *v.StartDate, *v.EndDate)
	}
	s := NewTripList(nil, 1, []trip.Reading{r}).Member[0]
	if s.CreatedAt != "2026-09-21T14:13:20+00:00" || s.UpdatedAt != s.CreatedAt || s.Status != trip.ListAnalyzed {
		t.Errorf("%+v", s)
	}
	if d := Date(0); d != "" {
		t.Errorf("no date is %q", d)
	}
}

// TestNothingIsMissing: what is empty is an empty list or null, never left out.
func TestNothingIsMissing(t *testing.T) {
	r := reading()
	r.Trip = trip.Trip{ID: "t", Version: 1, Settings: trip.DefaultSettings()}
	stages := r.Stages
	r.Stages, r.Categories = nil, nil
	for name, c := range map[string]struct {
		v    any
		want []string
	}{
		"trip": {NewTrip(r), []string{`"title":null`, `"sourceUrl":null`, `"startDate":null`, `"endDate":null`, `"categoryStatus":[]`, `"totalDistance":null`, `"stages":[]`}},
		"list": {NewTripList(url.Values{"page": {"2"}}, 0, nil), []string{`"@id":"/trips?page=2"`, `"member":[]`}},
		"day": {NewStage(trip.Reading{Trip: r.Trip, Stages: stages}, 1), []string{
			`"distance":null`, `"elevation":null`, `"elevationLoss":null`, `"label":"Lac"`, `"weather":null`, `"alerts":[]`, `"resupply":[]`,
			`"accommodations":[]`, `"selectedAccommodation":null`, `"events":[]`, `"weatherReason":"The trip has no start date."`}},
		"points": {NewStage(reading(), 0), []string{`"startPoint":{"lat":45.123457,"lon":-0.1,"ele":12.3}`, `"endPoint":{"lat":46,"lon":6,"ele":null}`}},
	} {
		text, err := json.Marshal(c.v)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s: %s", name, want, text)
			}
		}
	}
}
