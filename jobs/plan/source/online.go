package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/trip"
)

const (
	// fetchTimeout is how long one request for a route may take, its retries
	// included: 25 MB at 8 Mbit/s take 25 s.
	fetchTimeout = 30 * time.Second
	// totalTimeout is how long all requests for a route may take together: a
	// collection of 60 tours, four at a time, with 8 s for each.
	totalTimeout = 2 * time.Minute
)

// Fetch reads the route that ref names from its source, within two minutes. The
// errors are a *Problem, which wraps the *fetch.Error where there was one, or
// that of ctx. None of them, and no warning, holds the key of ref.
//
// Answers that a route was read from are kept for fetch.Routes, under ref.URL().
func Fetch(ctx context.Context, client *fetch.Client, ref Ref) (Route, error) {
	total, cancel := context.WithTimeout(ctx, totalTimeout)
	defer cancel()
	v := visit{client, ref, ref.URL()}
	var route Route
	err := error(notFetched(ref))
	if isID(ref.ID) {
		switch ref.Type {
		case trip.KomootTour:
			route, err = v.komootTour(total)
		case trip.KomootCollection:
			route, err = v.komootCollection(total)
		case trip.StravaRoute:
			route, err = v.stravaRoute(total)
		case trip.RideWithGPS:
			route, err = v.rideWithGPSRoute(total)
		}
	}
	var p *Problem
	switch {
	case err != nil && !errors.As(err, &p) && ctx.Err() == nil && total.Err() != nil:
		return Route{}, tooSlow(ref)
	case err != nil:
		return Route{}, err
	case route.Line.Length() > trip.MaxLengthM:
		return Route{}, tooLong()
	}
	return route, nil
}

// visit is one route being fetched.
type visit struct {
	client  *fetch.Client
	ref     Ref
	subject string // the link that was asked for: of a tour, it may be that of its collection
}

// get fetches an address of the source, which may be redirected to hosts. An
// answer is never one that a redirect to a sign-in page or to another route led
// to.
func (v visit) get(ctx context.Context, address, accept string, hosts ...string) (*fetch.Response, error) {
	res, err := v.client.Get(ctx, address, fetch.Policy{
		Hosts: hosts, Accept: accept, MaxBytes: maxBytes, Timeout: fetchTimeout,
		Keep: fetch.Routes, Subject: v.subject,
	})
	var cause *fetch.Error
	switch {
	case err == nil && v.ref.asksToSignIn(res.URL):
		return nil, private(v.ref, nil)
	case err == nil && !v.ref.isNamedBy(res.URL):
		return nil, misled(v.ref, hostOf(address))
	case err == nil:
		return res, nil
	case !errors.As(err, &cause):
		return nil, fmt.Errorf("fetch %s: %w", v.ref, err)
	}
	return nil, unanswered(v.ref, cause)
}

// route is the route of a line. The answers it was read from are kept.
func (v visit) route(ctx context.Context, line *points, title string, from ...*fetch.Response) (Route, error) {
	route, err := line.route(title, v.ref)
	if err == nil {
		for _, res := range from {
			v.client.Keep(ctx, res)
		}
	}
	return route, err
}

// mayBeElsewhere says whether another page of the source may have the route. A
// source that asks to wait is not asked elsewhere meanwhile.
func mayBeElsewhere(err error) bool {
	if errors.Is(err, fetch.ErrRateLimited) {
		return false
	}
	return errors.Is(err, ErrPrivate) || errors.Is(err, ErrNeedsLogin) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnavailable)
}

// getJSON fetches an address and decodes its answer into the value at out.
func (v visit) getJSON(ctx context.Context, address, accept string, out any, hosts ...string) (*fetch.Response, error) {
	res, err := v.get(ctx, address, accept, hosts...)
	if err != nil {
		return nil, err
	}
	if !isObject(res.Body) {
		return nil, v.unreadable(res, nil)
	}
	if err := decodeJSON(res.Body, out); err != nil {
		return nil, v.unreadable(res, err)
	}
	return res, nil
}

// unreadable is the problem of an answer that does not hold what it should,
// because of err, nil for nothing more to say. A problem, and the end of a
// context, stay what they are.
func (v visit) unreadable(res *fetch.Response, err error) error {
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("read %s: %w", v.ref, err)
	case isSignInPage(res):
		return private(v.ref, nil)
	}
	return misunderstood(v.ref, hostOf(res.URL), err)
}

// hostOf is the host of an address that was fetched.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isNamedBy says whether the path of an address names the route: by its id as a
// segment, before its file type or its slug. An answer from elsewhere may be
// that of somebody else's route.
func (r Ref) isNamedBy(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		rest, ok := strings.CutPrefix(segment, r.ID)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '-') {
			return true
		}
	}
	return false
}
