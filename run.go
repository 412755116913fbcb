package xxljob

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Run is one run of a job: the trigger that caused it, its log and its result.
// Its methods are safe for concurrent use; a handler may keep it, but what it
// logs or sets after the run has been reported is dropped.
type Run struct {
	trigger   wire.TriggerRequest
	seq       journal.Seq
	recovered bool
	startsNow bool // the accepted record says that the run starts at once
	size      int64

	thread  *jobThread
	loop    *threadLoop  // the goroutine that executes it; guarded by the job's lock
	slots   atomic.Int32 // concurrency slots held: none, or all
	log     *runLog
	started atomic.Int64 // Unix ns when the handler began, 0 before

	ctx    context.Context
	cancel context.CancelCauseFunc

	// stop is the reason for which the job thread, not the handler, decides
	// the result. Guarded by the job's lock; nil while the run is its own.
	stop *stopReason
	// reported is set by whoever reports the result: the first wins.
	reported atomic.Bool

	mu     sync.Mutex
	msg    string
	hasMsg bool
}

// JobID returns the job's id in the admin.
func (r *Run) JobID() int { return int(r.trigger.JobID) }

// LogID returns the id of this run in the admin, which is unique there.
func (r *Run) LogID() int64 { return r.trigger.LogID }

// TriggerTime returns the time at which the admin triggered the run. Admins
// differ in its precision: milliseconds or whole seconds.
func (r *Run) TriggerTime() time.Time { return time.UnixMilli(r.trigger.LogDateTime) }

// Handler returns the name of the run's handler, or the glue type of a script.
func (r *Run) Handler() string {
	if r.trigger.GlueType.String != wire.GlueTypeBean {
		return r.trigger.GlueType.String
	}
	return r.trigger.ExecutorHandler.String
}

// Param returns the run's parameter, empty if the admin sent none.
func (r *Run) Param() string { return r.trigger.ExecutorParams.String }

// ShardIndex returns the run's index in a sharding broadcast, from 0.
func (r *Run) ShardIndex() int { return int(r.trigger.BroadcastIndex) }

// ShardTotal returns the number of shards; 1 outside of a broadcast.
func (r *Run) ShardTotal() int { return max(int(r.trigger.BroadcastTotal), 1) }

// Owns reports whether the item with this id belongs to the run's shard, by
// the usual rule id modulo ShardTotal.
func (r *Run) Owns(id int64) bool {
	total := int64(r.ShardTotal())
	return ((id%total)+total)%total == int64(r.ShardIndex())
}

// Shard returns those of items that belong to the run's shard, by their index.
// Every item belongs to exactly one shard.
func Shard[T any](r *Run, items []T) []T {
	own := make([]T, 0, len(items)/r.ShardTotal()+1)
	for i, item := range items {
		if r.Owns(int64(i)) {
			own = append(own, item)
		}
	}
	return own
}

// Timeout returns the job's executorTimeout, 0 if it has none. The run's
// context carries it as deadline.
func (r *Run) Timeout() time.Duration {
	return time.Duration(max(r.trigger.ExecutorTimeout, 0)) * time.Second
}

// Recovered reports whether a crash of the process cut this run off or kept it
// from starting, and it now runs (again) because its handler is Repeatable.
func (r *Run) Recovered() bool { return r.recovered }

// SetResult sets the message that the admin shows for a run that succeeds;
// the last call wins. Above 50,000 UTF-16 units it is cut, as in Java.
func (r *Run) SetResult(msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.msg, r.hasMsg = msg, true
}

// result returns what SetResult was given.
func (r *Run) result() (msg string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.msg, r.hasMsg
}

// Logger returns a logger that writes to the run's log, which the admin shows
// live, and with Config.LogRuns to the executor's own log as well. It does not
// block on the disk; entries are readable within 200 ms.
func (r *Run) Logger() *slog.Logger {
	if r.log == nil { // a run of a former process, as hooks see it
		return slog.New(slog.DiscardHandler)
	}
	return r.log.logger()
}

// Logf writes one entry to the run's log, formatted as by fmt.Sprintf; with
// Config.LogRuns also to the executor's own log.
func (r *Run) Logf(format string, args ...any) {
	if r.log == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	r.log.entry(callerSite(1), text)
	if r.log.tee != nil {
		r.log.tee.Info("run log", slog.String("text", text))
	}
}

// RunFromContext returns the run whose handler was given ctx or a context
// derived from it, or nil.
func RunFromContext(ctx context.Context) *Run {
	run, _ := ctx.Value(runKey{}).(*Run)
	return run
}

type runKey struct{}

// runContext makes a run reachable from its context.
type runContext struct {
	context.Context
	run *Run
}

// Value returns the run for its key and what the parent has for any other.
func (c runContext) Value(key any) any {
	if key == (runKey{}) {
		return c.run
	}
	return c.Context.Value(key)
}

// id returns the identity by which a repeated trigger is recognised.
func (r *Run) id() journal.ID { return triggerID(&r.trigger) }

func triggerID(t *wire.TriggerRequest) journal.ID {
	return journal.ID{JobID: t.JobID, LogID: t.LogID, At: t.LogDateTime}
}

// RunInfo describes a run that is running, waits for a slot, or was left behind.
type RunInfo struct {
	JobID   int           // the job's id in the admin
	LogID   int64         // the run's id in the admin
	Handler string        // the handler's name, or the glue type of a script
	Param   string        // the run's parameter
	Since   time.Time     // when the handler began; zero while it waits for a slot
	Age     time.Duration // time since then
	Queued  int           // triggers that wait behind it

	// Stranded means that the run was reported, and its handler goes on
	// although it was told to stop.
	Stranded bool
}

func (r *Run) info(queued int) RunInfo {
	info := RunInfo{JobID: r.JobID(), LogID: r.LogID(), Handler: r.Handler(), Param: r.Param(), Queued: queued}
	if ns := r.started.Load(); ns != 0 {
		info.Since = time.Unix(0, ns)
		info.Age = time.Since(info.Since)
	}
	return info
}
