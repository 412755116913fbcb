package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// maxMove is how many jobs one request may move.
const maxMove = 1000

// moved is what became of jobs that were to be moved.
type moved struct {
	Moved     int          `json:"moved"`
	Refused   []jobRefusal `json:"refused"`
	ChangeIDs []int64      `json:"change_ids"`
}

// jobRefusal says why something was not done with a job.
type jobRefusal struct {
	ID      int32  `json:"id"`
	Message string `json:"message"`
}

// moveJobs puts jobs into another group.
func moveJobs(ctx context.Context, c *call) error {
	var in struct {
		IDs     []int32 `json:"ids"`
		GroupID int32   `json:"group_id"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	ids := slices.Compact(slices.Sorted(slices.Values(in.IDs)))
	if len(ids) == 0 || len(ids) > maxMove || ids[0] < 1 || len(ids) < len(in.IDs) {
		f.add("/ids", "1 to 1,000 ids of jobs, each once")
	}
	if in.GroupID < 1 {
		f.add("/group_id", "it is missing")
	}
	if err := f.err(); err != nil {
		return err
	}
	recording, made := ops.Recording(ctx)
	r, err := c.s.cfg.Ops.BulkJobs(recording, c.who, ops.Bulk{Do: ops.BulkMove, IDs: in.IDs, GroupID: in.GroupID})
	if err != nil {
		return err
	}
	answer := moved{Moved: r.Done, Refused: []jobRefusal{}, ChangeIDs: orEmpty(made.Undoable())}
	for _, refused := range r.Refused {
		message := refused.Err.Words(c.s.language(c.r))
		if message == "" {
			message = refused.Err.Detail
		}
		answer.Refused = append(answer.Refused, jobRefusal{refused.ID, message})
	}
	return c.json(http.StatusOK, answer)
}

// tagView is a tag as it is answered.
type tagView struct {
	Tag  string `json:"tag"`
	Jobs int    `json:"jobs"`
}

func listTags(ctx context.Context, c *call) error {
	tags, err := c.s.cfg.Ops.TagCounts(ctx, c.who)
	if err != nil {
		return err
	}
	answer := items[tagView]{Items: make([]tagView, len(tags))}
	for i, t := range tags {
		answer.Items[i] = tagView(t)
	}
	return c.json(http.StatusOK, answer)
}

// viewView is a saved filter as it is answered.
type viewView struct {
	Page  string `json:"page"`
	Name  string `json:"name"`
	Query string `json:"query"`
}

// viewPages are the pages that have views.
var viewPages = []string{"jobs", "runs"}

func listViews(ctx context.Context, c *call) error {
	page, err := c.choice("page", viewPages...)
	if err != nil {
		return err
	}
	answer := items[viewView]{Items: []viewView{}}
	for _, name := range viewPages {
		if page != "" && page != name {
			continue
		}
		list, err := c.s.cfg.Ops.Views(ctx, c.who, name)
		if err != nil {
			return err
		}
		for _, v := range list {
			answer.Items = append(answer.Items, viewView{v.Page, v.Name, v.Query})
		}
	}
	return c.json(http.StatusOK, answer)
}

func saveView(ctx context.Context, c *call) error {
	var in viewView
	if err := c.decode(&in); err != nil {
		return err
	}
	err := c.s.cfg.Ops.SaveView(ctx, c.who, model.View{Page: in.Page, Name: in.Name, Query: in.Query})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, in)
}

func deleteView(ctx context.Context, c *call) error {
	page, err := c.choice("page", viewPages...)
	if err != nil {
		return err
	}
	if page == "" {
		return badParam("page", "one of "+joined(viewPages))
	}
	name, err := c.short("name", 64)
	if err != nil {
		return err
	}
	if name == "" {
		return badParam("name", "the name of the view")
	}
	if err := c.s.cfg.Ops.DeleteView(ctx, c.who, page, name); err != nil {
		return err
	}
	return c.gone()
}
