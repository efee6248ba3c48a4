package source

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"biketrip/jobs/plan/fetch"
	"biketrip/store/trip"
)

// maxSignInPage is how far into a page, in bytes, a form to sign in is looked
// for: pages that are nothing else are short.
const maxSignInPage = 1 << 20

// signInForm is a field for a password, or a form that is sent to a sign-in
// page, in any spelling of HTML (HTML Living Standard, 13.1.2.3 Attributes).
var signInForm = regexp.MustCompile(`(?is)<input\s[^>]*\btype\s*=\s*["']?\s*password\b|` +
	`<form\s[^>]*\baction\s*=\s*["']?[^"'\s>]*\b(login|log_in|signin|sign_in|sign-in)\b`)

// isWebPage says whether an answer is HTML, by what it says of itself or by how
// it begins.
func isWebPage(res *fetch.Response) bool {
	kind := strings.ToLower(res.Header.Get("Content-Type"))
	if strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "application/xhtml") ||
		strings.HasPrefix(http.DetectContentType(res.Body), "text/html") {
		return true
	}
	start := bytes.ToLower(bytes.TrimSpace(res.Body[:min(len(res.Body), 1024)]))
	return bytes.HasPrefix(start, []byte("<")) && bytes.Contains(start, []byte("<html"))
}

// isSignInPage says whether an answer that holds no route is a page that asks to
// sign in: the sources show it in place of what is private.
func isSignInPage(res *fetch.Response) bool {
	return isWebPage(res) && signInForm.Match(res.Body[:min(len(res.Body), maxSignInPage)])
}

// isObject says whether an answer begins like a JSON object.
func isObject(b []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) }

// asksToSignIn says whether an address is that of a sign-in page of the source:
// one of a host that has no other pages, or one of that name. A page of that
// name on a foreign host says nothing of the route.
func (r Ref) asksToSignIn(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !r.isOfSource(u.Hostname()) {
		return false
	}
	switch name, _, _ := strings.Cut(strings.ToLower(u.Hostname()), "."); name {
	case "account", "accounts", "auth", "login", "signin":
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

// isOfSource says whether a host is one of the source of the route.
func (r Ref) isOfSource(host string) bool {
	var domains []string
	switch r.Type {
	case trip.KomootTour, trip.KomootCollection:
		domains = []string{"komoot.com", "komoot.de"}
	case trip.StravaRoute:
		domains = []string{"strava.com", "strava-embeds.com"}
	case trip.RideWithGPS:
		domains = []string{rideWithGPSHost}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, d := range domains {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}
