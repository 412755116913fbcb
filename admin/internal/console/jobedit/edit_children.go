package jobedit

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// foundJobs is how many jobs a search for children offers.
const foundJobs = 8

// childPicker is the part of the editor where child jobs are chosen.
type childPicker struct {
	List    string // ids with commas, as they were typed
	Find    string // what is looked for
	Chosen  []childJob
	Found   []childJob
	None    bool // nothing was found
	Problem string
}

// childJob is a job that is chosen, or can be.
type childJob struct {
	ID          int32
	Name, Group string // "" for one that is not there, or not for the visitor
}

// children answers the part of the editor where child jobs are chosen.
func (c *call) children(ctx context.Context) error {
	p, err := c.picker(ctx, int32(min(c.Num("id", 0), 1<<31-1)), c.Str("children"), c.Str("find"))
	if err != nil {
		return err
	}
	return c.Part("edit", "picker", p)
}

// picker names the child jobs of a job (0 is a new one), says what is wrong with them,
// and looks for others. Of a list that is too long it names none: there would be no end
// of it.
func (c *call) picker(ctx context.Context, id int32, list, find string) (*childPicker, error) {
	p := &childPicker{List: list, Find: find}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return nil, err
	}
	titles := web.GroupTitles(groups)
	var ids []int32
	if len(list) <= ops.MaxChildren {
		ids, _ = (&model.Job{Children: model.T(list)}).ChildIDs()
	}
	jobs, err := c.Cfg.Ops.JobsOf(ctx, c.Who, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		child := childJob{ID: id}
		if i := slices.IndexFunc(jobs, func(j *model.Job) bool { return j.ID == id }); i >= 0 {
			child.Name, child.Group = jobs[i].Name, titles[jobs[i].GroupID]
		}
		p.Chosen = append(p.Chosen, child)
	}
	faults, err := c.Cfg.Ops.CheckChildren(ctx, c.Who, id, list)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range faults {
		text, _ := c.Why(e)
		texts = append(texts, text)
	}
	p.Problem = strings.Join(texts, " ")
	if find == "" {
		return p, nil
	}
	for _, j := range c.candidates(ctx, find) {
		if j.ID != id && !slices.Contains(ids, j.ID) && len(p.Found) < foundJobs {
			p.Found = append(p.Found, childJob{ID: j.ID, Name: j.Name, Group: titles[j.GroupID]})
		}
	}
	p.None = len(p.Found) == 0
	return p, nil
}

// candidates looks for jobs that the visitor may make children by a part of the name,
// or by the id. What cannot be read is not found.
func (c *call) candidates(ctx context.Context, find string) (jobs []*model.Job) {
	if id, err := strconv.ParseInt(find, 10, 32); err == nil && id > 0 {
		if j, err := c.Cfg.Ops.Job(ctx, c.Who, int32(id)); err == nil {
			jobs = append(jobs, j)
		}
	}
	list, _, err := c.Cfg.Ops.ListJobs(ctx, c.Who, model.JobFilter{
		Name: find, Sort: model.SortName, Ascending: true, Limit: 4 * foundJobs,
	})
	if err != nil {
		return jobs
	}
	for _, j := range list {
		have := slices.ContainsFunc(jobs, func(o *model.Job) bool { return o.ID == j.ID })
		if !have && c.Who.Can(j.GroupID, model.RoleEditor) {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// choose adds or drops the child that a button of the form names, and reports whether
// there was one. ids is the list as it was typed.
func choose(ids, add, drop string) (string, bool) {
	if add == "" && drop == "" {
		return ids, false
	}
	var list []string
	for item := range strings.SplitSeq(ids, ",") {
		if item = strings.TrimSpace(item); item != "" && item != drop {
			list = append(list, item)
		}
	}
	if add != "" && !slices.Contains(list, add) {
		list = append(list, add)
	}
	return strings.Join(list, ","), true
}

// since lists what others have changed of a job since the change seen, and returns the
// newest change.
func (c *call) since(ctx context.Context, id int32, seen int64) (list []parts.ChangeLine, newest int64, err error) {
	changes, err := c.Cfg.Ops.JobChanges(ctx, c.Who, id, parts.HistoryPage, 0)
	if err != nil || len(changes) == 0 {
		return nil, 0, err
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return nil, 0, err
	}
	titles := web.GroupTitles(groups)
	for _, ch := range changes {
		if ch.ID <= seen {
			break
		}
		line, err := c.ChangeLine(ch, titles)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, line)
	}
	return list, changes[0].ID, nil
}
