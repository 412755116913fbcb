package cli

import (
	"errors"
	"fmt"
	"io"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitFault = 1
	ExitUsage = 2
)

// Exit codes of the commands that talk to a running admin, beside those of all.
const (
	ExitChanges   = 3 // apply --dry-run: there is something to change
	ExitRunFailed = 4 // job run --wait: a run failed
	ExitNotFound  = 5 // there is no such job, run, group or key
	ExitWaited    = 6 // job run --wait-timeout: the runs have not ended in time
)

// codedError ends the program with a code of its own.
type codedError struct {
	err  error
	code int
}

// Error implements error.
func (e codedError) Error() string { return e.err.Error() }

// Unwrap returns the error itself.
func (e codedError) Unwrap() error { return e.err }

// notFound says that something does not exist.
func notFound(format string, args ...any) error {
	return codedError{err: fmt.Errorf(format, args...), code: ExitNotFound}
}

// Console is what a command talks to.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
}

// SilentError ends the program with code 1 and says nothing more.
type SilentError struct{ Err error }

// Error implements error.
func (e SilentError) Error() string { return e.Err.Error() }

// UsageError is a mistake on the command line that the parser cannot see.
type UsageError struct{ Err error }

// Error implements error.
func (e UsageError) Error() string { return e.Err.Error() }

// ExitCode reports the error of a command, and returns the code that the program
// ends with.
func (con Console) ExitCode(err error) int {
	var silent SilentError
	var usage UsageError
	var coded codedError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &silent):
		if errors.As(silent.Err, &coded) {
			return coded.code
		}
		return ExitFault
	case errors.As(err, &coded):
		fmt.Fprintln(con.Err, "xxl-job-admin:", err)
		return coded.code
	case errors.As(err, &usage):
		fmt.Fprintln(con.Err, "xxl-job-admin:", err)
		return ExitUsage
	default:
		fmt.Fprintln(con.Err, "xxl-job-admin:", err)
		return ExitFault
	}
}
