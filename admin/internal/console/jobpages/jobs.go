package jobpages

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	jobsPerPage = 50
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
	May     web.Rights
}

// tagLink is a tag with the list of the jobs that have it.
type tagLink struct{ Text, Path string }

// jobsPage is the list of jobs.
type jobsPage struct {
	Filter   url.Values // as it stands in the address, with the order
	Query    string     // the same, encoded
	Export   string     // path of the document of these jobs
	Groups   []web.Option
	States   []web.Option
	Tags     []web.Option
	Columns  []web.Column
	Sorts    []web.Order
	Views    []viewLink
	View     string // the name of the view that is shown
	Jobs     []jobLine
	Pager    web.Pager
	Filtered bool
	NoGroups bool
	Here     string
}

// jobNames are the parameters of the list that narrow and order it.
var jobNames = []string{"group", "state", "tag", "name", "handler", "author", "sort"}

// jobColumns are the columns of the list, and jobOrders their orders.
var (
	jobColumns = []web.Sortable{
		{Name: "id", Key: "job.id", Class: "num fit", Descending: true},
		{Name: "name", Key: "job.name", Class: "", Descending: false},
		{Name: "group", Key: "job.group", Class: "", Descending: false},
		{Name: "handler", Key: "job.handler.short", Class: "", Descending: false},
		{Name: "author", Key: "job.author", Class: "", Descending: false},
		{Name: "", Key: "job.schedule", Class: "", Descending: false},
		{Name: "next", Key: "job.next", Class: "", Descending: false},
		{Name: "", Key: "job.last", Class: "", Descending: false},
		{Name: "state", Key: "job.state", Class: "fit", Descending: true},
	}
	jobOrders = map[string]model.JobSort{
		"id": model.SortID, "name": model.SortName, "group": model.SortGroup, "handler": model.SortHandler,
		"author": model.SortAuthor, "next": model.SortNext, "state": model.SortState,
	}
)

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
func listPath(v url.Values, pairs ...string) string { return web.PathWith("/jobs", v, pairs...) }

// jobs shows the list of jobs; with the parameter part it answers with the lines
// alone.
func (c *call) jobs(ctx context.Context) error {
	v := c.Filter(jobNames...)
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	titles := web.GroupTitles(groups)
	list, page, err := c.jobPage(ctx, v, titles)
	if err != nil {
		return err
	}
	if c.Str("part") == "names" {
		return c.jobNames(list, titles)
	}
	p := jobsPage{Filter: v, Query: v.Encode(), Pager: page, Here: c.Here(), NoGroups: len(groups) == 0}
	if p.Jobs, err = c.jobLines(ctx, list, titles, v); err != nil {
		return err
	}
	if c.Str("part") != "" {
		p.Here = c.Local(c.Str("here"), "/jobs")
		return c.Part("jobs", "jobrows", p)
	}
	p.Groups, p.Columns = web.GroupOptions(groups), c.Columns("/jobs", v, "-id", jobColumns)
	p.Sorts = c.Orders(v.Get("sort"), "-id", jobColumns)
	if p.Export = "/jobs/export"; p.Query != "" {
		p.Export += "?" + p.Query
	}
	p.States = []web.Option{{Value: "started", Text: c.T("job.started")}, {Value: "stopped", Text: c.T("job.stopped")}}
	p.Filtered = len(v) > 0 && (len(v) > 1 || v.Get("sort") == "")
	if p.Tags, err = c.tagOptions(ctx, v.Get("tag")); err != nil {
		return err
	}
	if p.Views, p.View, err = c.views(ctx, "jobs", p.Query); err != nil {
		return err
	}
	return c.Render(ctx, "jobs", web.Head{Title: c.T("nav.jobs"), Section: "jobs", Script: "jobs.js"}, p)
}

// manySuggested is how many names a field for a job suggests.
const manySuggested = 20

// jobNames answers with names alone, for fields that suggest them.
func (c *call) jobNames(list []*model.Job, titles map[int32]string) error {
	var p jobsPage
	for _, j := range list[:min(len(list), manySuggested)] {
		p.Jobs = append(p.Jobs, jobLine{Job: j, Group: titles[j.GroupID]})
	}
	return c.Part("jobs", "jobnames", p)
}

// jobPage reads a page of the list, and says where it stands.
func (c *call) jobPage(ctx context.Context, v url.Values, titles map[int32]string) ([]*model.Job, web.Pager, error) {
	f := jobFilter(v)
	f.Limit = jobsPerPage + 1
	var at int
	f.After, at = readPlace(c.Str("after"))
	before, upTo := readPlace(c.Str("before"))
	if before != nil {
		f.After, f.Before = nil, before
	}
	list, total, err := c.Cfg.Ops.ListJobs(ctx, c.Who, f)
	if err != nil {
		return nil, web.Pager{}, err
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
	p := web.Pager{Count: total, From: at + 1, To: at + len(list)}
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

// tagOptions are the tags to choose from; the chosen one is among them.
func (c *call) tagOptions(ctx context.Context, chosen string) ([]web.Option, error) {
	tags, err := c.Cfg.Ops.TagCounts(ctx, c.Who)
	if err != nil {
		return nil, err
	}
	var list []web.Option
	for _, t := range tags {
		list = append(list, web.Option{Value: t.Tag, Text: t.Tag + " (" + say.Count(t.Jobs) + ")"})
		if t.Tag == chosen {
			chosen = ""
		}
	}
	if chosen != "" {
		list = append(list, web.Option{Value: chosen, Text: chosen})
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
	recent, err := c.Cfg.History.RecentRuns(ctx, ids, parts.ListStrip)
	if err != nil {
		return nil, err
	}
	tags, err := c.Cfg.Ops.Tags(ctx, list)
	if err != nil {
		return nil, err
	}
	lines := make([]jobLine, len(list))
	now := c.Now()
	for i, j := range list {
		l := jobLine{
			Job: j, Group: titles[j.GroupID], Words: parts.ScheduleWords(c.Lang, j), Fault: c.scheduleFault(j),
			Next: parts.NextFire(j), May: c.RightsIn(j.GroupID),
		}
		l.Late = !l.Next.IsZero() && now.Sub(l.Next) > lateAfter
		for _, tag := range tags[j.ID] {
			l.Tags = append(l.Tags, tagLink{tag, listPath(v, "tag", tag)})
		}
		if runs := recent[j.ID]; len(runs) > 0 {
			l.Strip, l.Tallest = c.ShortStrip(j.ID, runs)
		}
		lines[i] = l
	}
	return lines, nil
}

// scheduleFault says why a schedule cannot fire; "" when it can, or is not meant
// to.
func (c *call) scheduleFault(j *model.Job) string {
	if _, ok := c.Zone(j.TimeZone); !ok {
		return c.T("edit.zone.bad", j.TimeZone)
	}
	if !j.ScheduleType.Valid() {
		return c.T("jobs.fault.type", string(j.ScheduleType))
	}
	_, err := parts.Fires(j.ScheduleType, strings.TrimSpace(j.ScheduleConf.S), c.Now())
	switch {
	case err != nil:
		return c.ScheduleProblem(err)
	case j.Running && j.NextMs <= 0 && j.ScheduleType != model.ScheduleNone:
		return c.T("jobs.fault.over")
	}
	return ""
}
