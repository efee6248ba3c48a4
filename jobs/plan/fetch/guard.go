package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// httpsPort is the only port that is asked: addresses are named by users, and
// other ports belong to services that were not made for them.
const httpsPort = 443

// httpsPortText is httpsPort as it stands in addresses.
const httpsPortText = "443"

// How long each step to an answer may take. A policy's timeout bounds them all
// together.
const (
	connectTimeout = 5 * time.Second
	tlsTimeout     = 5 * time.Second
	headerTimeout  = 30 * time.Second
	idleTimeout    = 90 * time.Second
)

// maxHeaderBytes bounds the header of an answer, and maxDocumentHeader that of a
// metadata document.
const (
	maxHeaderBytes    = 64 << 10
	maxDocumentHeader = 16 << 10
)

// globalUnicast is all that is assigned to hosts of the IPv6 internet. Outside
// of it lie loopback, unspecified, IPv4-compatible, unique local, link-local,
// site-local, discard-only, segment routing and multicast addresses. Source:
// IANA "IPv6 Address Space", RFC 4291 section 2.4.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// nat64 are IPv4 addresses as a network without IPv4 dials them, in the last
// four bytes. Source: RFC 6052 section 2.1.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// special are the blocks of IPv4 and of globalUnicast that are not hosts of the
// public internet. Source: IANA "IPv4 Special-Purpose Address Registry" and
// "IPv6 Special-Purpose Address Registry" (RFC 6890), where not said otherwise.
// Anycast services inside a block count as the block: none serves https.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("10.0.0.0/8"),      // private use
	netip.MustParsePrefix("100.64.0.0/10"),   // shared address space (carrier-grade NAT)
	netip.MustParsePrefix("127.0.0.0/8"),     // loopback
	netip.MustParsePrefix("169.254.0.0/16"),  // link local
	netip.MustParsePrefix("172.16.0.0/12"),   // private use
	netip.MustParsePrefix("192.0.0.0/24"),    // IETF protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relay anycast, deprecated
	netip.MustParsePrefix("192.168.0.0/16"),  // private use
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarking
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("224.0.0.0/4"),     // multicast, RFC 5771
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),       // IETF protocol assignments, Teredo, benchmarking
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4, which embeds any IPv4 address
	netip.MustParsePrefix("3fff::/20"),       // documentation
}

// isPublic says whether a is an address of a host on the public internet.
func isPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	if a.Is6() && !globalUnicast.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// guard refuses to connect to anything but the https port of a public address.
// It is a net.Dialer's Control: it sees the address that is dialled, after the
// name was looked up, so that no answer of a name server gets past it.
func guard(network, address string, c syscall.RawConn) error {
	if err := guardHost(network, address, c); err != nil {
		return err
	}
	if to, err := netip.ParseAddrPort(address); err != nil || to.Port() != httpsPort {
		return fmt.Errorf("%w: %d is %w", ErrRefused, to.Port(), errPort)
	}
	return nil
}

// guardHost is guard without regard to the port.
func guardHost(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil, network != "tcp4" && network != "tcp6":
		return fmt.Errorf("%w: %s %s is not an internet address", ErrRefused, network, address)
	case !isPublic(to.Addr()):
		return fmt.Errorf("%w: %s is %w", ErrRefused, to.Addr(), errNotPublic)
	}
	return nil
}

// guardedTransport is the network, behind the guard.
func guardedTransport() *http.Transport { return network(guard) }

// documentTransport is the network for metadata documents, whose hosts nobody has
// chosen: every one is dialled anew and seen by the guard.
func documentTransport() *http.Transport {
	t := network(guardHost)
	t.DisableKeepAlives, t.MaxResponseHeaderBytes = true, maxDocumentHeader
	return t
}

// network is a transport whose dialled addresses control sees, nil for nobody.
// It takes no proxy from the environment: a proxy would dial for it, unguarded.
func network(control func(network, address string, _ syscall.RawConn) error) *http.Transport {
	d := &net.Dialer{Timeout: connectTimeout, Control: control}
	return &http.Transport{
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    tlsTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// checkAddress refuses what no policy allows, on the first request and on every
// redirect. That a name leads to a public address is for the guard to see.
func checkAddress(u *url.URL) error {
	switch {
	case u.Scheme != "https":
		return errNotHTTPS
	case hostOf(u) == "":
		return errNoAddress
	case u.User != nil:
		return errUserinfo
	case portOf(u) != httpsPortText:
		return errPort
	}
	return checkHost(u)
}

// checkHost refuses an address that is not public, written as a number.
func checkHost(u *url.URL) error {
	if a, err := netip.ParseAddr(hostOf(u)); err == nil && !isPublic(a) {
		return errNotPublic
	}
	return nil
}
