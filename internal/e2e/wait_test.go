//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
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

// ports hands out loopback ports that nothing else is likely to take: they lie
// below those that the kernel gives to outgoing connections.
var ports struct {
	sync.Mutex
	next int
}

const (
	firstPort = 20000
	portCount = 12000
)

// freePort returns a port on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	if ports.next == 0 {
		ports.next = os.Getpid() * 97 % portCount
	}
	for range portCount {
		ports.next++
		port := firstPort + ports.next%portCount
		ln, err := net.Listen("tcp", fmt.Sprintf(":%d", port)) //nolint:noctx // answers at once
		if err == nil {
			require.NoError(t, ln.Close())
			return port
		}
	}
	require.FailNow(t, "no free port")
	return 0
}
