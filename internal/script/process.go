package script

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

const (
	// A stopped group is asked whether it is gone at first after groupPoll, then
	// after ever longer times up to maxGroupPoll.
	groupPoll    = 4 * time.Millisecond
	maxGroupPoll = 200 * time.Millisecond

	// settle is what a killed group is given to go, and then, when the output is
	// no longer read, the reader and the kernel; twice settle is the longest that
	// stop takes beyond the grace.
	settle = 50 * time.Millisecond
)

// process is a started script. The exited leader of the group is reaped only
// after the output has ended: until then its id, and so the group's, belongs to
// nobody else, and a signal cannot hit a stranger.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // our end, never written
	output *os.File // our end

	drained chan struct{} // closed when output is no longer read
	ended   chan struct{} // closed after drained, when the leader is reaped
	waitErr error         // of the reaping; valid after ended
}

// start starts cmd and copies what it writes to out until the end. close must be
// called when the process is done with.
func start(cmd *exec.Cmd, out io.Writer) (*process, error) {
	stdin, stdinWriter, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening the standard input: %w", err)
	}
	defer stdin.Close()
	output, outputWriter, err := os.Pipe()
	if err != nil {
		_ = stdinWriter.Close()
		return nil, fmt.Errorf("opening the output: %w", err)
	}
	defer outputWriter.Close()

	p := &process{
		cmd:     cmd,
		stdin:   stdinWriter,
		output:  output,
		drained: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, outputWriter, outputWriter
	if err := cmd.Start(); err != nil {
		p.close()
		return nil, err
	}
	go p.follow(out)
	return p, nil
}

// follow owns the reading and the reaping. It ends when the leader is reaped,
// which stop brings about.
func (p *process) follow(out io.Writer) {
	// Any error is the end of the output: the pipe has ended, or stop closed it.
	_, _ = io.Copy(out, p.output)
	close(p.drained)
	p.waitErr = p.cmd.Wait()
	close(p.ended)
}

func (p *process) close() {
	_ = p.stdin.Close()
	_ = p.output.Close()
}

// result returns how an ended process ended.
func (p *process) result() (exit int, err error) {
	state := p.cmd.ProcessState
	if state == nil {
		return -1, fmt.Errorf("script: exit status unknown: %w", p.waitErr)
	}
	if status, signal := endSignal(state); signal != "" {
		return status, fmt.Errorf("script: ended by %s", signal)
	}
	return state.ExitCode(), nil
}

// stop ends the group: asked to, and after grace forced to. It reports whether
// all of the group is gone. The output is not read any more when it returns,
// which it does at most twice settle after grace, unless out blocks.
func (p *process) stop(grace time.Duration) (gone bool) {
	if grace > 0 {
		askGroup(p.cmd.Process)
		if p.waitGone(grace) {
			return true
		}
	}
	killGroup(p.cmd.Process)
	gone = p.waitGone(settle)
	if !gone {
		// Somebody outside the group, or unkillable, may hold the other end.
		_ = p.output.Close()
		<-p.drained
		gone = p.waitGone(settle)
	}
	return gone
}

// waitGone waits until the leader is reaped and nothing of the group is left,
// and at most for limit. It reports whether that has come.
func (p *process) waitGone(limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		return false
	}
	for poll := groupPoll; groupAlive(p.cmd.Process); poll = min(2*poll, maxGroupPoll) {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		timer.Reset(min(poll, left))
		<-timer.C
	}
	return true
}
