//go:build interop && linux

package interop

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	token = "interop-secret"

	startLimit    = 30 * time.Second // of the admin
	registerLimit = 30 * time.Second // JVM start included
	runLimit      = 30 * time.Second // from a trigger to its last result
	removeLimit   = 10 * time.Second // from a deregistration to its effect

	jvmTerminated = 128 + 15 // exit status of a JVM after SIGTERM
)

// startAdmin starts the real admin on a database and a port, and returns its
// base address.
func startAdmin(t *testing.T, dsn, port string) (*process, string) {
	t.Helper()
	args := []string{
		"serve", "--db", dsn, "--data-dir", t.TempDir(), "--listen", "127.0.0.1:" + port, "--access-token", token,
		"--admin-password", adminPassword, "--language", "en", "--retry-delay", "100ms",
	}
	p := startProcess(t, "admin", command(t, adminBinary(t), args...))
	base := "http://127.0.0.1:" + port
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	waitFor(t, startLimit, "the admin is ready", func() bool { return ready(t.Context(), client, base+"/readyz") })
	return p, base + "/xxl-job-admin"
}

func ready(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// javaExecutor is a JVM with the kitchen-sink handlers.
type javaExecutor struct {
	*process

	address string // as it registers
}

// startJava starts the executor of a release; all it is told of the admin is
// the address and the token.
func startJava(t *testing.T, rel release, admin, app, token string) *javaExecutor {
	t.Helper()
	port := freePort(t)
	cmd := javaCommand(t, javaBuild(t, rel), "-port", port, "-admin", admin, "-token", token,
		"-appname", app, "-ip", "127.0.0.1", "-logpath", t.TempDir())
	return &javaExecutor{process: startProcess(t, "executor", cmd), address: "http://127.0.0.1:" + port + "/"}
}

// waitListening waits until somebody listens at the address of an executor.
func waitListening(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	waitFor(t, registerLimit, "the executor listens", func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
		return err == nil && conn.Close() == nil
	})
}

// stop ends the executor as a service is ended.
func (e *javaExecutor) stop(t *testing.T) {
	t.Helper()
	assert.Equal(t, jvmTerminated, e.terminate(t), "exit status of the executor")
}

// waitAddresses waits until exactly these executors are registered, and returns
// how long that took.
func waitAddresses(t *testing.T, c *console, group int, limit time.Duration, want ...*javaExecutor) time.Duration {
	t.Helper()
	addresses := make([]string, len(want))
	for i, e := range want {
		addresses[i] = e.address
	}
	slices.Sort(addresses)
	return waitFor(t, limit, "registered are ["+strings.Join(addresses, ", ")+"]", func() bool {
		found := c.addresses(t, group)
		slices.Sort(found)
		return slices.Equal(addresses, found)
	})
}
