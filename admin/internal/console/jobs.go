package console

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	jobsPerPage = 50
	listStrip   = 25 // runs in the strip of a line
	// lateAfter is how far behind a fire may be before a line says that it is late.
	lateAfter = 10 * time.Second
)

// jobLine is a line of the list of jobs.
type jobLine struct {
	*model.Job
	Group   string
	Words   string
	Fault   string // what is wrong with the schedule
	Strip   template.HTML
	Tallest string // what a bar of full height stands for
	Next    time.Time
	Late    bool // the next fire should have been by now
	Tags    []tagLink
	May     rights
}

// tagLink is a tag with the list of the jobs that have it.
type tagLink struct{ Text, Path string }

// column is the head of a column by which the list can be sorted.
type column struct {
	Text, Path string
	Sort       string // ascending, descending, or "" when it is not this one
	Class      string
}

// jobsPage is the list of jobs.
type jobsPage struct {
	Filter   url.Values // as it stands in the address, with the order
	Query    string     // the same, encoded
	Export   string     // path of the document of these jobs
	Groups   []option
	States   []option
	Tags     []option
	Columns  []column
	Views    []viewLink
	View     string // the name of the view that is shown
	Jobs     []jobLine
	Pager    pager
	Filtered bool
	NoGroups bool
	Here     string
}

// option is an entry of a choice.
type option struct{ Value, Text string }

// jobNames are the parameters of the list that narrow and order it.
var jobNames = []string{"group", "state", "tag", "name", "handler", "author", "sort"}

// sortable is a column by which a list can be sorted: the name of the order, ""
// for none, the key of the text, and whether it begins with the greatest.
type sortable struct {
	name, key, class string
	descending       bool
}

// jobColumns are the columns of the list, and jobOrders their orders.
var (
	jobColumns = []sortable{
		{"id", "job.id", "num fit", true},
		{"name", "job.name", "", false},
		{"group", "job.group", "", false},
		{"handler", "job.handler.short", "", false},
		{"author", "job.author", "", false},
		{"", "job.schedule", "", false},
		{"next", "job.next", "", false},
		{"", "job.last", "", false},
		{"state", "job.state", "fit", true},
	}
	jobOrders = map[string]model.JobSort{
		"id": model.SortID, "name": model.SortName, "group": model.SortGroup, "handler": model.SortHandler,
		"author": model.SortAuthor, "next": model.SortNext, "state": model.SortState,
	}
)

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

// jobFilter reads filter and order of the list from the address.
func jobFilter(v url.Values) model.JobFilter {
	f := model.JobFilter{Name: v.Get("name"), Handler: v.Get("handler"), Author: v.Get("author"), Tag: v.Get("tag")}
	if id, err := strconv.ParseInt(v.Get("group"), 10, 32); err == nil && id > 0 {
		f.GroupID = int32(id)
	}
	switch started := v.Get("state") == "started"; v.Get("state") {
	case "started", "stopped":
		f.Running = &started
	}
	name, descending := strings.CutPrefix(v.Get("sort"), "-")
	if order, ok := jobOrders[name]; ok {
		f.Sort, f.Ascending = order, !descending
	}
	return f
}

// jobPlace is where a page of the list begins or ends.
type jobPlace struct {
	ID     int32  `json:"i"`
	Text   string `json:"t,omitempty"`
	Number int64  `json:"n,omitempty"`
	At     int    `json:"p"` // how many jobs stood before it
}

// placeOf writes a place down.
func placeOf(m model.JobMark, at int) string {
	raw, err := json.Marshal(jobPlace{m.ID, m.Text, m.Number, at})
	if err != nil {
		return "" // a struct of texts and numbers: never
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// maxPlace bounds the text of a place.
const maxPlace = 2048

// readPlace reads a place; what is none is the beginning.
func readPlace(text string) (m *model.JobMark, at int) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var p jobPlace
	if text == "" || len(text) > maxPlace || err != nil || json.Unmarshal(raw, &p) != nil || p.ID <= 0 {
		return nil, 0
	}
	return &model.JobMark{ID: p.ID, Text: p.Text, Number: p.Number}, max(p.At, 0)
}

// listPath is the address of the list with a filter and further parameters.
func listPath(v url.Values, pairs ...string) string { return pathWith("/jobs", v, pairs...) }

// pathWith is a path with a filter and further parameters; one that is "" is left
// out.
func pathWith(path string, v url.Values, pairs ...string) string {
	w := maps.Clone(v)
	for i := 0; i+1 < len(pairs); i += 2 {
		if w.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			w.Del(pairs[i])
		}
	}
	if len(w) == 0 {
		return path
	}
	return path + "?" + w.Encode()
}

// jobs shows the list of jobs; with the parameter part it answers with the lines
// alone.
func (c *call) jobs(ctx context.Context) error {
	v := c.filter(jobNames...)
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	titles := groupTitles(groups)
	list, page, err := c.jobPage(ctx, v, titles)
	if err != nil {
		return err
	}
	if c.str("part") == "names" {
		return c.jobNames(list, titles)
	}
	p := jobsPage{Filter: v, Query: v.Encode(), Pager: page, Here: c.here(), NoGroups: len(groups) == 0}
	if p.Jobs, err = c.jobLines(ctx, list, titles, v); err != nil {
		return err
	}
	if c.str("part") != "" {
		p.Here = c.local(c.str("here"), "/jobs")
		return c.part("jobs", "jobrows", p)
	}
	p.Groups, p.Columns = groupOptions(groups), c.columns("/jobs", v, "-id", jobColumns)
	if p.Export = "/jobs/export"; p.Query != "" {
		p.Export += "?" + p.Query
	}
	p.States = []option{{"started", c.t("job.started")}, {"stopped", c.t("job.stopped")}}
	p.Filtered = len(v) > 0 && (len(v) > 1 || v.Get("sort") == "")
	if p.Tags, err = c.tagOptions(ctx, v.Get("tag")); err != nil {
		return err
	}
	if p.Views, p.View, err = c.views(ctx, "jobs", p.Query); err != nil {
		return err
	}
	return c.render(ctx, "jobs", head{Title: c.t("nav.jobs"), Section: "jobs", Script: "jobs.js"}, p)
}

// manySuggested is how many names a field for a job suggests.
const manySuggested = 20

// jobNames answers with names alone, for fields that suggest them.
func (c *call) jobNames(list []*model.Job, titles map[int32]string) error {
	var p jobsPage
	for _, j := range list[:min(len(list), manySuggested)] {
		p.Jobs = append(p.Jobs, jobLine{Job: j, Group: titles[j.GroupID]})
	}
	return c.part("jobs", "jobnames", p)
}

// jobPage reads a page of the list, and says where it stands.
func (c *call) jobPage(ctx context.Context, v url.Values, titles map[int32]string) ([]*model.Job, pager, error) {
	f := jobFilter(v)
	f.Limit = jobsPerPage + 1
	var at int
	f.After, at = readPlace(c.str("after"))
	before, upTo := readPlace(c.str("before"))
	if before != nil {
		f.After, f.Before = nil, before
	}
	list, total, err := c.s.cfg.Ops.ListJobs(ctx, c.who, f)
	if err != nil {
		return nil, pager{}, err
	}
	more := len(list) > jobsPerPage
	behind, ahead := f.After != nil, more // are there others before and after the page
	switch {
	case before != nil:
		behind, ahead = more, true
		if more {
			list = list[1:]
		}
		if at = max(upTo-len(list), 0); !more {
			at = 0
		}
	case more:
		list = list[:jobsPerPage]
	}
	p := pager{Count: total, From: at + 1, To: at + len(list)}
	p.To = min(p.To, max(total, 0))
	if len(list) == 0 {
		p.From, p.To = 0, 0
		if behind {
			p.Prev = listPath(v) // nothing is left here: from the start
		}
		return list, p, nil
	}
	mark := func(j *model.Job) model.JobMark { return f.Sort.Mark(j, titles[j.GroupID]) }
	if behind {
		p.Prev = listPath(v, "before", placeOf(mark(list[0]), at))
	}
	if ahead {
		p.Next = listPath(v, "after", placeOf(mark(list[len(list)-1]), at+len(list)))
	}
	return list, p, nil
}

// columns are the heads of the columns of a list; usual is its order without a
// choice.
func (c *call) columns(path string, v url.Values, usual string, cols []sortable) []column {
	list := make([]column, len(cols))
	sorted, descending := strings.CutPrefix(cmp.Or(v.Get("sort"), usual), "-")
	for i, col := range cols {
		list[i] = column{Text: c.t(col.key), Class: col.class}
		if col.name == "" {
			continue
		}
		down := col.descending
		if col.name == sorted {
			list[i].Sort = "ascending"
			if down = !descending; descending {
				list[i].Sort = "descending"
			}
		}
		sort := col.name
		if down {
			sort = "-" + sort
		}
		if sort == usual {
			sort = ""
		}
		list[i].Path = pathWith(path, v, "sort", sort)
	}
	return list
}

// tagOptions are the tags to choose from; the chosen one is among them.
func (c *call) tagOptions(ctx context.Context, chosen string) ([]option, error) {
	tags, err := c.s.cfg.Ops.TagCounts(ctx, c.who)
	if err != nil {
		return nil, err
	}
	var list []option
	for _, t := range tags {
		list = append(list, option{t.Tag, t.Tag + " (" + say.Count(t.Jobs) + ")"})
		if t.Tag == chosen {
			chosen = ""
		}
	}
	if chosen != "" {
		list = append(list, option{chosen, chosen})
	}
	return list, nil
}

// jobLines adds to jobs what the list shows beside them.
func (c *call) jobLines(
	ctx context.Context, list []*model.Job, titles map[int32]string, v url.Values,
) ([]jobLine, error) {
	ids := make([]int32, len(list))
	for i, j := range list {
		ids[i] = j.ID
	}
	recent, err := c.s.cfg.History.RecentRuns(ctx, ids, listStrip)
	if err != nil {
		return nil, err
	}
	tags, err := c.s.cfg.Ops.Tags(ctx, list)
	if err != nil {
		return nil, err
	}
	lines := make([]jobLine, len(list))
	now := c.now()
	for i, j := range list {
		l := jobLine{
			Job: j, Group: titles[j.GroupID], Words: scheduleWords(c.lang, j), Fault: c.scheduleFault(j),
			Next: nextFire(j), May: c.rightsIn(j.GroupID),
		}
		l.Late = !l.Next.IsZero() && now.Sub(l.Next) > lateAfter
		for _, tag := range tags[j.ID] {
			l.Tags = append(l.Tags, tagLink{tag, listPath(v, "tag", tag)})
		}
		if runs := recent[j.ID]; len(runs) > 0 {
			l.Strip, l.Tallest = c.shortStrip(j.ID, runs)
		}
		lines[i] = l
	}
	return lines, nil
}

// scheduleFault says why a schedule cannot fire; "" when it can, or is not meant
// to.
func (c *call) scheduleFault(j *model.Job) string {
	if _, ok := c.zone(j.TimeZone); !ok {
		return c.t("edit.zone.bad", j.TimeZone)
	}
	if !j.ScheduleType.Valid() {
		return c.t("jobs.fault.type", string(j.ScheduleType))
	}
	_, err := fires(j.ScheduleType, strings.TrimSpace(j.ScheduleConf.S), c.now())
	switch {
	case err != nil:
		return c.scheduleProblem(err)
	case j.Running && j.NextMs <= 0 && j.ScheduleType != model.ScheduleNone:
		return c.t("jobs.fault.over")
	}
	return ""
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
