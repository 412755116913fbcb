//go:build interop && (linux || darwin)

package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

const (
	token   = "interop-secret"
	appName = "interop-kitchensink"

	// driverLimit is how long one release may take with all its checks.
	driverLimit = 3 * time.Minute

	// minChecks catches a driver that leaves out a part of its script.
	minChecks = 48
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// executorCommand returns the command that starts the executor under test.
type executorCommand func(t *testing.T, port int, admin string) *exec.Cmd

// TestJavaDrivesGo drives our executor with the admin side of every release.
func TestJavaDrivesGo(t *testing.T) {
	binary := buildKitchensink(t)
	for _, rel := range releases {
		t.Run(rel.version, func(t *testing.T) {
			start := func(t *testing.T, port int, admin string) *exec.Cmd {
				flags := append(executorFlags(t, port, admin), "-glue")
				return exec.CommandContext(t.Context(), binary, flags...)
			}
			err := drive(t, javaBuild(t, rel), start)
			assert.NoError(t, err, "end of the executor after SIGTERM")
		})
	}
}

// TestJavaDrivesJava puts Java's own executor through the same checks.
func TestJavaDrivesJava(t *testing.T) {
	for _, rel := range controls {
		t.Run(rel.version, func(t *testing.T) {
			classPath := javaBuild(t, rel)
			start := func(t *testing.T, port int, admin string) *exec.Cmd {
				return javaCommand(t, classPath, "interop.executor.Main", executorFlags(t, port, admin)...)
			}
			err := drive(t, classPath, start)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "a JVM ends with a status of its own after SIGTERM")
			assert.Equal(t, 128+15, exit.ExitCode())
		})
	}
}

// buildKitchensink compiles the Go executor that has the agreed handlers.
func buildKitchensink(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "kitchensink")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/xxljob-go/xxljob/examples/kitchensink")
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "go build of examples/kitchensink:\n%s", out)
	return binary
}

// executorFlags are the flags that executors in both languages understand.
func executorFlags(t *testing.T, port int, admin string) []string {
	t.Helper()
	return []string{
		"-port", strconv.Itoa(port), "-admin", admin, "-token", token,
		"-appname", appName, "-logpath", t.TempDir(),
	}
}

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

// drive runs the driver of one release against an executor, each check as a
// subtest, and returns how the executor ended after SIGTERM.
func drive(t *testing.T, classPath string, start executorCommand) (executorEnd error) {
	t.Helper()
	port := freePort(t)
	cmd := javaCommand(t, classPath, "interop.driver.Main",
		"-executor", fmt.Sprintf("http://127.0.0.1:%d", port),
		"-token", token, "-appname", appName, "-work", t.TempDir())
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	// Not StdoutPipe, which must not be read once Wait was called.
	stdout, childEnd := io.Pipe()
	cmd.Stdout = childEnd
	driver := startProcess(t, "driver", cmd)
	limit := time.AfterFunc(driverLimit, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	t.Cleanup(func() { _ = stdout.Close() }) // or a driver that still writes could not be waited for

	var executor *process
	var checks, failed int
	var summary *event
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		require.NoErrorf(t, json.Unmarshal(lines.Bytes(), &e), "line of the driver: %s", lines.Text())
		switch e.Event {
		case "listening":
			admin := fmt.Sprintf("http://127.0.0.1:%d/xxl-job-admin", e.Port)
			executor = startProcess(t, "executor", start(t, port, admin))
		case "check":
			checks++
			if !e.OK {
				failed++
			}
			reportCheck(t, e)
		case "stop":
			executorEnd = executor.terminate()
			_, err := io.WriteString(stdin, "stopped\n")
			require.NoError(t, err)
		case "summary":
			summary = &e
		default:
			require.Failf(t, "unknown event of the driver", "%s", lines.Text())
		}
	}
	require.NoError(t, lines.Err())
	<-driver.done

	require.NotNilf(t, summary, "the driver ended without a summary (%v), or took longer than %v", driver.err, driverLimit)
	assert.Equal(t, checks, summary.Checks, "checks in the summary")
	assert.Equal(t, failed, summary.Failed, "failed checks in the summary")
	assert.GreaterOrEqual(t, checks, minChecks, "checks that ran")
	assert.Equal(t, failed == 0, driver.err == nil, "exit status of the driver: %v", driver.err)
	return executorEnd
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

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
