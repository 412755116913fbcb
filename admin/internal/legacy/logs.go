package legacy

import (
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// maxPageBytes bounds the messages in one list of log rows.
const maxPageBytes = 64 << 20

func (c *call) logList() error {
	if err := c.need("jobGroup", "jobId", "logStatus", "filterTime"); err != nil {
		return err
	}
	offset, size, err := c.paging()
	if err != nil {
		return err
	}
	var f model.LogFilter
	if f.GroupID, err = c.int("jobGroup"); err != nil {
		return err
	}
	if f.JobID, err = c.int("jobId"); err != nil {
		return err
	}
	status, err := c.int("logStatus")
	if err != nil {
		return err
	}
	f.Status = logStatus(status)
	f.From, f.To = parseFilterTime(c.str("filterTime"), c.s.cfg.Location)

	var bytes int
	list, total, err := fetch(offset, size, func(offset, limit int) ([]*model.Log, int, error) {
		f.Offset, f.Limit = offset, limit
		rows, total, err := c.s.cfg.Ops.ListLogs(c.r.Context(), c.who, f)
		for i, l := range rows {
			if bytes += len(l.TriggerMsg.S) + len(l.HandleMsg.S); bytes > maxPageBytes {
				return rows[:i], total, err // the rest is on the next page
			}
		}
		return rows, total, err
	})
	if err != nil {
		return err
	}
	return c.page(views(list, func(l *model.Log) any { return c.s.viewLog(c.dialect, l) }), total)
}

// logStatus is the filter of a log list; an unknown one filters nothing.
func logStatus(n int32) model.LogStatus {
	switch s := model.LogStatus(n); s {
	case model.LogSuccess, model.LogFailed, model.LogRunning:
		return s
	}
	return model.LogAny
}

// logDetailCat answers with a piece of a run's log. Its message is the
// executor's own.
func (c *call) logDetailCat() error {
	id, err := c.long("logId")
	if err != nil {
		return err
	}
	from, err := c.int("fromLineNum")
	if err != nil {
		return err
	}
	part, err := c.s.cfg.Ops.LogText(c.r.Context(), c.who, id, from)
	if err != nil {
		return err
	}
	return c.okMsg(logText{
		From: part.FromLineNum, To: part.ToLineNum,
		Content: escapeLog(c.dialect, part.LogContent), End: part.IsEnd,
	}, text(model.Text{S: part.Msg.String, Valid: part.Msg.Valid}))
}

// logKill ends a run. The payload is the executor's message.
func (c *call) logKill() error {
	id, err := c.long("id")
	if err != nil {
		return err
	}
	msg, err := c.s.cfg.Ops.Kill(c.r.Context(), c.who, id)
	if err != nil {
		return err
	}
	if !msg.Valid {
		return c.ok(nil)
	}
	return c.ok(msg.String)
}

func (c *call) clearLog() error {
	var in ops.ClearInput
	var kind int32
	for _, n := range []struct {
		name string
		to   *int32
	}{{"jobGroup", &in.GroupID}, {"jobId", &in.JobID}, {"type", &kind}} {
		value, err := c.int(n.name)
		if err != nil {
			return err
		}
		*n.to = value
	}
	in.Type = int(kind)
	if _, err := c.s.cfg.Ops.ClearLogs(c.r.Context(), c.who, in); err != nil {
		return err
	}
	return c.ok(nil)
}
