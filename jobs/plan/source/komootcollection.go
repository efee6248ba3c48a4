package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"biketrip/store/track"
	"biketrip/store/trip"
)

const (
	// toursAtOnce is how many tours are fetched at a time.
	toursAtOnce = 4
	// maxUnanswered is how many tours of a collection may be missing because
	// Komoot gave no usable answer. Beyond it is Komoot that fails, not the
	// tours, and a trip without most of its days is worse than none for now.
	maxUnanswered = 4
	// unansweredShare is the same for small collections: one tour in so many.
	unansweredShare = 4
)

// komootCollection is a collection in a page.
type komootCollection struct {
	Name     text
	Embedded struct {
		Compilation struct {
			Embedded struct{ Items list } `json:"_embedded"`
			Page     struct{ TotalElements number }
		}
	} `json:"_embedded"`
}

// komootItem is a tour in a collection.
type komootItem struct {
	ID   digits
	Name text
	Type text // begins with tour for a tour; empty where the page does not say
}

// what names the tour in a sentence.
func (i komootItem) what() string {
	s := "tour " + cmp.Or(cut(cleanTitle(string(i.ID)), maxID), "of no number")
	if name := cut(titleOf(i.Name), 40); name != "" {
		s += " (" + name + ")"
	}
	return s
}

// readKomootItems reads a list of tours. The errors are ErrTooLarge, or that of
// ctx.
func readKomootItems(ctx context.Context, l list) (tours []komootItem, err error) {
	err = l.each(ctx, func(d *json.Decoder) error {
		var item komootItem
		if err := tolerate(d.Decode(&item)); err != nil {
			return err
		}
		if len(tours) == maxTours {
			return tooManyTours()
		}
		tours = append(tours, item)
		return nil
	})
	return tours, err
}

// komootCollection reads a collection: a day for each of its tours, in order.
// A tour that cannot be had is left out, with a warning.
func (v visit) komootCollection(ctx context.Context) (Route, error) {
	res, err := v.komootPage(ctx)
	if err != nil {
		return Route{}, err
	}
	page, err := readKomootPage(res.Body)
	collection := page.Page.Embedded.CollectionHal
	if err != nil || collection == nil || !collection.Embedded.Compilation.Embedded.Items.present() {
		return Route{}, v.unreadable(res, err)
	}
	list := collection.Embedded.Compilation
	tours, err := readKomootItems(ctx, list.Embedded.Items)
	switch {
	case err != nil:
		return Route{}, v.unreadable(res, err)
	case list.Page.TotalElements.value > maxTours:
		return Route{}, tooManyTours()
	case len(tours) == 0:
		return Route{}, noRoute(v.ref.what() + " has no tours; check the link")
	}
	days, err := v.komootTours(ctx, tours)
	if err != nil {
		return Route{}, err
	}
	route, err := days.join(v.ref)
	if err != nil {
		return Route{}, err
	}
	v.client.Keep(ctx, res)
	route.Title = titleOf(collection.Name, "Komoot Collection")
	if missing := int(list.Page.TotalElements.value) - len(tours); missing > 0 {
		route.Warnings = append(route.Warnings, fmt.Sprintf(
			"Komoot shows only %s of the collection; %d more are left out.", count(len(tours), "tour"), missing))
	}
	return route, nil
}

// day is a tour of a collection, or why there is none.
type day struct {
	tour  komootItem
	route Route
	err   error
}

type days []day

// komootTours fetches the tours, a few at a time, and keeps their order.
func (v visit) komootTours(ctx context.Context, tours []komootItem) (days, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		out               = make(days, len(tours))
		slots             = make(chan struct{}, toursAtOnce)
		workers           sync.WaitGroup
		mu                sync.Mutex // holds the two below
		total, unanswered int
	)
	for i, tour := range tours {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() {
			defer func() { <-slots }()
			route, err := v.komootItem(ctx, tour)
			out[i] = day{tour, route, err}
			mu.Lock()
			defer mu.Unlock()
			if total += route.Line.Len(); total > maxPoints {
				stop(tooManyPoints())
			}
			if errors.Is(err, ErrUnavailable) {
				unanswered++
			}
			var p *Problem
			if unanswered > maxUnanswered || err != nil && !errors.As(err, &p) {
				stop(err)
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if unanswered > len(tours)/unansweredShare {
		return nil, out.firstOf(ErrUnavailable)
	}
	return out, nil
}

// firstOf is the first error of the kind.
func (d days) firstOf(kind Kind) error {
	for _, day := range d {
		if errors.Is(day.err, kind) {
			return day.err
		}
	}
	return nil
}

// komootItem fetches a tour of the collection, with its key.
func (v visit) komootItem(ctx context.Context, tour komootItem) (Route, error) {
	if !isID(string(tour.ID)) || tour.Type != "" && !strings.HasPrefix(string(tour.Type), "tour") {
		return Route{}, noRoute("this is no tour of its own; save it on Komoot as one")
	}
	ref := Ref{Type: trip.KomootTour, ID: string(tour.ID), ShareToken: v.ref.ShareToken}
	route, err := visit{v.client, ref, v.subject}.komootTour(ctx)
	if err != nil {
		return Route{}, err
	}
	// Rounded, so that the ends of the days are the same on the line as it is
	// stored.
	if route.Line = route.Line.Rounded(); route.Line.Length() < shortestM {
		return Route{}, noRoute(ref.what() + " stays in one place; check the link")
	}
	return route, nil
}

// join puts the days behind one another. The error is why there is none.
func (d days) join(ref Ref) (Route, error) {
	var (
		route    Route
		segments [][]track.Point
		lasts    []int // segment with which each day ends
		first    *Problem
	)
	for _, day := range d {
		var p *Problem
		if errors.As(day.err, &p) {
			if first == nil {
				first = p
			}
			route.Warnings = append(route.Warnings, fmt.Sprintf("Left out: %s, %s.", day.tour.what(), p))
			continue
		}
		for _, w := range day.route.Warnings {
			route.Warnings = append(route.Warnings, "In "+day.tour.what()+": "+w)
		}
		segments = append(segments, day.route.Line.Segments()...)
		lasts = append(lasts, len(segments)-1)
	}
	if len(segments) == 0 {
		return Route{}, &Problem{first.Kind, "none of the " + count(len(d), "tour") + " of " + ref.what() + " can be had; the first: " + first.Detail, first.Cause}
	}
	route.Line = track.NewLine(segments...)
	ends := route.Line.EndsM()
	for _, last := range lasts {
		route.DayEndsM = append(route.DayEndsM, ends[last])
	}
	return route, nil
}
