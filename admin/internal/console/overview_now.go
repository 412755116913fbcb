package console

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
)

const (
	// lateLimit is what the overview calls late.
	lateLimit = time.Second
	// lateMinutes is how far back it looks for that.
	lateMinutes = 10
	queueRows   = 8
	// hourAge is how old the coming hour may be without saying so.
	hourAge = 10 * time.Second
)

// pulseView is what this node has measured since its start.
type pulseView struct {
	Known bool
	Since time.Time
	Sent  int64 // of the last minutes
	P50   string
	P99   string
	Chart template.HTML // runs a minute by result
}

// pulse shows how late this node was, and how runs ended.
func (c *call) pulse(p *overviewPage) {
	if c.Cfg.Pulse == nil {
		return
	}
	all := c.Cfg.Pulse.Last(pulse.Minutes)
	late := pulse.LatenessOf(all[len(all)-lateMinutes:], lateLimit)
	p.Pulse = pulseView{Known: true, Since: c.Cfg.Pulse.Since(), Sent: late.Sent, P50: "–", P99: "–"}
	if late.Sent > 0 {
		p.Pulse.P50, p.Pulse.P99 = "≤ "+say.Millis(late.P50), "≤ "+say.Millis(late.P99)
	}
	c.say1(p, "late", int(late.Late), "#late")
	bars := chart.Bars{
		Frame: chart.Frame{
			ID: "minutes", Title: c.T("home.minutes"), Unit: c.T("home.minutes.unit"), Table: c.T("table"),
		},
		Series: []chart.Series{
			{Name: c.T("runs.ok"), Class: chart.OK},
			{Name: c.T("runs.failed"), Class: chart.Failed},
			{Name: c.T("runs.timeout"), Class: chart.Timeout},
			{Name: c.T("runs.lost"), Class: chart.Lost},
		},
		When: c.T("home.minute"), Label: func(t time.Time) string { return t.Format("15:04") },
	}
	for _, m := range all {
		bars.Buckets = append(bars.Buckets, chart.Bucket{
			Start:  m.Start.In(c.Cfg.Location),
			Values: []float64{float64(m.OK), float64(m.Failed), float64(m.Timeout), float64(m.Lost)},
		})
	}
	p.Pulse.Chart = bars.HTML()
}

// queueRow is what waits for the addresses of an executor.
type queueRow struct {
	ID        int32
	Title     string
	Addresses int
	Queued    int
	InFlight  int
	Dead      int // addresses that do not answer
}

// queues lists the executors for which something waits, or that do not answer.
func (c *call) queues(p *overviewPage, groups []*ops.Group) {
	if c.Cfg.Executors.Lanes == nil {
		return
	}
	lanes := c.Cfg.Executors.Lanes()
	dead := map[string]bool{}
	for _, g := range groups {
		list := g.Addresses()
		row := queueRow{ID: g.ID, Title: g.Title, Addresses: len(list)}
		var sum model.AddressState
		sum, row.Dead = parts.SumLanes(lanes, list)
		row.Queued, row.InFlight = sum.Queued, sum.InFlight
		for _, address := range list {
			if !lanes[parts.LaneKey(address)].DeadSince.IsZero() {
				dead[parts.LaneKey(address)] = true
			}
		}
		if row.Dead > 0 {
			p.Troubles = append(p.Troubles, trouble{
				c.T("home.deadof", g.Title, row.Dead, row.Addresses), parts.ExecutorPath(g.ID),
			})
		}
		p.Waiting += row.Queued
		if row.Queued+row.InFlight+row.Dead > 0 {
			p.Queues = append(p.Queues, row)
		}
	}
	slices.SortStableFunc(p.Queues, func(a, b queueRow) int {
		return cmp.Or(cmp.Compare(b.Queued, a.Queued), cmp.Compare(b.Dead, a.Dead), cmp.Compare(b.InFlight, a.InFlight))
	})
	p.Queues = p.Queues[:min(len(p.Queues), queueRows)]
	c.say1(p, "dead", len(dead), "/executors")
}

// hourView is what fires in the coming hour.
type hourView struct {
	Known    bool
	Started  int           // started jobs when it was counted
	Counted  time.Time     // zero when it was just now
	Chart    template.HTML // "" when nothing fires
	NextID   int32         // the job that fires next, when nothing does within the hour
	NextName string
	NextAt   time.Time
}

// hour draws what fires in the coming hour, minute by minute.
func (c *call) hour(ctx context.Context, p *overviewPage, groups []*ops.Group) {
	if c.Cfg.Forecast == nil {
		return
	}
	mine := map[int32]bool{}
	for _, g := range groups {
		mine[g.ID] = true
	}
	// An administrator sees the jobs of groups that are gone, too.
	h, ok := c.Cfg.Forecast(ctx, func(group int32) bool { return mine[group] || c.User.Admin })
	if !ok {
		return
	}
	p.Hour.Known, p.Hour.Started = true, h.Started
	if c.Now().Sub(h.Counted) > hourAge {
		p.Hour.Counted = h.Counted
	}
	d := chart.Density{
		Frame: chart.Frame{ID: "hour", Title: c.T("home.hour"), Table: c.T("table")},
		Start: h.Start.In(c.Cfg.Location), Step: time.Minute, Cells: make([]chart.Cell, len(h.Cells)),
		Heads: [3]string{c.T("home.minute"), c.T("home.fires"), c.T("nav.jobs")},
	}
	most := 0
	for i, cell := range h.Cells {
		to := &d.Cells[i]
		to.Count = cell.Fires
		most = max(most, cell.Fires)
		for _, name := range cell.Names {
			to.Names = append(to.Names, parts.OneLine(name))
		}
		if more := cell.Jobs - len(cell.Names); more > 0 {
			to.Names = append(to.Names, c.T("home.hour.more", strconv.Itoa(more)))
		}
	}
	switch {
	case most > 0:
		d.Unit = c.T("home.hour.unit", say.Count(most))
		p.Hour.Chart = d.HTML()
	case h.Next != nil:
		p.Hour.NextID, p.Hour.NextName, p.Hour.NextAt = h.Next.ID, h.Next.Name, h.Next.At
	}
}

// days draws the runs of the days from first on by result.
func (c *call) days(first time.Time, data *ops.Chart) template.HTML {
	loc := c.Cfg.Location
	y, m, d := first.Date()
	bars := chart.Bars{
		Frame: chart.Frame{
			ID: "days", Title: c.T("home.days", homeDays), Unit: c.T("home.runs.unit"), Table: c.T("table"),
		},
		Series: []chart.Series{
			{Name: c.T("runs.ok"), Class: chart.OK},
			{Name: c.T("runs.failed"), Class: chart.Failed},
			{Name: c.T("runs.running"), Class: chart.Running},
		},
		When: c.T("home.day"), Label: func(t time.Time) string { return t.Format("01-02") },
	}
	for i := range homeDays {
		day := time.Date(y, m, d+i, 0, 0, 0, 0, loc)
		b := chart.Bucket{Start: day, Values: make([]float64, 3)}
		for _, r := range data.Days {
			if r.Day.In(loc).Format(time.DateOnly) == day.Format(time.DateOnly) {
				b.Values = []float64{float64(r.Success), float64(r.Failed), float64(r.Running)}
			}
		}
		bars.Buckets = append(bars.Buckets, b)
	}
	return bars.HTML()
}
