package legacy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// fetchSize is how many rows one query of a long list reads.
const fetchSize = 200

// fetch reads size rows from offset on, in pieces that the store takes, and
// returns how many there are in all.
func fetch[T any](offset, size int, read func(offset, limit int) ([]T, int, error)) ([]T, int, error) {
	list := []T{}
	for {
		want := min(size-len(list), fetchSize)
		rows, total, err := read(offset+len(list), max(want, 1))
		if err != nil {
			return nil, 0, err
		}
		list = append(list, rows[:min(len(rows), max(want, 0))]...)
		if len(list) >= size || len(rows) < want {
			return list, total, nil
		}
	}
}

// views returns the JSON objects of a list, never null.
func views[T any](list []T, view func(T) any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		out = append(out, view(item))
	}
	return out
}

func (c *call) jobList() error {
	if err := c.need("jobGroup", "triggerStatus", "jobDesc", "executorHandler", "author"); err != nil {
		return err
	}
	offset, size, err := c.paging()
	if err != nil {
		return err
	}
	f := model.JobFilter{Name: c.str("jobDesc"), Handler: c.str("executorHandler"), Author: c.str("author")}
	if f.GroupID, err = c.int("jobGroup"); err != nil {
		return err
	}
	status, err := c.int("triggerStatus")
	if err != nil {
		return err
	}
	if status >= 0 {
		running := status == 1
		f.Running = &running
	}
	list, total, err := fetch(offset, size, func(offset, limit int) ([]*model.Job, int, error) {
		f.Offset, f.Limit = offset, limit
		return c.s.cfg.Ops.ListJobs(c.r.Context(), c.who, f)
	})
	if err != nil {
		return err
	}
	return c.page(views(list, func(j *model.Job) any { return viewJob(c.dialect, j) }), total)
}

// jobsByGroup lists the jobs of a group, oldest first.
func (c *call) jobsByGroup() error {
	group, err := c.int("jobGroup")
	if err != nil {
		return err
	}
	list, _, err := fetch(0, maxPage, func(offset, limit int) ([]*model.Job, int, error) {
		f := model.JobFilter{GroupID: group, Offset: offset, Limit: limit}
		return c.s.cfg.Ops.ListJobs(c.r.Context(), c.who, f)
	})
	if err != nil {
		return err
	}
	slices.Reverse(list)
	return c.ok(views(list, func(j *model.Job) any { return viewJob(c.dialect, j) }))
}

// job binds the form to a job, as Spring does: unknown fields are ignored,
// dates cannot be bound.
func (c *call) job() (*model.Job, error) {
	for _, name := range []string{"addTime", "updateTime", "glueUpdatetime"} {
		if c.str(name) != "" {
			return nil, &bindError{msg: "parameter " + name + " cannot be set"}
		}
	}
	j := &model.Job{
		Name: c.str("jobDesc"), Author: c.text("author"), AlarmEmail: c.text("alarmEmail"),
		ScheduleType: model.ScheduleType(c.str("scheduleType")), ScheduleConf: c.text("scheduleConf"),
		Misfire: model.Misfire(c.str("misfireStrategy")), Route: model.Route(c.str("executorRouteStrategy")),
		Handler: c.text("executorHandler"), Param: c.text("executorParam"),
		Block: model.Block(c.str("executorBlockStrategy")), GlueType: c.str("glueType"),
		TimeZone:   c.str("timeZone"), // ours: "" keeps it, "server" takes it away
		GlueSource: c.text("glueSource"), GlueRemark: c.text("glueRemark"), Children: c.text("childJobId"),
	}
	var status int32
	for _, n := range []struct {
		name string
		to   *int32
	}{
		{"id", &j.ID},
		{"jobGroup", &j.GroupID},
		{"executorTimeout", &j.TimeoutSec},
		{"executorFailRetryCount", &j.Retries},
		{"triggerStatus", &status},
	} {
		value, err := c.field(n.name)
		if err != nil {
			return nil, err
		}
		*n.to = value
	}
	j.Running = status == 1
	return j, nil
}

func (c *call) jobAdd() error {
	j, err := c.job()
	if err != nil {
		return err
	}
	id, err := c.s.cfg.Ops.CreateJob(c.r.Context(), c.who, j)
	if err != nil {
		return err
	}
	return c.ok(strconv.Itoa(int(id)))
}

func (c *call) jobUpdate() error {
	j, err := c.job()
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.UpdateJob(c.r.Context(), c.who, j); err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) jobRemove() error {
	id, ok, err := c.one()
	if !ok {
		return err
	}
	if err := c.s.cfg.Ops.DeleteJob(c.r.Context(), c.who, id); err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) jobStart() error {
	id, ok, err := c.one()
	if !ok {
		return err
	}
	if err := c.s.cfg.Ops.StartJob(c.r.Context(), c.who, id); err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) jobStop() error {
	id, ok, err := c.one()
	if !ok {
		return err
	}
	if err := c.s.cfg.Ops.StopJob(c.r.Context(), c.who, id); err != nil {
		return err
	}
	return c.ok(nil)
}

// jobTrigger runs a job once. A missing executorParam clears the job's own, as
// in Java.
func (c *call) jobTrigger() error {
	if err := c.need("id", "executorParam", "addressList"); err != nil {
		return err
	}
	id, err := c.int("id")
	if err != nil {
		return err
	}
	param := c.str("executorParam")
	in := ops.TriggerInput{Param: &param, Type: model.TriggerManual}
	if list := strings.TrimSpace(c.str("addressList")); list != "" {
		in.Addresses = strings.Split(list, ",")
	}
	if _, err := c.s.cfg.Ops.TriggerJob(c.r.Context(), c.who, id, in); err != nil {
		return err
	}
	return c.ok(nil)
}

// previewTimes is how many times nextTriggerTime tells.
const previewTimes = 5

// nextTriggerTime previews a schedule. The parameter cron alone is that of
// release 2.2.0.
func (c *call) nextTriggerTime() error {
	kind, conf := model.ScheduleType(c.str("scheduleType")), c.str("scheduleConf")
	if !c.form.Has("scheduleType") && c.form.Has("cron") {
		kind, conf = model.ScheduleCron, c.str("cron")
	}
	times, err := c.s.cfg.Ops.NextTimes(kind, conf, c.str("timeZone"), previewTimes)
	if err != nil {
		return err
	}
	list := make([]string, 0, len(times))
	for _, t := range times {
		list = append(list, t.In(c.s.cfg.Location).Format(layoutWall))
	}
	return c.ok(list)
}

// glueSave stores a new version of a job's code.
func (c *call) glueSave() error {
	id, err := c.int("id")
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.SaveGlue(c.r.Context(), c.who, id, c.str("glueSource"), c.str("glueRemark")); err != nil {
		return err
	}
	return c.ok(nil)
}
