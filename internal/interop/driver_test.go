//go:build interop && (linux || darwin)

package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// driverLimit is how long one release may take with all its checks.
	driverLimit = 3 * time.Minute

	// minChecks catches a driver that leaves out a part of its script.
	minChecks = 51
)

// event is one line of the driver's output; which fields it has depends on
// Event.
type event struct {
	Event  string `json:"event"`
	Port   int    `json:"port"`
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Millis int    `json:"millis"`
	Checks int    `json:"checks"`
	Failed int    `json:"failed"`
}

// conversation is what the test and one driver have to say to each other. It
// belongs to the test's goroutine.
type conversation struct {
	start executorCommand
	port  int       // of the executor
	stdin io.Writer // of the driver

	executor    *process // nil until the driver listens
	executorEnd error    // how it ended after SIGTERM
	checks      int
	failed      int
	summary     *event // nil until the driver is done
}

// drive runs the driver of one release against an executor, each check as a
// subtest, and returns how the executor ended after SIGTERM.
func drive(t *testing.T, classPath string, start executorCommand, driverFlags ...string) (executorEnd error) {
	t.Helper()
	c := &conversation{start: start, port: freePort(t)}
	flags := []string{
		"-executor", fmt.Sprintf("http://127.0.0.1:%d", c.port),
		"-token", token, "-appname", appName, "-work", t.TempDir(),
	}
	cmd := javaCommand(t, classPath, "interop.driver.Main", append(flags, driverFlags...)...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	c.stdin = stdin
	// Not StdoutPipe, which must not be read once Wait was called.
	stdout, childEnd := io.Pipe()
	cmd.Stdout = childEnd
	driver := startProcess(t, "driver", cmd)
	limit := time.AfterFunc(driverLimit, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	t.Cleanup(func() { _ = stdout.Close() }) // or a driver that still writes could not be waited for

	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c.take(t, lines.Bytes())
	}
	require.NoError(t, lines.Err())
	<-driver.done
	c.conclude(t, driver.err)
	return c.executorEnd
}

// take acts on one line of the driver.
func (c *conversation) take(t *testing.T, line []byte) {
	t.Helper()
	var e event
	require.NoErrorf(t, json.Unmarshal(line, &e), "line of the driver: %s", line)
	switch e.Event {
	case "listening":
		admin := fmt.Sprintf("http://127.0.0.1:%d/xxl-job-admin", e.Port)
		c.executor = startProcess(t, "executor", c.start(t, c.port, admin))
	case "check":
		c.checks++
		if !e.OK {
			c.failed++
		}
		reportCheck(t, e)
	case "stop":
		c.executorEnd = c.executor.terminate()
		_, err := io.WriteString(c.stdin, "stopped\n")
		require.NoError(t, err)
	case "summary":
		c.summary = &e
	default:
		require.Failf(t, "unknown event of the driver", "%s", line)
	}
}

// conclude compares what came with what the driver says that it did. Not every
// check that failed has failed the test: -run may have left it out.
func (c *conversation) conclude(t *testing.T, driverEnd error) {
	t.Helper()
	require.NotNilf(t, c.summary, "the driver ended without a summary (%v), or took longer than %v",
		driverEnd, driverLimit)
	assert.Equal(t, c.checks, c.summary.Checks, "checks in the summary")
	assert.Equal(t, c.failed, c.summary.Failed, "failed checks in the summary")
	assert.GreaterOrEqual(t, c.checks, minChecks, "checks that ran")
	assert.Equal(t, c.failed == 0, driverEnd == nil, "exit status of the driver: %v", driverEnd)
}

// reportCheck makes a subtest of a check that the driver has done.
func reportCheck(t *testing.T, e event) {
	t.Helper()
	t.Run(e.Name, func(t *testing.T) {
		if !e.OK {
			t.Errorf("%s (after %d ms)", e.Detail, e.Millis)
			return
		}
		t.Logf("%s (%d ms)", e.Detail, e.Millis)
	})
}
