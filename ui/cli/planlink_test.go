package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
)

// outside stands for the world: what each address answers.
type outside map[string]string

func (o outside) RoundTrip(r *http.Request) (*http.Response, error) {
	body, known := o[r.URL.Host+r.URL.Path]
	status := http.StatusOK
	if !known {
		status = http.StatusNotFound
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/hal+json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// komoot answers as Komoot does for some tours, each 50 km to the north of the
// one before, and a collection of them.
func komoot(tours ...int) outside {
	o := outside{}
	var items []string
	for i, id := range tours {
		var points []string
		for k := range 201 {
			points = append(points, fmt.Sprintf(`{"lat":%v,"lng":5.0,"alt":%d,"t":%d}`, 45+float64(i)*0.45+float64(k)*0.00225, 100+k, 1000*k))
		}
		o[fmt.Sprintf("api.komoot.de/v007/tours/%d", id)] = fmt.Sprintf(`{"id":%d,"name":"Tour %d","type":"tour_planned","status":"public"}`, id, id)
		o[fmt.Sprintf("api.komoot.de/v007/tours/%d/coordinates", id)] = `{"items":[` + strings.Join(points, ",") + `]}`
		items = append(items, fmt.Sprintf(`{"id":%d}`, id))
	}
	page := `{"page":{"_embedded":{"collectionHal":{"name":"Rhône \"north\"","_embedded":{"compilation":{"_embedded":{"items":[` + strings.Join(items, ",") + `]}}}}}}}`
	o["www.komoot.com/collection/9"] = `<html><script>kmtBoot.setProps("` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(page) + `");</script></html>`
	return o
}

// online runs the program in a made-up world.
func online(o outside, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, &streams{in: strings.NewReader(""), out: &out, err: &err, transport: o})
	return code, out.String(), err.String()
}

func TestPlanLink(t *testing.T) {
	code, out, errs := online(komoot(1, 2), "plan", "https://www.komoot.de/de-de/tour/1?share_token=abc&ref=wtd", "--start-date", "2027-07-01")
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	if !strings.HasPrefix(out, "Tour 1\n50.0 km, 200 m up") {
		t.Errorf("%s", out)
	}
}

// TestPlanCollection: a day a tour, whatever the settings say.
func TestPlanCollection(t *testing.T) {
	code, out, errs := online(komoot(11, 12, 13), "plan", "https://www.komoot.com/collection/9/north", "--max-distance-per-day", "30", "--start-date", "2027-07-01")
	if code != exitOK {
		t.Fatalf("exit %d, %s", code, errs)
	}
	for _, want := range []string{"Rhône \"north\"\n150.1 km", "3 days", "Sat 3 Jul 2027", "The days are the tours"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	days := 0.0
	for line := range strings.Lines(out) {
		var n, d, y int
		var w, m string
		var km float64
		if c, _ := fmt.Sscan(line, &n, &w, &d, &m, &y, &km); c == 6 {
			days += km
		}
	}
	if math.Abs(days-150.1) > 1e-6 {
		t.Errorf("the days have %v km", days)
	}
}

// TestPlanKeepsKeys: the key of an unlisted route is not shown.
func TestPlanKeepsKeys(t *testing.T) {
	o := outside{"ridewithgps.com/routes/8.json": `{"track_points":[{"x":5,"y":45},{"x":"?","y":45},{"x":5,"y":45.1}]}`}
	for _, args := range [][]string{
		{"https://ridewithgps.com/routes/8?privacy_code=secret"},
		{"https://ridewithgps.com/routes/8?privacy_code=secret", "--json"},
		{"https://ridewithgps.com/routes/7?privacy_code=secret"},
	} {
		_, out, errs := online(o, append([]string{"plan"}, args...)...)
		if strings.Contains(out+errs, "secret") || !strings.Contains(out+errs, "https://ridewithgps.com/routes/") {
			t.Errorf("%v: %s %s", args, out, errs)
		}
	}
}

func TestPlanLinkErrors(t *testing.T) {
	for link, says := range map[string]string{
		"https://www.komoot.com/tour/404":                      "no Komoot tour 404",
		"https://www.strava.com/activities/5":                  "activity",
		"http://www.komoot.com/tour/1":                         "https",
		"https://example.org/tour/1":                           "not supported",
		"https://ridewithgps.com/routes/7?privacy_code=secret": "no RideWithGPS route 7",
	} {
		code, out, errs := online(komoot(1), "plan", link)
		if code != exitError || out != "" || !strings.Contains(errs, says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q does not say %q on one line", link, code, out, errs, says)
		}
	}
}
