package jobpages

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// deletedPerPage is how many deletions a page lists.
const deletedPerPage = 50

// deletedRow is a line of a list of what was deleted.
type deletedRow struct {
	*model.Deleted
	Path  string
	Group string    // title
	Until time.Time // zero is for ever
	May   bool      // bring it back
}

// deletedPage lists what was deleted.
type deletedPage struct {
	Kind     string // jobs or executors
	Rows     []deletedRow
	Filter   url.Values
	Filtered bool
	Columns  []web.Column
	Sorts    []web.Order
	Groups   []web.Option
	Kept     string // how long
	Next     string // path of the older ones; "" at the end
	Newest   string // path of the first page; "" on it
}

// deletedColumns are the columns of the list; that of the group is for jobs.
var deletedColumns = []web.Sortable{
	{Key: "job.id", Class: "num fit"},
	{Name: model.OrderName, Key: "job.name"},
	{Key: "job.group"},
	{Name: model.OrderTime, Key: "deleted.at", Descending: true},
	{Key: "deleted.by"},
	{Key: "deleted.until"},
}

// restoreWords says for how long what was deleted can be brought back.
func (c *call) restoreWords(ctx context.Context) (days int, words string, err error) {
	if days, err = c.Cfg.Ops.RestoreDays(ctx); err != nil {
		return 0, "", err
	}
	if days == 0 {
		return 0, c.T("deleted.kept.ever"), nil
	}
	return days, c.T("deleted.kept", days), nil
}

// deletedJobs lists jobs that can be brought back.
func (c *call) deletedJobs(ctx context.Context) error {
	p := deletedPage{Kind: "jobs", Filter: c.Filter("group", "name", "sort")}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Groups = web.GroupOptions(groups)
	return c.showDeleted(ctx, &p, web.GroupTitles(groups), c.Cfg.Ops.DeletedJobs)
}

// deletedExecutors lists executors that can be brought back.
func (c *call) deletedExecutors(ctx context.Context) error {
	p := deletedPage{Kind: "executors", Filter: c.Filter("name", "sort")}
	return c.showDeleted(ctx, &p, nil, c.Cfg.Ops.DeletedGroups)
}

func (c *call) showDeleted(
	ctx context.Context, p *deletedPage, titles map[int32]string,
	of func(context.Context, ops.Principal, model.DeletedFilter) ([]*model.Deleted, error),
) error {
	f := model.DeletedFilter{
		GroupID: jobFilter(p.Filter).GroupID, Name: p.Filter.Get("name"), Order: c.OrderOf("sort", "before"),
		Limit: deletedPerPage + 1,
	}
	here := "/" + p.Kind + "/deleted"
	if f.Order.After != nil {
		p.Newest = web.PathWith(here, p.Filter)
	}
	columns := deletedColumns
	if p.Kind != "jobs" {
		columns = slices.Delete(slices.Clone(columns), 2, 3)
	}
	p.Columns = c.Columns(here, p.Filter, "-at", columns)
	p.Sorts = c.Orders(p.Filter.Get("sort"), "-at", columns)
	p.Filtered = p.Filter.Get("name") != "" || p.Filter.Get("group") != ""
	list, err := of(ctx, c.Who, f)
	if err != nil {
		return err
	}
	var days int
	if days, p.Kept, err = c.restoreWords(ctx); err != nil {
		return err
	}
	if len(list) > deletedPerPage {
		list = list[:deletedPerPage]
		p.Next = web.PathWith(here, p.Filter, "before", web.Place(list[deletedPerPage-1].Mark(f.Order.By)))
	}
	for _, d := range list {
		row := deletedRow{
			Deleted: d, Path: "/" + p.Kind + "/" + strconv.Itoa(int(d.ObjectID)), Group: titles[d.GroupID],
			May: c.User.Admin || p.Kind == "jobs" && c.RightsIn(d.GroupID).Edit,
		}
		if days > 0 {
			row.Until = d.At.Add(time.Duration(days) * 24 * time.Hour)
		}
		p.Rows = append(p.Rows, row)
	}
	return c.Render(ctx, "deleted", web.Head{
		Title: c.T("deleted." + p.Kind), Section: p.Kind, Crumbs: c.Under(p.Kind),
	}, p)
}

// gonePage is a job or executor that was deleted, or the history of an executor
// that is there.
type gonePage struct {
	ID      int32
	Kind    string // jobs or executors
	Name    string
	Deleted *model.Deleted // nil for what is there
	Group   string         // of a job: its title, "" when that is gone
	Kept    string
	May     bool // bring it back
	History parts.History
}

// goneJob shows what is left of a job that was deleted.
func (c *call) goneJob(ctx context.Context, d *model.Deleted) error {
	may := c.RightsIn(d.GroupID)
	p := gonePage{ID: d.ObjectID, Kind: "jobs", Name: d.Name, Deleted: d, May: may.Edit}
	var err error
	if _, p.Kept, err = c.restoreWords(ctx); err != nil {
		return err
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Group = web.GroupTitles(groups)[d.GroupID]
	path := "/jobs/" + strconv.Itoa(int(d.ObjectID))
	if p.History, err = c.ChangesOf(ctx, path, d.ObjectID, may, c.Cfg.Ops.JobChanges); err != nil {
		return err
	}
	return c.showGone(ctx, &p)
}

// executorHistory shows who has changed what of an executor, also of one that was
// deleted.
func (c *call) executorHistory(ctx context.Context) error {
	id := c.ID32("id")
	p := gonePage{ID: id, Kind: "executors", May: c.User.Admin}
	g, err := c.Cfg.Ops.Group(ctx, c.Who, id)
	switch d, gone := c.Cfg.Ops.DeletedGroup(ctx, c.Who, id); {
	case err == nil:
		p.Name = g.Title
	case gone == nil:
		p.Name, p.Deleted = d.Name, d
		if _, p.Kept, err = c.restoreWords(ctx); err != nil {
			return err
		}
	default:
		return err
	}
	own := web.Rights{Edit: c.RightsIn(id).Own}
	p.History, err = c.ChangesOf(ctx, parts.ExecutorPath(id)+"/history", id, own, c.Cfg.Ops.GroupChanges)
	if err != nil {
		return err
	}
	for i := range p.History.List { // what makes or deletes an executor is for administrators
		line := &p.History.List[i]
		line.MayUndo = line.MayUndo && (p.May || !line.Life)
	}
	return c.showGone(ctx, &p)
}

func (c *call) showGone(ctx context.Context, p *gonePage) error {
	h := web.Head{Title: p.Name, Section: p.Kind, Crumbs: c.Under(p.Kind)}
	switch {
	case p.Deleted == nil:
		h.Title = c.T("executor.history")
		h.Crumbs = append(h.Crumbs, web.Crumb{Text: p.Name, Path: parts.ExecutorPath(p.ID)})
	case p.Kind == "jobs" || c.User.Admin:
		h.Crumbs = append(h.Crumbs, web.Crumb{Text: c.T("deleted." + p.Kind), Path: "/" + p.Kind + "/deleted"})
	}
	return c.Render(ctx, "gone", h, p)
}

// restoreJob brings a job back.
func (c *call) restoreJob(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	id, err := c.Cfg.Ops.RestoreJob(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return c.Refuse(c.Local(c.R.PostForm.Get("back"), "/jobs/deleted"), err)
	}
	return c.DoneUndo("/jobs/"+strconv.Itoa(int(id)), c.T("undo.back", id), made)
}

// restoreExecutor brings an executor back.
func (c *call) restoreExecutor(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	id, hadToken, err := c.Cfg.Ops.RestoreGroup(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return c.Refuse(c.Local(c.R.PostForm.Get("back"), "/executors/deleted"), err)
	}
	text := c.T("undo.back.executor")
	if hadToken {
		text += " " + c.T("undo.back.token")
	}
	return c.DoneUndo(parts.ExecutorPath(id), text, made)
}

// askDelete asks before a job is deleted, and says what goes with it.
func (c *call) askDelete(ctx context.Context) error {
	id := c.ID32("id")
	j, err := c.Cfg.Ops.Job(ctx, c.Who, id)
	if err != nil {
		return err
	}
	if err := c.Need(model.RoleEditor, j.GroupID); err != nil {
		return err
	}
	path := "/jobs/" + strconv.Itoa(int(id))
	return c.sure(ctx, &surePage{
		Do: ops.BulkDelete, Action: path + "/delete", Back: path,
		Jobs: []*model.Job{j}, Sel: selection{IDs: []int32{id}},
	})
}

// touched is what the deletion of jobs touches, in sentences.
type touched struct {
	Lines   []string
	Ways    int // jobs that have one of them as a child
	Parents []ops.Parent
	More    int // of these that are not named
	Back    string
}

// touched says what the deletion of jobs touches, and what of it can be brought
// back.
func (c *call) touched(ctx context.Context, ids []int32) (*touched, error) {
	d, err := c.Cfg.Ops.Deletion(ctx, c.Who, ids)
	if err != nil {
		return nil, err
	}
	t := &touched{Ways: d.Ways, Parents: d.Parents, More: d.Ways - len(d.Parents)}
	for _, of := range []struct {
		n   int
		key string
	}{{d.Started, "touch.started"}, {d.Running, "touch.running"}, {d.Planned, "touch.planned"}} {
		if of.n > 0 {
			t.Lines = append(t.Lines, c.T(of.key, say.Count(of.n)))
		}
	}
	_, kept, err := c.restoreWords(ctx)
	if t.Back = c.T("touch.back") + " " + kept; d.Versions > 0 {
		t.Back = c.T("touch.back.code", say.Count(d.Versions)) + " " + kept
	}
	return t, err
}
