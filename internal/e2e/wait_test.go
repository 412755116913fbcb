//go:build linux

package e2e

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waitFor blocks until cond holds, and fails the test if that takes longer
// than limit.
func waitFor(t *testing.T, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	if !holds(limit, cond) {
		require.FailNow(t, "waited in vain", "%s: not within %v", what, limit)
	}
}

// holds reports whether cond held within limit.
func holds(limit time.Duration, cond func() bool) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return cond()
		}
	}
	return true
}

// ports hands out ports that nobody else is likely to take: they lie below
// those that the kernel gives to outgoing connections, and each run of these
// tests has a range of its own, which a listener on the range's own port marks.
var ports struct {
	sync.Mutex
	mark  net.Listener
	first int
	next  int
}

const (
	firstMark  = 19_900
	firstPort  = 20_000
	rangeSize  = 500
	rangeCount = 24
)

// reserveLocked takes a range of ports for this run.
func reserveLocked(t *testing.T) {
	t.Helper()
	for i := range rangeCount {
		mark, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstMark+i)) //nolint:noctx // answers at once
		if err == nil {
			ports.mark, ports.first = mark, firstPort+i*rangeSize
			return
		}
	}
	require.FailNow(t, "no free range of ports")
}

// freePort returns a port on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	if ports.mark == nil {
		reserveLocked(t)
	}
	for range rangeSize {
		ports.next++
		port := ports.first + ports.next%rangeSize
		ln, err := net.Listen("tcp", fmt.Sprintf(":%d", port)) //nolint:noctx // answers at once
		if err == nil {
			require.NoError(t, ln.Close())
			return port
		}
	}
	require.FailNow(t, "no free port")
	return 0
}
