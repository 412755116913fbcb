package runpages

import (
	"context"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// origin says where a run comes from.
type origin struct {
	Text string // "" where nothing is on record, or a schedule has made it
	Link string // the run that it follows, in words; "" for none
	Path string // "" where it may not be seen, or is gone
}

// originOf says where the run comes from, as far as that is on record.
func (c *call) originOf(ctx context.Context, l *model.Log, f *ops.RunFamily) (o origin) {
	who, parent := l.Cause.Who, l.Cause.Parent
	switch l.Cause.Kind {
	case model.CauseRetry:
		o.Text = c.T("run.from.retry")
	case model.CauseChild:
		o.Text = c.T("run.from.child")
	case model.CauseAgain:
		o.Text = c.T("run.from.again", who)
	case model.CauseManual:
		o.Text = c.T("run.from.hand")
		if who != "" {
			o.Text = c.T("run.from.manual", who)
		}
	case model.CauseAPI:
		o.Text = c.T("run.from.program")
		if who != "" {
			o.Text = c.T("run.from.api", who)
		}
	case model.CauseUnknown, model.CauseSchedule:
	}
	if parent == 0 {
		return o
	}
	o.Link = c.T("run.title", parent)
	switch {
	case f.Parent != nil:
		o.Path = runPath(parent)
		if f.Parent.JobID != l.JobID {
			o.Link += " · " + c.jobName(ctx, f.Parent.JobID)
		}
	case l.Cause.Kind == model.CauseRetry && len(f.Attempts) > 1:
		o.Path = runPath(parent)
	}
	return o
}

func runPath(id int64) string { return "/runs/" + strconv.FormatInt(id, 10) }

// jobName is the name of a job, or its id where it is gone or may not be seen.
func (c *call) jobName(ctx context.Context, id int32) string {
	if j, err := c.Cfg.Ops.Job(ctx, c.Who, id); err == nil {
		return j.Name
	}
	return "#" + strconv.Itoa(int(id))
}
