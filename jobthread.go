package xxljob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// stopGrace is the time between the signal to stop and the report of a run
// whose handler goes on. It is a little under the 3 s that are promised, since
// finding the goroutine's stack and writing the result takes time too.
const stopGrace = 2800 * time.Millisecond

// stopReason says why a job thread was stopped: to the handler as the cause of
// its context, to the admin as text.
type stopReason struct {
	cause error
	text  string
}

var (
	reasonKilled         = &stopReason{ErrKilled, wire.ReasonKilled}
	reasonCovered        = &stopReason{ErrCovered, wire.ReasonCovered}
	reasonHandlerChanged = &stopReason{ErrReplaced, wire.ReasonHandlerChange}
	reasonSourceChanged  = &stopReason{ErrReplaced, wire.ReasonSourceChange}
	reasonShutdown       = &stopReason{ErrShutdown, wire.ReasonShutdown}
)

// jobThread runs the triggers of one job one after another (wire.md 3.2). It
// has one goroutine, which ends after IdleTimeout without work; one that a
// handler does not give back is left behind and replaced.
type jobThread struct {
	job  *job
	d    *dispatcher
	reg  *registration
	glue glueVersion
	name string
	wake chan struct{} // size 1: a signal that is not yet seen need not be repeated
	gone chan struct{} // closed when the thread is stopped and no run of it is in the way

	// Guarded by job.mu.
	prev    *jobThread // the thread that it replaced; its run must be out of the way first
	queue   runQueue
	current *Run
	stop    *stopReason // nil while it is the job's thread
	ended   bool        // gone is closed
	loops   int         // goroutines that have not returned, the ones left behind included
	ready   bool        // the Init hook has succeeded
}

// glueVersion tells scripts apart; its zero value stands for a BEAN handler.
type glueVersion struct {
	script  bool
	updated int64
}

// threadNumbers make the profiler label of every goroutine unique.
var threadNumbers atomic.Int64

// threadLabel is the profiler label by which a goroutine's stack is found.
const threadLabel = "xxljob_thread"

// startLocked starts a goroutine for the thread.
func (t *jobThread) startLocked() {
	t.loops++
	t.d.goroutines.Add(1)
	label := "job-" + strconv.Itoa(int(t.job.id)) + "-" + strconv.FormatInt(threadNumbers.Add(1), 10)
	loop := &threadLoop{t: t, label: label}
	go loop.run()
}

// threadLoop is one goroutine of a job thread.
type threadLoop struct {
	t     *jobThread
	label string
	left  atomic.Bool // no longer waited for: it returned or was left behind
}

// run executes triggers until the thread ends or this goroutine is left behind.
func (l *threadLoop) run() {
	t := l.t
	defer l.notWaitedFor() // after the Destroy hook
	defer t.leave()
	ctx := pprof.WithLabels(t.d.base, pprof.Labels(threadLabel, l.label))
	pprof.SetGoroutineLabels(ctx)
	t.job.mu.Lock()
	prev := t.prev
	t.job.mu.Unlock()
	if prev != nil {
		<-prev.gone // at most stopGrace after its stop
		t.job.mu.Lock()
		t.prev = nil
		t.job.mu.Unlock()
	}
	idle := time.NewTimer(t.d.cfg.IdleTimeout)
	defer idle.Stop()
	for run := l.next(ctx, idle); run != nil; run = l.next(ctx, idle) {
		if !l.execute(run) {
			return
		}
	}
}

// notWaitedFor takes the goroutine off those that shutdown waits for, once.
func (l *threadLoop) notWaitedFor() {
	if l.left.CompareAndSwap(false, true) {
		l.t.d.goroutines.Done()
	}
}

// leave ends one goroutine; the last one of an ended thread calls Destroy.
func (t *jobThread) leave() {
	t.job.mu.Lock()
	t.loops--
	last := t.loops == 0 && t.ended
	destroy := last && t.ready && t.reg.destroy != nil
	t.job.mu.Unlock()
	if destroy {
		t.d.callHook(t.reg.destroy, "destroy", t.reg.name)
	}
	if last {
		t.d.release(t.job)
	}
}

// next returns the run to execute, or nil when the thread has ended: stopped,
// or idle for IdleTimeout. A trigger that arrives at that very instant finds
// either this thread alive or no thread, since both happen under the lock.
func (l *threadLoop) next(ctx context.Context, idle *time.Timer) *Run {
	t := l.t
	idle.Reset(t.d.cfg.IdleTimeout)
	for {
		t.job.mu.Lock()
		t.current = nil
		if run := t.queue.pop(); run != nil {
			t.current = run
			run.loop = l
			run.ctx, run.cancel = context.WithCancelCause(ctx)
			t.job.mu.Unlock()
			t.d.dequeued(run)
			return run
		}
		if t.stop != nil {
			t.endLocked()
			t.job.mu.Unlock()
			return nil
		}
		t.job.mu.Unlock()
		select {
		case <-t.wake:
		case <-idle.C:
			if t.endIdle() {
				return nil
			}
		}
	}
}

// endIdle ends the thread unless a trigger has just arrived.
func (t *jobThread) endIdle() bool {
	t.job.mu.Lock()
	defer t.job.mu.Unlock()
	if t.queue.len() > 0 {
		return false
	}
	if t.job.thread == t {
		t.job.thread = nil
		t.d.threads.Add(-1)
	}
	t.endLocked()
	return true
}

// endLocked marks the thread as out of the way.
func (t *jobThread) endLocked() {
	if !t.ended {
		t.ended = true
		close(t.gone)
	}
}

// busyLocked reports whether the job is running, or waits to (wire.md 1.4).
func (t *jobThread) busyLocked() bool { return t.current != nil || t.queue.len() > 0 }

// pushLocked queues run and wakes the goroutine.
func (t *jobThread) pushLocked(run *Run) {
	run.thread = t
	run.openLog()
	t.queue.push(run)
	notify(t.wake)
}

// stopLocked takes the thread off its job for good: queued triggers are
// reported as not executed, the running one is told to stop and reported at
// the latest stopGrace from now.
func (t *jobThread) stopLocked(reason *stopReason) {
	t.stop = reason
	if t.job.thread == t {
		t.job.thread = nil
		t.d.threads.Add(-1)
	}
	for run := t.queue.pop(); run != nil; run = t.queue.pop() {
		t.d.dequeued(run)
		run.reported.Store(true)
		res := failed(reason.text + wire.SuffixQueued)
		t.d.finish(run, res)
		t.d.hooks.runFinished(run, res, reason.cause)
	}
	if run := t.current; run != nil && !run.reported.Load() {
		run.stop = reason
		run.cancel(reason.cause)
		time.AfterFunc(stopGrace, func() { run.strand() })
	}
	notify(t.wake)
}

// execute runs one trigger to its report. It returns false if this goroutine
// was left behind meanwhile, so that another one has taken its place.
func (l *threadLoop) execute(run *Run) bool {
	t := l.t
	if run.recovered {
		run.log.entry(siteRun, textRunAgain)
	}
	run.log.entry(siteRun, wire.LogStart, run.trigger.ExecutorParams.Or("null"))
	if !t.d.takeSlot(run) {
		return l.complete(run, run.ctx, context.Cause(run.ctx))
	}
	if !run.startsNow {
		t.d.journal.Start(run.seq, run.id())
	}
	run.started.Store(time.Now().UnixNano())
	t.d.hooks.runStarted(run)
	ctx, release := run.deadline()
	defer release()
	err := l.call(ctx, run)
	return l.complete(run, ctx, err)
}

// deadline returns the context for the handler. With an executorTimeout it
// ends then with ErrTimeout, and the run is reported stopGrace later.
func (r *Run) deadline() (context.Context, func()) {
	ctx := context.Context(runContext{r.ctx, r})
	limit := r.Timeout()
	if limit == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	timer := time.AfterFunc(limit+stopGrace, func() { r.strand() })
	return ctx, func() { timer.Stop(); cancel() }
}

// call calls the handler, after Init if that is due, and turns a panic into an
// error. runtime.Goexit cannot be stopped: the run is completed from here and
// another goroutine takes over, while this one ends.
func (l *threadLoop) call(ctx context.Context, run *Run) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			return
		}
		if l.complete(run, ctx, errGoexit) {
			l.t.takeOver() //nolint:contextcheck // a new goroutine, with runs of its own
		}
	}()
	if err = l.t.initialise(ctx); err == nil {
		err = l.t.reg.handle(ctx, run)
	}
	returned = true
	return err
}

// takeOver starts a goroutine in place of one that ends or is left behind, or
// ends the thread if it was stopped meanwhile.
func (t *jobThread) takeOver() {
	t.job.mu.Lock()
	defer t.job.mu.Unlock()
	t.current = nil
	if t.stop != nil {
		t.endLocked()
		return
	}
	t.startLocked()
}

// initialise calls the Init hook unless it has succeeded on this thread.
func (t *jobThread) initialise(ctx context.Context) error {
	if t.reg.init == nil {
		return nil
	}
	t.job.mu.Lock()
	ready := t.ready
	t.job.mu.Unlock()
	if ready {
		return nil
	}
	if err := t.reg.callInit(ctx); err != nil {
		return err
	}
	t.job.mu.Lock()
	t.ready = true
	t.job.mu.Unlock()
	return nil
}

// complete reports the end of a handler. It returns false if the run had been
// reported before, since the handler went on after its signal to stop.
func (l *threadLoop) complete(run *Run, ctx context.Context, err error) bool {
	t := l.t
	t.job.mu.Lock()
	stop := run.stop
	first := run.reported.CompareAndSwap(false, true)
	t.job.mu.Unlock()
	if !first {
		l.returnedLate(run)
		return false
	}
	res := outcome(run, ctx, stop, err)
	run.logEnd(res, stop, err)
	t.d.finish(run, res)
	t.d.releaseSlot(run)
	run.cancel(nil)
	t.d.hooks.runFinished(run, res, err)
	return true
}

// returnedLate counts a left-behind goroutine as back, and says so in the run's
// log, where its stack stands.
func (l *threadLoop) returnedLate(run *Run) {
	l.t.reg.stranded.Add(-1)
	l.t.d.strays.Delete(run)
	l.t.d.log.Info("stranded handler returned", slog.String("handler", run.Handler()),
		slog.Int("job_id", run.JobID()), slog.Int64("log_id", run.LogID()))
	formatEntry(siteRun, l.t.name, []string{wire.LogReturned}, func(line []byte) {
		// The store counts and logs what a disk refuses.
		_ = l.t.d.logs.AppendAfter(run.LogID(), run.TriggerTime(), line)
	})
}

// strand reports a run whose handler has not returned, and leaves its
// goroutine behind: it is counted, its stack goes to the run's log, and the
// job goes on without it.
func (r *Run) strand() {
	t := r.thread
	if t == nil {
		return // a handler's test, which gives the run up by itself
	}
	t.job.mu.Lock()
	l, stop := r.loop, r.stop
	first := r.reported.CompareAndSwap(false, true)
	t.job.mu.Unlock()
	if !first {
		return
	}
	t.reg.stranded.Add(1)
	t.d.strays.Store(r, l)
	stack := goroutineStack(l.label)
	t.d.log.Warn("handler goes on after its run was stopped: goroutine left behind",
		slog.String("handler", r.Handler()), slog.Int("job_id", r.JobID()), slog.Int64("log_id", r.LogID()),
		slog.Int64("stranded", t.reg.stranded.Load()), slog.String("stack", stack))
	res, err := strandedResult(stop), ErrTimeout
	if stop != nil {
		err = stop.cause
	}
	r.log.entry(siteRun, textStranded, stack)
	r.logEnd(res, stop, err)
	t.d.finish(r, res)
	t.d.releaseSlot(r)
	l.notWaitedFor()
	t.takeOver()
	t.d.hooks.stranded(r, stack)
	t.d.hooks.runFinished(r, res, err)
}

// textStranded stands in a run's log before the stack of a handler that goes
// on although it was told to stop.
const textStranded = wire.LogStranded + "\n"

// strandedResult is the result of a run whose handler did not return, after a
// stop or, without one, after its timeout.
func strandedResult(stop *stopReason) journal.Result {
	if stop != nil {
		return failed(stop.text + wire.SuffixRunning)
	}
	return journal.Result{Code: wire.CodeTimeout, Msg: wire.TextTimeout, HasMsg: true}
}

// succeeded returns a result of code 200.
func succeeded(msg string, hasMsg bool) journal.Result {
	return journal.Result{
		Code: wire.CodeSuccess, Msg: wire.TruncateMessage(msg, wire.MaxResultMessage), HasMsg: hasMsg,
	}
}

// failed returns a result of code 500.
func failed(msg string) journal.Result {
	return journal.Result{Code: wire.CodeFail, Msg: wire.TruncateMessage(msg, wire.MaxResultMessage), HasMsg: true}
}

// outcome returns the result of a run whose handler returned err (wire.md 3.3).
// A stopped run is reported as such even if its handler then succeeded.
func outcome(run *Run, ctx context.Context, stop *stopReason, err error) journal.Result {
	switch {
	case stop != nil:
		return failed(stop.text + wire.SuffixRunning)
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return journal.Result{Code: wire.CodeTimeout, Msg: wire.TextTimeout, HasMsg: true}
	case err == nil:
		msg, ok := run.result()
		return succeeded(msg, ok)
	default:
		return outcomeOfError(err)
	}
}

// outcomeOfError returns the result of a run whose handler returned err.
func outcomeOfError(err error) journal.Result {
	var skip *skipError
	if errors.As(err, &skip) {
		return succeeded(skip.msg, true)
	}
	var noRetry *noRetryError
	res := failed(errorText(err))
	res.NoRetry = errors.As(err, &noRetry)
	return res
}

// errorText returns err.Error(), even if that panics.
func errorText(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("handler returned a %T whose Error method panics: %v", err, v)
		}
	}()
	return err.Error()
}
