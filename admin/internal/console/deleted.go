package console

import (
	"context"
	"maps"
	"net/url"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// deletedPerPage is how many deletions a page lists.
const deletedPerPage = 50

// registerDeleted registers what is about jobs and executors that were deleted.
func (s *Server) registerDeleted() {
	s.page("/jobs/deleted", httpx.LoggedIn, (*call).deletedJobs)
	s.page("/jobs/{id}/delete", httpx.Editor, (*call).askDelete)
	s.action("/jobs/{id}/restore", httpx.Editor, (*call).restoreJob)
	s.page("/executors/deleted", httpx.Admin, (*call).deletedExecutors)
	s.page("/executors/{id}/history", httpx.Viewer, (*call).executorHistory)
	s.action("/executors/{id}/restore", httpx.Admin, (*call).restoreExecutor)
}

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
	Kind   string // jobs or executors
	Rows   []deletedRow
	Filter url.Values
	Groups []option
	Kept   string // how long
	Next   string // path of the older ones; "" at the end
	Newest string // path of the first page; "" on it
}

// restoreWords says for how long what was deleted can be brought back.
func (c *call) restoreWords(ctx context.Context) (days int, words string, err error) {
	if days, err = c.s.cfg.Ops.RestoreDays(ctx); err != nil {
		return 0, "", err
	}
	if days == 0 {
		return 0, c.t("deleted.kept.ever"), nil
	}
	return days, c.t("deleted.kept", days), nil
}

// deletedJobs lists jobs that can be brought back.
func (c *call) deletedJobs(ctx context.Context) error {
	p := deletedPage{Kind: "jobs", Filter: c.filter("group", "name")}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p.Groups = groupOptions(groups)
	return c.showDeleted(ctx, &p, groupTitles(groups), c.s.cfg.Ops.DeletedJobs)
}

// deletedExecutors lists executors that can be brought back.
func (c *call) deletedExecutors(ctx context.Context) error {
	p := deletedPage{Kind: "executors", Filter: c.filter("name")}
	return c.showDeleted(ctx, &p, nil, c.s.cfg.Ops.DeletedGroups)
}

func (c *call) showDeleted(
	ctx context.Context, p *deletedPage, titles map[int32]string,
	of func(context.Context, ops.Principal, model.DeletedFilter) ([]*model.Deleted, error),
) error {
	f := model.DeletedFilter{
		GroupID: jobFilter(p.Filter).GroupID, Name: p.Filter.Get("name"), Limit: deletedPerPage + 1,
	}
	path := func(pairs ...string) string {
		v := maps.Clone(p.Filter)
		for i := 0; i+1 < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		if len(v) == 0 {
			return "/" + p.Kind + "/deleted"
		}
		return "/" + p.Kind + "/deleted?" + v.Encode()
	}
	if before, err := strconv.ParseInt(c.str("before"), 10, 64); err == nil && before > 0 {
		f.BeforeID, p.Newest = before, path()
	}
	list, err := of(ctx, c.who, f)
	if err != nil {
		return err
	}
	var days int
	if days, p.Kept, err = c.restoreWords(ctx); err != nil {
		return err
	}
	if len(list) > deletedPerPage {
		list = list[:deletedPerPage]
		p.Next = path("before", strconv.FormatInt(list[deletedPerPage-1].ChangeID, 10))
	}
	for _, d := range list {
		row := deletedRow{
			Deleted: d, Path: "/" + p.Kind + "/" + strconv.Itoa(int(d.ObjectID)), Group: titles[d.GroupID],
			May: c.user.Admin || p.Kind == "jobs" && c.rightsIn(d.GroupID).Edit,
		}
		if days > 0 {
			row.Until = d.At.Add(time.Duration(days) * 24 * time.Hour)
		}
		p.Rows = append(p.Rows, row)
	}
	return c.render(ctx, "deleted", head{
		Title: c.t("deleted." + p.Kind), Section: p.Kind, Crumbs: []crumb{{c.t("nav." + p.Kind), "/" + p.Kind}},
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
	History historyTab
}

// goneJob shows what is left of a job that was deleted.
func (c *call) goneJob(ctx context.Context, d *model.Deleted) error {
	may := c.rightsIn(d.GroupID)
	p := gonePage{ID: d.ObjectID, Kind: "jobs", Name: d.Name, Deleted: d, May: may.Edit}
	var err error
	if _, p.Kept, err = c.restoreWords(ctx); err != nil {
		return err
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p.Group = groupTitles(groups)[d.GroupID]
	path := "/jobs/" + strconv.Itoa(int(d.ObjectID))
	if p.History, err = c.history(ctx, path, d.ObjectID, may, c.s.cfg.Ops.JobChanges); err != nil {
		return err
	}
	return c.showGone(ctx, &p)
}

// executorHistory shows who has changed what of an executor, also of one that was
// deleted.
func (c *call) executorHistory(ctx context.Context) error {
	id := c.id32("id")
	p := gonePage{ID: id, Kind: "executors", May: c.user.Admin}
	g, err := c.s.cfg.Ops.Group(ctx, c.who, id)
	switch d, gone := c.s.cfg.Ops.DeletedGroup(ctx, c.who, id); {
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
	own := rights{Edit: c.rightsIn(id).Own}
	p.History, err = c.history(ctx, executorPath(id)+"/history", id, own, c.s.cfg.Ops.GroupChanges)
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
	h := head{Title: p.Name, Section: p.Kind, Crumbs: []crumb{{c.t("nav." + p.Kind), "/" + p.Kind}}}
	switch {
	case p.Deleted == nil:
		h.Title = c.t("executor.history")
		h.Crumbs = append(h.Crumbs, crumb{p.Name, executorPath(p.ID)})
	case p.Kind == "jobs" || c.user.Admin:
		h.Crumbs = append(h.Crumbs, crumb{c.t("deleted." + p.Kind), "/" + p.Kind + "/deleted"})
	}
	return c.render(ctx, "gone", h, p)
}

// restoreJob brings a job back.
func (c *call) restoreJob(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	id, err := c.s.cfg.Ops.RestoreJob(ctx, c.who, c.id32("id"))
	if err != nil {
		return c.refuse(c.local(c.r.PostForm.Get("back"), "/jobs/deleted"), err)
	}
	return c.doneUndo("/jobs/"+strconv.Itoa(int(id)), c.t("undo.back", id), made)
}

// restoreExecutor brings an executor back.
func (c *call) restoreExecutor(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	id, hadToken, err := c.s.cfg.Ops.RestoreGroup(ctx, c.who, c.id32("id"))
	if err != nil {
		return c.refuse(c.local(c.r.PostForm.Get("back"), "/executors/deleted"), err)
	}
	text := c.t("undo.back.executor")
	if hadToken {
		text += " " + c.t("undo.back.token")
	}
	return c.doneUndo(executorPath(id), text, made)
}

// askDelete asks before a job is deleted, and says what goes with it.
func (c *call) askDelete(ctx context.Context) error {
	id := c.id32("id")
	j, err := c.s.cfg.Ops.Job(ctx, c.who, id)
	if err != nil {
		return err
	}
	if err := c.need(model.RoleEditor, j.GroupID); err != nil {
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
	d, err := c.s.cfg.Ops.Deletion(ctx, c.who, ids)
	if err != nil {
		return nil, err
	}
	t := &touched{Ways: d.Ways, Parents: d.Parents, More: d.Ways - len(d.Parents)}
	for _, of := range []struct {
		n   int
		key string
	}{{d.Started, "touch.started"}, {d.Running, "touch.running"}, {d.Planned, "touch.planned"}} {
		if of.n > 0 {
			t.Lines = append(t.Lines, c.t(of.key, say.Count(of.n)))
		}
	}
	_, kept, err := c.restoreWords(ctx)
	if t.Back = c.t("touch.back") + " " + kept; d.Versions > 0 {
		t.Back = c.t("touch.back.code", say.Count(d.Versions)) + " " + kept
	}
	return t, err
}
