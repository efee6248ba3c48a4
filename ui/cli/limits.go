package cli

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"biketrip/store/limit"
)

// limits are how often what may be done. They are published, and no flag changes
// one.
type limits struct {
	requests       rate // to the endpoint, from an address
	calls          rate // of tools, by a user through a client
	writes         rate // of those, that change something
	creations      rate // of trips, by a user
	searches       rate // for places, by a user
	authorizations rate // of visits to the authorization endpoint in five minutes, by a user
	exchanges      rate // of codes and refresh tokens, from an address
	mailsTo        rate // of sign-in links to an e-mail address in fifteen minutes
	mailsFrom      rate // of wishes for one in fifteen minutes, from an address
	guesses        rate // of sign-in links and handles that are not there in an hour, from an address
	registrations  rate // of applications by themselves, from an address

	documentsByUser, documentsByHost rate // of documents that are new here in an hour, by user and by their host
}

// A rate is so many a minute, none for any number.
type rate int

// publishedLimits are those of the contract.
func publishedLimits() limits {
	return limits{requests: 300, calls: 60, writes: 20, creations: 10, searches: 30, authorizations: 30, exchanges: 60,
		mailsTo: 3, mailsFrom: 10, guesses: 30, registrations: 10, documentsByUser: 20, documentsByHost: 60}
}

// limiter is the limiter of a rate, nil for any number.
func (r rate) limiter() *limit.Limiter { return r.in(time.Minute) }

// in is the limiter of so many in another time than a minute.
func (r rate) in(window time.Duration) *limit.Limiter {
	if r == 0 {
		return nil
	}
	return limit.New(int(r), window, nil)
}

// cameFrom is the key of the address that a request comes from: that of its
// sender or, where that is a proxy of the operator's, the last one that this or
// the proxies before it name and that is none of them.
func (p *program) cameFrom(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	from, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if !p.isProxy(from) {
		return limit.AddressKey(from)
	}
	named := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(named) - 1; i >= 0 && p.isProxy(from); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(named[i]))
		if err != nil {
			at, err := netip.ParseAddrPort(strings.TrimSpace(named[i]))
			if err != nil {
				break
			}
			before = at.Addr()
		}
		from = before
	}
	return limit.AddressKey(from)
}

func (p *program) isProxy(a netip.Addr) bool {
	for _, prefix := range p.proxies {
		if prefix.Contains(a.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}
