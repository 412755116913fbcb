package xxljob

import (
	"context"
	"errors"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/testrun"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Package xxljobtest runs handlers through these.
func init() {
	testrun.Run = runForTest
	testrun.Handler = handlerForTest
}

// runForTest is what a job thread does with one trigger, without a job, a
// journal and a disk. The end of ctx stands for a kill, a cover or a shutdown,
// according to its cause.
//
//nolint:contextcheck // a handler's context has ctx's values and an end of its own
func runForTest(ctx context.Context, call testrun.Call) testrun.Outcome {
	run := &Run{trigger: call.Trigger, recovered: call.Recovered}
	run.log = &runLog{file: call.Log, thread: threadName(call.Trigger.JobID), dropped: new(atomic.Int64)}
	label := "test-" + strconv.FormatInt(threadNumbers.Add(1), 10)
	base := pprof.WithLabels(context.WithoutCancel(ctx), pprof.Labels(threadLabel, label))
	run.ctx, run.cancel = context.WithCancelCause(base)
	defer run.cancel(nil)

	run.log.entry(siteRun, wire.LogStart, run.trigger.ExecutorParams.Or("null"))
	run.started.Store(time.Now().UnixNano())
	handlerCtx, release := run.deadline()
	defer release()
	if ctx.Err() != nil {
		run.cancel(testReason(ctx).cause)
	}
	returned := make(chan error, 1) // the handler may return after nobody waits any more
	go func() {
		pprof.SetGoroutineLabels(run.ctx)
		callForTest(handlerCtx, call.Handler.(HandlerFunc), run, returned)
	}()
	stranded, err := awaitForTest(ctx, handlerCtx, run, returned)

	var stop *stopReason
	if ctx.Err() != nil {
		stop = testReason(ctx)
	}
	run.reported.Store(true)
	var res journal.Result
	if stranded {
		res = strandedResult(stop)
		err = context.Cause(handlerCtx)
		run.log.entry(siteRun, textStranded, goroutineStack(label))
	} else {
		res = outcome(run, handlerCtx, stop, err)
	}
	run.logEnd(res, stop, err)
	return testrun.Outcome{Code: res.Code, Msg: res.Msg, NoRetry: res.NoRetry, Err: err, Stranded: stranded}
}

// awaitForTest waits for the handler's return, which it tells to stop when ctx
// ends, or until the handler is given up.
func awaitForTest(ctx, handlerCtx context.Context, run *Run, returned <-chan error) (stranded bool, err error) {
	stopped := ctx.Done()
	told := handlerCtx.Done()
	var deaf <-chan time.Time
	for {
		select {
		case err := <-returned:
			return false, err
		case <-stopped:
			stopped = nil
			run.cancel(testReason(ctx).cause)
		case <-told:
			told = nil
			deaf = time.After(stopGrace)
		case <-deaf:
			return true, nil
		}
	}
}

// callForTest calls the handler and sends what came of it, also of a panic and
// of runtime.Goexit.
func callForTest(ctx context.Context, h HandlerFunc, run *Run, returned chan<- error) {
	err := errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		returned <- err
	}()
	err = h(ctx, run)
}

// testReason returns the reason that the cause of ctx stands for; a cause that
// the executor does not know stands for a kill.
func testReason(ctx context.Context) *stopReason {
	cause := context.Cause(ctx)
	for _, reason := range []*stopReason{reasonCovered, reasonHandlerChanged, reasonShutdown} {
		if errors.Is(cause, reason.cause) {
			return reason
		}
	}
	return reasonKilled
}

// handlerForTest returns a registered handler as a job that starts anew would
// run it: Init, middleware, handler, Destroy.
func handlerForTest(executor any, name string) any {
	s := &executor.(*Executor).handlers
	s.mu.Lock()
	defer s.mu.Unlock()
	reg := s.byName[name]
	if reg == nil {
		return nil
	}
	handle := reg.handle
	if !s.sealed {
		handle = s.wrap(handle)
	}
	return HandlerFunc(func(ctx context.Context, run *Run) error {
		if err := reg.callInit(ctx); err != nil {
			return err
		}
		if reg.destroy != nil {
			defer reg.destroy()
		}
		return handle(ctx, run)
	})
}
