package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Script is one version of a job's script, made by Store.Prepare. It is safe for
// concurrent use, and may be run any number of times.
type Script struct {
	store    *Store
	jobID    int32
	name     string
	source   string
	commands []string
}

// Args are what a script is told about its trigger.
type Args struct {
	Param      string // empty if the trigger had none; no NUL byte
	ShardIndex int
	ShardTotal int
}

// Path returns the absolute name of the script file.
func (s *Script) Path() string { return filepath.Join(s.store.dir, s.name) }

// Run runs the script and blocks until it has ended and all output has been
// written to out, or until ctx is done and the script is stopped, as the package
// comment describes. If the script file was removed or changed, it is written
// again first.
//
// It returns the exit status, which may be other than 0 without an error. With
// an error the status is -1: no interpreter (ErrNoInterpreter), a param that the
// system cannot pass on, a process that did not start, or a stop; the error of a
// stop wraps the cause of ctx. A process that a signal ended has an error that
// names it and, on unix, the status 128 + its number, as in a shell and in Java.
//
// Writes to out come from one goroutine at a time, and none after Run has
// returned. Errors of out are ignored, so that a full disk fails no script; the
// writer is to report them. A write that blocks holds up the script, and Run.
func (s *Script) Run(ctx context.Context, out io.Writer, args Args) (exit int, err error) {
	if ctx.Err() != nil {
		return -1, fmt.Errorf("script: not started: %w", context.Cause(ctx))
	}
	cmd, err := s.command(ctx, args)
	if err != nil {
		return -1, err
	}
	err = s.store.withJob(s.jobID, func(root *os.Root) error {
		return ensure(root, s.name, []byte(s.source))
	})
	if err != nil {
		return -1, fmt.Errorf("script: writing the source of job %d: %w", s.jobID, err)
	}
	limited := &limitedWriter{out: out, limit: s.store.opts.MaxOutputBytes}
	proc, err := start(cmd, limited)
	if err != nil {
		return -1, startError(err, cmd.Dir, args)
	}
	defer proc.close()

	select {
	case <-proc.ended:
		return proc.result()
	case <-ctx.Done():
	}
	if !proc.stop(s.store.opts.KillGrace) {
		return -1, fmt.Errorf("script: stopped, but processes of group %d could not be ended: %w",
			cmd.Process.Pid, context.Cause(ctx))
	}
	return -1, fmt.Errorf("script: stopped: %w", context.Cause(ctx))
}

// command builds the process, without its streams.
func (s *Script) command(ctx context.Context, args Args) (*exec.Cmd, error) {
	if strings.ContainsRune(args.Param, 0) {
		return nil, errors.New("script: the param contains a NUL byte, which no program " +
			"can be given as an argument: encode it, for example as base64")
	}
	path, err := interpreter(s.commands)
	if err != nil {
		return nil, err
	}
	// The end of ctx must not kill the process behind our back: stop deals with
	// the whole group, politely first.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, s.Path(), args.Param,
		strconv.Itoa(args.ShardIndex), strconv.Itoa(args.ShardTotal))
	cmd.Dir = s.store.opts.Dir
	if env := s.store.opts.Env; env != nil {
		// A nil Env would inherit; an allow-list that allows nothing must not.
		cmd.Env = append([]string{}, env()...)
	}
	ownGroup(cmd)
	return cmd, nil
}

// startError says what to do about a process that did not start.
func startError(err error, dir string, args Args) error {
	if tooLong(err) {
		return fmt.Errorf("script: a param of %d bytes and the environment are more than this "+
			"system passes to a program (Linux: 131071 bytes an argument, Windows: 32767 "+
			"characters in all); pass a reference to the data instead: %w", len(args.Param), err)
	}
	// The system names the interpreter even if it is the directory that lacks.
	if _, dirErr := os.Stat(dir); dir != "" && dirErr != nil {
		return fmt.Errorf("script: not started, the working directory is not to be had: %w", dirErr)
	}
	return fmt.Errorf("script: not started: %w", err)
}
