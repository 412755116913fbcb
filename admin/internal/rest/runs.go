package rest

import (
	"context"
	"errors"
	"html"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

type shardView struct {
	Index int32 `json:"index"`
	Total int32 `json:"total"`
}

// runLink is a run that comes from another one.
type runLink struct {
	ID    int64  `json:"id"`
	Cause string `json:"cause"`
}

// causes are the words for where a run comes from.
var causes = map[model.CauseKind]string{
	model.CauseSchedule: "schedule", model.CauseRetry: "retry", model.CauseChild: "child",
	model.CauseManual: "manual", model.CauseAPI: "api", model.CauseAgain: "again",
}

// setCause says where the run comes from, and what comes from it.
func (v *runView) setCause(l *model.Log) {
	if word, known := causes[l.Cause.Kind]; known {
		v.Cause = &word
	}
	if l.Cause.Parent != 0 {
		v.Parent = &l.Cause.Parent
	}
	v.StartedBy, v.FollowedBy = l.Cause.Who, []runLink{}
	for _, f := range l.Followed {
		v.FollowedBy = append(v.FollowedBy, runLink{f.ID, causes[f.Kind]})
	}
}

// runView is a run as it is answered.
type runView struct {
	ID             int64      `json:"id"`
	JobID          int32      `json:"job_id"`
	GroupID        int32      `json:"group_id"`
	Status         string     `json:"status"`
	Address        string     `json:"address"`
	Handler        string     `json:"handler"`
	Param          string     `json:"param"`
	Cause          *string    `json:"cause"`
	Parent         *int64     `json:"parent"`
	StartedBy      string     `json:"started_by"`
	FollowedBy     []runLink  `json:"followed_by"`
	WaitingBehind  *int64     `json:"waiting_behind"`
	Shard          *shardView `json:"shard"`
	RetriesLeft    int32      `json:"retries_left"`
	PlannedAt      *string    `json:"planned_at"`
	TriggeredAt    *string    `json:"triggered_at"`
	AcceptedAt     *string    `json:"accepted_at"`
	TriggerCode    int32      `json:"trigger_code"`
	TriggerMessage string     `json:"trigger_message"`
	EndedAt        *string    `json:"ended_at"`
	TookMs         *int64     `json:"took_ms"`
	ResultCode     int32      `json:"result_code"`
	ResultMessage  string     `json:"result_message"`
}

func viewRun(l *model.Log) runView {
	v := runView{
		ID: l.ID, JobID: l.JobID, GroupID: l.GroupID, Status: status(l), Address: l.Address.S, Handler: l.Handler.S,
		Param: l.Param.S, RetriesLeft: l.RetriesLeft, TriggeredAt: atOrNull(l.TriggerTime),
		TriggerCode: l.TriggerCode, TriggerMessage: plain(l.TriggerMsg.S), EndedAt: atOrNull(l.Ended()),
		ResultCode: l.HandleCode, ResultMessage: result(l.HandleMsg.S),
	}
	v.setCause(l)
	if l.Behind != 0 {
		v.WaitingBehind = &l.Behind
	}
	if l.Kind() != model.EndOpen {
		v.PlannedAt, v.AcceptedAt = msOrNull(l.End.PlannedMs), msOrNull(min(l.End.SentMs, l.End.EndedMs))
		if l.TriggerCode == model.CodeSuccess {
			d, _ := l.Took(l.HandleTime)
			ms := d.Milliseconds()
			v.TookMs = &ms
		}
	}
	if index, total, ok := model.ParseSharding(l.ShardingParam.S); ok {
		v.Shard = &shardView{index, total}
	}
	return v
}

// ends are the words for how a run has ended.
var ends = map[model.EndKind]string{
	model.EndOK: "success", model.EndFailed: "failed", model.EndTimeout: "timeout", model.EndKilled: "killed",
	model.EndSkipped: "skipped", model.EndLost: "lost", model.EndUnsent: "unsent",
	model.EndReplaced: "replaced",
}

// status is a run's state in one word.
func status(l *model.Log) string {
	switch word, ended := ends[l.Kind()]; {
	case ended:
		return word
	case l.TriggerCode == model.CodeSuccess:
		return "running"
	}
	return "waiting"
}

var (
	lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)
	markup    = regexp.MustCompile(`<[^<>]*>`)
)

// plain turns the message of a trigger, which Java's consoles show as HTML, into
// text.
func plain(message string) string {
	text := lineBreak.ReplaceAllString(message, "\n")
	return strings.TrimSpace(html.UnescapeString(markup.ReplaceAllString(text, "")))
}

// added is the markup of what the admin has put behind a result: child jobs, and
// why it has ended a run.
var added = regexp.MustCompile(`(?i)</?span[^<>]*>`)

// result turns the message of a result into text. What the executor has said stays
// as it is, but for line breaks.
func result(message string) string {
	if !strings.Contains(message, "<") {
		return message
	}
	return strings.TrimSpace(added.ReplaceAllString(lineBreak.ReplaceAllString(message, "\n"), ""))
}

// runFilters are the query parameters of a list of runs.
var runFilters = []string{
	"group_id", "job_id", "job", "status", "from", "to", "address", "text", "min_took_ms", "max_took_ms",
	"sort",
}

// results are the statuses that a list of runs can be narrowed to.
var results = map[string]model.RunResult{
	"": model.RunAny, "waiting": model.RunWaiting, "running": model.RunRunning, "success": model.RunOK,
	"failed": model.RunFailed, "timeout": model.RunTimeout, "killed": model.RunKilled, "skipped": model.RunSkipped,
	"lost": model.RunLost, "unsent": model.RunUnsent, "replaced": model.RunReplaced,
}

func listRuns(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	f, err := c.runFilter()
	if err != nil {
		return err
	}
	order, err := c.choice("sort", "-triggered_at", "triggered_at")
	if err != nil {
		return err
	}
	f.OldestFirst = order == "triggered_at"
	if f.Limit = limit; m != nil {
		f.Before = model.RunCursor{ID: m.ID, At: time.UnixMilli(m.Number)}
	}
	runs, err := c.s.cfg.Ops.Runs(ctx, c.who, f)
	if err != nil {
		return err
	}
	answer := page[runView]{Items: make([]runView, 0, len(runs.Runs))}
	for _, l := range runs.Runs {
		answer.Items = append(answer.Items, viewRun(l))
	}
	answer.NextCursor = c.next(runs.Next.ID > 0, mark{ID: runs.Next.ID, Number: runs.Next.At.UnixMilli()})
	return c.json(http.StatusOK, answer)
}

// runFilter reads the filters of a list of runs.
func (c *call) runFilter() (f model.RunFilter, err error) {
	if f.GroupID, err = c.filterID("group_id"); err != nil {
		return f, err
	}
	if f.JobID, err = c.filterID("job_id"); err != nil {
		return f, err
	}
	if f.JobName, err = c.short("job", 255); err != nil {
		return f, err
	}
	word, err := c.choice("status", "waiting", "running", "success", "failed", "timeout", "killed", "skipped", "lost",
		"unsent", "replaced")
	if err != nil {
		return f, err
	}
	f.Result = results[word]
	if f.From, err = c.instant("from"); err != nil {
		return f, err
	}
	if f.To, err = c.instant("to"); err != nil {
		return f, err
	}
	if f.Address, err = c.short("address", 255); err != nil {
		return f, err
	}
	if f.Text, err = c.short("text", 255); err != nil {
		return f, err
	}
	least, err := c.number("min_took_ms", 0, 0, math.MaxInt32)
	if err != nil {
		return f, err
	}
	most, err := c.number("max_took_ms", 0, 0, math.MaxInt32)
	f.MinTook, f.MaxTook = time.Duration(least)*time.Millisecond, time.Duration(most)*time.Millisecond
	return f, err
}

func getRun(ctx context.Context, c *call) error {
	id, err := c.id64("run_id")
	if err != nil {
		return err
	}
	l, err := c.s.cfg.Ops.ViewLog(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewRun(l))
}

func killRun(ctx context.Context, c *call) error {
	id, err := c.id64("run_id")
	if err != nil {
		return err
	}
	if err := c.decodeIf(&struct{}{}); err != nil {
		return err
	}
	said, err := c.s.cfg.Ops.Kill(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Message string `json:"message"`
	}{said.String})
}

func retryRun(ctx context.Context, c *call) error {
	id, err := c.id64("run_id")
	if err != nil {
		return err
	}
	if err := c.decodeIf(&struct{}{}); err != nil {
		return err
	}
	ids, err := c.s.cfg.Ops.Retry(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.started(ids)
}

// maxBulk is how many runs one request may name.
const maxBulk = 100

type runResult struct {
	ID      int64   `json:"id"`
	OK      bool    `json:"ok"`
	Message string  `json:"message"`
	RunIDs  []int64 `json:"run_ids"`
}

func killRuns(ctx context.Context, c *call) error {
	return c.bulk(ctx, func(ctx context.Context, id int64) (string, []int64, error) {
		said, err := c.s.cfg.Ops.Kill(ctx, c.who, id)
		return said.String, nil, err
	})
}

func retryRuns(ctx context.Context, c *call) error {
	return c.bulk(ctx, func(ctx context.Context, id int64) (string, []int64, error) {
		ids, err := c.s.cfg.Ops.Retry(ctx, c.who, id)
		return "", ids, err
	})
}

// bulk does something for each of the runs that the body names. What is refused
// for one does not keep the others from it; a fault ends it.
func (c *call) bulk(ctx context.Context, do func(context.Context, int64) (string, []int64, error)) error {
	var in struct {
		IDs []int64 `json:"ids"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(in.IDs)))
	if len(ids) == 0 || len(in.IDs) > maxBulk || ids[0] < 1 || len(ids) < len(in.IDs) {
		return problem(kindInvalid, "see errors", fieldFault{"/ids", "1 to 100 ids of runs, each once"})
	}
	answer := items[runResult]{Items: make([]runResult, 0, len(in.IDs))}
	for _, id := range in.IDs {
		message, runs, err := do(ctx, id)
		result := runResult{ID: id, OK: err == nil, Message: message, RunIDs: orEmpty(runs)}
		var refused *ops.Error
		switch {
		case errors.As(err, &refused):
			if result.Message = refused.Words(c.s.language(c.r)); result.Message == "" {
				result.Message = refused.Detail
			}
		case err != nil:
			return err
		}
		answer.Items = append(answer.Items, result)
	}
	return c.json(http.StatusOK, answer)
}

// clearings are what may be cleared, by its place in the Java console.
var clearings = []string{
	"", "older_than_1_month", "older_than_3_months", "older_than_6_months", "older_than_1_year",
	"all_but_1000", "all_but_10000", "all_but_30000", "all_but_100000", "all",
}

// previewClear says what clearRuns would delete.
func previewClear(ctx context.Context, c *call) error {
	group, err := c.number("group_id", 0, 1, 1<<31-1)
	if err != nil {
		return err
	}
	job, err := c.number("job_id", 0, 1, 1<<31-1)
	if err != nil {
		return err
	}
	what, err := c.choice("what", clearings[1:]...)
	if err != nil {
		return err
	}
	n := slices.Index(clearings, what)
	if n < 1 {
		return badParam("what", "one of "+joined(clearings[1:]))
	}
	e, err := c.s.cfg.Ops.ClearEffect(ctx, c.who, ops.ClearInput{GroupID: int32(group), JobID: int32(job), Type: n})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Runs counted `json:"runs"`
		Open counted `json:"open"`
	}{counted{e.Rows.N, e.Rows.More}, counted{e.Open.N, e.Open.More}})
}

func clearRuns(ctx context.Context, c *call) error {
	var in struct {
		GroupID int32  `json:"group_id"`
		JobID   int32  `json:"job_id"`
		What    string `json:"what"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	n := slices.Index(clearings, in.What)
	if n < 1 {
		return problem(kindInvalid, "see errors", fieldFault{"/what", "use one of " + joined(clearings[1:])})
	}
	deleted, err := c.s.cfg.Ops.ClearLogs(ctx, c.who, ops.ClearInput{GroupID: in.GroupID, JobID: in.JobID, Type: n})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Deleted int `json:"deleted"`
	}{deleted})
}

// runLog is a part of the log of a run.
type runLog struct {
	FromLine int32  `json:"from_line"`
	ToLine   int32  `json:"to_line"`
	Text     string `json:"text"`
	End      bool   `json:"end"`
}

func (c *call) readLog(ctx context.Context, id int64, from int32) (runLog, error) {
	text, err := c.s.cfg.Ops.LogText(ctx, c.who, id, from)
	if err != nil {
		return runLog{}, err
	}
	return runLog{text.FromLineNum, text.ToLineNum, text.LogContent, text.IsEnd}, nil
}

func getRunLog(ctx context.Context, c *call) error {
	id, err := c.id64("run_id")
	if err != nil {
		return err
	}
	from, err := c.fromLine()
	if err != nil {
		return err
	}
	part, err := c.readLog(ctx, id, from)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, part)
}

func (c *call) fromLine() (int32, error) {
	n, err := c.filterID("from_line")
	return max(n, 1), err
}
