package cli

import (
	"fmt"
	"strings"

	"biketrip/oauth"
)

// clientsFlag says which applications may ask people for access.
type clientsFlag struct {
	Clients      string `name:"clients" placeholder:"any|hosts=HOST,…" help:"Applications that name themselves by the address of a document: any (the default), or those of some hosts alone, such as hosts=claude.ai,chatgpt.com. Those that the operator adds or pins always may."`
	Localhost    string `name:"oauth-localhost-redirects" placeholder:"refuse|ignore|allow" help:"What becomes of an application that is answered at http://localhost: refuse it (the default where --default-uri is public), ignore that address and take its others, or allow it (the default where --default-uri is this computer)."`
	Registration string `name:"oauth-dynamic-registration" placeholder:"off|on" help:"Whether applications may register themselves (RFC 7591), as older ones need (off)."`
}

// clientRules are which applications may ask people for access.
type clientRules struct {
	hosts        []string // whose documents are taken; none: those of all
	localhost    oauth.Localhost
	registration bool
}

// Validate refuses what is none of the choices.
func (f clientsFlag) Validate() error {
	_, err := f.rules(defaultPublic)
	return err
}

// rules are those of a server that is reached at uri.
func (f clientsFlag) rules(uri string) (clientRules, error) {
	r := clientRules{localhost: oauth.Localhost(f.Localhost), registration: f.Registration == "on"}
	switch r.localhost {
	case oauth.RefuseLocalhost, oauth.IgnoreLocalhost, oauth.AllowLocalhost:
	case "":
		r.localhost = oauth.RefuseLocalhost
		if isLoopback(hostOf(uri)) {
			r.localhost = oauth.AllowLocalhost
		}
	default:
		return clientRules{}, fmt.Errorf("--oauth-localhost-redirects must be refuse, ignore or allow, got %q", f.Localhost)
	}
	if f.Registration != "" && f.Registration != "off" && f.Registration != "on" {
		return clientRules{}, fmt.Errorf("--oauth-dynamic-registration must be off or on, got %q", f.Registration)
	}
	list, some := strings.CutPrefix(f.Clients, "hosts=")
	switch {
	case !some && f.Clients != "" && f.Clients != "any":
		return clientRules{}, fmt.Errorf("--clients must be any, or hosts=HOST,HOST, got %q", f.Clients)
	case some && r.registration:
		return clientRules{}, fmt.Errorf("--clients names hosts, and an application that registers itself has none: leave --oauth-dynamic-registration off")
	case some:
		for _, host := range strings.Split(list, ",") {
			host = strings.ToLower(strings.TrimSpace(host))
			if err := checkHostName(host); err != nil {
				return clientRules{}, fmt.Errorf("--clients hosts=… takes hosts alone, such as claude.ai: %q %w", host, err)
			}
			r.hosts = append(r.hosts, host)
		}
	}
	return r, nil
}
