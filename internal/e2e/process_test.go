//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// token is the access token of every executor here.
const token = "e2e-secret"

// appName is the name of every executor here.
const appName = "kitchensink"

// startLimit is how long an executor may take to answer, on a busy machine and
// with a journal to read.
const startLimit = 30 * time.Second

// setup says how to start an executor. The zero value of Port picks a free one.
type setup struct {
	Dir    string // log path
	Port   int
	Admin  string   // one or more URLs, separated by commas
	Binary string   // default: the plain kitchensink
	Env    []string // additional
	Args   []string // additional
}

// process is a running executor. Its output lies in a file that grows over the
// restarts of a test.
type process struct {
	*client
	setup
	cmd    *exec.Cmd
	stderr string
	done   chan struct{} // closed when it has ended, after err was set
	err    error         // of Wait
}

// launch starts an executor and does not wait until it answers. It is killed
// at the end of the test.
func launch(t *testing.T, s setup) *process {
	t.Helper()
	if s.Binary == "" {
		binary, err := kitchensink()
		require.NoError(t, err)
		s.Binary = binary
	}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	if s.Port == 0 {
		s.Port = freePort(t)
	}
	output, err := os.CreateTemp(t.TempDir(), "stderr-")
	require.NoError(t, err)
	args := append([]string{
		"-port", strconv.Itoa(s.Port), "-admin", s.Admin, "-token", token, "-appname", appName, "-logpath", s.Dir,
	}, s.Args...)
	// Not bound to the test's context, which ends before its cleanup.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), s.Binary, args...)
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that is cut off leaves nothing behind
	p := &process{setup: s, cmd: cmd, stderr: output.Name(), done: make(chan struct{})}
	require.NoError(t, cmd.Start())
	require.NoError(t, output.Close())
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	p.client = newClient(t, s.Port)
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("end of the output of executor %d:\n%s", s.Port, p.tail())
		}
	})
	return p
}

// start launches an executor and waits until it answers.
func start(t *testing.T, s setup) *process {
	t.Helper()
	p := launch(t, s)
	p.waitReady(t)
	return p
}

// waitReady blocks until the executor answers, whatever it says: one with a
// full disk answers 500.
func (p *process) waitReady(t *testing.T) {
	t.Helper()
	waitFor(t, startLimit, "executor answers", func() bool {
		if p.ended() {
			require.FailNow(t, "executor ended at its start", "%v\n%s", p.err, p.tail())
		}
		_, err := p.beat()
		return err == nil
	})
}

// again starts the executor anew with the same setup.
func (p *process) again(t *testing.T) *process {
	t.Helper()
	return start(t, p.setup)
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

// terminate sends SIGTERM and returns how long the process took to end. It
// fails the test if that is more than limit, or the exit status is not 0.
func (p *process) terminate(t *testing.T, limit time.Duration) time.Duration {
	t.Helper()
	begin := time.Now()
	p.signal(t, syscall.SIGTERM)
	select {
	case <-p.done:
		require.NoError(t, p.err, "exit status of the executor\n%s", p.tail())
	case <-time.After(limit):
		require.FailNow(t, "executor did not end", "%v after SIGTERM", limit)
	}
	return time.Since(begin)
}

func (p *process) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(sig))
}

// output returns what the process has written so far.
func (p *process) output() string {
	text, err := os.ReadFile(p.stderr)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tail returns the end of the output, as much as a test log should have.
func (p *process) tail() string {
	const limit = 4 << 10
	text := strings.TrimSpace(p.output())
	if len(text) > limit {
		text = "…" + text[len(text)-limit:]
	}
	return text
}

// journalDir returns the folder of the executor's journal.
func (p *process) journalDir() string {
	return filepath.Join(p.Dir, "journal", fmt.Sprintf("%s-%d", appName, p.Port))
}

// residentBytes returns the memory that the process has in use.
func (p *process) residentBytes(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			require.NoError(t, err)
			return kib << 10
		}
	}
	require.FailNow(t, "no VmRSS in the status of the process")
	return 0
}
