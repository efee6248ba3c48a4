package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/trip"
)

// fetchTimeout is how long one request for a route may take, its retries
// included: 25 MB at 8 Mbit/s take 25 s.
const fetchTimeout = 30 * time.Second

// Fetch reads the route that ref names from its source. The errors are a
// *Problem, which wraps the *fetch.Error where there was one, or that of ctx.
// None of them, and no warning, holds the key of ref.
func Fetch(ctx context.Context, client *fetch.Client, ref Ref) (Route, error) {
	v := visit{client, ref}
	var route Route
	err := error(notFetched(ref))
	if isID(ref.ID) {
		switch ref.Type {
		case trip.KomootTour:
			route, err = v.komootTour(ctx)
		case trip.KomootCollection:
			route, err = v.komootCollection(ctx)
		case trip.StravaRoute:
			route, err = v.stravaRoute(ctx)
		case trip.RideWithGPS:
			route, err = v.rideWithGPSRoute(ctx)
		}
	}
	switch {
	case err != nil:
		return Route{}, err
	case route.Line.Length() > trip.MaxLengthM:
		return Route{}, tooLong()
	}
	return route, nil
}

// visit is one route being fetched.
type visit struct {
	client *fetch.Client
	ref    Ref
}

// get fetches an address of the source, which may be redirected to hosts. An
// answer is never one that a redirect to a sign-in page led to.
func (v visit) get(ctx context.Context, address, accept string, hosts ...string) (*fetch.Response, error) {
	res, err := v.client.Get(ctx, address, fetch.Policy{Hosts: hosts, Accept: accept, MaxBytes: maxBytes, Timeout: fetchTimeout})
	var cause *fetch.Error
	switch {
	case err == nil && asksToSignIn(res.URL):
		return nil, private(v.ref, nil)
	case err == nil:
		return res, nil
	case !errors.As(err, &cause):
		return nil, fmt.Errorf("fetch %s: %w", v.ref, err)
	}
	return nil, unanswered(v.ref, cause)
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
func (v visit) getJSON(ctx context.Context, address, accept string, out any, hosts ...string) error {
	res, err := v.get(ctx, address, accept, hosts...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(res.Body, out); err != nil {
		return v.unreadable(res, err)
	}
	return nil
}

// unreadable is the problem of an answer that does not hold what it should,
// because of err, nil for nothing more to say.
func (v visit) unreadable(res *fetch.Response, err error) error {
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p
	case isSignInPage(res):
		return private(v.ref, nil)
	}
	return misunderstood(v.ref, hostOf(res.URL), err)
}

// isWebPage says whether an answer is HTML, by what it says of itself or by how
// it begins.
func isWebPage(res *fetch.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
		strings.HasPrefix(http.DetectContentType(res.Body), "text/html")
}

// isSignInPage says whether an answer is a page that asks for a password: the
// sources show it in place of what is private.
func isSignInPage(res *fetch.Response) bool {
	return isWebPage(res) && bytes.Contains(res.Body, []byte(`type="password"`))
}

// asksToSignIn says whether an address is that of a sign-in page.
func asksToSignIn(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if strings.HasPrefix(u.Hostname(), "account.") {
		return true
	}
	for segment := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		switch segment {
		case "login", "log_in", "signin", "sign_in", "sign-in":
			return true
		}
	}
	return false
}

// hostOf is the host of an address that was fetched.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
