package runpages

import (
	"context"
	"errors"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/loghtml"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// runPage is a run.
type runPage struct {
	ID        int64
	JobID     int32
	Job       string // its name; "" when it is gone
	Group     string
	State     web.State
	Reason    string // why it is so, in plain words
	Answer    answer // what the executor said, whole
	Failed    bool   // the log says why
	FailLine  int    // where the log does, if it is on the page; 0 else
	Took      string
	At        time.Time
	Where     string
	WhereAt   string // path of the address
	Handler   string
	Param     string
	Shard     string
	Steps     []step
	Attempts  beside // empty where there is one
	Shards    beside
	Origin    origin           // where it comes from
	Started   beside           // what it has started: children, and those by which it was run again
	After     []followed       // what followed from it: children, a retry
	Asked     []parts.AskedRow // executors that were asked before one was chosen
	Said      []parts.Said     // what was sent and answered
	MayKill   bool
	KillTouch string // what a kill would do
	MayRetry  bool
	Open      bool
	HasLog    bool
	Log       template.HTML // what the log says so far, for those without JavaScript
	LogFrom   int           // its first line
	LogNext   int           // the line behind it
	LogEnd    bool
	LogFault  string
	logText   string // what the log says so far, from its first line on; "" else
	noLog     bool   // the executor has none
	unsaid    bool   // all that it says is that the run was reported
	noAnswer  bool   // because nobody answered
	clock     runClock
	Behind    int64    // the run that it waits for at the executor; 0 for none
	Unheard   *unheard // nil while its executor is there
	Killed    bool     // an operator has asked it to stop
	Stopping  bool     // and it has not said yet that it has
	Unbegun   bool     // it ended before its handler began
	Stack     string   // of a handler that was left behind as it did not stop when it was told to
	SaidOpen  bool     // what was sent and answered is what one looks for
}

// run shows a run.
func (c *call) run(ctx context.Context) error {
	l, err := c.Cfg.Ops.ViewLog(ctx, c.Who, c.ID64("id"))
	if err != nil {
		return err
	}
	if done, err := c.atFail(ctx, l); done || err != nil {
		return err
	}
	p := runPage{
		ID: l.ID, JobID: l.JobID, At: l.TriggerTime, State: c.HowIs(l), Behind: l.Behind,
		Where: l.Address.S, WhereAt: parts.WherePath(l), Handler: l.Handler.S, Param: l.Param.S,
		Shard: l.ShardingParam.S,
		Took:  c.RunRow(l, "").Took,
	}
	p.Said, p.Asked = parts.SentAndAnswered(l)
	message, after := parts.SplitMessage(l.HandleMsg.S)
	p.Answer, p.After, p.Failed = answerOf(message), c.followedBy(l, after), hasFailed(l)
	p.Reason = c.reason(l)
	p.Killed = killed(message)
	notSent := l.TriggerCode != model.CodeNone && l.TriggerCode != model.CodeSuccess
	p.Open = l.HandleCode == model.CodeNone && !notSent
	p.MayKill = p.Open && l.TriggerCode == model.CodeSuccess && l.Address.S != ""
	p.MayRetry = !p.Open
	p.SaidOpen = notSent
	may := c.RightsIn(l.GroupID).Run
	p.MayKill, p.MayRetry = p.MayKill && may, p.MayRetry && may
	p.HasLog = p.Open || l.Address.S != "" && !notSent // an open one tells how it goes on
	title := c.T("run.title", l.ID)
	crumbs := c.Under("runs")
	if j, err := c.Cfg.Ops.Job(ctx, c.Who, l.JobID); err == nil {
		may := c.RightsIn(j.GroupID).Run // the job may have been moved
		p.Job, p.MayKill, p.MayRetry = j.Name, p.MayKill && may, p.MayRetry && may
		crumbs = append(crumbs, web.Crumb{Text: j.Name, Path: "/runs" + web.Query("job", strconv.Itoa(int(j.ID)))})
	} else if _, ours := c.Why(err); !ours {
		return err
	}
	if g, err := c.Cfg.Ops.Group(ctx, c.Who, l.GroupID); err == nil {
		p.Group = g.Title
	}
	if err := c.family(ctx, l, &p); err != nil {
		return err
	}
	if p.HasLog {
		if err := c.firstLog(ctx, l, &p); err != nil {
			return err
		}
	}
	if l.Behind != 0 && p.Log != "" { // it has begun: the other one was lost
		l.Behind, p.Behind = 0, 0
		p.State, p.Reason = c.HowIs(l), c.reason(l)
	}
	if p.KillTouch = c.T("run.kill.touch", p.Where); l.Behind != 0 {
		p.KillTouch = c.T("run.kill.behind", p.Where, l.Behind)
	}
	if p.Unheard, err = c.unheardOf(ctx, l, p.noAnswer); err != nil {
		return err
	}
	c.readClock(l, &p)
	p.Steps = c.steps(l, p.clock)
	c.tellBegin(l, &p)
	switch {
	case p.Killed:
		c.tellStop(l, &p)
	case !p.Open:
		c.tellStray(&p)
	}
	if p.Unbegun {
		p.Took = "–" // it waited
	}
	return c.Render(ctx, "run", web.Head{Title: title, Section: "runs", Crumbs: crumbs, Script: "runlog.js"}, p)
}

// reason says in one sentence how the run is, and why.
func (c *call) reason(l *model.Log) string {
	switch {
	case l.HandleCode == model.CodeSuccess:
		return c.T("run.why.ok")
	case l.HandleCode == model.CodeTimeout:
		return c.T("run.why.timeout")
	case l.HandleCode != model.CodeNone:
		own, _ := parts.SplitMessage(l.HandleMsg.S)
		switch line := parts.Headline(own); {
		case strings.HasPrefix(own, wire.ReasonCovered):
			return c.T("run.why.covered")
		case line != "":
			return line
		}
		return c.T("run.why.failed", l.HandleCode)
	case l.Behind != 0:
		return c.T("run.why.behind", l.Behind)
	case l.TriggerCode == model.CodeSuccess:
		return c.T("run.why.running")
	case l.TriggerCode != model.CodeNone:
		return c.NotSent(l)
	}
	return c.T("run.why.waiting")
}

// readClock says when the run began and ended by the clock of its executor: as
// its log says, or has said when it was read before.
func (c *call) readClock(l *model.Log, p *runPage) {
	p.clock = readClock(p.logText)
	kept, known := c.clocks.of(l.ID)
	switch {
	case p.clock.Began != "" && !p.Open:
		if p.clock.Ended == "" {
			p.clock.Ended = kept.Ended
		}
		c.clocks.keep(l.ID, runClock{Began: p.clock.Began, Ended: p.clock.Ended, Read: c.Now()})
	case p.clock.Began == "" && known:
		p.clock = kept
	}
}

// pageLog is how long a page waits for what an executor says of a log: it may be
// gone.
const pageLog = 2 * time.Second

// firstLog reads what the log says so far, as much as one answer holds.
func (c *call) firstLog(ctx context.Context, l *model.Log, p *runPage) error {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, pageLog)
	defer cancel()
	from := max(c.Num("line", 1), 1)
	text, err := c.Cfg.Ops.LogText(ctx, c.Who, l.ID, int32(min(from, 1<<31-1)))
	if err != nil {
		why, ours := c.Why(err)
		if whole.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why, ours = c.T("log.slow", int(pageLog/time.Second)), true
		}
		if !ours {
			return err
		}
		var refusal *ops.Error
		p.noAnswer = !errors.As(err, &refusal) || refusal.Kind == ops.Unavailable
		p.LogFault, p.LogNext = why, from
		return nil
	}
	p.LogNext, p.LogEnd = int(text.ToLineNum)+1, text.IsEnd && !p.Open // the end of an open run is still to come
	if text.LogContent == "" || text.ToLineNum < text.FromLineNum {
		p.noLog = from == 1 && p.LogEnd
		return nil
	}
	if from == 1 {
		p.logText = text.LogContent
	}
	p.LogFrom = int(text.FromLineNum)
	if !text.IsEnd && !p.Open { // that it is all is often said only when one asks for more
		more, err := c.Cfg.Ops.LogText(ctx, c.Who, l.ID, text.ToLineNum+1)
		p.LogEnd = err == nil && more.IsEnd && more.ToLineNum < more.FromLineNum
		if err == nil && p.logText != "" && (p.Killed || strings.Contains(p.logText, wire.LogStranded)) {
			p.logText += c.restOfLog(ctx, l.ID, more)
		}
	}
	p.unsaid = p.LogEnd && p.logText != "" && onlyReported(p.logText)
	p.FailLine = c.failedAt(l, p)
	marks := loghtml.Marks{Fail: p.FailLine, More: c.T("log.cut"), Why: c.T("log.fail")}
	p.Log = loghtml.Lines(text.LogContent, p.LogFrom, marks)
	if p.FailLine < p.LogFrom || p.FailLine >= p.LogNext {
		p.FailLine = 0
	}
	return nil
}

// maxDownload bounds the log that is downloaded, in bytes.
const maxDownload = 64 << 20

// runLog sends the log of a run as a file, as the executor has it.
func (c *call) runLog(ctx context.Context) error {
	l, err := c.Cfg.Ops.Log(ctx, c.Who, c.ID64("id"))
	if err != nil {
		return err
	}
	text, err := c.Cfg.Ops.LogText(ctx, c.Who, l.ID, 1)
	if err != nil {
		return err
	}
	h := c.W.Header()
	h.Set("Content-Type", "text/plain;charset=UTF-8")
	h.Set("Content-Disposition", `attachment; filename="run-`+strconv.FormatInt(l.ID, 10)+`.log"`)
	for sent := 0; sent < maxDownload; {
		if text.ToLineNum < text.FromLineNum {
			return nil
		}
		n, err := c.W.Write([]byte(text.LogContent))
		if err != nil {
			return nil // whoever asked has gone
		}
		sent += n
		if text.IsEnd {
			return nil
		}
		if text, err = c.Cfg.Ops.LogText(ctx, c.Who, l.ID, text.ToLineNum+1); err != nil {
			_, err = c.W.Write([]byte("\n" + c.T("log.broken") + "\n"))
			return err
		}
	}
	_, err = c.W.Write([]byte("\n" + c.T("log.long") + "\n"))
	return err
}
