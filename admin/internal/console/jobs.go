package console

import (
	"context"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	jobsPerPage = 50
	listStrip   = 50 // runs in the strip of a line
)

// jobLine is a line of the list of jobs.
type jobLine struct {
	*model.Job
	Group string
	Words string
	Strip template.HTML
	Next  time.Time
}

// jobsPage is the list of jobs.
type jobsPage struct {
	Filter   url.Values // as it stands in the address
	Groups   []option
	States   []option
	Jobs     []jobLine
	Pager    pager
	Filtered bool
	NoGroups bool
	Here     string
}

// option is an entry of a choice.
type option struct{ Value, Text string }

// pager is where a list stands.
type pager struct {
	Count, From, To int
	More            bool
	Prev, Next      string
}

// pages makes a pager for a list with numbered pages; page counts from 1.
func pages(path string, filter url.Values, page, size, shown, total int) pager {
	p := pager{Count: total, From: (page-1)*size + 1, To: (page-1)*size + shown}
	if shown == 0 {
		p.From, p.Count = 0, 0
	}
	turn := func(to int) string {
		v := maps.Clone(filter)
		v.Set("page", strconv.Itoa(to))
		if to == 1 {
			v.Del("page")
		}
		if len(v) == 0 {
			return path
		}
		return path + "?" + v.Encode()
	}
	if page > 1 {
		p.Prev = turn(page - 1)
	}
	if p.To < total {
		p.Next = turn(page + 1)
	}
	return p
}

// filter returns the named parameters that are set.
func (c *call) filter(names ...string) url.Values {
	v := url.Values{}
	for _, name := range names {
		if text := c.str(name); text != "" {
			v.Set(name, text)
		}
	}
	return v
}

// jobFilter reads the filter of the list from the address.
func jobFilter(v url.Values) model.JobFilter {
	f := model.JobFilter{Name: v.Get("name"), Handler: v.Get("handler"), Author: v.Get("author")}
	if id, err := strconv.ParseInt(v.Get("group"), 10, 32); err == nil && id > 0 {
		f.GroupID = int32(id)
	}
	switch started := v.Get("state") == "started"; v.Get("state") {
	case "started", "stopped":
		f.Running = &started
	}
	return f
}

// jobs shows the list of jobs.
func (c *call) jobs(ctx context.Context) error {
	filter := c.filter("group", "state", "name", "handler", "author")
	page := max(c.num("page", 1), 1)
	f := jobFilter(filter)
	f.Limit, f.Offset = jobsPerPage, (page-1)*jobsPerPage
	list, total, err := c.s.cfg.Ops.ListJobs(ctx, c.who, f)
	if err != nil {
		return err
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	lines, err := c.jobLines(ctx, list, groups)
	if err != nil {
		return err
	}
	return c.render(ctx, "jobs", head{Title: c.t("nav.jobs"), Section: "jobs"}, jobsPage{
		Filter: filter, Groups: groupOptions(groups), Jobs: lines,
		Filtered: len(filter) > 0, NoGroups: len(groups) == 0,
		States: []option{{"started", c.t("job.started")}, {"stopped", c.t("job.stopped")}},
		Pager:  pages("/jobs", filter, page, jobsPerPage, len(list), total), Here: c.here(),
	})
}

// jobLines adds to jobs what the list shows beside them.
func (c *call) jobLines(ctx context.Context, list []*model.Job, groups []*ops.Group) ([]jobLine, error) {
	ids := make([]int32, len(list))
	for i, j := range list {
		ids[i] = j.ID
	}
	recent, err := c.s.cfg.History.RecentRuns(ctx, ids, listStrip)
	if err != nil {
		return nil, err
	}
	titles := groupTitles(groups)
	lines := make([]jobLine, len(list))
	for i, j := range list {
		lines[i] = jobLine{
			Job: j, Group: titles[j.GroupID], Words: scheduleWords(c.lang, j), Next: nextFire(j),
		}
		if runs := recent[j.ID]; len(runs) > 0 {
			lines[i].Strip = c.strip(j.ID, runs)
		}
	}
	return lines, nil
}

func groupTitles(groups []*ops.Group) map[int32]string {
	titles := make(map[int32]string, len(groups))
	for _, g := range groups {
		titles[g.ID] = g.Title
	}
	return titles
}

func groupOptions(groups []*ops.Group) []option {
	list := make([]option, len(groups))
	for i, g := range groups {
		list[i] = option{strconv.Itoa(int(g.ID)), g.Title + " (" + g.AppName + ")"}
	}
	return list
}

// bulk does one thing with several jobs. What cannot be done is named; the rest
// is done.
func (c *call) bulk(ctx context.Context) error {
	back := c.local(c.r.PostForm.Get("back"), "/jobs")
	ids := c.ids("id")
	if len(ids) == 0 {
		return c.say(back, flash{Bad: true, Text: c.t("jobs.bulk.none")})
	}
	act, ok := map[string]func(context.Context, int32) error{
		"start":  func(ctx context.Context, id int32) error { return c.s.cfg.Ops.StartJob(ctx, c.who, id) },
		"stop":   func(ctx context.Context, id int32) error { return c.s.cfg.Ops.StopJob(ctx, c.who, id) },
		"delete": func(ctx context.Context, id int32) error { return c.s.cfg.Ops.DeleteJob(ctx, c.who, id) },
		"run": func(ctx context.Context, id int32) error {
			_, err := c.s.cfg.Ops.TriggerJob(ctx, c.who, id, ops.TriggerInput{})
			return err
		},
	}[c.str("do")]
	if !ok {
		return c.say(back, flash{Bad: true, Text: c.t("error.400.do")})
	}
	if c.str("do") == "delete" && c.str("sure") == "" {
		return c.bulkSure(ctx, ids, back)
	}
	var refused []string
	ctx, made := ops.Recording(ctx)
	for _, id := range ids {
		if err := act(ctx, id); err != nil {
			text, ours := c.why(err)
			if !ours {
				return err
			}
			refused = append(refused, "#"+strconv.Itoa(int(id))+": "+text)
		}
	}
	text := c.t("jobs.bulk."+c.str("do"), len(ids)-len(refused))
	if len(refused) > 0 {
		text += " " + c.t("jobs.bulk.refused", len(refused)) + " " + refused[0]
	}
	return c.say(back, flash{Bad: len(refused) > 0, Text: text, Undo: undoPath(made.Undoable())})
}

// surePage asks before jobs are deleted, and names them.
type surePage struct {
	Jobs    []*model.Job
	Running int
	Back    string
}

func (c *call) bulkSure(ctx context.Context, ids []int32, back string) error {
	p := surePage{Back: back}
	for _, id := range ids {
		j, err := c.s.cfg.Ops.Job(ctx, c.who, id)
		if err != nil {
			if _, ours := c.why(err); ours {
				continue
			}
			return err
		}
		p.Jobs = append(p.Jobs, j)
		if j.Running {
			p.Running++
		}
	}
	return c.render(ctx, "sure", head{
		Title: c.t("jobs.delete.title"), Section: "jobs", Crumbs: []crumb{{c.t("nav.jobs"), "/jobs"}},
	}, p)
}

// maxBulk bounds how many rows are changed at once: those of some pages.
const maxBulk = 1000

// ids returns the positive numbers of a parameter that may be there several
// times, each once.
func (c *call) ids(name string) []int32 {
	var list []int32
	for _, text := range c.r.PostForm[name] {
		id, err := strconv.ParseInt(text, 10, 32)
		if err == nil && id > 0 && !slices.Contains(list, int32(id)) && len(list) < maxBulk {
			list = append(list, int32(id))
		}
	}
	return list
}
