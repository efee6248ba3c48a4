package source

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strings"
)

const (
	// maxDepth is how deep elements lie in one another at most. GPX 1.1 with
	// the extensions of Garmin needs 8.
	maxDepth = 64
	// maxToken is the longest tag or text in bytes. Tags are held in memory
	// whole, and one of many attributes takes thirty times its length.
	maxToken = 4 << 20
	// maxText is how much of a name or of a height is kept, in bytes.
	maxText = 4096
)

// role is what an element means for the route.
type role byte

const (
	other role = iota
	root
	metadata
	wpt
	trk
	trkseg
	trkpt
	rte
	rtept
	rpt // a point between two rtept (Garmin GpxExtensions v3, RoutePointExtension)
	ele
	name
)

// isPoint says whether an element is a point of a line.
func (r role) isPoint() bool { return r == trkpt || r == rtept || r == rpt }

// element is an element that is open.
type element struct {
	name string // without its prefix
	role role
}

// gpxReader reads a GPX document (GPX 1.1 schema, and 1.0, whose points are the
// same), taking elements by name in whatever namespace.
type gpxReader struct {
	in       *input
	chars    *tokenReader
	tokens   *xml.Decoder
	elements []element // those open, the root first

	tracks, routes                 gatherer
	waypoints                      int
	trackName, routeName, fileName string
	trackBegun                     bool // a point of the trk that is open was seen

	point    gpxPoint
	text     []byte // of the name or height that is open
	mismatch bool   // some tags do not match
	closed   bool   // the root is closed
}

// readGPX reads the GPX document that text gives as UTF-8.
func readGPX(in *input, text io.Reader) (Route, error) {
	g := &gpxReader{in: in, chars: &tokenReader{Reader: bufio.NewReaderSize(text, 64<<10)}}
	g.tokens = xml.NewDecoder(g.chars)
	g.tokens.Strict = false
	g.tokens.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if err := g.read(); err != nil {
		return Route{}, err
	}
	r := reading{damaged: !g.closed, line: g.tracks.line(), points: g.tracks.points, omitted: g.tracks.omitted}
	r.title = g.trackName
	if r.line.Length() < shortestM {
		r.line, r.points, r.omitted = g.routes.line(), g.routes.points, g.routes.omitted
		r.title = cmp.Or(r.title, g.routeName)
	}
	r.title = cmp.Or(r.title, g.fileName)
	if g.mismatch {
		r.warnings = append(r.warnings, "Some tags of the file do not match; points between them may be missing.")
	}
	return r.route(g.instead())
}

// instead says what the document has where it has no line.
func (g *gpxReader) instead() string {
	points, omitted := g.tracks.points+g.routes.points, g.tracks.omitted+g.routes.omitted
	switch {
	case points > 0:
		return "the file has " + count(points, "track or route point") + ", but no two in a row at different places; export the whole route"
	case omitted > 0:
		return "the file has " + count(omitted, "track or route point") + ", none with a usable position; export the route again"
	case g.waypoints > 0:
		return "the file has " + count(g.waypoints, "waypoint") + ", but no track and no route; export the route as a track"
	}
	return "the file has no track and no route; export the route as a track"
}

// read reads up to the end of the root or to the damage, whichever comes first.
// The error is a problem of the file that its points do not outweigh.
func (g *gpxReader) read() error {
	for !g.closed {
		g.chars.left = maxToken
		token, err := g.tokens.RawToken()
		if err != nil {
			return g.in.err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(g.elements) == maxDepth {
				return nil
			}
			err = g.start(t)
		case xml.EndElement:
			err = g.end(t.Name.Local)
		case xml.CharData:
			if r := g.parent(); (r == ele || r == name) && len(g.text) < maxText {
				g.text = append(g.text, t...)
			}
		case xml.Directive:
			err = g.directive(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// directive refuses declarations of a document type, and what may stand in one;
// that of a web page says what the file is.
func (g *gpxReader) directive(d xml.Directive) error {
	words := strings.Fields(strings.ToLower(string(d[:min(len(d), maxText)])))
	if len(g.elements) == 0 && len(words) > 1 && words[0] == "doctype" && words[1] == "html" {
		return webPage()
	}
	return documentType()
}

// parent is the role of the innermost open element.
func (g *gpxReader) parent() role {
	if len(g.elements) == 0 {
		return other
	}
	return g.elements[len(g.elements)-1].role
}

// within says whether an element of the role is open.
func (g *gpxReader) within(r role) bool {
	return slices.ContainsFunc(g.elements, func(e element) bool { return e.role == r })
}

// start opens an element.
func (g *gpxReader) start(t xml.StartElement) error {
	if len(g.elements) == 0 {
		if err := checkRoot(t.Name.Local); err != nil {
			return err
		}
		g.elements = append(g.elements, element{t.Name.Local, root})
		return nil
	}
	r := g.roleOf(t.Name.Local)
	switch {
	case r.isPoint():
		g.trackBegun = g.trackBegun || r == trkpt
		// The rpt of a rtept come after its height: the rtept is whole.
		if r == rpt && g.point.role == rtept {
			if err := g.keep(); err != nil {
				return err
			}
		}
		g.point = newPoint(r, t.Attr)
	case r == trk:
		g.trackBegun = false
		g.split()
	case r == trkseg || r == rte:
		g.split()
	case r == wpt:
		g.waypoints++
	case r == ele || r == name:
		g.text = g.text[:0]
	}
	g.elements = append(g.elements, element{t.Name.Local, r})
	return nil
}

// checkRoot is the problem of a document whose root is not gpx.
func checkRoot(name string) error {
	switch strings.ToLower(name) {
	case "gpx":
		return nil
	case "kml":
		return notRoute("a KML file")
	case "trainingcenterdatabase":
		return notRoute("a TCX file")
	case "html", "head", "body", "meta", "script":
		return webPage()
	}
	return notRoute("an XML file, but no GPX: its root is " + cut(cleanTitle(name), 40))
}

// roleOf is the role of an element in the innermost open one.
func (g *gpxReader) roleOf(local string) role {
	parent := g.parent()
	switch local {
	case "trkpt":
		return trkpt
	case "rtept":
		return rtept
	case "rpt":
		if g.within(rtept) {
			return rpt
		}
	case "ele":
		if parent.isPoint() {
			return ele
		}
	case "name":
		if parent == trk && !g.trackBegun || parent == rte || parent == metadata || parent == root {
			return name
		}
	case "trkseg":
		return trkseg
	case "trk":
		return trk
	case "rte":
		return rte
	case "wpt":
		return wpt
	case "metadata":
		if parent == root {
			return metadata
		}
	}
	return other
}

// end closes the innermost open element of the name, and with it those inside
// that were never closed. An end without a start is passed over.
func (g *gpxReader) end(local string) error {
	i := len(g.elements) - 1
	for i >= 0 && g.elements[i].name != local {
		i--
	}
	if i != len(g.elements)-1 {
		g.mismatch = true
	}
	if i < 0 {
		return nil
	}
	for len(g.elements)-1 > i {
		// What is closed from outside is not whole.
		if g.parent().isPoint() {
			g.point = gpxPoint{}
		}
		g.elements = g.elements[:len(g.elements)-1]
	}
	closing := g.parent()
	g.elements = g.elements[:i]
	switch closing {
	case root:
		g.closed = true
	case trkpt, rtept, rpt:
		return g.keep()
	case ele:
		g.point.ele = height(string(g.text), g.point.comma)
	case name:
		g.named()
	}
	return nil
}

// named takes the name that was closed, the first of its kind that says
// something.
func (g *gpxReader) named() {
	title := cleanTitle(string(g.text))
	switch g.parent() {
	case trk:
		g.trackName = cmp.Or(g.trackName, title)
	case rte:
		g.routeName = cmp.Or(g.routeName, title)
	default:
		g.fileName = cmp.Or(g.fileName, title)
	}
}

// keep adds the open point, if there is one, to its line.
func (g *gpxReader) keep() error {
	p := g.point
	g.point = gpxPoint{}
	switch p.role {
	case trkpt:
		return g.tracks.add(p.lat, p.lon, p.ele)
	case rtept, rpt:
		if len(g.tracks.segments) > 0 {
			return nil // the tracks are the line
		}
		return g.routes.add(p.lat, p.lon, p.ele)
	}
	return nil
}

// split ends the segment that is open: what lies between two trkseg, or two
// rte, is no part of the route.
func (g *gpxReader) split() {
	g.tracks.split()
	g.routes.split()
}

// tokenReader gives the xml package its characters, left of them at most: an
// endless tag must not fill the memory.
type tokenReader struct {
	*bufio.Reader
	left int
}

func (t *tokenReader) ReadByte() (byte, error) {
	if t.left--; t.left < 0 {
		return 0, io.ErrShortBuffer
	}
	return t.Reader.ReadByte()
}
