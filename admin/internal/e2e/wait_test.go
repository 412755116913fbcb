//go:build linux

package e2e

import (
	"fmt"
	"net"
	"strconv"
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

// inShort is a limit of time as it is asserted: the promised one in the long
// form, which has the machine to itself, and six times that in the short form,
// which must not fail because something else ran. What was measured is logged.
func inShort(limit time.Duration) time.Duration {
	if long {
		return limit
	}
	return 6 * limit
}

// holds reports whether cond held within limit.
func holds(limit time.Duration, cond func() bool) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
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

// pass lets a scenario run for d.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		require.FailNow(t, "the test was stopped")
	}
}

// ports hands out ports that nobody else is likely to take: they lie below
// those that the kernel gives to outgoing connections, and each run of these
// tests has a range of its own, which a listener on the range's mark keeps.
var ports struct {
	sync.Mutex
	mark  net.Listener
	first int
	next  int
}

const (
	firstMark  = 19_800
	firstPort  = 10_000
	rangeSize  = 400
	rangeCount = 24
)

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
func freePort(t *testing.T) string {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	if ports.mark == nil {
		reserveLocked(t)
	}
	for range rangeSize {
		ports.next++
		port := strconv.Itoa(ports.first + ports.next%rangeSize)
		ln, err := net.Listen("tcp", "127.0.0.1:"+port) //nolint:noctx // answers at once
		if err == nil {
			require.NoError(t, ln.Close())
			return port
		}
	}
	require.FailNow(t, "no free port")
	return ""
}
