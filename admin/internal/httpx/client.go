package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the reverse proxies whose X-Forwarded headers
// are believed. The zero value believes nobody. It is safe for concurrent use.
type Proxies struct {
	nets []netip.Prefix
}

// ParseProxies reads addresses and networks ("10.0.0.7", "10.0.0.0/8").
func ParseProxies(list []string) (Proxies, error) {
	var p Proxies
	for _, item := range list {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if addr, err := netip.ParseAddr(item); err == nil {
			addr = addr.Unmap()
			p.nets = append(p.nets, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if err != nil {
			return Proxies{}, &net.ParseError{Type: "address or network of a proxy", Text: item}
		}
		p.nets = append(p.nets, prefix.Masked())
	}
	return p, nil
}

// trusts reports whether addr is a proxy.
func (p Proxies) trusts(addr netip.Addr) bool {
	for _, n := range p.nets {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// ClientIP returns the address of the client: the peer's, or behind trusted
// proxies the last one in X-Forwarded-For that is no proxy. It is the zero
// Addr for peers without one (unix sockets).
func (p Proxies) ClientIP(r *http.Request) netip.Addr {
	addr := peer(r)
	if !addr.IsValid() || !p.trusts(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break // what stands before it was not written by a proxy that we know
		}
		addr = hop.Unmap().WithZone("")
		if !p.trusts(addr) {
			break
		}
	}
	return addr
}

// Secure reports whether the client speaks TLS, to us or to a trusted proxy.
func (p Proxies) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	addr := peer(r)
	return addr.IsValid() && p.trusts(addr) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}
