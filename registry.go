package xxljob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// beatRetry is the pause after a heartbeat that no admin accepted, if that is
// shorter than the interval.
const beatRetry = 5 * time.Second

// registrar announces the executor to the admin: at once, then at every
// interval, independent of everything else (wire.md 6.1).
type registrar struct {
	cluster  *cluster
	interval time.Duration
	body     func() ([]byte, error) // the registration; fails while no address is known
	accepted func(*adminClient)     // called after every heartbeat, with the node that accepted it
	log      *slog.Logger

	lastBeat atomic.Int64 // Unix ms of the last accepted heartbeat
}

// run sends heartbeats until ctx is done.
func (r *registrar) run(ctx context.Context) {
	failures := 0
	for {
		pause := r.interval
		switch err := r.beat(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			pause = min(pause, beatRetry)
			if failures == 1 || failures%12 == 0 {
				r.log.WarnContext(ctx, "heartbeat not accepted by any admin",
					slog.Int("count", failures), slog.Any("err", err))
			}
		default:
			if r.lastBeat.Swap(time.Now().UnixMilli()) == 0 {
				r.log.InfoContext(ctx, "registered with the admin")
			}
			if failures > 0 {
				r.log.InfoContext(ctx, "heartbeat accepted again", slog.Int("count", failures))
			}
			failures = 0
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// beat sends one heartbeat to the first admin that accepts it.
func (r *registrar) beat(ctx context.Context) error {
	node, err := r.call(ctx, wire.PathRegistry)
	if err != nil {
		return err
	}
	r.accepted(node)
	return nil
}

// remove takes the executor off the admin's registry, once.
func (r *registrar) remove(ctx context.Context) error {
	_, err := r.call(ctx, wire.PathRegistryRemove)
	return err
}

// call returns the node that took the call.
func (r *registrar) call(ctx context.Context, path string) (*adminClient, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	return r.cluster.each(ctx, func(c *adminClient) error { return c.post(ctx, path, body) })
}

// announcer finds out which address to announce.
type announcer struct {
	cfg  *Config
	port int

	found atomic.Pointer[string]
}

// body returns the registration of the executor.
func (a *announcer) body() ([]byte, error) {
	addr, err := a.address()
	if err != nil {
		return nil, err
	}
	req := wire.RegistryRequest{
		Group: wire.Str(wire.RegistryGroupExecutor),
		Key:   wire.Str(a.cfg.AppName),
		Value: wire.Str(addr),
	}
	return req.Append(nil), nil
}

// address returns the configured address or host, else the source address of
// the route to the first admin that has one. Once found it does not change,
// since admins compare addresses as strings.
func (a *announcer) address() (string, error) {
	if a.cfg.Address != "" {
		return a.cfg.Address, nil
	}
	if addr := a.found.Load(); addr != nil {
		return *addr, nil
	}
	host := a.cfg.Host
	if host == "" {
		ip, err := routeSource(a.cfg.AdminAddrs)
		if err != nil {
			return "", err
		}
		host = ip.String()
	}
	scheme := "http"
	if a.cfg.TLS != nil {
		scheme = "https"
	}
	addr := scheme + "://" + net.JoinHostPort(host, strconv.Itoa(a.port)) + "/"
	a.found.Store(&addr)
	return addr, nil
}

// routeSource returns the address from which this machine reaches the admins.
// A loopback address is only returned if all of them are on loopback: another
// machine could not use it.
func routeSource(admins []string) (netip.Addr, error) {
	var loopback netip.Addr
	var errs []error
	for _, admin := range admins {
		ip, err := sourceTowards(admin)
		switch {
		case err != nil:
			errs = append(errs, err)
		case ip.IsLoopback():
			loopback = ip
		default:
			return ip, nil
		}
	}
	if loopback.IsValid() && len(errs) == 0 {
		return loopback, nil
	}
	return netip.Addr{}, fmt.Errorf("no address to announce, set Config.Address or Config.Host: %w",
		errors.Join(errs...))
}

// sourceTowards returns the source address of the route to an admin. Connecting
// a UDP socket sends nothing.
func sourceTowards(admin string) (netip.Addr, error) {
	u, err := url.Parse(admin)
	if err != nil {
		return netip.Addr{}, err
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	dialer := net.Dialer{Timeout: time.Second} // for the host's name
	conn, err := dialer.DialContext(context.Background(), "udp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	ip, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return netip.Addr{}, err
	}
	return ip.Addr().Unmap().WithZone(""), nil
}
