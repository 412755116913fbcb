package alarm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// ErrRefusedAddress is the error of a connection that the egress rules forbid.
var ErrRefusedAddress = errors.New("alarms may not be sent to this address")

// Egress says where alarms may go beside public and private addresses, which
// are always allowed. Link-local, multicast and unspecified addresses and the
// metadata services of clouds are refused, after the name was resolved.
type Egress struct {
	AllowLoopback  bool // webhooks and chats on this machine; mail servers there are always allowed
	AllowLinkLocal bool // also lifts the ban on metadata services
}

// metadata are addresses at which clouds hand credentials to whoever asks, as
// far as they are not link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("100.100.100.200/32"), // Alibaba Cloud
	netip.MustParsePrefix("168.63.129.16/32"),   // Azure
	netip.MustParsePrefix("192.0.0.192/32"),     // Oracle Cloud
	netip.MustParsePrefix("fd00:ec2::254/128"),  // AWS
	netip.MustParsePrefix("fd20:ce::254/128"),   // Google Cloud
}

// The prefixes of IPv6 addresses that carry an IPv4 address.
var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
	compat = netip.MustParsePrefix("::/96")
)

// dialer returns the dialer for the rules.
func (e Egress) dialer() *net.Dialer {
	return &net.Dialer{
		Timeout: 5 * time.Second,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return e.check(address)
		},
	}
}

// check refuses an address, "ip:port", that the rules forbid.
func (e Egress) check(address string) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %q is no IP address with a port", ErrRefusedAddress, address)
	}
	ip := carried(target.Addr().WithZone("").Unmap())
	switch {
	case ip.IsUnspecified(), ip.IsMulticast(), ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return fmt.Errorf("%w: %s is nobody's", ErrRefusedAddress, ip)
	case ip.IsLoopback() && !e.AllowLoopback:
		return fmt.Errorf("%w: %s is this machine; allow loopback addresses for alarms if that is meant",
			ErrRefusedAddress, ip)
	case ip.IsLinkLocalUnicast() && !e.AllowLinkLocal, isMetadata(ip) && !e.AllowLinkLocal:
		return fmt.Errorf("%w: %s is link-local, or a cloud's metadata service", ErrRefusedAddress, ip)
	}
	return nil
}

func isMetadata(ip netip.Addr) bool {
	for _, prefix := range metadata {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}

// carried returns the IPv4 address inside of an IPv6 address of NAT64, 6to4 or
// the old compatible form, and every other address as it is.
func carried(ip netip.Addr) netip.Addr {
	if !ip.Is6() || ip.IsLoopback() || ip.IsUnspecified() {
		return ip
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip), compat.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixTo4.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	default:
		return ip
	}
}
