package source

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"biketrip/store/trip"
)

func TestParseURL(t *testing.T) {
	const (
		tour, collection = trip.KomootTour, trip.KomootCollection
		strava, rwgps    = trip.StravaRoute, trip.RideWithGPS
	)
	const twenty = "18446744073709551615" // 2⁶⁴-1
	for text, want := range map[string]Ref{
		"https://www.komoot.com/tour/123456789":                             {Type: tour, ID: "123456789"},
		"https://komoot.com/tour/1":                                         {Type: tour, ID: "1"},
		"https://www.komoot.de/tour/1":                                      {Type: tour, ID: "1"},
		"https://komoot.de/tour/1":                                          {Type: tour, ID: "1"},
		"https://www.komoot.com/de-de/tour/1":                               {Type: tour, ID: "1"},
		"https://www.komoot.com/fr-fr/tour/1/":                              {Type: tour, ID: "1"},
		"https://www.komoot.com/tour/1///":                                  {Type: tour, ID: "1"},
		"https://www.komoot.com/tour/1/zoom?share_token=aB-_.~9&ref=wtd#m":  {Type: tour, ID: "1", ShareToken: "aB-_.~9"},
		"https://www.komoot.com/tour/1?a=1&amp;share_token=y":               {Type: tour, ID: "1", ShareToken: "y"},
		"https://www.komoot.com/tour/1/embed?ref=x&share_token=a%2Bb%26c":   {Type: tour, ID: "1", ShareToken: "a+b&c"},
		"https://www.komoot.com/invite-tour/1?code=x&share_token=y":         {Type: tour, ID: "1", ShareToken: "y"},
		"https://www.komoot.com/tour/1?share_token=":                        {Type: tour, ID: "1"},
		"https://www.komoot.com/tour/1?privacy_code=x":                      {Type: tour, ID: "1"},
		"https://www.komoot.com/tour/" + twenty:                             {Type: tour, ID: twenty},
		"https://www.komoot.com/tour/007":                                   {Type: tour, ID: "7"},
		"https://www.komoot.com/collection/12345/my-collection":             {Type: collection, ID: "12345"},
		"https://www.komoot.com/it-it/collection/9/-l%27est?share_token=tk": {Type: collection, ID: "9", ShareToken: "tk"},
		" \t\n https://WWW.Komoot.COM/tour/1 \r\n":                          {Type: tour, ID: "1"},
		"HTTPS://www.komoot.com:443/tour/1":                                 {Type: tour, ID: "1"},
		"https://www.strava.com/routes/3141592653589793238":                 {Type: strava, ID: "3141592653589793238"},
		"https://strava.com/routes/1/?share_token=x":                        {Type: strava, ID: "1"},
		"https://www.strava.com/routes/1/export_gpx":                        {Type: strava, ID: "1"},
		"https://ridewithgps.com/routes/1?privacy_code=Ab12&utm_source=x":   {Type: rwgps, ID: "1", PrivacyCode: "Ab12"},
		"https://www.ridewithgps.com/routes/1/edit":                         {Type: rwgps, ID: "1"},
		"https://www.komoot.com./tour/1":                                    {Type: tour, ID: "1"},
		"https://www.komoot.com.:443/tour/1":                                {Type: tour, ID: "1"},
		"https://fr.komoot.com/tour/1?share_token=y":                        {Type: tour, ID: "1", ShareToken: "y"},
		"https://DE.komoot.de/collection/2/slug":                            {Type: collection, ID: "2"},
		"https://www.komoot.com/de-DE/tour/1":                               {Type: tour, ID: "1"},
		"https://api.komoot.de/v007/tours/1?share_token=y":                  {Type: tour, ID: "1", ShareToken: "y"},
		"https://api.komoot.de/v007/tours/1.gpx":                            {Type: tour, ID: "1"},
		"https://www.komoot.com/api/v007/tours/1/coordinates":               {Type: tour, ID: "1"},
		"https://m.strava.com/routes/1":                                     {Type: strava, ID: "1"},
		"https://strava-embeds.com/route/3141592653589793238":               {Type: strava, ID: "3141592653589793238"},
		"https://ridewithgps.com/routes/123.gpx?privacy_code=x":             {Type: rwgps, ID: "123", PrivacyCode: "x"},
		"https://ridewithgps.com/routes/123.JSON":                           {Type: rwgps, ID: "123"},
		"https://ridewithgps.com/routes/0001":                               {Type: rwgps, ID: "1"},
		"https://ridewithgps.com/routes/0000000000000000000000000000000012": {Type: rwgps, ID: "12"},
	} {
		got, err := ParseURL(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestCanonicalURL(t *testing.T) {
	for text, want := range map[string][2]string{
		"https://komoot.de/de-de/tour/1/x?a=b&share_token=t%2F1#f":   {"https://www.komoot.com/tour/1?share_token=t%2F1", "https://www.komoot.com/tour/1"},
		"https://komoot.com/collection/2/slug":                       {"https://www.komoot.com/collection/2", "https://www.komoot.com/collection/2"},
		"https://strava.com/routes/3?x=y":                            {"https://www.strava.com/routes/3", "https://www.strava.com/routes/3"},
		"https://www.ridewithgps.com/routes/4/edit?privacy_code=p+q": {"", ""},
		"https://www.ridewithgps.com/routes/4/edit?privacy_code=pq":  {"https://ridewithgps.com/routes/4?privacy_code=pq", "https://ridewithgps.com/routes/4"},
	} {
		ref, err := ParseURL(text)
		if want[0] == "" {
			wantRefusal(t, text, "key in this link is damaged")
			continue
		}
		if err != nil || ref.URL() != want[0] || ref.String() != want[1] {
			t.Errorf("%q: URL %q, String %q, %v", text, ref.URL(), ref, err)
		}
	}
}

// wantRefusal checks that an address is refused with the words, none for no
// more than the published hint.
func wantRefusal(t *testing.T, text, words string) {
	t.Helper()
	ref, err := ParseURL(text)
	var r *trip.Refusal
	if !errors.As(err, &r) || r.Code != "unsupported_source" || ref != (Ref{}) {
		t.Errorf("%q: got %+v, %v", text, ref, err)
		return
	}
	plain := trip.ErrUnsupportedSource(text, "").Hint
	special := strings.TrimPrefix(r.Hint, plain)
	if words == "" && special != "" || !strings.Contains(special, words) {
		t.Errorf("%q: special %q, want %q", text, special, words)
	}
}

func TestNearMisses(t *testing.T) {
	for text, words := range map[string]string{
		"http://www.komoot.com/tour/1":                         "https instead of http",
		"HTTP://ridewithgps.com/routes/1":                      "https instead of http",
		"www.komoot.com/tour/1":                                "Start it with https://",
		"http://www.strava.com/activities/1":                   "This is an activity",
		"https://www.strava.com/activities/123":                "make a route of it",
		"https://www.strava.com/segments/123":                  "This is a segment",
		"https://www.strava.com/athletes/123":                  "page of a person",
		"https://www.strava.com/routes/abc":                    "open the route and copy",
		"https://strava.app.link/AbCdEf":                       "short link",
		"https://ridewithgps.com/trips/123":                    "This is a ride",
		"https://ridewithgps.com/events/123-x":                 "This is an event",
		"https://ridewithgps.com/":                             "open the route and copy",
		"https://ridewithgps.com/routes/123.fit":               "biketrip plan FILE",
		"https://ridewithgps.com/routes/123.json.gpx":          "biketrip plan FILE",
		"https://ridewithgps.com/routes/.gpx":                  "biketrip plan FILE",
		"https://www.komoot.com/tour/0":                        "copy its address",
		"https://www.komoot.com/tour/000":                      "copy its address",
		"https://www.komoot.com/tour/18446744073709551616":     "copy its address",
		"https://www.komoot.com/tour/99999999999999999999":     "copy its address",
		"https://www.komoot.com/tour/1.kml":                    "copy its address",
		"https://www.komoot.com/tours/1":                       "copy its address",
		"https://www.komoot.com/api/tours/1":                   "copy its address",
		"https://www.komoot.com/api/v007/users/1":              "copy its address",
		"https://api.komoot.de/vx/tours/1":                     "copy its address",
		"https://api.komoot.de/":                               "copy its address",
		"https://www.komoot.com/api":                           "copy its address",
		"https://strava-embeds.com/activity/1":                 "page for other sites",
		"https://strava-embeds.com/":                           "page for other sites",
		"https://example.com/a/b.GPX?x=y":                      "biketrip plan FILE",
		"https://example.com/a.fit":                            "biketrip plan FILE",
		"https://www.komoot.com/smarttour/e123/x":              "save it there as a tour first",
		"https://www.komoot.com/de-de/smarttour/123":           "save it there as a tour first",
		"https://www.komoot.com/user/123":                      "page of a person",
		"https://www.komoot.com/highlight/123":                 "highlight",
		"https://www.komoot.com/fr-fr/discover/x":              "search",
		"https://www.komoot.com/tour/":                         "copy its address",
		"https://www.komoot.com":                               "copy its address",
		"https://www.komoot.com/de-de":                         "copy its address",
		"https://www.komoot.com/tour/" + longID:                "copy its address",
		"https://www.komoot.com/tour/1?share_token=a%0Ab":      "key in this link is damaged",
		"https://www.komoot.com/tour/1?share_token=%zz":        "key in this link is damaged",
		"https://www.komoot.com/tour/1?share_token=a;b":        "key in this link is damaged",
		"https://www.komoot.com/tour/1?share_token=" + longKey: "key in this link is damaged",
	} {
		wantRefusal(t, text, words)
	}
}

var (
	longID  = strings.Repeat("1", 21)
	longKey = strings.Repeat("k", 257)
)

func TestForeignAddressesAreRefused(t *testing.T) {
	for _, text := range []string{
		"", " ", "tour/1", "123", "https://", "https://example.com", "https://example.com/tour/1",
		"https://www.komoot.com.attacker.example/tour/1", "https://www.komoot.com@attacker.example/tour/1",
		"https://attacker.example/https://www.komoot.com/tour/1", "https://attacker.example#www.komoot.com/tour/1",
		"https://attacker.example?https://www.komoot.com/tour/1", "https://user:pw@www.komoot.com/tour/1", "https://@www.komoot.com/tour/1",
		"https://www.komoot.com:8443/tour/1", "https://www.komoot.com:/tour/1", "https://www.komoot.com../tour/1", "https://.komoot.com/tour/1",
		"https://fr.strava.com/routes/1", "https://fr.fr.komoot.com/tour/1", "https://f1.komoot.com/tour/1", "https://fr.komoot.com.attacker.example/tour/1", "https://fr.evilkomoot.com/tour/1",
		"https://api.komoot.com/v007/tours/1", "https://api.strava.com/routes/1", "https://evil.strava-embeds.com/route/1",
		"https://evilkomoot.com/tour/1", "https://m.komoot.com/tour/1", "https://www.komoot.com\\@attacker.example/tour/1",
		"https://www%2ekomoot.com/tour/1", "https://www.\u212aomoot.com/tour/1", "https://www.komoot\u3002com/tour/1",
		"https://[::1]/tour/1", "https://127.0.0.1/routes/1", "ftp://www.komoot.com/tour/1", "ftp://www.strava.com/activities/1",
		"javascript:https://www.komoot.com/tour/1", "file:///tour/1.txt", "https://www.komoot.com/tour/1\x00", "https://www.komoot.com/to\nur/1",
		"https://www.komoot.com/tour/1?" + strings.Repeat("x", 3000),
	} {
		wantRefusal(t, text, "")
	}
	// Of a host of ours, but no route.
	for _, text := range []string{
		"https://www.komoot.com/%74our/1", "https://www.komoot.com/tour%2F1", "https://www.komoot.com/tour/1%2F..%2F2", "https://www.komoot.com/tour/%31",
		"https://www.komoot.com/tour/-1", "https://www.komoot.com/tour/1.5", "https://www.komoot.com/tour/\u0661", "https://www.komoot.com//tour/1",
		"https://www.komoot.com/x/tour/1", "https://www.komoot.com/DE-de/tour/1", "https://www.komoot.com/../tour/1", "https://www.strava.com/de-de/routes/1",
	} {
		wantRefusal(t, text, "copy its address")
	}
}

// ourHosts are all hosts that a Ref may name.
var ourHosts = []string{"www.komoot.com", "www.strava.com", "ridewithgps.com"}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{
		"https://www.komoot.com/de-de/tour/1/zoom?share_token=a%2Bb&ref=x#y", "https://komoot.de/collection/22/s%C3%BCd", "https://strava.com/routes/3",
		"https://www.ridewithgps.com/routes/4?privacy_code=a%26b", "http://www.komoot.com:443/tour/1", "https://u:p@www.komoot.com/tour/1", "www.strava.com/activities/1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := ParseURL(text)
		if err != nil {
			var r *trip.Refusal
			if !errors.As(err, &r) || ref != (Ref{}) {
				t.Fatalf("got %+v, %v", ref, err)
			}
			return
		}
		if again, err := ParseURL(ref.URL()); err != nil || again != ref || again.URL() != ref.URL() {
			t.Errorf("%q is %+v, its URL %q is %+v, %v", text, ref, ref.URL(), again, err)
		}
		host, path, _ := strings.Cut(strings.TrimPrefix(ref.String(), "https://"), "/")
		if !slices.Contains(ourHosts, host) || host != ref.Host() || strings.ContainsAny(path, "?#%@:") || !isID(ref.ID) {
			t.Errorf("%q leads to %q", text, ref)
		}
		if key := ref.ShareToken + ref.PrivacyCode; len(key) > len(ref.String()) && strings.Contains(ref.String(), key) {
			t.Errorf("%q shows the key", ref)
		}
	})
}
