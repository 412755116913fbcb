//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	token      = "bench-secret"
	appName    = "bench"
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
)

// kind is a program that can be measured.
type kind struct {
	name    string
	ours    bool
	command func(flags []string) *exec.Cmd
}

// executor is a running one.
type executor struct {
	kind
	*client
	dir    string // its log path, and its output beside it
	port   int
	cmd    *exec.Cmd
	output string
	ready  time.Duration // from its start to its first answer
	done   chan struct{} // closed when it has ended, after err was set
	err    error         // of Wait
}

// start starts an executor whose files lie in dir, which exists, and waits
// until it answers and has registered. Port 0 chooses a free one.
func (b *bench) start(ctx context.Context, k kind, dir string, port int) (*executor, error) {
	if port == 0 {
		var err error
		if port, err = freePort(); err != nil {
			return nil, err
		}
	}
	e := &executor{
		kind: k, dir: dir, port: port, output: filepath.Join(dir, "output.txt"), done: make(chan struct{}),
		client: newClient(port),
	}
	output, err := os.OpenFile(e.output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	e.cmd = k.command([]string{
		"-port", strconv.Itoa(port), "-admin", b.admin.url(), "-token", token,
		"-appname", appName, "-logpath", e.logPath(),
	})
	e.cmd.Stdout, e.cmd.Stderr = output, output
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // nothing is left behind
	beats, begin := b.admin.beats.Load(), time.Now()
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start of %s: %w", k.name, err)
	}
	go func() {
		e.err = e.cmd.Wait()
		close(e.done)
	}()
	if err := b.awaitReady(ctx, e, beats, begin); err != nil {
		e.kill()
		return nil, errors.Join(fmt.Errorf("start of %s: %w", k.name, err), errors.New(e.tail()))
	}
	return e, nil
}

// awaitReady waits for the executor's first answer and its first beat.
func (b *bench) awaitReady(ctx context.Context, e *executor, beats int64, begin time.Time) error {
	answers := false
	return poll(ctx, startLimit, "it did not answer and register", func() (bool, error) {
		select {
		case <-e.done:
			return false, fmt.Errorf("it ended: %w", cmp.Or(e.err, errors.New("with status 0")))
		default:
		}
		if !answers && e.beat() == nil {
			answers, e.ready = true, time.Since(begin)
		}
		return answers && b.admin.beats.Load() > beats, nil
	})
}

// poll calls done every 5 ms until it is, it errs, or limit is over.
func poll(ctx context.Context, limit time.Duration, late string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s within %v", late, limit))
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (e *executor) pid() int { return e.cmd.Process.Pid }

// logPath is the executor's -logpath.
func (e *executor) logPath() string { return filepath.Join(e.dir, "log") }

// kill ends the process as a power switch would, and waits until it is gone.
func (e *executor) kill() {
	_ = e.cmd.Process.Kill() // an error says that it has ended already
	<-e.done
	e.client.close()
}

// stop asks the process to end, and kills it if it does not. The error says
// that our executor did not end well; a JVM ends with a status of its own.
func (e *executor) stop() error {
	defer e.client.close()
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("%s had ended before it was asked to: %w", e.name, err)
	}
	select {
	case <-e.done:
	case <-time.After(stopLimit):
		e.kill()
		return fmt.Errorf("%s was still there %v after SIGTERM", e.name, stopLimit)
	}
	if e.ours && e.err != nil {
		return fmt.Errorf("%s ended badly: %w\n%s", e.name, e.err, e.tail())
	}
	return nil
}

// tail returns the end of the executor's output.
func (e *executor) tail() string {
	const limit = 2 << 10
	text, err := os.ReadFile(e.output)
	if err != nil {
		return err.Error()
	}
	text = bytes.TrimSpace(text)
	return string(text[max(0, len(text)-limit):])
}

// freePort returns a port of loopback that was free a moment ago.
func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // answers at once
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
