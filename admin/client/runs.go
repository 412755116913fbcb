package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Statuses of a run.
const (
	RunWaiting = "waiting" // no executor has taken it yet
	RunRunning = "running"
	RunSuccess = "success"
	RunFailed  = "failed"
	RunTimeout = "timeout" // ended by its own time limit
	RunKilled  = "killed"  // by an operator
	RunSkipped = "skipped" // its job had no use for it: its block strategy, or its instant had passed
	RunLost    = "lost"    // nobody reports anything of it
	RunUnsent  = "unsent"  // no executor took it

	RunReplaced = "replaced" // a later run of its job took its place, as its block strategy wants
)

// Shard is the part of a broadcast that a run is.
type Shard struct {
	Index int32 `json:"index"` // from 0
	Total int32 `json:"total"`
}

// Where a run comes from.
const (
	CauseSchedule = "schedule"
	CauseRetry    = "retry"  // its parent failed
	CauseChild    = "child"  // its parent, a run of another job, succeeded
	CauseManual   = "manual" // somebody ran the job
	CauseAPI      = "api"    // a program did
	CauseAgain    = "again"  // somebody ran its parent again
)

// RunLink is a run that comes from another one.
type RunLink struct {
	ID    int64  `json:"id"`
	Cause string `json:"cause"` // CauseRetry, CauseChild or CauseAgain
}

// Run is one execution of a job.
type Run struct {
	ID             int64      `json:"id"`
	JobID          int32      `json:"job_id"`
	GroupID        int32      `json:"group_id"`
	Status         string     `json:"status"`         // RunWaiting …
	Cause          string     `json:"cause"`          // CauseSchedule …; "" is not on record
	Parent         *int64     `json:"parent"`         // the run that it comes from
	StartedBy      string     `json:"started_by"`     // a user, or "key:" and the name of an API key; "" for nobody
	FollowedBy     []RunLink  `json:"followed_by"`    // what comes from it
	WaitingBehind  *int64     `json:"waiting_behind"` // of a running one: the run that its executor has to end first
	Address        string     `json:"address"`
	Handler        string     `json:"handler"`
	Param          string     `json:"param"`
	Shard          *Shard     `json:"shard"` // nil unless the job is a broadcast
	RetriesLeft    int32      `json:"retries_left"`
	PlannedAt      *time.Time `json:"planned_at"` // of an ended run that a schedule made
	TriggeredAt    *time.Time `json:"triggered_at"`
	AcceptedAt     *time.Time `json:"accepted_at"`     // by an executor, of an ended run
	TriggerCode    int32      `json:"trigger_code"`    // 200 is accepted; 0 is not known yet
	TriggerMessage string     `json:"trigger_message"` // plain text
	EndedAt        *time.Time `json:"ended_at"`
	TookMs         *int64     `json:"took_ms"`     // of an ended run that an executor took
	ResultCode     int32      `json:"result_code"` // 200 is success, 502 a timeout; 0 is not known yet
	ResultMessage  string     `json:"result_message"`
}

// Ended reports whether the run has a result.
func (r *Run) Ended() bool {
	switch r.Status {
	case RunSuccess, RunFailed, RunTimeout, RunKilled, RunSkipped, RunLost, RunUnsent, RunReplaced:
		return true
	}
	return false
}

// RunFilter selects runs, newest first. Zero fields select everything.
type RunFilter struct {
	GroupID  int32
	JobID    int32
	Job      string    // name of jobs; where none is called so, a part of their names
	Status   string    // RunWaiting …; RunFailed is also RunTimeout, RunLost and RunUnsent
	Address  string    // part of the address
	Text     string    // part of a message, the parameter or the handler
	From, To time.Time // when it was triggered, both included

	// MinTook and MaxTook bound how long an ended run has taken, which is known of
	// runs of a Java admin in whole seconds. Zero is no bound.
	MinTook, MaxTook time.Duration

	Sort string // "-triggered_at" (default) or "triggered_at": the oldest first
}

// Runs lists runs in the order of f.Sort. The error, if any, comes last.
func (c *Client) Runs(ctx context.Context, f RunFilter) iter.Seq2[*Run, error] {
	return pages[Run](ctx, c, "/runs", values("group_id", number(f.GroupID), "job_id", number(f.JobID),
		"job", f.Job, "sort", f.Sort,
		"status", f.Status, "address", f.Address, "text", f.Text, "from", instant(f.From), "to", instant(f.To),
		"min_took_ms", number(f.MinTook.Milliseconds()), "max_took_ms", number(f.MaxTook.Milliseconds())))
}

// Run returns a run, or ErrNotFound.
func (c *Client) Run(ctx context.Context, id int64) (*Run, error) {
	return get[Run](ctx, c, at("/runs/", id, ""))
}

// RunLog is a part of the log of a run.
type RunLog struct {
	FromLine int32  `json:"from_line"` // from 1
	ToLine   int32  `json:"to_line"`   // below FromLine when there is nothing new
	Text     string `json:"text"`      // lines as the executor wrote them
	End      bool   `json:"end"`       // the run has ended, and this is the last of it
}

// RunLog returns the log of a run from a line on, as far as it is there. The
// first line is 1; 0 is the same.
func (c *Client) RunLog(ctx context.Context, id int64, fromLine int32) (*RunLog, error) {
	return get[RunLog](ctx, c, at("/runs/", id, "/log"), "from_line", number(fromLine))
}

// KillRun ends a run, and returns what the executor said.
func (c *Client) KillRun(ctx context.Context, id int64) (message string, err error) {
	out, err := post[struct {
		Message string `json:"message"`
	}](ctx, c, at("/runs/", id, "/kill"), nil)
	if err != nil {
		return "", err
	}
	return out.Message, nil
}

// RetryRun runs the job of an ended run again with the parameter of that run, and
// returns the ids of the new runs. Of a broadcast it runs the shard of that run:
// at its address, or if no executor is there any more, at that of another one.
func (c *Client) RetryRun(ctx context.Context, id int64) ([]int64, error) {
	return c.started(ctx, &call{method: http.MethodPost, path: at("/runs/", id, "/retry")})
}

// RunResult is what became of one of several runs.
type RunResult struct {
	ID      int64   `json:"id"`
	OK      bool    `json:"ok"`
	Message string  `json:"message"` // of the executor; else what is wrong
	RunIDs  []int64 `json:"run_ids"` // the new runs of a retry
}

// KillRuns ends up to 100 runs.
func (c *Client) KillRuns(ctx context.Context, ids []int64) ([]RunResult, error) {
	return c.runs(ctx, "/runs/kill", ids)
}

// RetryRuns runs up to 100 runs again, as RetryRun does.
func (c *Client) RetryRuns(ctx context.Context, ids []int64) ([]RunResult, error) {
	return c.runs(ctx, "/runs/retry", ids)
}

func (c *Client) runs(ctx context.Context, path string, ids []int64) ([]RunResult, error) {
	in := struct {
		IDs []int64 `json:"ids"`
	}{ids}
	out, err := post[page[RunResult]](ctx, c, path, in)
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// ClearInput names the runs to delete. Without GroupID those of all groups, for
// administrators.
type ClearInput struct {
	GroupID int32  `json:"group_id,omitempty"`
	JobID   int32  `json:"job_id,omitempty"`
	What    string `json:"what"` // OlderThanMonth …, AllBut1000 …, AllRuns
}

// What ClearRuns may delete.
const (
	OlderThanMonth       = "older_than_1_month"
	OlderThanThreeMonths = "older_than_3_months"
	OlderThanSixMonths   = "older_than_6_months"
	OlderThanYear        = "older_than_1_year"
	AllBut1000           = "all_but_1000"
	AllBut10000          = "all_but_10000"
	AllBut30000          = "all_but_30000"
	AllBut100000         = "all_but_100000"
	AllRuns              = "all"
)

// Counted is a number of rows.
type Counted struct {
	Rows int  `json:"rows"`
	More bool `json:"more"` // there are more: it was not counted beyond 100,000
}

// ClearEffect is what ClearRuns would delete.
type ClearEffect struct {
	Runs Counted `json:"runs"`
	Open Counted `json:"open"` // of these are runs that have not ended, which end as failed
}

// PreviewClear returns what ClearRuns with the same would delete. Nothing is
// changed.
func (c *Client) PreviewClear(ctx context.Context, in ClearInput) (*ClearEffect, error) {
	return get[ClearEffect](ctx, c, "/runs/clear", "group_id", number(in.GroupID), "job_id", number(in.JobID),
		"what", in.What)
}

// ClearRuns deletes old runs, and returns how many. Runs among them that are open
// are ended first, as failed.
func (c *Client) ClearRuns(ctx context.Context, in ClearInput) (int, error) {
	out, err := post[struct {
		Deleted int `json:"deleted"`
	}](ctx, c, "/runs/clear", in)
	if err != nil {
		return 0, err
	}
	return out.Deleted, nil
}
