package xxljob

import (
	"errors"
	"fmt"
)

// The causes for which a run's context is cancelled. A handler reads them with
// context.Cause(ctx); errors.Is works on each.
var (
	// ErrTimeout means that the job's executorTimeout has passed. The run is
	// reported with code 502.
	ErrTimeout = errors.New("xxljob: run timed out")
	// ErrKilled means that an operator killed the job in the admin.
	ErrKilled = errors.New("xxljob: job killed by the admin")
	// ErrCovered means that a newer trigger of the job took its place (block
	// strategy COVER_EARLY).
	ErrCovered = errors.New("xxljob: run covered by a newer trigger")
	// ErrReplaced means that the job's handler, script or glue type was changed
	// in the admin, and a trigger with the new one arrived.
	ErrReplaced = errors.New("xxljob: job handler replaced")
	// ErrShutdown means that the executor is shutting down and the time that it
	// grants to running handlers is over.
	ErrShutdown = errors.New("xxljob: executor shutting down")
)

var (
	// ErrClosed is returned by Run after Shutdown.
	ErrClosed = errors.New("xxljob: executor closed")
	// ErrRunning is returned by a second Run while the executor runs, and by
	// Register and Use once Run has begun.
	ErrRunning = errors.New("xxljob: executor already running")
	// ErrNotRunning is returned where a running executor is needed.
	ErrNotRunning = errors.New("xxljob: executor not running")
	// ErrNoSuchRun is returned by Stack for a run that is not running.
	ErrNoSuchRun = errors.New("xxljob: no such running run")
)

// PanicError is the error of a run whose handler panicked. It reaches
// middleware and the RunFinished hook; the admin gets its text.
type PanicError struct {
	Value any    // what the handler panicked with
	Stack []byte // the goroutine's stack at the panic, as runtime/debug.Stack gives it
}

// Error returns the panic value and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack)
}

// Unwrap returns the panic value if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errGoexit is the result of a handler that called runtime.Goexit.
var errGoexit = errors.New("handler ended its goroutine with runtime.Goexit")

// skipError is the error of Skip.
type skipError struct{ msg string }

func (e *skipError) Error() string { return e.msg }

// Skip returns an error with which a handler says that there was nothing to
// do: the run succeeds (code 200) with msg as its message.
func Skip(msg string) error { return &skipError{msg: msg} }

// noRetryError is the error of NoRetry.
type noRetryError struct{ err error }

func (e *noRetryError) Error() string { return e.err.Error() }
func (e *noRetryError) Unwrap() error { return e.err }

// NoRetry wraps err so that the failed run is not tried again: the result
// carries an extra key, noRetry, that this project's admin obeys and a Java
// admin ignores. NoRetry(nil) is nil.
func NoRetry(err error) error {
	if err == nil {
		return nil
	}
	return &noRetryError{err: err}
}
