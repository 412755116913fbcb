package xxljobtest

import (
	"cmp"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Block strategies of a Trigger: what becomes of it while its job still runs.
const (
	Serial       = wire.BlockSerial       // it waits
	DiscardLater = wire.BlockDiscardLater // it is refused
	CoverEarly   = wire.BlockCoverEarly   // the run at work is stopped
)

// Trigger is what an admin sends to have a handler run. The zero value of each
// field selects the default named in its comment.
type Trigger struct {
	// JobID is the job's id. Runs of one job happen one after another.
	// Default 1.
	JobID int
	// LogID is the id of the run. Default 1 with Run, the next free one with
	// Admin.Trigger.
	LogID int64
	// Time is the trigger time; the protocol carries milliseconds. Default now.
	Time time.Time
	// Handler is the name under which the handler is registered. Only
	// Admin.Trigger needs it.
	Handler string
	// Param is the job's parameter. Default empty.
	Param string
	// ShardIndex is the index of this run in a sharding broadcast, from 0.
	ShardIndex int
	// ShardTotal is the number of shards. Default 1.
	ShardTotal int
	// Timeout is the job's executorTimeout, rounded up to whole seconds, which
	// is what the protocol carries. Default 0, no limit.
	Timeout time.Duration
	// Recovered is what Run.Recovered is to say. Only Run and its variants use
	// it.
	Recovered bool

	// BlockStrategy is Serial, DiscardLater or CoverEarly. Default Serial. Only
	// Admin.Trigger uses it and the fields below.
	BlockStrategy string
	// GlueType is the kind of the job, e.g. "GLUE_SHELL". Default "BEAN".
	GlueType string
	// GlueSource is the source code of a script.
	GlueSource string
	// GlueUpdated is the version of GlueSource: an executor takes a new source
	// only with a new time. Default the Unix epoch.
	GlueUpdated time.Time
	// AppName chooses among executors by their group. Default any.
	AppName string
	// Address chooses the executor by the URL that it announced. Default the
	// first that registered.
	Address string
}

// request returns the trigger as it goes over the wire.
func (t *Trigger) request() wire.TriggerRequest {
	req := wire.TriggerRequest{
		JobID:                 int32(t.JobID),
		ExecutorHandler:       wire.Str(t.Handler),
		ExecutorParams:        wire.Str(t.Param),
		ExecutorBlockStrategy: wire.Str(cmp.Or(t.BlockStrategy, Serial)),
		ExecutorTimeout:       int32((t.Timeout + time.Second - 1) / time.Second),
		LogID:                 t.LogID,
		LogDateTime:           t.Time.UnixMilli(),
		GlueType:              wire.Str(cmp.Or(t.GlueType, wire.GlueTypeBean)),
		BroadcastIndex:        int32(t.ShardIndex),
		BroadcastTotal:        int32(max(t.ShardTotal, 1)),
	}
	if t.GlueSource != "" {
		req.GlueSource = wire.Str(t.GlueSource)
	}
	if !t.GlueUpdated.IsZero() {
		req.GlueUpdateTime = t.GlueUpdated.UnixMilli()
	}
	return req
}

// withDefaults fills in what Run and Admin.Trigger default alike.
func (t Trigger) withDefaults() Trigger {
	if t.JobID == 0 {
		t.JobID = 1
	}
	if t.Time.IsZero() {
		t.Time = time.Now()
	}
	return t
}
