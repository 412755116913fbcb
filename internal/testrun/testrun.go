// Package testrun is the seam through which package xxljobtest runs a handler
// with a real *xxljob.Run and no executor round it. It holds functions that
// package xxljob sets when it is loaded; nothing else uses them. Types of
// package xxljob are passed as any, since that package imports this one.
package testrun

import (
	"context"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Log receives the log of a run.
type Log interface {
	// Append takes one entry with its line end, and reports whether it did.
	Append(entry []byte) bool
	// AppendEnd is Append for what a log ends with.
	AppendEnd(entry []byte) bool
	// Write takes raw text.
	Write(p []byte) (int, error)
	// End ends the log: nothing comes after it.
	End()
}

// Call is one run of a handler.
type Call struct {
	Trigger   wire.TriggerRequest
	Recovered bool // what Run.Recovered says
	Handler   any  // an xxljob.HandlerFunc
	Log       Log
}

// Outcome is what the executor would report of a run.
type Outcome struct {
	Code     int32
	Msg      string
	NoRetry  bool
	Err      error // what the handler returned, or why it was left behind
	Stranded bool  // the handler had not returned when the run was reported
}

// Run runs a handler to its report. It blocks until the handler returns, or
// until it would be left behind after the end of ctx or its timeout.
var Run func(ctx context.Context, call Call) Outcome

// Handler returns the xxljob.HandlerFunc that is registered with an
// *xxljob.Executor under name, with its hooks and the executor's middleware
// round it, or nil.
var Handler func(executor any, name string) any
