package source

import (
	"errors"
	"fmt"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/trip"
)

// Kind is a way in which a source fails to give a route. It is an error so that
// errors.Is tells it: errors.Is(err, source.ErrTooLarge).
type Kind string

const (
	ErrUnsupported Kind = "unsupported format" // neither GPX nor FIT
	ErrNoRoute     Kind = "no route in it"     // sound, but without two points in a row
	ErrTooLarge    Kind = "too large"          // more bytes, points, kilometres or tours than are read
	ErrDamaged     Kind = "damaged file"       // nothing usable before the damage
	ErrRefused     Kind = "refused"            // it holds what a route file must not
	ErrNotFound    Kind = "not found"          // the source has no such route
	ErrPrivate     Kind = "private"            // the source shows it to some people only
	ErrNeedsLogin  Kind = "needs a login"      // the source shows it to those only who have signed in
	ErrUnavailable Kind = "unavailable"        // the source gives no answer, or none that can be read
)

func (k Kind) Error() string { return string(k) }

// Problem is why a source gives no route, told to the rider on one line: what
// is there, and what to do about it. It wraps its kind and its cause.
type Problem struct {
	Kind   Kind
	Detail string
	Cause  error // the *fetch.Error, or what in an answer could not be read; nil for none. For logs, not for the rider
}

func (p *Problem) Error() string { return string(p.Kind) + ": " + p.Detail }

func (p *Problem) Unwrap() []error {
	if p.Cause == nil {
		return []error{p.Kind}
	}
	return []error{p.Kind, p.Cause}
}

// Passing says whether the same route may be had later, and how long its source
// is to be left alone before, 0 for nothing said: where it asks to wait, is down,
// out of reach or slow. Anything else stays as it is until the rider does
// something about it.
func (p *Problem) Passing() (again bool, after time.Duration) {
	var cause *fetch.Error
	switch {
	case p.Kind != ErrUnavailable:
		return false, 0
	case errors.As(p.Cause, &cause):
		return cause.Passing(), cause.RetryAfter
	}
	return errors.Is(p.Cause, errTooSlow), 0
}

// errTooSlow is the cause of a problem for want of time.
var errTooSlow = errors.New("all requests together took too long")

func emptyFile() error {
	return &Problem{Kind: ErrNoRoute, Detail: "the file is empty; export the route again"}
}

// noRoute is the problem of a sound file that has instead of a route what the
// words say.
func noRoute(instead string) error {
	return &Problem{Kind: ErrNoRoute, Detail: instead}
}

func damagedFile() error {
	return &Problem{Kind: ErrDamaged, Detail: "the file breaks off or cannot be read before it has two points; export or download it again"}
}

func tooManyBytes() error {
	return &Problem{Kind: ErrTooLarge, Detail: fmt.Sprintf("the file is larger than %d MB; export the route alone, or in parts", maxBytes>>20)}
}

func tooManyPoints() error {
	return &Problem{Kind: ErrTooLarge, Detail: fmt.Sprintf("the route has more than %d points; simplify it, or export it in parts", maxPoints)}
}

func documentType() error {
	return &Problem{Kind: ErrRefused, Detail: "the file declares a document type (DOCTYPE), which no route file needs; export the route again"}
}

// notRoute is the problem of a file that is something else.
func notRoute(what string) error {
	return &Problem{Kind: ErrUnsupported, Detail: "this is " + what + "; export the route as GPX or FIT"}
}

func webPage() error {
	return &Problem{Kind: ErrUnsupported, Detail: "this is a web page, not a route file, often the one that asks to sign in; sign in and export the route as GPX or FIT"}
}

func archive(kind string) error {
	return &Problem{Kind: ErrUnsupported, Detail: "this is a " + kind + " archive; unpack it and take the GPX or FIT file inside"}
}

func unknownFormat() error {
	return &Problem{Kind: ErrUnsupported, Detail: "this is neither a GPX nor a FIT file; export the route in one of the two"}
}

func tooLong() error {
	return &Problem{Kind: ErrTooLarge, Detail: fmt.Sprintf("the route is longer than %d km; plan it in parts", trip.MaxLengthM/1000)}
}

func tooManyTours() error {
	return &Problem{Kind: ErrTooLarge, Detail: fmt.Sprintf("the collection has more than %d tours; divide it into smaller ones", maxTours)}
}

// notFetched is the problem of a Ref that ParseURL did not make.
func notFetched(ref Ref) error {
	return &Problem{Kind: ErrUnsupported, Detail: fmt.Sprintf("no route is fetched from %q; send the link of a route", ref.Type)}
}

// unanswered is the problem of a source that gave no answer.
func unanswered(ref Ref, cause *fetch.Error) error {
	detail := cause.Host + " does not answer; try again later"
	if cause.Status == 0 {
		detail += ", or check the connection of this machine"
	}
	switch cause.Kind {
	case fetch.ErrNotFound:
		return &Problem{ErrNotFound, "there is no " + ref.what() + "; check the link, or whether the route was deleted or is private", cause}
	case fetch.ErrForbidden:
		return private(ref, cause)
	case fetch.ErrTooLarge:
		return &Problem{ErrTooLarge, fmt.Sprintf("%s is larger than %d MB; divide it into parts", ref.what(), maxBytes>>20), cause}
	case fetch.ErrRefused:
		if ref.asksToSignIn(cause.Location) {
			return private(ref, cause)
		}
		// Where it leads is not said: it is the word of a site that may lie.
		detail = cause.Host + " leads to where no route is fetched from; " + otherwise
	case fetch.ErrRateLimited:
		detail = cause.Host + " asks to wait; try again later"
		if cause.RetryAfter > 0 {
			// Rounded up, so that who waits as told does not come too early.
			wait := (cause.RetryAfter + time.Second - 1).Truncate(time.Second)
			detail = cause.Host + " asks to wait; try again in " + wait.String()
		}
	case fetch.ErrStatus:
		detail = fmt.Sprintf("%s answers with status %d; %s", cause.Host, cause.Status, otherwise)
	}
	return &Problem{ErrUnavailable, detail, cause}
}

// otherwise is what to do where trying again may not help.
const otherwise = "try again later, or download the GPX and plan the file"

// misunderstood is the problem of an answer that holds no route.
func misunderstood(ref Ref, host string, cause error) error {
	return &Problem{ErrUnavailable, host + " answers with something else than " + ref.what() + "; " + otherwise, cause}
}

// misled is the problem of a host that gives another route in place of the one
// that was asked for.
func misled(ref Ref, host string) error {
	return &Problem{Kind: ErrUnavailable, Detail: host + " leads from " + ref.what() + " to another page; check the link, or download the GPX and plan the file"}
}

// tooSlow is the problem of a source whose answers took too long together.
func tooSlow(ref Ref) error {
	return &Problem{ErrUnavailable, fmt.Sprintf("%s is too slow: %s was not complete within %d minutes; try again later",
		ref.Host(), ref.what(), totalTimeout/time.Minute), errTooSlow}
}

// private is the problem of a route that its source does not show to everyone.
func private(ref Ref, cause error) error {
	what := ref.what()
	switch name, key := ref.key(); {
	case ref.Type == trip.StravaRoute:
		return needsLogin(ref, cause)
	case key != "":
		return &Problem{ErrPrivate, what + " is private and the " + name + " of the link does not open it, or no longer; share it again and send the new link", cause}
	}
	return &Problem{ErrPrivate, what + " is private; make it public, send the link that sharing it gives, or download the GPX and plan the file", cause}
}

func needsLogin(ref Ref, cause error) error {
	return &Problem{ErrNeedsLogin, ref.what() + " is shown only to those who sign in; download the GPX from Strava and plan the file", cause}
}
