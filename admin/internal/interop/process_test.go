//go:build interop && linux

package interop

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopLimit is how long a program may take from SIGTERM to its end.
const stopLimit = 30 * time.Second

// process is a program that runs until the end of the test at the latest.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended, after err was set
	err  error         // of Wait
}

// startProcess starts cmd. Its output is shown when the test fails.
func startProcess(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	output := filepath.Join(t.TempDir(), name+".log")
	f, err := os.Create(output)
	require.NoError(t, err)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that is cut off leaves nothing behind
	require.NoErrorf(t, cmd.Start(), "start of %s", name)
	require.NoError(t, f.Close())
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // an error says that it has ended already
		<-p.done
		if t.Failed() {
			t.Logf("end of the output of %s:\n%s", name, tail(output))
		}
	})
	return p
}

// terminate sends SIGTERM and waits for the end. It returns the exit status,
// where 143 is a JVM's after SIGTERM, and fails the test after stopLimit.
func (p *process) terminate(t *testing.T) int {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		require.FailNow(t, "the program did not end", "it is there %v after SIGTERM", stopLimit)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		require.NoError(t, p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// tail returns the end of a file, as much as a test log should have.
func tail(name string) string {
	const limit = 6 << 10
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	text = bytes.TrimSpace(text)
	if len(text) > limit {
		text = append([]byte("…"), text[len(text)-limit:]...)
	}
	return string(text)
}

// command makes a command that outlives the test's context, which ends before
// its cleanup: startProcess ends it.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
}

// javaCommand returns a JVM for short runs on a small machine: little heap, a
// simple collector, no second compiler.
func javaCommand(t *testing.T, classPath string, args ...string) *exec.Cmd {
	t.Helper()
	jvm := []string{
		"-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
		"-Dfile.encoding=UTF-8", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", classPath, "interop.executor.Main",
	}
	return command(t, "java", append(jvm, args...)...)
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// waitFor blocks until cond holds, and fails the test if that takes longer
// than limit. It returns how long it took.
func waitFor(t *testing.T, limit time.Duration, what string, cond func() bool) time.Duration {
	t.Helper()
	begin := time.Now()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline.C:
			require.FailNow(t, "waited in vain", "%s: not within %v", what, limit)
		case <-t.Context().Done():
			require.FailNow(t, "the test was stopped")
		}
	}
	return time.Since(begin)
}
