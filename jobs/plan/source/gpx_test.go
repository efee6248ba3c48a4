package source

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"biketrip/store/track"
)

var unknown = math.NaN()

// at is a point without a height.
func at(lat, lon float64) track.Point { return track.Point{Lat: lat, Lon: lon, Ele: unknown} }

// trackOf is n points to the north-east, at ele metres the first and a metre
// higher each next.
func trackOf(n int, ele float64) []track.Point {
	out := make([]track.Point, n)
	for i := range out {
		out[i] = track.Point{Lat: 45 + float64(i)*1e-4, Lon: 5 + float64(i)*1e-4, Ele: ele + float64(i%500)}
	}
	return out
}

// gpxOf is a GPX file of a track of the points, with times.
func gpxOf(points []track.Point) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
 <metadata><name>file</name></metadata>
 <trk>
  <name>Synthetic</name>
  <trkseg>
`)
	for i, p := range points {
		fmt.Fprintf(&b, "   <trkpt lat=\"%.7f\" lon=\"%.7f\">\n    <ele>%.1f</ele>\n    <time>2026-07-01T%02d:%02d:%02dZ</time>\n   </trkpt>\n",
			p.Lat, p.Lon, p.Ele, i/3600%24, i/60%60, i%60)
	}
	b.WriteString("  </trkseg>\n </trk>\n</gpx>\n")
	return b.String()
}

// wantLine checks the segments of a route.
func wantLine(t *testing.T, r Route, segments ...[]track.Point) {
	t.Helper()
	if diff := cmp.Diff(segments, r.Line.Segments(), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

// wantWarnings checks that each warning contains the words, in order.
func wantWarnings(t *testing.T, r Route, words ...string) {
	t.Helper()
	if len(r.Warnings) != len(words) {
		t.Fatalf("warnings %q, want %d", r.Warnings, len(words))
	}
	for i, w := range words {
		if !strings.Contains(r.Warnings[i], w) {
			t.Errorf("warning %q does not say %q", r.Warnings[i], w)
		}
	}
}

const (
	ab = `<trkpt lat="1" lon="2"/><trkpt lat="3" lon="4"/>`
	cd = `<trkpt lat="5" lon="6"/><trkpt lat="7" lon="8"/>`
)

var (
	lineAB = []track.Point{at(1, 2), at(3, 4)}
	lineCD = []track.Point{at(5, 6), at(7, 8)}
)

// inTrack is a GPX file of one segment with the content.
func inTrack(content string) string {
	return "<gpx><trk><trkseg>" + content + "</trkseg></trk></gpx>"
}

func TestGPXLine(t *testing.T) {
	rteAB := `<rte><name>R</name><rtept lat="1" lon="2"/><rtept lat="3" lon="4"/></rte>`
	for _, c := range []struct {
		name, in string
		want     [][]track.Point
		warnings []string
	}{
		{"no namespace, no declaration", inTrack(ab), [][]track.Point{lineAB}, nil},
		{"GPX 1.1", `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>` + ab + `</trkseg></trk></gpx>`, [][]track.Point{lineAB}, nil},
		{"prefix", `<g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:trkseg><g:trkpt lat="1" lon="2"><g:ele>9</g:ele></g:trkpt><g:trkpt lat="3" lon="4"></g:trkpt></g:trkseg></g:trk></g:gpx>`,
			[][]track.Point{{{Lat: 1, Lon: 2, Ele: 9}, at(3, 4)}}, nil},
		{"space before the declaration", "\n <?xml version='1.0' encoding='UTF-8'?>" + inTrack(ab), [][]track.Point{lineAB}, nil},
		{"XML 1.1", `<?xml version="1.1"?>` + inTrack(ab), [][]track.Point{lineAB}, nil},
		{"segments apart", inTrack(ab + "</trkseg><trkseg>" + cd), [][]track.Point{lineAB, lineCD}, nil},
		{"tracks apart", inTrack(ab + "</trkseg></trk><trk><trkseg>" + cd), [][]track.Point{lineAB, lineCD}, nil},
		{"empty and short segments", inTrack(ab + `</trkseg><trkseg/><trkseg><trkpt lat="9" lon="9"/></trkseg><trkseg>` + cd), [][]track.Point{lineAB, lineCD}, nil},
		{"points without a trkseg", "<gpx><trk>" + ab + "</trk></gpx>", [][]track.Point{lineAB}, nil},
		{"tracks without a trkseg", "<gpx><trk>" + ab + "</trk><trk>" + cd + "</trk></gpx>", [][]track.Point{lineAB, lineCD}, nil},
		{"attribute order and quotes", inTrack(`<trkpt lon='2' x="y" lat='1'/><trkpt lon = "4"
			lat = "3" ></trkpt>`), [][]track.Point{lineAB}, nil},
		{"routes apart", `<gpx>` + rteAB + `<rte><rtept lat="5" lon="6"/><rtept lat="7" lon="8"><ele>3</ele></rtept></rte></gpx>`,
			[][]track.Point{lineAB, {at(5, 6), {Lat: 7, Lon: 8, Ele: 3}}}, nil},
		{"track before route", `<gpx>` + rteAB + `<trk><trkseg>` + cd + `</trkseg></trk></gpx>`, [][]track.Point{lineCD}, nil},
		{"route where the track is a point", `<gpx>` + rteAB + `<trk><trkseg><trkpt lat="9" lon="9"/></trkseg></trk></gpx>`, [][]track.Point{lineAB}, nil},
		{"rpt after their rtept", `<gpx><rte><rtept lat="1" lon="1"><ele>5</ele><name>A</name><extensions><gpxx:RoutePointExtension>
			<gpxx:rpt lat="1" lon="2"><gpxx:Subclass>00</gpxx:Subclass></gpxx:rpt><gpxx:rpt lat="1" lon="3"/>
			</gpxx:RoutePointExtension></extensions></rtept><rtept lat="1" lon="4"/></rte></gpx>`,
			[][]track.Point{{{Lat: 1, Lon: 1, Ele: 5}, at(1, 2), at(1, 3), at(1, 4)}}, nil},
		{"rpt elsewhere", inTrack(`<rpt lat="9" lon="9"/>` + ab), [][]track.Point{lineAB}, nil},
		{"wpt is no point", `<gpx><wpt lat="9" lon="9"><ele>1</ele></wpt><trk><trkseg>` + ab + `</trkseg></trk></gpx>`, [][]track.Point{lineAB}, nil},
		{"ele of an extension", inTrack(`<trkpt lat="1" lon="2"><extensions><x:ele>77</x:ele></extensions></trkpt><trkpt lat="3" lon="4"/>`), [][]track.Point{lineAB}, nil},
		{"after the root", inTrack(ab) + "\x00garbage<<<& <!DOCTYPE x>", [][]track.Point{lineAB}, nil},
		{"comments and instructions", `<!-- a --><?x y?><gpx><!-- <trkpt lat="9" lon="9"/> --><trk><trkseg>` + ab + `</trkseg></trk></gpx>`, [][]track.Point{lineAB}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readString(c.in)
			if err != nil {
				t.Fatal(err)
			}
			wantLine(t, r, c.want...)
			wantWarnings(t, r, c.warnings...)
		})
	}
}

func TestGPXCoordinates(t *testing.T) {
	for _, c := range []struct {
		attributes string
		want       *track.Point // nil where the point is left out
	}{
		{`lat="45.5" lon="-5.25"`, &track.Point{Lat: 45.5, Lon: -5.25, Ele: unknown}},
		{`lat=" 45.5 " lon="+5e0"`, &track.Point{Lat: 45.5, Lon: 5, Ele: unknown}},
		{`lat="45,123" lon="5,25"`, &track.Point{Lat: 45.123, Lon: 5.25, Ele: unknown}},
		{`lat="66.513260" lon="-180.096474"`, &track.Point{Lat: 66.51326, Lon: 179.903526, Ele: unknown}},
		{`lat="-90" lon="180"`, &track.Point{Lat: -90, Lon: 180, Ele: unknown}},
		{`lat="1" lon="540"`, &track.Point{Lat: 1, Lon: 180, Ele: unknown}},
		{`lat="1" lon="-540"`, &track.Point{Lat: 1, Lon: -180, Ele: unknown}},
		{`lat="1" lon="540.1"`, nil},
		{`lat="90.1" lon="2"`, nil},
		{`lat="NaN" lon="2"`, nil},
		{`lat="1" lon="Inf"`, nil},
		{`lat="1" lon="1e999"`, nil},
		{`lat="1"`, nil},
		{`lat lon="2"`, nil},
		{`lat="" lon="2"`, nil},
		{`lat="4,512,3" lon="2"`, nil},
		{`lat="4,512.3" lon="2"`, nil},
		{`lat="45°30'" lon="2"`, nil},
		{`lat="0x1p5" lon="2"`, nil},
		{`lat="4_5" lon="2"`, nil},
	} {
		t.Run(c.attributes, func(t *testing.T) {
			r, err := readString(inTrack(`<trkpt lat="1" lon="2"/><trkpt ` + c.attributes + `/><trkpt lat="3" lon="4"/>`))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				wantLine(t, r, lineAB)
				wantWarnings(t, r, "1 point without a usable position")
				return
			}
			wantLine(t, r, []track.Point{at(1, 2), *c.want, at(3, 4)})
			wantWarnings(t, r)
		})
	}
}

func TestGPXPointsLeftOutAreCountedOnce(t *testing.T) {
	r, err := readString(inTrack(`<trkpt lat="1" lon="2"/><trkpt/><trkpt lat="3" lon="4"/><trkpt lat="x" lon="y"/><trkpt lat="0" lon="999"/>`))
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, lineAB)
	wantWarnings(t, r, "3 points without a usable position")
}

// TestGPXPointsWithoutAFix: a device that has no position yet writes 0, 0.
func TestGPXPointsWithoutAFix(t *testing.T) {
	const zero = `<trkpt lat="0" lon="0"/>`
	far := `<trkpt lat="45" lon="5"/>` + zero + `<trkpt lat="45.1" lon="5"/>` + zero
	r, err := readString(inTrack(zero + far))
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, []track.Point{at(45, 5), at(45.1, 5)})
	wantWarnings(t, r, "3 points without a usable position")
	for _, places := range [][]track.Point{{at(0, 0), at(0, 20)}, {at(0, -1), at(0, 0), at(0, 90)}} {
		text := ""
		for _, p := range places {
			text += fmt.Sprintf(`<trkpt lat="%v" lon="%v"/>`, p.Lat, p.Lon)
		}
		r, err := readString(inTrack(text))
		if err != nil {
			t.Fatal(err)
		}
		wantLine(t, r, places)
		wantWarnings(t, r)
	}
}

func TestGPXHeights(t *testing.T) {
	for in, want := range map[string]float64{
		"":                                  unknown,
		"<ele>312.5</ele>":                  312.5,
		"<ele>\n 312.5\t</ele>":             312.5,
		"<ele>31<!-- x -->2.5</ele>":        312.5,
		"<ele><![CDATA[312.5]]></ele>":      312.5,
		"<ele>312,5</ele>":                  312.5,
		"<ele>1,234</ele>":                  unknown,
		"<ele>-430.5</ele>":                 -430.5,
		"<ele>-500.1</ele>":                 unknown,
		"<ele>9000</ele>":                   9000,
		"<ele>9000.1</ele>":                 unknown,
		"<ele>-32768</ele>":                 unknown,
		"<ele></ele>":                       unknown,
		"<ele/>":                            unknown,
		"<ele>NaN</ele>":                    unknown,
		"<ele>unknown</ele>":                unknown,
		"<ele>&quot;5&quot;</ele>":          unknown,
		"<x><ele>5</ele></x>":               unknown,
		"<time>2026</time><ele>5</ele>":     5,
		"<name>7</name><ele>5</ele>":        5,
		"<ele>5</ele><speed>7</speed>":      5,
		"<extensions/><gpx:ele>5</gpx:ele>": 5,
	} {
		r, err := readString(inTrack(`<trkpt lat="1" lon="2">` + in + `</trkpt><trkpt lat="3" lon="4"/>`))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(in, func(t *testing.T) {
			wantLine(t, r, []track.Point{{Lat: 1, Lon: 2, Ele: want}, at(3, 4)})
			wantWarnings(t, r)
		})
	}
	r, err := readString(inTrack(`<trkpt lat="1,5" lon="2"><ele>1,234</ele></trkpt><trkpt lat="3" lon="4"/>`))
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, []track.Point{{Lat: 1.5, Lon: 2, Ele: 1.234}, at(3, 4)})
}

func TestGPXTitle(t *testing.T) {
	seg := "<trkseg>" + ab + "</trkseg>"
	rte := `<rtept lat="1" lon="2"><name>P</name></rtept><rtept lat="3" lon="4"/>`
	for _, c := range []struct{ name, in, want string }{
		{"track", `<gpx><metadata><name>M</name></metadata><trk><name>My Trip</name>` + seg + `</trk></gpx>`, "My Trip"},
		{"track after its points", `<gpx><metadata><name>M</name></metadata><trk>` + seg + `<name>My Trip</name></trk></gpx>`, "M"},
		{"first track with a name", `<gpx><trk><name> </name>` + seg + `</trk><trk><name>Two</name>` + seg + `</trk></gpx>`, "Two"},
		{"name of a point", `<gpx><trk><trkseg><trkpt lat="1" lon="2"><name>P</name></trkpt><trkpt lat="3" lon="4"/></trkseg></trk></gpx>`, ""},
		{"name in extensions", `<gpx><trk><extensions><name>E</name></extensions><link href="x"><name>L</name></link>` + seg + `</trk></gpx>`, ""},
		{"author", `<gpx><metadata><author><name>A</name></author></metadata><trk>` + seg + `</trk></gpx>`, ""},
		{"GPX 1.0", `<gpx><name>G</name><trk>` + seg + `</trk></gpx>`, "G"},
		{"waypoint", `<gpx><wpt lat="1" lon="1"><name>W</name></wpt><trk>` + seg + `</trk></gpx>`, ""},
		{"route", `<gpx><name>G</name><rte><name>R</name>` + rte + `</rte></gpx>`, "R"},
		{"route unused", `<gpx><rte><name>R</name>` + rte + `</rte><trk>` + seg + `</trk></gpx>`, ""},
		{"entities and sections", `<gpx><trk><name>A &amp; B <![CDATA[<C>]]> &#233; &#x1F6B2;</name>` + seg + `</trk></gpx>`, "A & B <C> é 🚲"},
		{"custom entities stay", `<gpx><trk><name>&lol9; &nbsp;x</name>` + seg + `</trk></gpx>`, "&lol9; &nbsp;x"},
		{"tags inside", `<gpx><trk><name>A <b>bold</b> trip</name>` + seg + `</trk></gpx>`, "A trip"},
		{"endless", `<gpx><trk><name>` + strings.Repeat("x", 10_000) + `</name>` + seg + `</trk></gpx>`, strings.Repeat("x", 255)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readString(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if r.Title != c.want {
				t.Errorf("title %q, want %q", r.Title, c.want)
			}
			wantWarnings(t, r)
		})
	}
}

func TestGPXWithoutRoute(t *testing.T) {
	for in, words := range map[string]string{
		`<gpx/>`: "no track and no route",
		`<gpx><wpt lat="1" lon="2"/><wpt lat="3" lon="4"/></gpx>`:                           "2 waypoints, but no track and no route",
		`<gpx><wpt lat="1" lon="2"/></gpx>`:                                                 "1 waypoint, but",
		inTrack(`<trkpt lat="1" lon="2"/>`):                                                 "1 track or route point, but no two",
		inTrack(`<trkpt lat="1" lon="2"/><trkpt lat="1" lon="2"/>`):                         "no two in a row at different places",
		inTrack(`<trkpt lat="x" lon="2"/><trkpt lat="100" lon="2"/>`):                       "none with a usable position",
		inTrack(`<trkpt lat="1" lon="2"/></trkseg><trkseg><trkpt lat="3" lon="4"/>`):        "no two in a row",
		`<gpx><rte><rtept lat="1" lon="2"/></rte><rte><rtept lat="3" lon="4"/></rte></gpx>`: "no two in a row",
	} {
		_, err := readString(in)
		t.Run(in, func(t *testing.T) { wantProblem(t, err, ErrNoRoute, words) })
	}
}

func TestGPXRefusesDocumentTypes(t *testing.T) {
	for _, in := range []string{
		`<!DOCTYPE foo [<!ENTITY x "y">]>` + inTrack(ab),
		`<?xml version="1.0"?><!doctype gpx SYSTEM "http://example.org/x.dtd">` + inTrack(ab),
		`<!-- x --><! DocType gpx>` + inTrack(ab),
		`<!ENTITY x SYSTEM "file:///etc/passwd">` + inTrack(ab),
		`<gpx><!DOCTYPE html>` + inTrack(ab) + `</gpx>`,
		inTrack(ab + `<!DOCTYPE foo>`),
	} {
		_, err := readString(in)
		t.Run(in, func(t *testing.T) { wantProblem(t, err, ErrRefused, "DOCTYPE") })
	}
}

func TestGPXDamage(t *testing.T) {
	const damaged = "(2 points)"
	for _, c := range []struct {
		name, in string
		warnings []string // none for ErrDamaged
	}{
		{"complete", inTrack(ab), []string{}},
		{"between two tags", "<gpx><trk><trkseg>" + ab, []string{damaged}},
		{"before the end of the root", "<gpx><trk><trkseg>" + ab + "</trkseg></trk>", []string{damaged}},
		{"in the end of the root", "<gpx><trk><trkseg>" + ab + "</trkseg></trk></gpx", []string{damaged}},
		{"in a start tag", "<gpx><trk><trkseg>" + ab + `<trkpt lat="9" lon="9`, []string{damaged}},
		{"after a start tag", "<gpx><trk><trkseg>" + ab + `<trkpt lat="9" lon="9">`, []string{damaged}},
		{"in a height", "<gpx><trk><trkseg>" + ab + `<trkpt lat="9" lon="9"><ele>12`, []string{damaged}},
		{"after a height", "<gpx><trk><trkseg>" + ab + `<trkpt lat="9" lon="9"><ele>12</ele>`, []string{damaged}},
		{"in the second segment", "<gpx><trk><trkseg>" + ab + `</trkseg><trkseg><trkpt lat="9" lon="9"/>`, []string{"(3 points)"}},
		{"broken tag", inTrack(ab + `<trkpt lat="9" lon="9" <trkpt lat="8" lon="8"/>`), []string{damaged}},
		{"bare text end", inTrack(ab + `]]>`), []string{damaged}},
		{"unclosed point", inTrack(ab + `<trkpt lat="9" lon="9"><ele>1</ele>`), []string{"do not match"}},
		{"unclosed point before another", inTrack(`<trkpt lat="9" lon="9">` + ab), []string{"do not match"}},
		{"tag of HTML in a name", `<gpx><metadata><desc>a<br>b</desc></metadata><trk><trkseg>` + ab + `</trkseg></trk></gpx>`, []string{"do not match"}},
		{"end without a start", inTrack(ab + `</x>`), []string{"do not match"}},
		{"rpt cut", `<gpx><rte><rtept lat="1" lon="2"><extensions><x:E><x:rpt lat="3" lon="4"/><x:rpt lat="5" lon="6">`, []string{damaged}},
		{"unclosed rpt", `<gpx><rte><rtept lat="1" lon="2"/><rtept lat="3" lon="4"><x:rpt lat="9" lon="9"></rtept></rte></gpx>`, []string{"do not match"}},
		{"too deep", inTrack(ab + strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100)), []string{damaged}},
		{"endless tag", inTrack(ab + "<a " + strings.Repeat("b ", 2_100_000) + "/>"), []string{damaged}},
		{"one point", `<gpx><trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="3"`, nil},
		{"declaration alone", `<?xml version="1.0"?>`, nil},
		{"sign alone", `<`, nil},
		{"cut waypoints", `<gpx><wpt lat="1" lon="2"/><wpt `, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readString(c.in)
			if c.warnings == nil {
				wantProblem(t, err, ErrDamaged, "export or download it again")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s := r.Line.Segments(); len(s) != 1 || !s[0][0].Same(at(1, 2)) || !s[0][1].Same(at(3, 4)) || len(s[0]) != 2 {
				t.Errorf("segments %v", s)
			}
			wantWarnings(t, r, c.warnings...)
		})
	}
}

func TestGPXPointsAreLimited(t *testing.T) {
	file := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<trkpt lat="%d" lon="%d"/>`, i%90, i%180)
		}
		return inTrack(b.String())
	}
	r, err := readString(file(maxPoints))
	if err != nil || r.Line.Len() != maxPoints {
		t.Errorf("%d points, %v", r.Line.Len(), err)
	}
	_, err = readString(file(maxPoints + 1))
	wantProblem(t, err, ErrTooLarge, "more than 300000 points")
}

// TestGoldenGPX runs each golden case. Case and expectation are sentences: the
// checks beside them put both into code, and a case without a check fails.
func TestGoldenGPX(t *testing.T) {
	content, err := os.ReadFile("testdata/engine-gpx.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ In, Out string }
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	rte := `<gpx><rte><rtept lat="1" lon="2"/><rtept lat="3" lon="4"><e><x:rpt lat="5" lon="6"/></e></rtept></rte></gpx>`
	checks := map[string]func(*testing.T){
		"GPX with a DOCTYPE": func(t *testing.T) {
			r, err := readString(`<!DOCTYPE gpx>` + inTrack(ab))
			wantProblem(t, err, ErrRefused, "")
			if r.Title != "" {
				t.Errorf("title %q", r.Title)
			}
		},
		"<trk><name>My Trip": func(t *testing.T) {
			if r, err := readString(`<gpx><trk><name>My Trip</name><trkseg>` + ab + `</trkseg></trk></gpx>`); err != nil || r.Title != "My Trip" {
				t.Errorf("title %q, %v", r.Title, err)
			}
		},
		"trkpt without ele": func(t *testing.T) {
			if r, err := readString(inTrack(ab)); err != nil || r.Line.Start().HasEle() {
				t.Errorf("start %v, %v", r.Line.Start(), err)
			}
		},
		"several trkseg/trk": func(t *testing.T) {
			r, err := readString(inTrack(ab + `</trkseg><trkseg>` + cd))
			want := track.Distance(lineAB[0], lineAB[1]) + track.Distance(lineCD[0], lineCD[1])
			if err != nil || len(r.Line.Segments()) != 2 || math.Abs(r.Line.Length()-want) > 1e-6 {
				t.Errorf("%d segments of %f m, want 2 of %f, %v", len(r.Line.Segments()), r.Line.Length(), want, err)
			}
		},
		"only wpt": func(t *testing.T) {
			r, err := readString(`<gpx><wpt lat="1" lon="2"/><wpt lat="3" lon="4"/></gpx>`)
			wantProblem(t, err, ErrNoRoute, "2 waypoints")
			if r.Line.Len() != 0 {
				t.Errorf("%d points", r.Line.Len())
			}
		},
		"only rte": func(t *testing.T) {
			r, err := readString(rte)
			if err != nil {
				t.Fatal(err)
			}
			wantLine(t, r, []track.Point{at(1, 2), at(3, 4), at(5, 6)})
		},
	}
	for _, c := range cases {
		check := checks[c.In]
		if check == nil {
			t.Errorf("no check of %q: %s", c.In, c.Out)
			continue
		}
		t.Run(c.In, check)
	}
}

func FuzzGPX(f *testing.F) {
	for _, s := range []string{
		inTrack(ab), inTrack(ab + "</trkseg><trkseg>" + cd), gpxOf(trackOf(5, 100)), "<gpx><trk><trkseg>" + ab + `<trkpt lat="9" lon="`,
		`<?xml version="1.0" encoding="ISO-8859-1"?><gpx><name>Rh` + "\xf4" + `ne &#1; &#x26;</name><rte><rtept lat="1" lon="2"><ele>1,5</ele><x:rpt lat="3" lon="-181"/></rtept></rte></gpx>`,
		"\xff\xfe<\x00g\x00p\x00x\x00/\x00>\x00", "\xef\xbb\xbf<gpx><wpt/></gpx>", `<!DOCTYPE html>`, inTrack(`<trkpt lat="0" lon="0"><ele>1</ele></trkpt><trkpt lat="1e-150" lon="0"><ele>2</ele></trkpt>`), `{"type":"Feature"}`, "PK\x03\x04", "<gpx><![CDATA[x]]><!-- y --></gpx>",
	} {
		f.Add(s)
	}
	f.Fuzz(checkOutcome)
}

func BenchmarkGPX(b *testing.B) {
	text := gpxOf(trackOf(100_000, 200))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := readString(text); err != nil || r.Line.Len() != 100_000 {
			b.Fatal(r.Line.Len(), err)
		}
	}
}
