package fetch

import (
	"errors"
	"net/url"
	"slices"
)

// Operator is a scheme, a host and a port that the operator has named, such as
// those of a router of its own. It is made by ParseOperator.
type Operator struct{ scheme, host, port string }

// errNoBase is why an address of the operator is refused.
var errNoBase = errors.New("not the address of a service; write it like http://localhost:8002, without user, query and fragment")

// ParseOperator reads the base address of a service of the operator, http or
// https. Its path counts for nothing here: all of the service may be asked. The
// error is an *Error of kind ErrRefused, which does not quote the address.
func ParseOperator(text string) (Operator, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Operator{}, &Error{Kind: ErrRefused, Cause: errNoBase}
	}
	o := operatorOf(u)
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || o.host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Operator{}, &Error{Kind: ErrRefused, Host: o.host, Cause: errNoBase}
	}
	return o, nil
}

func operatorOf(u *url.URL) Operator { return Operator{u.Scheme, hostOf(u), portOf(u)} }

// isOperator says whether u is an address of one of them.
func isOperator(u *url.URL, of []Operator) bool {
	return u.User == nil && slices.Contains(of, operatorOf(u))
}

// portOf is the port that is asked, empty where neither address nor scheme has
// one.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return httpsPortText
	case u.Scheme == "http":
		return "80"
	}
	return ""
}
