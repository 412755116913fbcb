package jobpages

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
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
	s.Filter = c.R.PostForm.Get("filter")
	if c.Str("matching") == "" {
		s.IDs = c.IDs("id")
		return s, nil
	}
	s.Matching = true
	v, err := url.ParseQuery(s.Filter)
	if err != nil {
		return s, nil //nolint:nilerr // nothing is selected by what is no filter
	}
	s.IDs, s.More, err = c.Cfg.Ops.JobIDs(ctx, c.Who, jobFilter(v))
	return s, err
}

// bulk does one thing with several jobs. What cannot be done is named; the rest
// is done.
func (c *call) bulk(ctx context.Context) error {
	back := c.Local(c.R.PostForm.Get("back"), "/jobs")
	do := c.Str("do")
	switch do {
	case "": // Enter on a row: nothing is meant
		return c.Redirect(back)
	case ops.BulkStart, ops.BulkStop, ops.BulkRun, ops.BulkDelete, ops.BulkMove, "export":
	default:
		return c.Say(back, web.Flash{Bad: true, Text: c.T("error.400.do")})
	}
	sel, err := c.selection(ctx)
	if err != nil {
		return c.Refuse(back, err)
	}
	if len(sel.IDs) == 0 {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("jobs.bulk.none")})
	}
	if do == "export" {
		return c.writeJobs(ctx, sel.IDs)
	}
	asks := sel.Matching || do == ops.BulkDelete || do == ops.BulkMove || do == ops.BulkRun && len(sel.IDs) > 1
	sure, seen := c.Str("sure") != "", c.Num("seen", 0)
	if asks && (!sure || sel.Matching && seen != len(sel.IDs)) {
		return c.bulkSure(ctx, do, sel, back, sure)
	}
	to := int32(min(c.Num("to", 0), 1<<31-1)) //nolint:gosec // bounded
	if do == ops.BulkMove && to == 0 {
		return c.bulkSure(ctx, do, sel, back, false)
	}
	recording, made := ops.Recording(ctx)
	r, err := c.Cfg.Ops.BulkJobs(recording, c.Who, ops.Bulk{Do: do, IDs: sel.IDs, GroupID: to})
	if err != nil {
		return c.Refuse(back, err)
	}
	return c.Say(back, c.bulkSaid(c.T("jobs.bulk."+do, r.Done), r, made))
}

// bulkSaid says what became of several jobs, and how it is taken back.
func (c *call) bulkSaid(text string, r *ops.BulkResult, made *ops.Made) web.Flash {
	f := web.Flash{Text: text, Undo: web.UndoPath(made.Undoable())}
	if len(r.Refused) > 0 {
		first := r.Refused[0]
		why, _ := c.Why(first.Err)
		f.Bad = true
		f.Text += " " + c.T("jobs.bulk.refused", len(r.Refused)) + " #" + strconv.Itoa(int(first.ID)) + ": " + why
	}
	if r.Left > 0 {
		f.Bad = true
		f.Text += " " + c.T("jobs.bulk.left", r.Left)
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
	To      []web.Option // where jobs can be moved
	Sel     selection
	Back    string
	Lonely  bool // some of To have no address
	Changed bool // others match than a moment ago
}

func (c *call) bulkSure(ctx context.Context, do string, sel selection, back string, changed bool) error {
	jobs, err := c.Cfg.Ops.JobsOf(ctx, c.Who, sel.IDs)
	if err != nil {
		return err
	}
	return c.sure(ctx, &surePage{Do: do, Action: "/jobs/bulk", Jobs: jobs, Sel: sel, Back: back, Changed: changed})
}

// sure shows the question with what is still missing in it.
func (c *call) sure(ctx context.Context, p *surePage) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Count, p.Groups = len(p.Sel.IDs), web.GroupTitles(groups)
	p.To = c.GroupsToChoose(groups)
	for i, o := range p.To {
		empty := func(g *ops.Group) bool {
			return strconv.Itoa(int(g.ID)) == o.Value && len(g.Addresses()) == 0
		}
		if slices.ContainsFunc(groups, empty) {
			p.To[i].Text, p.Lonely = c.T("jobs.move.empty", o.Text), true
		}
	}
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
	return c.Render(ctx, "sure", web.Head{
		Title: c.T("jobs.sure." + p.Do), Section: "jobs", Crumbs: c.Under("jobs"),
	}, p)
}
