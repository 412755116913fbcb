package model

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// RunState says how far an open run has come.
type RunState int8

// The states of an open run. A run that has ended has no row any more.
const (
	RunPlanned  RunState = 0 // recorded; whether it was sent is not on record
	RunAccepted RunState = 1 // an executor has taken it
)

// Run is an open run: a row of xxljob_run beside its row of xxl_job_log. It is
// the outbox: written before anything is sent, deleted in the transaction that
// ends the run (ADR 0007).
type Run struct {
	LogID       int64 // assigned by the store
	JobID       int32
	GroupID     int32
	Type        TriggerType
	PlannedMs   int64 // the planned instant; 0 for a run that no schedule made
	TriggerMs   int64 // logDateTime: whole seconds, never computed again
	ShardIndex  int32
	ShardTotal  int32 // 1 unless Sharded
	Sharded     bool  // SHARDING_BROADCAST, or the retry of one of its shards
	RetriesLeft int32
	State       RunState
	Token       int64  // fence of the shard under which it was planned; 0 for others, on record below 0: MakerToken
	Address     string // chosen before the first send; "" while unknown
	Handler     Text   // as at planning
	Param       Text   // as at planning, or the override
	SentMs      int64  // when the executor took it; 0 while unknown
	Cause       Cause  // where it comes from, for the store to keep
}

// ShardingParam is the column executor_sharding_param: "i/n", NULL unless
// sharded.
func (r *Run) ShardingParam() Text {
	if !r.Sharded {
		return Text{}
	}
	return T(strconv.Itoa(int(r.ShardIndex)) + "/" + strconv.Itoa(int(r.ShardTotal)))
}

// ParseSharding reads "i/n". ok is false for anything else.
func ParseSharding(s string) (index, total int32, ok bool) {
	i, n, found := strings.Cut(s, "/")
	if !found {
		return 0, 0, false
	}
	a, err1 := strconv.ParseInt(i, 10, 32)
	b, err2 := strconv.ParseInt(n, 10, 32)
	if err1 != nil || err2 != nil || a < 0 || b <= 0 {
		return 0, 0, false
	}
	return int32(a), int32(b), true
}

// TriggerResult is what an executor, or the lack of one, answered to a
// trigger.
type TriggerResult struct {
	Code    int32 // trigger_code: 200 or 500
	Msg     string
	Write   func() string // makes Msg, when it is not there yet: see Written
	Address string
	AtMs    int64
	NoRetry bool    // it failed, but an executor may have taken it: running it again could double it
	End     EndKind // how it has ended, where whoever reports it knows more than its code
}

// Written makes Msg, unless it is there already. Whoever stores the result calls
// it: thousands of triggers go out at one instant, and none of them should wait
// for the texts of the others.
func (t *TriggerResult) Written() {
	if t.Write != nil {
		t.Msg, t.Write = t.Write(), nil
	}
}

// HandleResult is how a run ended.
type HandleResult struct {
	Code    int32 // handle_code; not 0
	Msg     Text  // handle_msg as it came, before anything is appended
	AtMs    int64
	NoRetry bool    // the executor says that a retry is of no use
	End     EndKind // how it has ended, where whoever reports it knows more than its code
}

// Outcome is what became known of a run. At least one of Trigger and Handle is
// set.
type Outcome struct {
	LogID   int64
	Trigger *TriggerResult
	Handle  *HandleResult
}

// Log is a row of xxl_job_log.
type Log struct {
	ID            int64
	GroupID       int32
	JobID         int32
	Address       Text
	Handler       Text
	Param         Text
	ShardingParam Text
	RetriesLeft   int32
	TriggerTime   time.Time // zero for NULL
	TriggerCode   int32
	TriggerMsg    Text
	HandleTime    time.Time // zero for NULL
	HandleCode    int32
	HandleMsg     Text
	AlarmStatus   AlarmStatus
	End           End

	// Behind is the earlier run of the job that the executor has to end before it
	// begins this one, as far as it can be told from what is on record; 0 for none.
	// Only lists and pages of runs set it.
	Behind int64

	// Cause is where the run comes from, as far as that is on record, and Followed
	// what comes from it. Only lists and pages of runs set them.
	Cause    Cause
	Followed []Follow
}

// Taken reports whether an executor has taken the run and has not reported yet.
func (l *Log) Taken() bool {
	return l.TriggerCode == CodeSuccess && l.HandleCode == CodeNone && l.Address.S != ""
}

// LogStatus filters log rows as the Java console does.
type LogStatus int

// The filters (admin.md 7.6).
const (
	LogAny     LogStatus = -1
	LogSuccess LogStatus = 1 // handle_code 200
	LogFailed  LogStatus = 2 // trigger or handle code not in (0, 200)
	LogRunning LogStatus = 3 // accepted and not ended
)

// LogFilter selects log rows for a list, newest first. Zero fields select
// everything.
type LogFilter struct {
	GroupID  int32
	GroupIDs []int32 // nil is every group
	JobID    int32
	Status   LogStatus // 0 is LogAny
	From, To time.Time // of trigger_time, both included; zero is no bound
	Offset   int
	Limit    int // 0 is 10; at most 1,000
}

// LogClear says which log rows to delete: those that match GroupID and JobID
// (0 is any) and either lie at or before Before, or are not among the Keep
// newest ones, or all of them where both are zero.
type LogClear struct {
	GroupID int32
	JobID   int32
	Before  time.Time
	Keep    int
}

// ShardLag is how far behind the planning of a shard is.
type ShardLag struct {
	Index   int32
	Jobs    int   // that are due and not planned
	SinceMs int64 // the oldest of these times, Unix milliseconds
}

// DayReport is a row of xxl_job_log_report.
type DayReport struct {
	Day     time.Time // midnight in the store's zone
	Running int
	Success int
	Failed  int
}

// MakerToken stands on record for the fence of runs that a node has made without
// a lease: retries, children and what people start. It is below zero, the same
// for each call, and another one for each name.
func MakerToken(node string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(node)) // never fails
	return -int64(h.Sum64()>>1) - 1
}
