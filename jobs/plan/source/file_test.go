package source

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"biketrip/store/track"
)

// readString reads a file of the text.
func readString(text string) (Route, error) {
	return ReadFile(strings.NewReader(text), nil)
}

// kinds are all kinds of problem.
var kinds = []Kind{ErrUnsupported, ErrNoRoute, ErrTooLarge, ErrDamaged, ErrRefused, ErrNotFound, ErrPrivate, ErrNeedsLogin, ErrUnavailable}

// wantProblem checks that err is of the kind alone and tells of it on one line
// that contains the words.
func wantProblem(t *testing.T, err error, kind Kind, words string) {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("got error %v, want a problem of kind %q", err, kind)
	}
	for _, k := range kinds {
		if errors.Is(err, k) != (k == kind) {
			t.Errorf("errors.Is(%q, %q) = %v", err, k, k != kind)
		}
	}
	if strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%q is more than a line", err)
	}
	if !strings.Contains(err.Error(), words) {
		t.Errorf("%q does not say %q", err, words)
	}
}

func TestContentIsToldApart(t *testing.T) {
	for _, c := range []struct {
		name, in string
		kind     Kind
		words    string
	}{
		{"empty", "", ErrNoRoute, "is empty"},
		{"blank", " \r\n\t\n", ErrNoRoute, "is empty"},
		{"mark alone", "\xef\xbb\xbf", ErrNoRoute, "is empty"},
		{"zip", "PK\x03\x04rest", ErrUnsupported, "zip archive"},
		{"gzip", "\x1f\x8b\x08rest", ErrUnsupported, "gzip archive"},
		{"json", "\xef\xbb\xbf {\"id\": 1}", ErrUnsupported, "a JSON file"},
		{"geojson", `{"type": "FeatureCollection", "features": []}`, ErrUnsupported, "a GeoJSON file"},
		{"kml", `<?xml version="1.0"?><kml xmlns="x"><Document/></kml>`, ErrUnsupported, "a KML file"},
		{"tcx", `<TrainingCenterDatabase/>`, ErrUnsupported, "a TCX file"},
		{"page", "\n<!DocType HTML>\n<html><body>Log in</body></html>", ErrUnsupported, "a web page"},
		{"page with a public identifier", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x">`, ErrUnsupported, "a web page"},
		{"page without a type", `<!-- x --><HTML lang=en><head>`, ErrUnsupported, "a web page"},
		{"other XML", `<feed><trkpt/></feed>`, ErrUnsupported, "its root is feed"},
		{"text", "lat,lon\n45,5\n", ErrUnsupported, "neither a GPX nor a FIT"},
		{"zeros", strings.Repeat("\x00", 100), ErrUnsupported, "neither a GPX nor a FIT"},
		{"sign of FIT elsewhere", ".FIT is not here", ErrUnsupported, "neither a GPX nor a FIT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readString(c.in)
			wantProblem(t, err, c.kind, c.words)
		})
	}
}

// spaces gives blanks without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestSizeIsLimited(t *testing.T) {
	start := `<gpx><trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1" lon="3"/></trkseg></trk>`
	end := `</gpx>`
	fill := int64(maxBytes - len(start) - len(end))
	for _, c := range []struct {
		extra int64
		fits  bool
	}{{0, true}, {1, false}} {
		comment := strings.Repeat("<!--"+strings.Repeat("x", 1000)+"-->", int(fill)/1007)
		filler := io.LimitReader(spaces{}, fill+c.extra-int64(len(comment)))
		r := io.MultiReader(strings.NewReader(start), strings.NewReader(comment), filler, strings.NewReader(end))
		_, err := ReadFile(r, nil)
		if c.fits {
			if err != nil {
				t.Errorf("25 MB: %v", err)
			}
			continue
		}
		wantProblem(t, err, ErrTooLarge, "larger than 25 MB")
	}
	_, err := ReadFile(spaces{}, nil)
	wantProblem(t, err, ErrTooLarge, "larger than 25 MB")
}

func TestProgressCountsBytes(t *testing.T) {
	text := gpxOf(trackOf(20_000, 0))
	last, calls := int64(0), 0
	_, err := ReadFile(strings.NewReader(text), func(n int64) {
		if n <= last {
			t.Fatalf("%d bytes after %d", n, last)
		}
		last, calls = n, calls+1
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != int64(len(text)) || calls < 2 {
		t.Errorf("last told %d bytes of %d in %d calls", last, len(text), calls)
	}
}

func TestReaderErrorIsHandedOn(t *testing.T) {
	broken := errors.New("connection reset")
	for name, start := range map[string]string{
		"at once": "", "gpx": gpxOf(trackOf(100, 0))[:2000], "fit": string(fitCourse(t, "x", trackOf(100, 0)))[:500],
	} {
		_, err := ReadFile(io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)), nil)
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
		var p *Problem
		if errors.As(err, &p) {
			t.Errorf("%s: the fault of the reader is laid to the file: %v", name, err)
		}
	}
}

func TestReadsByteByByte(t *testing.T) {
	for name, text := range map[string]string{
		"gpx": gpxOf(trackOf(50, 0)), "fit": string(fitCourse(t, "x", trackOf(50, 0))),
	} {
		want, err := readString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(iotest.OneByteReader(strings.NewReader(text)), nil)
		if err != nil || !got.Line.Equal(want.Line) || got.Title != want.Title {
			t.Errorf("%s: differs read byte by byte: %v", name, err)
		}
	}
}

// checkRoute checks what holds of every route that is read.
func checkRoute(t *testing.T, r Route) {
	t.Helper()
	if length := r.Line.Length(); !(length >= shortestM) || math.IsInf(length, 0) {
		t.Fatalf("%d points and length %v without an error", r.Line.Len(), length)
	}
	relief := r.Line.Relief(track.ProvidedHeights)
	if up := relief.Ascent(0, relief.LengthM); !(up >= 0) {
		t.Errorf("ascent %v", up)
	}
	for _, s := range r.Line.Segments() {
		if len(s) < 2 {
			t.Errorf("segment of %d points", len(s))
		}
		for _, p := range s {
			if !(math.Abs(p.Lat) <= 90 && math.Abs(p.Lon) <= 180) || p.HasEle() && !(p.Ele >= lowestM && p.Ele <= highestM) {
				t.Fatalf("point %v is not on earth", p)
			}
		}
	}
	if len([]rune(r.Title)) > maxTitle || r.Title != cleanTitle(r.Title) {
		t.Errorf("title %q is not clean", r.Title)
	}
	for _, w := range r.Warnings {
		if w == "" || strings.ContainsAny(w, "\r\n") {
			t.Errorf("warning %q is no line", w)
		}
	}
}

// checkOutcome checks what holds of every outcome, and that the file gives it
// again.
func checkOutcome(t *testing.T, text string) {
	t.Helper()
	r, err := readString(text)
	again, errAgain := readString(text)
	if (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
		t.Fatalf("once %v, then %v", err, errAgain)
	}
	if err != nil {
		for _, k := range kinds {
			if errors.Is(err, k) {
				wantProblem(t, err, k, "")
				return
			}
		}
		t.Fatalf("error of no kind: %v", err)
	}
	checkRoute(t, r)
	if !r.Line.Equal(again.Line) || r.Title != again.Title || fmt.Sprint(r.Warnings) != fmt.Sprint(again.Warnings) {
		t.Error("the same file gives another route")
	}
}
