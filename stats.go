package xxljob

import (
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Stats is a snapshot of an executor's counters and gauges. Counters start at
// zero with each process.
type Stats struct {
	// Triggers.
	Accepted int64 // triggers answered 200 and taken
	Refused  int64 // triggers answered with an error
	Repeated int64 // triggers recognised as repeats, answered 200, not run again

	// Runs.
	Jobs      int   // gauge: job threads that live
	Queued    int   // gauge: triggers that wait
	Running   int   // gauge: runs whose handler is at work, without stranded ones
	Stranded  int   // gauge: goroutines that go on although their run was reported
	Succeeded int64 // results with code 200
	Failed    int64 // results with code 500
	TimedOut  int64 // results with code 502
	Recovered int64 // runs that a former process left open: reported or run again

	// Results.
	Unsent       int       // gauge: results that no admin has acknowledged yet
	Delivered    int64     // results that an admin acknowledged
	SetAside     int64     // results that no admin takes, kept in the journal's folder
	SendFailures int64     // posts that no admin accepted
	LastBeat     time.Time // last heartbeat that an admin accepted; zero if none

	// Jobs that are declared in code.
	FromCode JobStats

	// Disk.
	JournalBytes   int64 // gauge: size of the journal
	Remembered     int   // gauge: triggers whose repeat is recognised
	Damaged        int   // damaged places found in the journal at start
	LogBytes       int64 // gauge: size of the run logs, about
	LogDropped     int64 // bytes of run logs that the disk or a limit refused
	LateLogEntries int64 // entries written after the end of their run, dropped
}

// counters are the dispatcher's part of Stats.
type counters struct {
	accepted, refused, repeated            atomic.Int64
	succeeded, failed, timedOut, recovered atomic.Int64
}

// finished counts a result by its code.
func (c *counters) finished(code int32) {
	switch code {
	case wire.CodeSuccess:
		c.succeeded.Add(1)
	case wire.CodeTimeout:
		c.timedOut.Add(1)
	default:
		c.failed.Add(1)
	}
}
