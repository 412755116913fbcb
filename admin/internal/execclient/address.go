package execclient

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// ErrAddress is the error of a call to an address that is none, or that is
// refused (Config.CheckIP). Nothing was sent.
var ErrAddress = errors.New("execclient: address")

// endpoint is an address, taken apart.
type endpoint struct {
	url  string // without a slash at its end, for texts
	dial string // host:port
	host string // of the header
	name string // of the certificate
	base string // path in front of /run, without a slash at its end
	tls  bool
}

// Key is how an address is called in what a Client tells of addresses: without
// blanks around it and without a slash at its end.
func Key(address string) string { return laneKey(address) }

// laneKey is how an address names its lane: blanks around it, which Java leaves
// in manual lists, and one slash at its end make no difference.
func laneKey(address string) string {
	return strings.TrimSuffix(strings.TrimSpace(address), "/")
}

// parseAddress takes apart what laneKey returned. The error wraps ErrAddress.
func parseAddress(key string) (endpoint, error) {
	u, err := url.Parse(key)
	if err != nil {
		return endpoint{}, fmt.Errorf("%w: not a URL, give http://host:port/", ErrAddress)
	}
	scheme := strings.ToLower(u.Scheme)
	port := u.Port()
	switch {
	case scheme != "http" && scheme != "https":
		return endpoint{}, fmt.Errorf("%w: must begin with http:// or https://", ErrAddress)
	case u.Hostname() == "":
		return endpoint{}, fmt.Errorf("%w: has no host, give http://host:port/", ErrAddress)
	case strings.ContainsAny(u.Hostname(), "[]"):
		return endpoint{}, fmt.Errorf("%w: a host in brackets is [IPv6], give http://[::1]:port/", ErrAddress)
	case u.User != nil:
		return endpoint{}, fmt.Errorf("%w: must not hold a user name", ErrAddress)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return endpoint{}, fmt.Errorf("%w: must not hold a query or a fragment", ErrAddress)
	case !printable(u.Host):
		return endpoint{}, fmt.Errorf("%w: the host must be plain ASCII", ErrAddress)
	case port == "" && scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return endpoint{}, fmt.Errorf("%w: the port must lie between 1 and 65535", ErrAddress)
	}
	host, _, zoned := strings.Cut(u.Host, "%")
	if zoned { // a zone means nothing to the other side
		host += "]"
		if u.Port() != "" {
			host += ":" + u.Port()
		}
	}
	return endpoint{
		url:  key,
		dial: net.JoinHostPort(u.Hostname(), port),
		host: host,
		name: u.Hostname(),
		base: strings.TrimSuffix(u.EscapedPath(), "/"),
		tls:  scheme == "https",
	}, nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// checkControl makes a net.Dialer ask check before it connects. It sees what a
// name was resolved to, so that a name cannot be turned to another address
// between a check and its use.
func checkControl(check func(netip.Addr) error) func(string, string, syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %v", ErrAddress, err)
		}
		return check(at.Addr())
	}
}
