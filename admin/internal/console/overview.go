package console

import (
	"context"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	homeDays     = 14
	homeFailures = 10
	// homeJobs bounds the started jobs of which the coming hour is drawn.
	homeJobs = 1000
	// homeNames is how many jobs a minute of the coming hour names.
	homeNames = 8
)

// trouble is something to look at.
type trouble struct{ Text, Path string }

// overviewPage answers whether all is well.
type overviewPage struct {
	Troubles []trouble
	Totals   *ops.Totals
	Started  int
	Running  int
	Days     template.HTML
	Hour     template.HTML
	HourSome bool
	Failures []failure
	NoBody   bool // no executor has ever connected
}

// failure is a failed run with its job.
type failure struct {
	runLine
	Job   int32
	Title string
}

// overview shows whether all is well.
func (c *call) overview(ctx context.Context) error {
	var p overviewPage
	var err error
	if p.Totals, err = c.s.cfg.Ops.Totals(ctx, c.who); err != nil {
		return err
	}
	for _, text := range c.status(ctx).Faults {
		p.Troubles = append(p.Troubles, trouble{Text: c.t("home.node", text)})
	}
	if err := c.groupTroubles(ctx, &p); err != nil {
		return err
	}
	if err := c.failures(ctx, &p); err != nil {
		return err
	}
	open := model.LogFilter{Status: model.LogRunning, Limit: 1}
	if _, p.Running, err = c.s.cfg.Ops.ListLogs(ctx, c.who, open); err != nil {
		return err
	}
	if p.Days, err = c.days(ctx); err != nil {
		return err
	}
	if err := c.hour(ctx, &p); err != nil {
		return err
	}
	return c.render(ctx, "overview", head{Title: c.t("nav.overview"), Section: "overview"}, p)
}

// groupTroubles names the executors with started jobs that nobody is there to
// run.
func (c *call) groupTroubles(ctx context.Context, p *overviewPage) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	started := true
	p.NoBody = p.Totals.Executors == 0
	for _, g := range groups {
		if len(g.Addresses()) > 0 {
			continue
		}
		_, n, err := c.s.cfg.Ops.ListJobs(ctx, c.who, model.JobFilter{GroupID: g.ID, Running: &started, Limit: 1})
		if err != nil {
			return err
		}
		if n > 0 {
			id := strconv.Itoa(int(g.ID))
			path := "/jobs?state=started&group=" + id
			if c.s.has("/executors/{id}") {
				path = "/executors/" + id
			}
			p.Troubles = append(p.Troubles, trouble{Text: c.t("home.noaddress", g.Title), Path: path})
		}
	}
	return nil
}

// failures lists what has failed within a day.
func (c *call) failures(ctx context.Context, p *overviewPage) error {
	const sample = 100
	f := model.LogFilter{Status: model.LogFailed, From: c.now().Add(-24 * time.Hour), Limit: sample}
	list, total, err := c.s.cfg.Ops.ListLogs(ctx, c.who, f)
	if err != nil || len(list) == 0 {
		return err
	}
	f.Limit = homeFailures
	lines, err := c.lastRuns(ctx, f)
	if err != nil {
		return err
	}
	jobs := map[int32]bool{}
	for _, l := range list {
		jobs[l.JobID] = true
	}
	path := ""
	if c.s.has("/runs") {
		path = "/runs?result=failed"
	}
	text := c.t("home.failing", count(total), len(jobs))
	if total > sample {
		text = c.t("home.failing.most", count(total))
	}
	p.Troubles = append(p.Troubles, trouble{Text: text, Path: path})
	for i, line := range lines {
		one := failure{runLine: line, Job: list[i].JobID, Title: "#" + strconv.Itoa(int(list[i].JobID))}
		j, err := c.s.cfg.Ops.Job(ctx, c.who, one.Job)
		if err == nil {
			one.Title = j.Name
		} else if _, ours := c.why(err); !ours {
			return err
		}
		p.Failures = append(p.Failures, one)
	}
	return nil
}

// days draws the runs of the last days by result.
func (c *call) days(ctx context.Context) (template.HTML, error) {
	y, m, d := c.now().Date()
	loc := c.s.cfg.Location
	first := time.Date(y, m, d-homeDays+1, 0, 0, 0, 0, loc)
	data, err := c.s.cfg.Ops.Dashboard(ctx, c.who, first, time.Date(y, m, d, 23, 59, 59, 0, loc))
	if err != nil {
		return "", err
	}
	bars := chart.Bars{
		Frame: chart.Frame{
			ID: "days", Title: c.t("home.days", homeDays), Unit: c.t("home.runs.unit"), Table: c.t("table"),
		},
		Series: []chart.Series{
			{Name: c.t("run.ok"), Class: chart.OK},
			{Name: c.t("run.failed"), Class: chart.Failed},
			{Name: c.t("run.running"), Class: chart.Running},
		},
		When: c.t("home.day"), Label: func(t time.Time) string { return t.Format("01-02") },
	}
	for i := range homeDays {
		day := time.Date(y, m, d-homeDays+1+i, 0, 0, 0, 0, loc)
		b := chart.Bucket{Start: day, Values: make([]float64, 3)}
		for _, r := range data.Days {
			if r.Day.In(loc).Format(time.DateOnly) == day.Format(time.DateOnly) {
				b.Values = []float64{float64(r.Success), float64(r.Failed), float64(r.Running)}
			}
		}
		bars.Buckets = append(bars.Buckets, b)
	}
	return bars.HTML(), nil
}

// hour draws what fires in the coming hour, minute by minute.
func (c *call) hour(ctx context.Context, p *overviewPage) error {
	started := true
	list, total, err := c.s.cfg.Ops.ListJobs(ctx, c.who, model.JobFilter{Running: &started, Limit: homeJobs})
	if err != nil {
		return err
	}
	p.Started, p.HourSome = total, total > len(list)
	now := c.now().Truncate(time.Minute)
	d := chart.Density{
		Frame: chart.Frame{ID: "hour", Title: c.t("home.hour"), Unit: c.t("home.hour.unit"), Table: c.t("table")},
		Start: now, Step: time.Minute, Cells: make([]chart.Cell, 60),
		Heads: [3]string{c.t("home.minute"), c.t("home.fires"), c.t("nav.jobs")},
	}
	some := false
	for _, j := range list {
		if j.NextMs <= 0 || time.UnixMilli(j.NextMs).After(now.Add(time.Hour)) {
			continue
		}
		loc, ok := c.zone(j.TimeZone)
		next, err := fires(j.ScheduleType, j.ScheduleConf.S)
		if !ok || err != nil || next == nil {
			continue
		}
		for i, n := range chart.Count(next, chart.Edges(now.In(loc), time.Minute, 60), 60) {
			if n == 0 {
				continue
			}
			some = true
			d.Cells[i].Count += n
			if len(d.Cells[i].Names) < homeNames && !slices.Contains(d.Cells[i].Names, j.Name) {
				d.Cells[i].Names = append(d.Cells[i].Names, oneLine(j.Name))
			}
		}
	}
	if some {
		p.Hour = d.HTML()
	}
	return nil
}
