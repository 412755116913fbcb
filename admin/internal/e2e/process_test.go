//go:build linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a running program. It is killed at the end of the test.
type process struct {
	name   string
	cmd    *exec.Cmd
	output string        // file
	done   chan struct{} // closed when it has ended, after err was set
	err    error         // of Wait
}

// launch starts a program. Its output is shown when the test fails.
func launch(t *testing.T, name, binary string, args ...string) *process {
	t.Helper()
	output, err := os.CreateTemp(t.TempDir(), name+"-")
	require.NoError(t, err)
	// Not bound to the test's context, which ends before its cleanup.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that is cut off leaves nothing behind
	p := &process{name: name, cmd: cmd, output: output.Name(), done: make(chan struct{})}
	require.NoError(t, cmd.Start())
	require.NoError(t, output.Close())
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("end of the output of %s (process %d):\n%s", name, cmd.Process.Pid, p.tail())
		}
	})
	return p
}

// ended reports whether the process is gone.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the process as a power switch would, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // an error says that it has ended already
	<-p.done
}

// freeze stops the process in the middle of what it does; thaw lets it go on.
func (p *process) freeze(t *testing.T) { p.signal(t, syscall.SIGSTOP) }

func (p *process) thaw(t *testing.T) { p.signal(t, syscall.SIGCONT) }

func (p *process) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(sig), "signal %v to %s", sig, p.name)
}

// terminate sends SIGTERM and fails the test unless the process ends well
// within the limit.
func (p *process) terminate(t *testing.T, limit time.Duration) time.Duration {
	t.Helper()
	begin := time.Now()
	p.signal(t, syscall.SIGTERM)
	select {
	case <-p.done:
		require.NoError(t, p.err, "exit status of %s\n%s", p.name, p.tail())
	case <-time.After(limit):
		require.FailNow(t, "program did not end", "%s is there %v after SIGTERM\n%s", p.name, limit, p.tail())
	}
	return time.Since(begin)
}

// text returns what the process has written so far.
func (p *process) text() string {
	text, err := os.ReadFile(p.output)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tail returns the end of the output, as much as a test log should have,
// without the lines about what the test itself did by the console.
func (p *process) tail() string {
	const limit = 6 << 10
	var b strings.Builder
	for line := range strings.Lines(p.text()) {
		if !strings.Contains(line, `msg="action done"`) {
			b.WriteString(line)
		}
	}
	text := strings.TrimSpace(b.String())
	if len(text) > limit {
		text = "…" + text[len(text)-limit:]
	}
	return text
}
