//go:build interop && (linux || darwin)

package interop

import (
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

const (
	token   = "interop-secret"
	appName = "interop-kitchensink"
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
			err := drive(t, javaBuild(t, rel), start, "-resend")
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
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary,
		"github.com/xxljob-go/xxljob/examples/kitchensink")
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

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
