//go:build interop && (linux || darwin)

package interop

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopLimit is how long an executor may take from SIGTERM to its end.
const stopLimit = 45 * time.Second

// process is a child whose output goes to a file, shown when the test fails. If
// the caller made cmd.Stdout a pipe, it is closed when the child has ended.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended, after state was set
	err  error         // of Wait
}

// startProcess starts cmd and sees to its end: at the latest with the test.
func startProcess(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	output := filepath.Join(t.TempDir(), name+".log")
	f, err := os.Create(output)
	require.NoError(t, err)
	cmd.Stderr = f
	if cmd.Stdout == nil {
		cmd.Stdout = f
	}
	require.NoError(t, cmd.Start(), "start of the %s", name)
	require.NoError(t, f.Close())

	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
		if pipe, ok := cmd.Stdout.(*io.PipeWriter); ok {
			_ = pipe.Close() // never an error
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // an error says that it has ended already
		<-p.done
		if t.Failed() {
			t.Logf("output of the %s:\n%s", name, tail(t, output))
		}
	})
	return p
}

// terminate sends SIGTERM and waits for the end. The error says that it took
// longer than stopLimit, or how the process ended if not with status 0.
func (p *process) terminate() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(errors.New("it had ended before it was asked to"), err)
	}
	select {
	case <-p.done:
		return p.err
	case <-time.After(stopLimit):
		return errors.New("it was still there " + stopLimit.String() + " after SIGTERM")
	}
}

// tail returns the end of a file, as much as a test log should have.
func tail(t *testing.T, name string) string {
	t.Helper()
	const limit = 8 << 10
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	text = bytes.TrimSpace(text)
	if len(text) > limit {
		text = append([]byte("…"), text[len(text)-limit:]...)
	}
	return string(text)
}

// javaCommand returns a JVM for short runs on a small machine: little heap, a
// simple collector, no second compiler.
func javaCommand(t *testing.T, classPath, main string, args ...string) *exec.Cmd {
	t.Helper()
	jvm := []string{
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
		"-Dfile.encoding=UTF-8",             // 2.2.0 reads answers in the platform's charset
		"-Dsun.net.httpserver.nodelay=true", // or each answer of the stand-in takes 40 ms
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", classPath, main,
	}
	return exec.CommandContext(t.Context(), "java", append(jvm, args...)...)
}
