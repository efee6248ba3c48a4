package source

import "fmt"

// Kind is a way in which a source fails to give a route. It is an error so that
// errors.Is tells it: errors.Is(err, source.ErrTooLarge).
type Kind string

const (
	ErrUnsupported Kind = "unsupported format" // neither GPX nor FIT
	ErrNoRoute     Kind = "no route in it"     // sound, but without two points in a row
	ErrTooLarge    Kind = "too large"          // more bytes or points than are read
	ErrDamaged     Kind = "damaged file"       // nothing usable before the damage
	ErrRefused     Kind = "refused"            // it holds what a route file must not
)

func (k Kind) Error() string { return string(k) }

// Problem is why a source gives no route, told to the rider on one line: what
// is there, and what to do about it. It wraps its kind.
type Problem struct {
	Kind   Kind
	Detail string
}

func (p *Problem) Error() string { return string(p.Kind) + ": " + p.Detail }

func (p *Problem) Unwrap() error { return p.Kind }

func emptyFile() error {
	return &Problem{ErrNoRoute, "the file is empty; export the route again"}
}

// noRoute is the problem of a sound file that has instead of a route what the
// words say.
func noRoute(instead string) error {
	return &Problem{ErrNoRoute, instead}
}

func damagedFile() error {
	return &Problem{ErrDamaged, "the file breaks off or cannot be read before it has two points; export or download it again"}
}

func tooManyBytes() error {
	return &Problem{ErrTooLarge, fmt.Sprintf("the file is larger than %d MB; export the route alone, or in parts", maxBytes>>20)}
}

func tooManyPoints() error {
	return &Problem{ErrTooLarge, fmt.Sprintf("the route has more than %d points; simplify it, or export it in parts", maxPoints)}
}

func documentType() error {
	return &Problem{ErrRefused, "the file declares a document type (DOCTYPE), which no route file needs; export the route again"}
}

// notRoute is the problem of a file that is something else.
func notRoute(what string) error {
	return &Problem{ErrUnsupported, "this is " + what + "; export the route as GPX or FIT"}
}

func webPage() error {
	return &Problem{ErrUnsupported, "this is a web page, not a route file, often the one that asks to sign in; sign in and export the route as GPX or FIT"}
}

func archive(kind string) error {
	return &Problem{ErrUnsupported, "this is a " + kind + " archive; unpack it and take the GPX or FIT file inside"}
}

func unknownFormat() error {
	return &Problem{ErrUnsupported, "this is neither a GPX nor a FIT file; export the route in one of the two"}
}
