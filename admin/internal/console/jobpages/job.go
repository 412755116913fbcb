package jobpages

import (
	"context"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// fillHistory reads a page of the history of a job.
func (c *call) fillHistory(ctx context.Context, p *jobPage) (err error) {
	path := "/jobs/" + strconv.Itoa(int(p.ID)) + "?tab=history"
	p.History, err = c.ChangesOf(ctx, path, p.ID, p.May, c.Cfg.Ops.JobChanges)
	return err
}

const (
	pageStrip = 50
	// maxGraph bounds the jobs of a graph.
	maxGraph = 60
)

// runLine is a run in the list of a job.
type runLine struct {
	ID      int64
	At      time.Time
	Took    string
	Result  web.State
	Where   string
	WhereAt string // path of the address
	Message string
}

// jobPage is a job.
type jobPage struct {
	*model.Job
	Group     *ops.Group
	Words     string
	Next      time.Time
	Strip     template.HTML
	Scale     string // what the heights of the strip stand for
	Figures   parts.Figures
	Late      lateness
	Tabs      []web.Tab
	Tab       string
	Renew     string // path of what renews itself
	Do        string // run, start or stop, when that was asked for in the command box
	Runs      []runLine
	Times     []time.Time // the next ones
	Month     *monthView  // the calendar of them; nil where there are none
	Graph     template.HTML
	Addresses []string
	Facts     []web.Fact
	History   parts.History
	Alarms    alarmTab
	Bean      bool
	May       web.Rights
}

// jobTabs are the names of the pages of a job.
func jobTabs() []string {
	return []string{"runs", "times", "children", "settings", "history", "alarms"}
}

// job shows a job.
func (c *call) job(ctx context.Context) error {
	j, err := c.Cfg.Ops.Job(ctx, c.Who, c.ID32("id"))
	if err != nil {
		if d, none := c.Cfg.Ops.DeletedJob(ctx, c.Who, c.ID32("id")); none == nil {
			return c.goneJob(ctx, d)
		}
		return err
	}
	recent, err := c.Cfg.History.RecentRuns(ctx, []int32{j.ID}, pageStrip)
	if err != nil {
		return err
	}
	p := jobPage{
		Job: j, Words: parts.ScheduleWords(c.Lang, j), Next: parts.NextFire(j), Figures: parts.SumRuns(recent[j.ID]),
		Bean: j.GlueType == model.GlueBean, Tab: "runs", May: c.RightsIn(j.GroupID),
	}
	if len(recent[j.ID]) > 0 {
		p.Strip, p.Scale = c.Strip(j.ID, recent[j.ID])
	}
	if p.Late, err = c.lateness(ctx, j.ID); err != nil {
		return err
	}
	if p.Group, err = c.Cfg.Ops.Group(ctx, c.Who, j.GroupID); err != nil {
		if _, ours := c.Why(err); !ours {
			return err
		}
		p.Group = &ops.Group{} // it is gone: the page says so
	}
	p.Addresses = p.Group.Addresses()
	for _, name := range jobTabs() {
		path := "/jobs/" + strconv.Itoa(int(j.ID))
		if name != "runs" {
			path += "?tab=" + name
		}
		if c.Str("tab") == name {
			p.Tab = name
		}
		p.Tabs = append(p.Tabs, web.Tab{Text: c.T("job.tab." + name), Path: path})
	}
	for i, name := range jobTabs() {
		p.Tabs[i].Current = name == p.Tab
	}
	if err := c.fillTab(ctx, &p); err != nil {
		return err
	}
	if c.Str("part") != "" {
		return c.Part("job", "jobnow", p)
	}
	again := c.R.URL.Query()
	again.Set("part", "now")
	again.Del("do")
	p.Do = c.Str("do")
	p.Renew = "/jobs/" + strconv.Itoa(int(j.ID)) + "?" + again.Encode()
	return c.Render(ctx, "job", web.Head{
		Title: j.Name, Section: "jobs", Crumbs: c.Under("jobs"), Script: "renew.js",
	}, p)
}

// fillTab reads what the chosen tab shows.
func (c *call) fillTab(ctx context.Context, p *jobPage) (err error) {
	switch p.Tab {
	case "times":
		p.Times, err = c.Cfg.Ops.TimesOf(p.Job, parts.NextTimes)
		if _, ours := c.Why(err); ours {
			err = nil // a schedule of an older admin that ours does not take: the words show it
		}
		c.fillMonth(p)
	case "children":
		p.Graph, err = c.graph(ctx, p.Job)
	case "settings":
		p.Facts, err = c.facts(ctx, p.Job, p.Group)
	case "alarms":
		err = c.fillAlarms(ctx, p)
	case "history":
		err = c.fillHistory(ctx, p)
	default:
		p.Runs, err = c.lastRuns(ctx, model.LogFilter{JobID: p.ID, Limit: 20})
	}
	return err
}

// lastRuns lists runs, the newest first.
func (c *call) lastRuns(ctx context.Context, f model.LogFilter) ([]runLine, error) {
	list, _, err := c.Cfg.Ops.ListLogs(ctx, c.Who, f)
	if err != nil {
		return nil, err
	}
	lines := make([]runLine, len(list))
	for i, l := range list {
		own, _ := parts.SplitMessage(l.HandleMsg.S)
		lines[i] = runLine{
			ID: l.ID, At: l.TriggerTime, Result: c.StateOf(l.Recent()), Where: l.Address.S,
			WhereAt: parts.WherePath(l),
			Message: parts.Headline(own), Took: "–",
		}
		if l.TriggerCode == model.CodeSuccess {
			lines[i].Took = c.Lasted(l.Recent())
		} else if lines[i].Message == "" {
			lines[i].Message = parts.FirstLine(c.NotSent(l))
		}
	}
	return lines, nil
}

// graph draws the child jobs of a job, and theirs.
func (c *call) graph(ctx context.Context, j *model.Job) (template.HTML, error) {
	g := chart.Graph{
		Frame: chart.Frame{ID: "children", Title: c.T("job.children"), Table: c.T("table")},
		Heads: [2]string{c.T("job.name"), c.T("job.child")},
	}
	seen := map[int32]bool{j.ID: true}
	for queue := []*model.Job{j}; len(queue) > 0 && len(g.Nodes) < maxGraph; queue = queue[1:] {
		one := queue[0]
		g.Nodes = append(g.Nodes, chart.Node{
			ID: int64(one.ID), Label: one.Name, Class: chart.Plain,
			Href: httpx.Prefix(c.R) + "/jobs/" + strconv.Itoa(int(one.ID)),
		})
		children, _ := one.ChildIDs()
		for _, id := range children {
			g.Edges = append(g.Edges, chart.Edge{From: int64(one.ID), To: int64(id)})
			if seen[id] {
				continue
			}
			seen[id] = true
			child, err := c.Cfg.Ops.Job(ctx, c.Who, id)
			if err == nil {
				queue = append(queue, child)
				continue
			}
			if _, ours := c.Why(err); !ours {
				return "", err
			}
			g.Nodes = append(g.Nodes, chart.Node{ID: int64(id), Label: c.T("job.child.hidden", id), Class: chart.Plain})
		}
	}
	if len(g.Nodes) < 2 {
		return "", nil
	}
	return g.HTML(), nil
}

// startJob starts a job.
func (c *call) startJob(ctx context.Context) error {
	id := c.ID32("id")
	back := c.Local(c.R.PostForm.Get("back"), "/jobs/"+strconv.Itoa(int(id)))
	ctx, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.StartJob(ctx, c.Who, id); err != nil {
		return c.Refuse(back, err)
	}
	return c.DoneUndo(back, c.T("job.did.start"), made)
}

// stopJob stops a job.
func (c *call) stopJob(ctx context.Context) error {
	id := c.ID32("id")
	back := c.Local(c.R.PostForm.Get("back"), "/jobs/"+strconv.Itoa(int(id)))
	ctx, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.StopJob(ctx, c.Who, id); err != nil {
		return c.Refuse(back, err)
	}
	return c.DoneUndo(back, c.T("job.did.stop"), made)
}

// deleteJob deletes a job.
func (c *call) deleteJob(ctx context.Context) error {
	id := c.ID32("id")
	ctx, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.DeleteJob(ctx, c.Who, id); err != nil {
		return c.Refuse("/jobs/"+strconv.Itoa(int(id)), err)
	}
	return c.DoneUndo("/jobs", c.T("jobs.bulk.delete", 1), made)
}

// runJob runs a job once, with its own parameter or another one, at any of its
// addresses or one that was chosen.
func (c *call) runJob(ctx context.Context) error {
	id := c.ID32("id")
	back := "/jobs/" + strconv.Itoa(int(id))
	param := strings.ReplaceAll(c.R.PostForm.Get("param"), "\r\n", "\n")
	in := ops.TriggerInput{Param: &param}
	if c.R.PostForm["param"] == nil {
		in.Param = nil
	}
	if address := c.Str("address"); address != "" {
		in.Addresses = []string{address}
	}
	runs, err := c.Cfg.Ops.TriggerJob(ctx, c.Who, id, in)
	if err != nil {
		return c.Refuse(back, err)
	}
	if len(runs) == 1 && c.Has("/runs/{id}") {
		back = "/runs/" + strconv.FormatInt(runs[0], 10)
	}
	return c.Done(back, c.T("job.did.run", len(runs)))
}
