package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// deletedView is something that was deleted, as it is answered.
type deletedView struct {
	ID           int32   `json:"id"`
	GroupID      int32   `json:"group_id"`
	Name         string  `json:"name"`
	At           string  `json:"at"`
	User         string  `json:"user"`
	ChangeID     int64   `json:"change_id"`
	CodeVersions int     `json:"code_versions"`
	Until        *string `json:"until"`
}

// viewDeleted is d where deletions are kept for so many days; 0 is for ever.
func viewDeleted(d *model.Deleted, days int) deletedView {
	v := deletedView{
		ID: d.ObjectID, GroupID: d.GroupID, Name: d.Name, At: at(d.At), User: d.User, ChangeID: d.ChangeID,
		CodeVersions: d.Versions,
	}
	if days > 0 {
		v.Until = atOrNull(d.At.Add(time.Duration(days) * 24 * time.Hour))
	}
	return v
}

// deletions lists what was deleted.
type deletions func(ctx context.Context, p ops.Principal, f model.DeletedFilter) ([]*model.Deleted, error)

func listDeletedJobs(ctx context.Context, c *call) error {
	return c.deleted(ctx, c.s.cfg.Ops.DeletedJobs)
}

func listDeletedGroups(ctx context.Context, c *call) error {
	return c.deleted(ctx, c.s.cfg.Ops.DeletedGroups)
}

func (c *call) deleted(ctx context.Context, of deletions) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	f := model.DeletedFilter{Limit: limit + 1}
	if f.Order, err = c.order(m, model.OrderTime, model.OrderName); err != nil {
		return err
	}
	if f.Name, err = c.short("name", 255); err != nil {
		return err
	}
	if f.GroupID, err = c.filterID("group_id"); err != nil {
		return err
	}
	list, err := of(ctx, c.who, f)
	if err != nil {
		return err
	}
	days, err := c.s.cfg.Ops.RestoreDays(ctx)
	if err != nil {
		return err
	}
	list, more := cut(list, limit)
	answer := page[deletedView]{Items: make([]deletedView, 0, len(list))}
	var last mark
	for _, d := range list {
		answer.Items, last = append(answer.Items, viewDeleted(d, days)), markOf(d.Mark(f.Order.By))
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

func getDeletedJob(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	d, err := c.s.cfg.Ops.DeletedJob(ctx, c.who, id)
	if err != nil {
		return err
	}
	days, err := c.s.cfg.Ops.RestoreDays(ctx)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewDeleted(d, days))
}

func restoreJob(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	if err := c.decodeIf(&struct{}{}); err != nil {
		return err
	}
	if id, err = c.s.cfg.Ops.RestoreJob(ctx, c.who, id); err != nil {
		return err
	}
	return c.createdJob(ctx, id)
}

// restoredGroup is a group that came back.
type restoredGroup struct {
	Group    groupView `json:"group"`
	HadToken bool      `json:"had_token"`
}

func restoreGroup(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	if err := c.decodeIf(&struct{}{}); err != nil {
		return err
	}
	id, had, err := c.s.cfg.Ops.RestoreGroup(ctx, c.who, id)
	if err != nil {
		return err
	}
	st, err := c.s.cfg.Ops.Standing(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.created(http.StatusCreated, "/v1/groups/"+strconv.Itoa(int(id)), restoredGroup{c.viewStanding(st), had})
}

// deletionView is what the deletion of a job touches.
type deletionView struct {
	Started      bool         `json:"started"`
	RunningRuns  int          `json:"running_runs"`
	PlannedRuns  int          `json:"planned_runs"`
	CodeVersions int          `json:"code_versions"`
	Parents      []parentView `json:"parents"`
	ParentsTotal int          `json:"parents_total"`
}

type parentView struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

func getDeletion(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.Job(ctx, c.who, id); err != nil {
		return err
	}
	d, err := c.s.cfg.Ops.Deletion(ctx, c.who, []int32{id})
	if err != nil {
		return err
	}
	if d.Jobs == 0 {
		return problem(kindForbidden, "this takes the role editor in the group")
	}
	v := deletionView{
		Started: d.Started > 0, RunningRuns: d.Running, PlannedRuns: d.Planned, CodeVersions: d.Versions,
		Parents: make([]parentView, len(d.Parents)), ParentsTotal: d.Ways,
	}
	for i, p := range d.Parents {
		v.Parents[i] = parentView(p)
	}
	return c.json(http.StatusOK, v)
}
