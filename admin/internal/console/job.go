package console

import (
	"context"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	pageStrip = 50
	nextTimes = 10
	// maxGraph bounds the jobs of a graph.
	maxGraph = 60
)

// tab is one of the pages of a job.
type tab struct {
	Text, Path string
	Current    bool
}

// runLine is a run in the list of a job.
type runLine struct {
	ID      int64
	At      time.Time
	Took    string
	Result  runState
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
	Figures   figures
	Late      lateness
	Tabs      []tab
	Tab       string
	Renew     string // path of what renews itself
	Do        string // run, start or stop, when that was asked for in the command box
	Runs      []runLine
	Times     []time.Time // the next ones
	Month     *monthView  // the calendar of them; nil where there are none
	Graph     template.HTML
	Addresses []string
	Facts     []fact
	History   historyTab
	Alarms    alarmTab
	Bean      bool
	May       rights
}

// jobTabs are the names of the pages of a job.
func jobTabs() []string {
	return []string{"runs", "times", "children", "settings", "history", "alarms"}
}

// fact is a setting in words.
type fact struct {
	Name, Value string
	Mono        bool
}

// job shows a job.
func (c *call) job(ctx context.Context) error {
	j, err := c.s.cfg.Ops.Job(ctx, c.who, c.id32("id"))
	if err != nil {
		if d, none := c.s.cfg.Ops.DeletedJob(ctx, c.who, c.id32("id")); none == nil {
			return c.goneJob(ctx, d)
		}
		return err
	}
	recent, err := c.s.cfg.History.RecentRuns(ctx, []int32{j.ID}, pageStrip)
	if err != nil {
		return err
	}
	p := jobPage{
		Job: j, Words: scheduleWords(c.lang, j), Next: nextFire(j), Figures: sum(recent[j.ID]),
		Bean: j.GlueType == model.GlueBean, Tab: "runs", May: c.rightsIn(j.GroupID),
	}
	if len(recent[j.ID]) > 0 {
		p.Strip, p.Scale = c.strip(j.ID, recent[j.ID])
	}
	if p.Late, err = c.lateness(ctx, j.ID); err != nil {
		return err
	}
	if p.Group, err = c.s.cfg.Ops.Group(ctx, c.who, j.GroupID); err != nil {
		if _, ours := c.why(err); !ours {
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
		if c.str("tab") == name {
			p.Tab = name
		}
		p.Tabs = append(p.Tabs, tab{Text: c.t("job.tab." + name), Path: path})
	}
	for i, name := range jobTabs() {
		p.Tabs[i].Current = name == p.Tab
	}
	if err := c.fillTab(ctx, &p); err != nil {
		return err
	}
	if c.str("part") != "" {
		return c.part("job", "jobnow", p)
	}
	again := c.r.URL.Query()
	again.Set("part", "now")
	again.Del("do")
	p.Do = c.str("do")
	p.Renew = "/jobs/" + strconv.Itoa(int(j.ID)) + "?" + again.Encode()
	return c.render(ctx, "job", head{
		Title: j.Name, Section: "jobs", Crumbs: []crumb{{c.t("nav.jobs"), "/jobs"}}, Script: "renew.js",
	}, p)
}

// fillTab reads what the chosen tab shows.
func (c *call) fillTab(ctx context.Context, p *jobPage) (err error) {
	switch p.Tab {
	case "times":
		p.Times, err = c.s.cfg.Ops.TimesOf(p.Job, nextTimes)
		if _, ours := c.why(err); ours {
			err = nil // a schedule of an older admin that ours does not take: the words show it
		}
		c.fillMonth(p)
	case "children":
		p.Graph, err = c.graph(ctx, p.Job)
	case "settings":
		p.Facts = c.facts(p.Job, p.Group)
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
	list, _, err := c.s.cfg.Ops.ListLogs(ctx, c.who, f)
	if err != nil {
		return nil, err
	}
	lines := make([]runLine, len(list))
	for i, l := range list {
		own, _ := splitMessage(l.HandleMsg.S)
		lines[i] = runLine{
			ID: l.ID, At: l.TriggerTime, Result: c.stateOf(l.Recent()), Where: l.Address.S,
			WhereAt: wherePath(l),
			Message: headline(own), Took: "–",
		}
		if l.TriggerCode == model.CodeSuccess {
			lines[i].Took = c.lasted(l.Recent())
		} else if lines[i].Message == "" {
			lines[i].Message = firstLine(model.TriggerOutcome(l.TriggerMsg.S))
		}
	}
	return lines, nil
}

// maxLine is how many characters of a message a list holds; the page of the run
// has the whole.
const maxLine = 300

// oneLine puts a message on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return text
}

// graph draws the child jobs of a job, and theirs.
func (c *call) graph(ctx context.Context, j *model.Job) (template.HTML, error) {
	g := chart.Graph{
		Frame: chart.Frame{ID: "children", Title: c.t("job.children"), Table: c.t("table")},
		Heads: [2]string{c.t("job.name"), c.t("job.child")},
	}
	seen := map[int32]bool{j.ID: true}
	for queue := []*model.Job{j}; len(queue) > 0 && len(g.Nodes) < maxGraph; queue = queue[1:] {
		one := queue[0]
		g.Nodes = append(g.Nodes, chart.Node{
			ID: int64(one.ID), Label: one.Name, Class: chart.Plain,
			Href: httpx.Prefix(c.r) + "/jobs/" + strconv.Itoa(int(one.ID)),
		})
		children, _ := one.ChildIDs()
		for _, id := range children {
			g.Edges = append(g.Edges, chart.Edge{From: int64(one.ID), To: int64(id)})
			if seen[id] {
				continue
			}
			seen[id] = true
			child, err := c.s.cfg.Ops.Job(ctx, c.who, id)
			if err == nil {
				queue = append(queue, child)
				continue
			}
			if _, ours := c.why(err); !ours {
				return "", err
			}
			g.Nodes = append(g.Nodes, chart.Node{ID: int64(id), Label: c.t("job.child.hidden", id), Class: chart.Plain})
		}
	}
	if len(g.Nodes) < 2 {
		return "", nil
	}
	return g.HTML(), nil
}

// startJob starts a job.
func (c *call) startJob(ctx context.Context) error {
	id := c.id32("id")
	back := c.local(c.r.PostForm.Get("back"), "/jobs/"+strconv.Itoa(int(id)))
	ctx, made := ops.Recording(ctx)
	if err := c.s.cfg.Ops.StartJob(ctx, c.who, id); err != nil {
		return c.refuse(back, err)
	}
	return c.doneUndo(back, c.t("job.did.start"), made)
}

// stopJob stops a job.
func (c *call) stopJob(ctx context.Context) error {
	id := c.id32("id")
	back := c.local(c.r.PostForm.Get("back"), "/jobs/"+strconv.Itoa(int(id)))
	ctx, made := ops.Recording(ctx)
	if err := c.s.cfg.Ops.StopJob(ctx, c.who, id); err != nil {
		return c.refuse(back, err)
	}
	return c.doneUndo(back, c.t("job.did.stop"), made)
}

// deleteJob deletes a job.
func (c *call) deleteJob(ctx context.Context) error {
	id := c.id32("id")
	ctx, made := ops.Recording(ctx)
	if err := c.s.cfg.Ops.DeleteJob(ctx, c.who, id); err != nil {
		return c.refuse("/jobs/"+strconv.Itoa(int(id)), err)
	}
	return c.doneUndo("/jobs", c.t("jobs.bulk.delete", 1), made)
}

// runJob runs a job once, with its own parameter or another one, at any of its
// addresses or one that was chosen.
func (c *call) runJob(ctx context.Context) error {
	id := c.id32("id")
	back := "/jobs/" + strconv.Itoa(int(id))
	param := strings.ReplaceAll(c.r.PostForm.Get("param"), "\r\n", "\n")
	in := ops.TriggerInput{Param: &param}
	if c.r.PostForm["param"] == nil {
		in.Param = nil
	}
	if address := c.str("address"); address != "" {
		in.Addresses = []string{address}
	}
	runs, err := c.s.cfg.Ops.TriggerJob(ctx, c.who, id, in)
	if err != nil {
		return c.refuse(back, err)
	}
	if len(runs) == 1 && c.s.has("/runs/{id}") {
		back = "/runs/" + strconv.FormatInt(runs[0], 10)
	}
	return c.done(back, c.t("job.did.run", len(runs)))
}
