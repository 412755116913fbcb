package execclient

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Defaults of Config.
const (
	DefaultTimeout       = 3 * time.Second
	DefaultQueueMax      = 10_000
	DefaultConnsMax      = 32
	DefaultIdleTimeout   = 60 * time.Second // Java closes after 90 s
	DefaultQueueDeadline = 60 * time.Second
)

const (
	minTimeout = time.Second
	maxTimeout = 10 * time.Second
	maxIdle    = 85 * time.Second
)

// Dialect is the path at which an executor takes triggers.
type Dialect string

// The dialects.
const (
	DialectAuto    Dialect = ""        // not known yet: found out by the first trigger
	DialectRun     Dialect = "run"     // releases 2.2.0 to 3.4.2, and our own executor
	DialectTrigger Dialect = "trigger" // master
)

// AddressInfo is what was learnt about an address and is worth keeping over a
// restart.
type AddressInfo struct {
	Address string // as in Target, without blanks around it and one slash at its end
	Dialect Dialect
	Native  bool  // our own executor
	SeenMs  int64 // Unix milliseconds of the answer that told
}

// Config describes a Client. The zero value of every field selects the default
// named in its comment.
type Config struct {
	// Timeout is how long a connection may take to open, and then how long one
	// answer may take, from the first byte written to the last one read. Default
	// 3s, from 1s to 10s.
	Timeout time.Duration
	// Dialect is the one that all executors speak. Default DialectAuto: found
	// out for each address.
	Dialect Dialect
	// GlobalToken is the access token of targets that have none of their own.
	GlobalToken string
	// Logger gets one line when an address stops answering, one when it answers
	// again, and one for each thing learnt. Default: none.
	Logger *slog.Logger
	// QueueMax is how many calls may wait in a lane. Default 10,000.
	QueueMax int
	// ConnsMax is how many connections a lane may have. Default 32.
	ConnsMax int
	// IdleTimeout is after how long an unused connection is closed. Default 60s,
	// at most 85s, because Java executors close at 90s.
	IdleTimeout time.Duration
	// QueueDeadline is how long a call may wait in a lane, to about a second.
	// Default 60s.
	QueueDeadline time.Duration
	// TLS is for executors with an https address. Default: certificates and
	// names are verified against the system's roots. Java trusts every
	// certificate: for executors with certificates of their own making either
	// give RootCAs here, or set InsecureSkipVerify and know that whoever sits on
	// the way reads the access token.
	TLS *tls.Config
	// CheckIP is asked for every address that a connection is about to be made
	// to, after its name was resolved; an error refuses it. Default
	// RefuseMetadata.
	CheckIP func(netip.Addr) error
	// OnLearn is called when the dialect of an address, or whether it is our own
	// executor, is learnt or changes. It runs on a lane's goroutine: it must not
	// block, and must not call the Client. Default: none.
	OnLearn func(AddressInfo)
}

func (cfg Config) withDefaults() Config {
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.QueueMax = cmp.Or(cfg.QueueMax, DefaultQueueMax)
	cfg.ConnsMax = cmp.Or(cfg.ConnsMax, DefaultConnsMax)
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, DefaultIdleTimeout)
	cfg.QueueDeadline = cmp.Or(cfg.QueueDeadline, DefaultQueueDeadline)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.CheckIP == nil {
		cfg.CheckIP = RefuseMetadata
	}
	if cfg.OnLearn == nil {
		cfg.OnLearn = func(AddressInfo) {}
	}
	return cfg
}

func (cfg *Config) validate() error {
	var errs []error
	if cfg.Timeout < minTimeout || cfg.Timeout > maxTimeout {
		errs = append(errs, fmt.Errorf("Timeout is %v, give %v to %v", cfg.Timeout, minTimeout, maxTimeout))
	}
	if cfg.IdleTimeout < 0 || cfg.IdleTimeout > maxIdle {
		errs = append(errs, fmt.Errorf("IdleTimeout is %v, give at most %v", cfg.IdleTimeout, maxIdle))
	}
	if cfg.QueueMax < 0 || cfg.ConnsMax < 0 || cfg.QueueDeadline < 0 {
		errs = append(errs, errors.New("QueueMax, ConnsMax and QueueDeadline must not be negative"))
	}
	switch cfg.Dialect {
	case DialectAuto, DialectRun, DialectTrigger:
	default:
		errs = append(errs, fmt.Errorf("Dialect is %q, give %q, %q or nothing",
			cfg.Dialect, DialectRun, DialectTrigger))
	}
	if !headerValue(cfg.GlobalToken) {
		errs = append(errs, errors.New("GlobalToken holds a control character"))
	}
	return errors.Join(errs...)
}

// metadata lists the addresses of metadata services outside of the link-local
// range: they give a cloud's credentials to whoever asks from the inside.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("fd00:ec2::254"),
}

// RefuseMetadata is the default of Config.CheckIP: it refuses link-local and
// multicast addresses, the unspecified one, and the metadata services of the
// large clouds. Loopback and private networks are where executors live.
func RefuseMetadata(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	refused := ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()
	for _, m := range metadata {
		refused = refused || ip == m
	}
	if refused {
		return fmt.Errorf("%w: %v is no address for an executor", ErrAddress, ip)
	}
	return nil
}

// headerValue reports whether s can stand in a header.
func headerValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// errTooLarge is the error of a request that no executor would read.
func errTooLarge(n int) error {
	return fmt.Errorf("the request has %d bytes, an executor takes at most %d: shorten params or source",
		n, wire.MaxBody)
}

// dialer returns the dialer of a lane.
func (cfg *Config) dialer() *net.Dialer {
	return &net.Dialer{Timeout: cfg.Timeout, Control: checkControl(cfg.CheckIP)}
}
