package model

import (
	"slices"
	"time"
)

// RunResult narrows a list of runs to what came of them.
type RunResult string

// The results.
const (
	RunAny     RunResult = ""
	RunOK      RunResult = "ok"      // handle_code 200
	RunFailed  RunResult = "failed"  // whatever should not be: each of the next four, and what its handler calls failed
	RunTimeout RunResult = "timeout" // what follows goes by the ends that we keep: runs of a Java admin have none
	RunLost    RunResult = "lost"
	RunUnsent  RunResult = "unsent"
	RunKilled  RunResult = "killed"
	RunSkipped RunResult = "skipped"

	RunReplaced RunResult = "replaced"

	RunRunning RunResult = "running" // accepted and not ended
	RunWaiting RunResult = "waiting" // not known to be accepted
)

// Valid reports whether the result is one of the known ones.
func (r RunResult) Valid() bool { return r == RunAny || slices.Contains(RunResults(), r) }

// RunResults are the results that a list can be narrowed to, in the order in
// which people are offered them.
func RunResults() []RunResult {
	return []RunResult{
		RunOK, RunFailed, RunTimeout, RunLost, RunUnsent, RunKilled, RunReplaced, RunSkipped,
		RunRunning, RunWaiting,
	}
}

// Kind is the end of the runs that the result selects; EndOpen for those that
// select by codes.
func (r RunResult) Kind() EndKind {
	switch r {
	case RunTimeout:
		return EndTimeout
	case RunLost:
		return EndLost
	case RunUnsent:
		return EndUnsent
	case RunKilled:
		return EndKilled
	case RunSkipped:
		return EndSkipped
	case RunReplaced:
		return EndReplaced
	case RunAny, RunOK, RunFailed, RunRunning, RunWaiting:
	}
	return EndOpen
}

// RunJobsMax is how many jobs a list of runs can be narrowed to.
const RunJobsMax = 512

// RunFilter selects log rows for a list that is read on from a cursor, newest
// first unless OldestFirst is set. Zero fields select everything.
type RunFilter struct {
	GroupID  int32
	GroupIDs []int32 // nil is every group
	JobID    int32
	JobIDs   []int32 // nil is every job; at most RunJobsMax
	JobName  string  // the job of this name, or those that have it in theirs; ops makes JobIDs of it
	Result   RunResult
	Address  string        // a part of the address, whatever the letters' case
	At       string        // this very address, with or without a slash at its end
	From, To time.Time     // of trigger_time, both included; zero is no bound
	Text     string        // a part of message, answer, parameter or handler
	MinTook  time.Duration // of ended runs; 0 is no bound
	MaxTook  time.Duration // likewise

	OldestFirst bool
	Before      RunCursor // rows behind this one in the order of the list; zero is from its beginning
	Limit       int       // 0 is 50; at most 200
}

// RunCursor is where a list goes on.
type RunCursor struct {
	ID int64     // 0 is no cursor
	At time.Time // trigger_time of that row: lists that are narrowed to a time go by it
}

// RunPage is a part of a list of runs.
type RunPage struct {
	Runs []*Log
	// Next is where the list goes on; zero when everything was looked at. With a
	// page that is not full it says how far was looked: what matches is rare.
	Next RunCursor
}
