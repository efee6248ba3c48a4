package fetch

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestIsPublic(t *testing.T) {
	for block, addresses := range map[string]string{
		"this network":             "0.0.0.0 0.255.255.255",
		"private":                  "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255",
		"carrier-grade NAT":        "100.64.0.0 100.127.255.255",
		"loopback":                 "127.0.0.1 127.255.255.255 ::1",
		"link local":               "169.254.0.0 169.254.169.254 169.254.255.255 fe80::1 febf:ffff::1 fe80::1%eth0",
		"protocol assignments":     "192.0.0.0 192.0.0.170 192.0.0.255 2001:1::1 2001:20::1 2001:1ff:ffff::1",
		"documentation":            "192.0.2.1 198.51.100.1 203.0.113.255 2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff:ffff::1",
		"6to4 relays":              "192.88.99.1",
		"benchmarking":             "198.18.0.0 198.19.255.255 2001:2::1",
		"multicast":                "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
		"reserved":                 "240.0.0.0 255.255.255.254",
		"broadcast":                "255.255.255.255",
		"unspecified":              "::",
		"IPv4-compatible":          "::127.0.0.1 ::8.8.8.8",
		"IPv4-mapped":              "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 ::ffff:255.255.255.255",
		"IPv4-translated":          "::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8",
		"NAT64":                    "64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::192.168.1.1",
		"NAT64 of the local net":   "64:ff9b:1::7f00:1 64:ff9b:1::8.8.8.8",
		"6to4":                     "2002:7f00:1:: 2002:a00:1::1 2002:808:808::1",
		"Teredo":                   "2001:0:7f00:1:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2",
		"discard only":             "100::1 100::ffff:ffff:ffff:ffff 100:0:0:1::1",
		"unique local":             "fc00::1 fd12:3456:789a::1 fdff:ffff::1",
		"site local":               "fec0::1 feff::1",
		"segment routing":          "5f00::1",
		"unassigned":               "1::1 4000::1 8000::1 e000::1",
		"of one network interface": "2606:4700::1111%eth0 ::ffff:8.8.8.8%eth0",
	} {
		for a := range strings.FieldsSeq(addresses) {
			if isPublic(netip.MustParseAddr(a)) {
				t.Errorf("%s (%s) passes for public", a, block)
			}
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address passes for public")
	}
	for a := range strings.FieldsSeq(`
		1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
		169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0
		192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
		2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1111 2a00:1450::1 3ffe:ffff::1 3fff:1000::1
		::ffff:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b::808:808`) {
		if !isPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s does not pass for public", a)
		}
	}
}

func TestGuard(t *testing.T) {
	for _, c := range []struct{ network, address, words string }{
		{"tcp4", "93.184.215.14:443", ""},
		{"tcp6", "[2606:4700::1111]:443", ""},
		{"tcp4", "93.184.215.14:80", "80 is a port other than 443"},
		{"tcp4", "127.0.0.1:443", "127.0.0.1 is not a public address"},
		{"tcp6", "[::ffff:127.0.0.1]:443", "127.0.0.1 is not a public address"},
		{"tcp6", "[fe80::1%eth0]:443", "fe80::1%eth0 is not a public address"},
		{"udp4", "93.184.215.14:443", "not an internet address"},
		{"unix", "/run/docker.sock", "not an internet address"},
		{"tcp4", "", "not an internet address"},
	} {
		err := guard(c.network, c.address, nil)
		if c.words == "" {
			if err != nil {
				t.Errorf("%s: %v", c.address, err)
			}
			continue
		}
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %s: got %v, want %q", c.network, c.address, err, c.words)
		}
	}
}

// TestGuardHost lets a document be at any port of a public host, and of no other.
func TestGuardHost(t *testing.T) {
	if err := guardHost("tcp4", "93.184.215.14:8443", nil); err != nil {
		t.Error(err)
	}
	for _, address := range []string{"127.0.0.1:8443", "[::1]:443", "10.0.0.1:443", "[::ffff:169.254.169.254]:443"} {
		if err := guardHost("tcp4", address, nil); !errors.Is(err, errNotPublic) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestDialledAddressIsGuarded dials real listeners, by address and by a name
// whose address only the look-up tells.
func TestDialledAddressIsGuarded(t *testing.T) {
	for network, host := range map[string]string{"tcp4": "127.0.0.1", "tcp6": "::1"} {
		l, err := net.Listen(network, net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("no %s here: %v", network, err)
			continue
		}
		accepted := make(chan struct{}, 10)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Close()
				accepted <- struct{}{}
			}
		}()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		for _, tr := range []*http.Transport{guardedTransport(), documentTransport()} {
			for _, name := range []string{host, "localhost"} {
				to := net.JoinHostPort(name, port)
				c, err := tr.DialContext(t.Context(), "tcp", to)
				if err == nil {
					c.Close()
					t.Errorf("%s was dialled", to)
				} else if !errors.Is(err, ErrRefused) || !errors.Is(err, errNotPublic) {
					t.Errorf("%s: got %v", to, err)
				}
			}
		}
		// The listener is alive: its first guest is the one without a guard.
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		<-accepted
		l.Close()
		if len(accepted) != 0 {
			t.Errorf("%s let somebody in", network)
		}
	}
}

// TestNetworkIsGuarded asks for a name of this machine as anybody may.
func TestNetworkIsGuarded(t *testing.T) {
	c := New(Options{})
	_, err := c.Get(t.Context(), "https://localhost/?token=s3cret", Policy{})
	if e := wantError(t, err, ErrRefused); e.Host != "localhost" || !errors.Is(err, errNotPublic) {
		t.Errorf("got %+v", e)
	}
	_, err = c.Get(t.Context(), "https://localhost:8443/document.json", Policy{Document: true})
	if e := wantError(t, err, ErrRefused); !errors.Is(e, errNotPublic) {
		t.Errorf("got %+v", e)
	}
	if guardedTransport().Proxy != nil || documentTransport().Proxy != nil {
		t.Error("a proxy would dial without the guard")
	}
}
