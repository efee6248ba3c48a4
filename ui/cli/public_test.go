package cli

import (
	"cmp"
	"strings"
	"testing"
)

func TestPublicURI(t *testing.T) {
	for given, want := range map[string]string{
		"https://example.org":           "https://example.org",
		"HTTPS://Trips.Example.ORG":     "https://trips.example.org",
		"https://example.org:443":       "https://example.org",
		"https://example.org:8443":      "https://example.org:8443",
		"https://example.org:80":        "https://example.org:80",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
		"https://my_host":               "https://my_host",
		"https://192.0.2.7":             "https://192.0.2.7",
		"https://[2001:DB8::0:1]:443":   "https://[2001:db8::1]",
		"http://localhost":              "http://localhost",
		"http://localhost:80":           "http://localhost",
		"http://LOCALHOST:8080":         "http://localhost:8080",
		"http://localhost:443":          "http://localhost:443",
		"https://localhost":             "https://localhost",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"http://127.9.9.9":              "http://127.9.9.9",
		"http://[::1]:8080":             "http://[::1]:8080",
		"http://[0:0:0:0:0:0:0:1]":      "http://[::1]",
		"https://1password.example":     "https://1password.example",
		"https://a.b-c.d.example:65535": "https://a.b-c.d.example:65535",
	} {
		if got, err := publicURI(given); got != want || err != nil {
			t.Errorf("%s: %s, %v", given, got, err)
		}
	}
	for given, says := range map[string]string{
		"example.org":                  "does not begin with https://",
		"example.org:8443":             "does not begin with https://",
		"//example.org":                "does not begin with https://",
		"ftp://example.org":            "does not begin with https://",
		"https://example.org/":         "ends with a slash",
		"https://example.org//":        "has a path",
		"https://example.org/trips":    "has a path",
		"https://example.org?":         "query",
		"https://example.org?a=b":      "query",
		"https://example.org#":         "fragment",
		"https://example.org/#x":       "fragment",
		"https://anna@example.org":     "user or password",
		"https://anna:pw@example.org":  "user or password",
		"https://@example.org":         "user or password",
		"https://":                     "has no host",
		"https:///":                    "slash",
		"https:example.org":            "has no host",
		"https://:8443":                "has no host",
		"https://example.org:":         "port",
		"https://example.org:0":        "port",
		"https://example.org:0443":     "port",
		"https://example.org:65536":    "port",
		"https://example.org:https":    "is no address",
		"https://exa mple.org":         "is no address",
		"https://example.org ":         "is no address",
		" https://example.org":         "is no address",
		"https://example.org\n":        "is no address",
		"https://bücher.example":       "xn--",
		"https://*.example.org":        "letters, digits and hyphens",
		"https://example.org.":         "dot too many",
		"https://.example.org":         "dot too many",
		"https://192.0.2":              "ends in a number",
		"https://2130706433":           "ends in a number",
		"https://192.0.2.0x7":          "ends in a number",
		"https://[fe80::1%25eth0]":     "letters, digits and hyphens",
		"https://[::1":                 "is no address",
		"http://example.org":           "needs https",
		"http://192.168.0.2:8080":      "needs https",
		"http://localhost.example.org": "needs https",
		"http://[::ffff:127.0.0.1]":    "needs https",
		"http://0.0.0.0:8080":          "needs https",
	} {
		got, err := publicURI(given)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "https://example.org") || got != "" {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
}

func TestPublicFlag(t *testing.T) {
	for _, c := range []struct{ uri, domain, want, says string }{
		{"", "", "http://localhost:8080", ""},
		{"https://a.example", "", "https://a.example", ""},
		{"", "a.example", "https://a.example", ""},
		{"", "A.example:443", "https://a.example", ""},
		{"", "a.example:8443", "https://a.example:8443", ""},
		{"HTTPS://a.example:443", "A.EXAMPLE", "https://a.example", ""},
		{"https://a.example", "b.example", "", "--default-uri is https://a.example and --domain is short for https://b.example"},
		{"http://localhost", "localhost", "", "give one of them"},
		{"x", "", "", "--default-uri must be"},
		{"", "https://a.example", "", "--domain must be a host alone"},
		{"", "a.example/", "", "--domain must be a host alone"},
		{"", "me@a.example", "", "--domain must be a host alone"},
		{"", "a.example?", "", "--domain must be a host alone"},
		{"", "a..example", "", "--domain must be"},
	} {
		f := publicFlag{DefaultURI: c.uri, Domain: c.domain}
		got, err := f.uri()
		got = cmp.Or(got, defaultPublic)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) || err == nil && got != c.want {
			t.Errorf("%q %q: %q, %v", c.uri, c.domain, got, err)
		}
		if (f.Validate() == nil) != (err == nil) {
			t.Errorf("%q %q: Validate says %v", c.uri, c.domain, f.Validate())
		}
	}
}
