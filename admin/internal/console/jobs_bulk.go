package console

import (
	"context"
	"net/url"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	// maxPicked bounds how many rows are ticked one by one: those of some pages.
	maxPicked = 1000
	// maxNamed is how many jobs a question names; it counts the others.
	maxNamed = 100
)

// selection is which jobs something is to be done with.
type selection struct {
	IDs      []int32
	Matching bool   // all that the filter finds
	Filter   string // that filter, as a query
	More     bool   // there are more than can be worked on at once
}

// selection reads the ticked rows, or the filter whose jobs are all meant.
func (c *call) selection(ctx context.Context) (s selection, err error) {
	s.Filter = c.r.PostForm.Get("filter")
	if c.str("matching") == "" {
		s.IDs = c.ids("id")
		return s, nil
	}
	s.Matching = true
	v, err := url.ParseQuery(s.Filter)
	if err != nil {
		return s, nil //nolint:nilerr // nothing is selected by what is no filter
	}
	s.IDs, s.More, err = c.s.cfg.Ops.JobIDs(ctx, c.who, jobFilter(v))
	return s, err
}

// bulk does one thing with several jobs. What cannot be done is named; the rest
// is done.
func (c *call) bulk(ctx context.Context) error {
	back := c.local(c.r.PostForm.Get("back"), "/jobs")
	do := c.str("do")
	switch do {
	case "": // Enter on a row: nothing is meant
		return c.redirect(back)
	case ops.BulkStart, ops.BulkStop, ops.BulkRun, ops.BulkDelete, ops.BulkMove, "export":
	default:
		return c.say(back, flash{Bad: true, Text: c.t("error.400.do")})
	}
	sel, err := c.selection(ctx)
	if err != nil {
		return c.refuse(back, err)
	}
	if len(sel.IDs) == 0 {
		return c.say(back, flash{Bad: true, Text: c.t("jobs.bulk.none")})
	}
	if do == "export" {
		return c.writeJobs(ctx, sel.IDs)
	}
	asks := sel.Matching || do == ops.BulkDelete || do == ops.BulkMove || do == ops.BulkRun && len(sel.IDs) > 1
	sure, seen := c.str("sure") != "", c.num("seen", 0)
	if asks && (!sure || sel.Matching && seen != len(sel.IDs)) {
		return c.bulkSure(ctx, do, sel, back, sure)
	}
	to := int32(min(c.num("to", 0), 1<<31-1)) //nolint:gosec // bounded
	if do == ops.BulkMove && to == 0 {
		return c.bulkSure(ctx, do, sel, back, false)
	}
	recording, made := ops.Recording(ctx)
	r, err := c.s.cfg.Ops.BulkJobs(recording, c.who, ops.Bulk{Do: do, IDs: sel.IDs, GroupID: to})
	if err != nil {
		return c.refuse(back, err)
	}
	return c.say(back, c.bulkSaid(c.t("jobs.bulk."+do, r.Done), r, made))
}

// bulkSaid says what became of several jobs, and how it is taken back.
func (c *call) bulkSaid(text string, r *ops.BulkResult, made *ops.Made) flash {
	f := flash{Text: text, Undo: undoPath(made.Undoable())}
	if len(r.Refused) > 0 {
		first := r.Refused[0]
		why, _ := c.why(first.Err)
		f.Bad = true
		f.Text += " " + c.t("jobs.bulk.refused", len(r.Refused)) + " #" + strconv.Itoa(int(first.ID)) + ": " + why
	}
	if r.Left > 0 {
		f.Bad = true
		f.Text += " " + c.t("jobs.bulk.left", r.Left)
	}
	return f
}

// surePage asks before something is done with jobs, and names them.
type surePage struct {
	Do      string
	Action  string   // path that the form is posted to
	Touched *touched // by their deletion
	Jobs    []*model.Job
	Groups  map[int32]string // titles
	Hidden  int              // jobs that are meant and not named
	Count   int
	Running int
	To      []option // where jobs can be moved
	Sel     selection
	Back    string
	Changed bool // others match than a moment ago
}

func (c *call) bulkSure(ctx context.Context, do string, sel selection, back string, changed bool) error {
	jobs, err := c.s.cfg.Ops.JobsOf(ctx, c.who, sel.IDs)
	if err != nil {
		return err
	}
	return c.sure(ctx, &surePage{Do: do, Action: "/jobs/bulk", Jobs: jobs, Sel: sel, Back: back, Changed: changed})
}

// sure shows the question with what is still missing in it.
func (c *call) sure(ctx context.Context, p *surePage) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p.Count, p.Groups = len(p.Sel.IDs), groupTitles(groups)
	p.To = append([]option{{"", c.t("edit.choose")}}, groupOptions(c.having(model.RoleEditor, groups))...)
	if p.Do == ops.BulkDelete {
		if p.Touched, err = c.touched(ctx, p.Sel.IDs); err != nil {
			return err
		}
	} else {
		for _, j := range p.Jobs {
			if j.Running {
				p.Running++
			}
		}
	}
	if len(p.Jobs) > maxNamed {
		p.Jobs, p.Hidden = p.Jobs[:maxNamed], len(p.Jobs)-maxNamed
	}
	return c.render(ctx, "sure", head{
		Title: c.t("jobs.sure." + p.Do), Section: "jobs", Crumbs: []crumb{{c.t("nav.jobs"), "/jobs"}},
	}, p)
}

// ids returns the positive numbers of a parameter that may be there several
// times, each once.
func (c *call) ids(name string) []int32 {
	var list []int32
	seen := map[int32]bool{}
	for _, text := range c.r.PostForm[name] {
		id, err := strconv.ParseInt(text, 10, 32)
		if err == nil && id > 0 && !seen[int32(id)] && len(list) < maxPicked {
			list = append(list, int32(id))
			seen[int32(id)] = true
		}
	}
	return list
}
