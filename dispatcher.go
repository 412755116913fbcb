package xxljob

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/xxljob-go/xxljob/internal/joblog"
	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/script"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// dispatcher owns the map from job id to job thread and decides what becomes
// of a trigger (wire.md 3.1). A decision is atomic for its job; jobs do not
// wait for one another.
type dispatcher struct {
	cfg      *Config
	handlers *handlerSet
	journal  *journal.Journal
	logs     *joblog.Store
	scripts  *script.Store
	hooks    *Hooks
	log      *slog.Logger
	base     context.Context // parent of every run's context; never ends
	slots    chan struct{}   // nil without Config.MaxConcurrent
	resend   func(journal.Finished)

	threads     atomic.Int64 // jobs that have a thread
	queued      atomic.Int64 // triggers that wait
	queuedBytes atomic.Int64
	running     atomic.Int64 // handlers that run and were not left behind
	strays      sync.Map     // *Run → *threadLoop: goroutines that go on although their run was reported
	lateEntries atomic.Int64 // log entries written after the end of their run
	counters    counters
	goroutines  sync.WaitGroup // of job threads, without those left behind
	refusal     atomic.Pointer[string]
	mu          sync.Mutex
	jobs        map[int32]*job
	open        int           // runs accepted and not reported
	nothingOpen chan struct{} // closed when open falls to 0; nil while nobody waits
}

// job is the place of one job id. It outlives its threads while somebody
// refers to it.
type job struct {
	id   int32
	refs int // guarded by dispatcher.mu

	mu     sync.Mutex
	thread *jobThread // nil when there is none that takes triggers
	last   *jobThread // the newest one, which may still be ending
}

// acquire returns the job with this id; release must follow.
func (d *dispatcher) acquire(id int32) *job {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if j == nil {
		j = &job{id: id}
		d.jobs[id] = j
	}
	j.refs++
	return j
}

// release gives up one reference; the last one removes the job.
func (d *dispatcher) release(j *job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j.refs--; j.refs == 0 {
		delete(d.jobs, j.id)
	}
}

// all returns the jobs of the moment, each acquired.
func (d *dispatcher) all() []*job {
	d.mu.Lock()
	defer d.mu.Unlock()
	jobs := make([]*job, 0, len(d.jobs))
	for _, j := range d.jobs {
		j.refs++
		jobs = append(jobs, j)
	}
	return jobs
}

// decision is what becomes of a trigger.
type decision struct {
	refusal string        // not empty: refused with this text
	reg     *registration // of the thread to start; nil keeps the present one
	glue    glueVersion
	stop    *stopReason // for the present thread if another one starts
}

func refuse(text string) decision { return decision{refusal: text} }

// trigger answers /run and /trigger. It blocks while the journal takes the
// trigger, 2 s at most.
func (d *dispatcher) trigger(t *wire.TriggerRequest) wire.Response {
	j := d.acquire(t.JobID)
	defer d.release(j)
	j.mu.Lock()
	defer j.mu.Unlock()

	id := triggerID(t)
	if d.journal.Known(id) {
		d.counters.repeated.Add(1)
		d.reportAgain(id)
		return wire.Response{Code: wire.CodeSuccess, Msg: wire.Str(wire.RepeatText(t.LogID))}
	}
	dec := d.refuseAllLocked()
	if dec.refusal == "" {
		dec = d.decideLocked(j, t)
	}
	if dec.refusal == "" {
		dec.refusal = d.overLimitLocked(j, t, &dec)
	}
	if dec.refusal != "" {
		return d.refused(t, dec.refusal)
	}
	run, err := d.accept(j, t, &dec)
	if err != nil {
		return d.refused(t, "trigger not taken: "+err.Error())
	}
	d.applyLocked(j, run, &dec)
	d.hooks.triggerAccepted(run)
	return wire.Response{Code: wire.CodeSuccess}
}

// refused counts a refusal and returns its answer.
func (d *dispatcher) refused(t *wire.TriggerRequest, text string) wire.Response {
	d.counters.refused.Add(1)
	d.hooks.triggerRefused(t, text)
	return wire.Response{Code: wire.CodeFail, Msg: wire.Str(text)}
}

// reportAgain sends the result of an ended run once more, since its admin asks
// because it did not hear something.
func (d *dispatcher) reportAgain(id journal.ID) {
	if first, ok := d.journal.Result(id); ok && d.resend != nil {
		d.resend(first)
	}
}

// refuseAllLocked refuses while the executor shuts down.
func (d *dispatcher) refuseAllLocked() decision {
	if text := d.refusal.Load(); text != nil {
		return refuse(*text)
	}
	return decision{}
}

// decideLocked follows wire.md 3.1, steps 2 to 7.
func (d *dispatcher) decideLocked(j *job, t *wire.TriggerRequest) decision {
	var dec decision
	if t.GlueType.String == wire.GlueTypeBean {
		dec = d.decideBeanLocked(j, t)
	} else {
		dec = d.decideScriptLocked(j, t)
	}
	if dec.refusal != "" || dec.reg != nil || !j.thread.busyLocked() {
		return dec
	}
	switch t.ExecutorBlockStrategy.String {
	case wire.BlockDiscardLater:
		return refuse(wire.TextDiscardLater)
	case wire.BlockCoverEarly:
		return decision{reg: j.thread.reg, glue: j.thread.glue, stop: reasonCovered}
	default:
		return dec
	}
}

func (d *dispatcher) decideBeanLocked(j *job, t *wire.TriggerRequest) decision {
	if !t.ExecutorHandler.Valid {
		return refuse(wire.PrefixRequestError + "java.lang.NullPointerException: executorHandler is missing")
	}
	reg := d.handlers.lookup(t.ExecutorHandler.String)
	switch {
	case reg == nil:
		return refuse(wire.HandlerNotFoundText(t.ExecutorHandler.String))
	case j.thread == nil:
		return decision{reg: reg}
	case j.thread.reg != reg:
		return decision{reg: reg, stop: reasonHandlerChanged}
	default:
		return decision{}
	}
}

func (d *dispatcher) decideScriptLocked(j *job, t *wire.TriggerRequest) decision {
	desc, known := wire.GlueDesc(t.GlueType.String)
	switch {
	case !t.GlueType.Valid || !known:
		return refuse(wire.GlueInvalidText(t.GlueType))
	case !d.cfg.Scripts.Enabled:
		return refuse(wire.GlueUnsupportedText(desc))
	case t.GlueType.String == wire.GlueTypeGroovy:
		return refuse(wire.GlueUnsupportedText(desc) + " Groovy needs a Java executor.")
	}
	glue := glueVersion{script: true, updated: t.GlueUpdateTime}
	switch {
	case j.thread == nil:
		return decision{reg: d.scriptRegistration(t), glue: glue}
	case j.thread.glue != glue:
		return decision{reg: d.scriptRegistration(t), glue: glue, stop: reasonSourceChanged}
	default:
		return decision{}
	}
}

// overLimitLocked returns the text with which a limit refuses the trigger.
func (d *dispatcher) overLimitLocked(j *job, t *wire.TriggerRequest, dec *decision) string {
	reg := dec.reg
	if reg == nil {
		reg = j.thread.reg
		switch {
		case j.thread.queue.holds(t.LogID):
			return wire.RepeatText(t.LogID)
		case j.thread.queue.len() >= d.cfg.MaxQueuePerJob:
			return fmt.Sprintf("queue of job %d is full: %d triggers wait, which is the limit (MaxQueuePerJob)",
				j.id, d.cfg.MaxQueuePerJob)
		}
	} else if dec.stop == nil && d.threads.Load() >= int64(d.cfg.MaxJobs) {
		return fmt.Sprintf("executor is full: %d jobs are live, which is the limit (MaxJobs)", d.cfg.MaxJobs)
	}
	if size := triggerSize(t); d.queuedBytes.Load()+size > d.cfg.MaxQueueBytes {
		return fmt.Sprintf("executor is full: its waiting triggers and this one take %d bytes, the limit is %d "+
			"(MaxQueueBytes)", d.queuedBytes.Load()+size, d.cfg.MaxQueueBytes)
	}
	if n := reg.stranded.Load(); n >= int64(d.cfg.MaxStranded) {
		return fmt.Sprintf("handler %s is stuck: %d of its goroutines go on after their run was stopped, "+
			"which is the limit (MaxStranded)", reg.name, n)
	}
	return ""
}

// triggerSize returns the memory that a waiting trigger takes, about.
func triggerSize(t *wire.TriggerRequest) int64 {
	return int64(len(t.ExecutorHandler.String)+len(t.ExecutorParams.String)+len(t.GlueSource.String)) + 512
}

// accept writes the trigger to the journal. Until that has succeeded nothing
// was cancelled, covered or queued.
func (d *dispatcher) accept(j *job, t *wire.TriggerRequest, dec *decision) (*Run, error) {
	reg := dec.reg
	startsNow := reg != nil && dec.stop == nil && (j.last == nil || j.last.ended)
	if reg == nil {
		reg = j.thread.reg
		startsNow = !j.thread.busyLocked()
	}
	startsNow = startsNow && d.slots == nil && reg.slots == nil
	var payload []byte
	if reg.repeatable {
		payload = t.Append(nil)
	}
	seq, err := d.journal.Accept(triggerID(t), startsNow, payload)
	if err != nil {
		d.log.Error("trigger refused: journal", slog.Int("job_id", int(t.JobID)), slog.Int64("log_id", t.LogID),
			slog.Any("err", err))
		return nil, err
	}
	return &Run{trigger: *t, seq: seq, startsNow: startsNow}, nil
}

// applyLocked does what was decided.
func (d *dispatcher) applyLocked(j *job, run *Run, dec *decision) {
	d.opened(1)
	run.size = triggerSize(&run.trigger)
	d.queued.Add(1)
	d.queuedBytes.Add(run.size)
	d.counters.accepted.Add(1)
	if dec.reg != nil {
		if j.thread != nil {
			j.thread.stopLocked(dec.stop)
		}
		d.startThreadLocked(j, dec.reg, dec.glue)
	}
	j.thread.pushLocked(run)
}

// startThreadLocked gives the job a new thread.
func (d *dispatcher) startThreadLocked(j *job, reg *registration, glue glueVersion) {
	t := &jobThread{
		job: j, d: d, reg: reg, glue: glue, name: threadName(j.id),
		wake: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	if j.last != nil && !j.last.ended {
		t.prev = j.last
	}
	j.thread, j.last = t, t
	d.threads.Add(1)
	d.mu.Lock()
	j.refs++ // given up by the thread's last goroutine
	d.mu.Unlock()
	t.startLocked()
}

// dequeued notes that run no longer waits.
func (d *dispatcher) dequeued(run *Run) {
	d.queued.Add(-1)
	d.queuedBytes.Add(-run.size)
}

// finish hands the result of run to the journal, from which it is sent.
func (d *dispatcher) finish(run *Run, res journal.Result) {
	d.journal.Finish(run.seq, run.id(), res)
	d.counters.finished(res.Code)
	d.opened(-1)
}

// opened counts runs that are accepted and not yet reported.
func (d *dispatcher) opened(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open += n
	if d.open == 0 && d.nothingOpen != nil {
		close(d.nothingOpen)
		d.nothingOpen = nil
	}
}

// openRuns returns the number of runs accepted and not reported.
func (d *dispatcher) openRuns() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// kill answers /kill.
func (d *dispatcher) kill(jobID int32) wire.Response {
	j := d.acquire(jobID)
	defer d.release(j)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.thread == nil {
		text := wire.Str(wire.TextKilledAlready)
		return wire.Response{Code: wire.CodeSuccess, Msg: text, Payload: text}
	}
	j.thread.stopLocked(reasonKilled)
	return wire.Response{Code: wire.CodeSuccess}
}

// idleBeat answers /idleBeat.
func (d *dispatcher) idleBeat(jobID int32) wire.Response {
	j := d.acquire(jobID)
	defer d.release(j)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.thread != nil && j.thread.busyLocked() {
		return wire.Response{Code: wire.CodeFail, Msg: wire.Str(wire.TextBusy)}
	}
	return wire.Response{Code: wire.CodeSuccess}
}

// each calls f for every thread, the ones that are ending included, under the
// lock of its job.
func (d *dispatcher) each(f func(t *jobThread)) {
	for _, j := range d.all() {
		j.mu.Lock()
		for t := j.last; t != nil; t = t.prev {
			f(t)
		}
		j.mu.Unlock()
		d.release(j)
	}
}

// stranded returns the runs whose handler was left behind and has not returned,
// each with its goroutine.
func (d *dispatcher) stranded() map[*Run]*threadLoop {
	runs := make(map[*Run]*threadLoop)
	d.strays.Range(func(run, loop any) bool {
		runs[run.(*Run)] = loop.(*threadLoop)
		return true
	})
	return runs
}

// isLive reports whether a run with this log id waits or runs.
func (d *dispatcher) isLive(logID int64) bool {
	live := false
	d.each(func(t *jobThread) {
		live = live || t.queue.holds(logID) || t.current != nil && t.current.LogID() == logID
	})
	return live
}

// takeSlot waits for the concurrency slots of run. It returns false if the run
// was stopped meanwhile.
func (d *dispatcher) takeSlot(run *Run) bool {
	own := run.thread.reg.slots
	if own == nil && d.slots == nil {
		d.running.Add(1)
		run.slots.Store(1)
		return true
	}
	if own != nil {
		select {
		case own <- struct{}{}:
		case <-run.ctx.Done():
			return false
		}
	}
	if d.slots != nil {
		select {
		case d.slots <- struct{}{}:
		case <-run.ctx.Done():
			if own != nil {
				<-own
			}
			return false
		}
	}
	d.running.Add(1)
	run.slots.Store(1)
	return true
}

// releaseSlot gives the slots of run back, once.
func (d *dispatcher) releaseSlot(run *Run) {
	if !run.slots.CompareAndSwap(1, 0) {
		return
	}
	d.running.Add(-1)
	if own := run.thread.reg.slots; own != nil {
		<-own
	}
	if d.slots != nil {
		<-d.slots
	}
}

// refuseTriggers makes every trigger from now on be refused with text.
func (d *dispatcher) refuseTriggers(text string) { d.refusal.Store(&text) }

// drain blocks until every accepted run has been reported or ctx is done.
// Triggers must be refused already.
func (d *dispatcher) drain(ctx context.Context) error {
	d.mu.Lock()
	if d.open == 0 {
		d.mu.Unlock()
		return nil
	}
	if d.nothingOpen == nil {
		d.nothingOpen = make(chan struct{})
	}
	done := d.nothingOpen
	d.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stop stops every thread and blocks until their goroutines have returned or
// were left behind, which takes stopGrace at most, and their Destroy hooks have
// returned. It gives a hook up that goes on beyond limit.
func (d *dispatcher) stop(limit context.Context, reason *stopReason) {
	for _, j := range d.all() {
		j.mu.Lock()
		if j.thread != nil {
			j.thread.stopLocked(reason) //nolint:contextcheck // limit bounds the wait alone
		}
		j.mu.Unlock()
		d.release(j)
	}
	ended := make(chan struct{})
	go func() { d.goroutines.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-limit.Done():
		d.log.ErrorContext(limit, "shutdown: a Destroy hook goes on beyond the limit, it is left behind")
	}
}

// callHook calls a hook of the user's, whose panic is logged.
func (d *dispatcher) callHook(hook func(), what, name string) {
	defer func() {
		if v := recover(); v != nil {
			d.log.Error("hook panicked", slog.String("hook", what), slog.String("handler", name), slog.Any("err", v))
		}
	}()
	hook()
}
