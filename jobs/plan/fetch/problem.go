package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Kind is a way in which a request fails. It is an error, so that errors.Is
// tells it through every wrap.
type Kind string

const (
	ErrNotFound    Kind = "not found"    // 404, 410
	ErrForbidden   Kind = "forbidden"    // 401, 403
	ErrRateLimited Kind = "rate limited" // 429, after the retries
	ErrUnavailable Kind = "unavailable"  // 5xx after the retries, no connection, a timeout, a broken answer
	ErrTooLarge    Kind = "too large"    // more bytes than the policy allows
	ErrRefused     Kind = "refused"      // an address, a redirect or a scheme the policy does not allow
	ErrStatus      Kind = "unexpected"   // any other status
)

func (k Kind) Error() string { return string(k) }

// Why an address is refused. None of them quotes it.
var (
	errNoAddress   = errors.New("not an address")
	errNotHTTPS    = errors.New("not an https address")
	errUserinfo    = errors.New("an address with a user or password")
	errPort        = errors.New("a port other than 443")
	errNotPublic   = errors.New("not a public address")
	errForeignHost = errors.New("another host")
	errTooMany     = errors.New("too many redirects")
	errNoRedirect  = errors.New("no redirect is followed")
)

// errCoding says that a body cannot be decompressed, however often it is asked
// for.
var errCoding = errors.New("a content coding nobody asked for")

// maxErrorText bounds the text of an error, in characters: a cause may quote
// what a host sent.
const maxErrorText = 300

// Error is why a request gave no answer. It wraps its kind and its cause.
type Error struct {
	Kind       Kind
	Host       string        // that was asked last, with its port if that is not 443; empty where the address names none
	Status     int           // of the answer, 0 without one
	RetryAfter time.Duration // how long the host is left alone, 0 for not at all
	Location   string        // where a redirect led that was refused: scheme, host and path. The path may hold a secret: it is not for logs
	Cause      error
}

// Error is one line, without the path and query of any address: they may hold
// the key to somebody's private route.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Host != "" {
		s = e.Host + ": " + s
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return oneLine(s)
}

func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Passing says whether the same request may be answered later: the host is busy,
// down or out of reach, or its answer broke off.
func (e *Error) Passing() bool {
	return e.Kind == ErrRateLimited || e.Kind == ErrUnavailable && !e.hopeless()
}

// hopeless says whether the host answered what cannot be decompressed.
func (e *Error) hopeless() bool {
	return errors.Is(e.Cause, errCoding) || errors.Is(e.Cause, gzip.ErrHeader)
}

func oneLine(s string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
	if len(runes) > maxErrorText {
		return string(runes[:maxErrorText]) + "…"
	}
	return string(runes)
}

// asCause is err as the cause of an Error. The timeouts of net and net/http
// pass for those of a context; only the text of these is kept, so that an Error
// is never taken for the end of the caller's context.
func asCause(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New(err.Error())
	}
	return err
}
