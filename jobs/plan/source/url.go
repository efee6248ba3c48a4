package source

import (
	"net/url"
	"strconv"
	"strings"

	"biketrip/store/trip"
)

const (
	// maxAddress is the longest address that is read, in bytes; those of the
	// sources have less than 200.
	maxAddress = 2048
	// maxID is the longest id that is quoted, in characters.
	maxID = 20
	// maxKey is the longest share token or privacy code in bytes; those of the
	// sources have about 50.
	maxKey = 256
)

// Ref names a route at its source. It is made by ParseURL.
type Ref struct {
	Type        trip.SourceType
	ID          string // 1 to 20 digits, the first not 0, never a number: some need 64 bits
	ShareToken  string // opens an unlisted Komoot tour; empty for none
	PrivacyCode string // opens an unlisted RideWithGPS route; empty for none
}

// URL is the one address of the route, with the key that opens it.
func (r Ref) URL() string { return r.String() + query(r.key()) }

// String is the address of the route for messages: without the key.
func (r Ref) String() string { return "https://" + r.Host() + r.path() }

// Host is the host of the address; empty for a Ref that ParseURL did not make.
func (r Ref) Host() string {
	switch r.Type {
	case trip.KomootTour, trip.KomootCollection:
		return komootHost
	case trip.StravaRoute:
		return stravaHost
	case trip.RideWithGPS:
		return rideWithGPSHost
	}
	return ""
}

func (r Ref) path() string {
	switch r.Type {
	case trip.KomootTour:
		return "/tour/" + url.PathEscape(r.ID)
	case trip.KomootCollection:
		return "/collection/" + url.PathEscape(r.ID)
	}
	return "/routes/" + url.PathEscape(r.ID)
}

// what names the route in a sentence.
func (r Ref) what() string {
	switch r.Type {
	case trip.KomootTour:
		return "Komoot tour " + r.ID
	case trip.KomootCollection:
		return "Komoot collection " + r.ID
	case trip.StravaRoute:
		return "Strava route " + r.ID
	}
	return "RideWithGPS route " + r.ID
}

// key is the parameter that opens an unlisted route, both empty for none.
func (r Ref) key() (name, value string) {
	switch {
	case r.ShareToken != "":
		return "share_token", r.ShareToken
	case r.PrivacyCode != "":
		return "privacy_code", r.PrivacyCode
	}
	return "", ""
}

// query is the query of one parameter, empty where it has no value.
func query(name, value string) string {
	if value == "" {
		return ""
	}
	return "?" + name + "=" + url.QueryEscape(value)
}

// ParseURL reads the address of a route as people copy it: in any language of
// the source, with its slug, its tracking and its fragment, which are dropped,
// and with the key that opens an unlisted route, which is kept. It asks nobody.
// The error is trip.ErrUnsupportedSource; a near miss says what to send instead.
func ParseURL(text string) (Ref, error) {
	address := strings.TrimSpace(text)
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	}
	ref, special := parseHTTPS(rest)
	found := ref.ID != ""
	switch strings.ToLower(scheme) {
	case "https":
		if found {
			return ref, nil
		}
	case "http":
		if found {
			special = "Send it with https instead of http."
		}
	case "":
		if found {
			special = "Start it with https://."
		}
	default:
		special = ""
	}
	return Ref{}, trip.ErrUnsupportedSource(address, special)
}

// parseHTTPS reads an address without its scheme. The Ref is empty where the
// address is none of a route; special tells a near miss.
func parseHTTPS(rest string) (ref Ref, special string) {
	if len(rest) > maxAddress {
		return Ref{}, ""
	}
	u, err := url.Parse("https://" + rest)
	if err != nil || u.User != nil || !isASCII(u.Host) {
		return Ref{}, ""
	}
	// Links copied from the source of a page have & written out.
	keys, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "&amp;", "&"))
	damaged := err != nil && (strings.Contains(u.RawQuery, "share_token") || strings.Contains(u.RawQuery, "privacy_code"))
	// The segments stay as they are escaped: no address of a source escapes
	// its path up to the id, and what comes after is not read.
	path := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	host := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(u.Host), ":443"), ".")
	switch withoutLanguage(host) {
	case "www.komoot.com", "komoot.com", "www.komoot.de", "komoot.de", "api.komoot.de":
		ref, special = komootRef(path)
		ref.ShareToken = keys.Get("share_token")
	case "www.strava.com", "strava.com", "m.strava.com":
		ref, special = stravaRef(path)
	case "strava-embeds.com":
		ref, special = stravaEmbedRef(path)
	case "strava.app.link":
		return Ref{}, stravaShortLink
	case "ridewithgps.com", "www.ridewithgps.com":
		ref, special = rideWithGPSRef(path)
		ref.PrivacyCode = keys.Get("privacy_code")
	}
	switch {
	case ref.ID == "" && isRouteFile(u.Path):
		return Ref{}, "This is a link to a file: download it; files are planned by biketrip plan FILE."
	case ref.ID == "":
		return Ref{}, special
	case damaged || !isKey(ref.ShareToken) || !isKey(ref.PrivacyCode):
		return Ref{}, "The key in this link is damaged: copy the link again."
	}
	return ref, ""
}

// pathRef is the route of a path whose first segments are the word and an id.
func pathRef(path []string, word string, source trip.SourceType) (Ref, bool) {
	if len(path) < 2 || path[0] != word {
		return Ref{}, false
	}
	// The address of what the source gives to programs and as a file is that of
	// the route, with the type behind.
	id := path[1]
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		switch strings.ToLower(id[i:]) {
		case ".json", ".gpx":
			id = id[:i]
		}
	}
	if id = strings.TrimLeft(id, "0"); !isID(id) {
		return Ref{}, false
	}
	return Ref{Type: source, ID: id}, true
}

// withoutLanguage is a host of Komoot without the language before it, such as
// that of fr.komoot.com; any other host is left as it is.
func withoutLanguage(host string) string {
	language, rest, _ := strings.Cut(host, ".")
	if len(language) == 2 && isAmong(language, 'a', 'z') && (rest == "komoot.com" || rest == "komoot.de") {
		return rest
	}
	return host
}

// isAmong says whether all characters of text lie between two of them.
func isAmong(text string, from, to rune) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c < from || c > to })
}

// isID says whether text is the id of a route: a whole number from 1 that fits
// 64 bits, in the one way of writing it.
func isID(text string) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	return err == nil && strconv.FormatUint(n, 10) == text && n > 0
}

// isKey says whether text can be the key that opens a route, or is empty.
func isKey(text string) bool {
	return len(text) <= maxKey && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}

// isASCII keeps out the letters that turn into those of a host in lower case.
func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > '~' })
}

func isRouteFile(path string) bool {
	path = strings.ToLower(path)
	return strings.HasSuffix(path, ".gpx") || strings.HasSuffix(path, ".fit")
}
