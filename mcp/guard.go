package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// healthPath is the one route that answers under any name: who asks whether the
// process lives does not know what it is called.
const healthPath = "/healthz"

// preflightSeconds is how long a browser need not ask again whether it may ask:
// the most that any of them heeds.
const preflightSeconds = 7200

// loopbackNames are what a browser on the machine of the server may call it.
var loopbackNames = []string{"localhost", "127.0.0.1", "::1"}

// A home is where the server lives, as requests may name it.
type home struct {
	uri      string
	usual    string // the port of the scheme
	port     string
	hosts    []string // what Host may say
	origins  []string // what Origin may say
	loopback bool
}

// newHome reads DEFAULT_URI. It panics where that is not a scheme and a host,
// which the boot makes sure of.
func newHome(uri string) home {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" || uri != u.Scheme+"://"+u.Host {
		panic(fmt.Sprintf("mcp: DEFAULT_URI %q is not a scheme and a host", uri))
	}
	usual, known := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if !known {
		panic(fmt.Sprintf("mcp: DEFAULT_URI %q is neither http nor https", uri))
	}
	h := home{uri: uri, usual: usual, port: u.Port(), loopback: isLoopback(u.Hostname())}
	if h.port == "" {
		h.port = usual
	}
	h.hosts = []string{net.JoinHostPort(u.Hostname(), h.port)}
	if h.port == usual {
		h.hosts = append(h.hosts, strings.TrimSuffix(h.hosts[0], ":"+usual))
	}
	for _, host := range h.hosts {
		h.origins = append(h.origins, u.Scheme+"://"+host)
	}
	return h
}

func isLoopback(name string) bool {
	a, err := netip.ParseAddr(name)
	return err == nil && a.IsLoopback() || strings.EqualFold(name, loopbackNames[0])
}

// among says whether a name is one of some, without case.
func among(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Guard lets pass what is asked of the host of DEFAULT_URI: a page that has a
// name of its own resolve to this machine must not reach the server under it.
// Another host is refused with 403, but for a page asked under another name of
// this same machine, which is sent to DEFAULT_URI. /healthz always passes.
func Guard(defaultURI string) func(http.Handler) http.Handler {
	h := newHome(defaultURI)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == healthPath, among(h.hosts, r.Host):
				next.ServeHTTP(w, r)
			case h.isNeighbour(r):
				// The scheme and the host are ours whatever the path is.
				to := h.uri + r.URL.EscapedPath()
				if r.URL.RawQuery != "" {
					to += "?" + r.URL.RawQuery
				}
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusTemporaryRedirect)
			default:
				otherHost(h.uri).write(w)
			}
		})
	}
}

// isNeighbour says whether a page is asked under another loopback name of this
// server. What programs ask for is not a page: they are told what is wrong
// rather than led on with a token in hand.
func (h home) isNeighbour(r *http.Request) bool {
	path := r.URL.Path
	switch {
	case !h.loopback, r.Method != http.MethodGet && r.Method != http.MethodHead, !strings.HasPrefix(path, "/"):
		return false
	case path == Path, strings.HasPrefix(path, Path+"/"), strings.HasPrefix(path, "/oauth/") && !strings.Contains(r.Header.Get("Accept"), "text/html"), strings.HasPrefix(path, "/.well-known/"):
		return false
	}
	asked := url.URL{Host: r.Host}
	port := asked.Port()
	if port == "" {
		port = h.usual
	}
	return port == h.port && among(loopbackNames, asked.Hostname())
}

// checkOrigin refuses what the page of somewhere else asks. What no page asks
// has no origin. Source: MCP 2026-07-28, "Streamable HTTP", security.
func (h home) checkOrigin(r *http.Request) *fault {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 || len(origins) == 1 && among(h.origins, origins[0]) {
		return nil
	}
	return otherOrigin(h.uri)
}

// share lets a page whose origin is checked read the answer, and answers the
// question of its browser whether it may ask at all, after which there is nothing
// more to do. Source: Fetch, "CORS protocol".
func share(w http.ResponseWriter, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "WWW-Authenticate")
	header.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", http.MethodPost)
	header.Set("Access-Control-Allow-Headers", strings.Join([]string{"Authorization", "Content-Type", headerVersion, headerMethod, headerName}, ", "))
	header.Set("Access-Control-Max-Age", strconv.Itoa(preflightSeconds))
	w.WriteHeader(http.StatusNoContent)
	return true
}
