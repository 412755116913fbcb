package xxljob

import (
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Hooks are functions that the executor calls when something happens; nil ones
// are skipped. They are called synchronously, from many goroutines at once,
// partly while a job is locked: they must return quickly and must not call the
// executor. One that panics is logged, and changes nothing else. For spans round
// handlers, middleware is the better place.
type Hooks struct {
	// TriggerAccepted is called for a trigger that was taken.
	TriggerAccepted func(run *Run)
	// TriggerRefused is called for a trigger that was answered with an error.
	TriggerRefused func(jobID int, logID int64, reason string)
	// RunStarted is called before a handler; after waiting for a slot.
	RunStarted func(run *Run)
	// RunFinished is called when a run has been reported.
	RunFinished func(run *Run, result RunResult)
	// HandlerStranded is called when a handler went on after its run was
	// stopped, and its goroutine was left behind.
	HandlerStranded func(run *Run, stack string)
	// ResultsDelivered is called after an admin acknowledged n results.
	ResultsDelivered func(n int, admin string)
	// ResultsFailed is called when no admin took n results, which are kept.
	ResultsFailed func(n int, err error)

	log *slog.Logger
}

// call calls a hook, whose panic must not end the process.
func (h *Hooks) call(name string, hook func()) {
	defer func() {
		if v := recover(); v != nil && h.log != nil {
			h.log.Error("hook panicked", slog.String("hook", name), slog.Any("err", v),
				slog.String("stack", string(debug.Stack())))
		}
	}()
	hook()
}

// RunResult is the result of a run as it is reported to the admin.
type RunResult struct {
	Code     int           // 200, 500 or 502
	Msg      string        // what the admin shows
	Err      error         // what the handler returned or why it was stopped; nil for success
	Duration time.Duration // from the handler's begin to the report; 0 if it never began
}

func (h *Hooks) triggerAccepted(run *Run) {
	if h.TriggerAccepted != nil {
		h.call("TriggerAccepted", func() { h.TriggerAccepted(run) })
	}
}

func (h *Hooks) triggerRefused(t *wire.TriggerRequest, reason string) {
	if h.TriggerRefused != nil {
		h.call("TriggerRefused", func() { h.TriggerRefused(int(t.JobID), t.LogID, reason) })
	}
}

func (h *Hooks) runStarted(run *Run) {
	if h.RunStarted != nil {
		h.call("RunStarted", func() { h.RunStarted(run) })
	}
}

func (h *Hooks) runFinished(run *Run, res journal.Result, err error) {
	if h.RunFinished == nil {
		return
	}
	result := RunResult{Code: int(res.Code), Msg: res.Msg, Err: err}
	if ns := run.started.Load(); ns != 0 {
		result.Duration = time.Since(time.Unix(0, ns))
	}
	h.call("RunFinished", func() { h.RunFinished(run, result) })
}

func (h *Hooks) stranded(run *Run, stack string) {
	if h.HandlerStranded != nil {
		h.call("HandlerStranded", func() { h.HandlerStranded(run, stack) })
	}
}

func (h *Hooks) delivered(n int, admin string) {
	if h.ResultsDelivered != nil {
		h.call("ResultsDelivered", func() { h.ResultsDelivered(n, admin) })
	}
}

func (h *Hooks) sendFailed(n int, err error) {
	if h.ResultsFailed != nil {
		h.call("ResultsFailed", func() { h.ResultsFailed(n, err) })
	}
}
