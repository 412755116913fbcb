package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Deleted is a job or group that was deleted and can be brought back.
type Deleted struct {
	ID           int32      `json:"id"`
	GroupID      int32      `json:"group_id"`
	Name         string     `json:"name"` // of a job; of a group its title
	At           time.Time  `json:"at"`
	User         string     `json:"user"`
	ChangeID     int64      `json:"change_id"`     // of its deletion, for UndoChange
	CodeVersions int        `json:"code_versions"` // that come back with it
	Until        *time.Time `json:"until"`         // when it is forgotten; nil is never
}

// DeletedFilter selects what was deleted. Zero fields select everything.
type DeletedFilter struct {
	GroupID int32
	Name    string // part of the name; of a group part of its title
	Sort    string // at or name; with - the other way round; default -at
}

// DeletedJobs lists jobs that can be brought back.
func (c *Client) DeletedJobs(ctx context.Context, f DeletedFilter) iter.Seq2[*Deleted, error] {
	return pages[Deleted](ctx, c, "/deleted/jobs", values("group_id", number(f.GroupID), "name", f.Name,
		"sort", f.Sort))
}

// DeletedJob returns a job that can be brought back, or ErrNotFound.
func (c *Client) DeletedJob(ctx context.Context, id int32) (*Deleted, error) {
	return get[Deleted](ctx, c, at("/deleted/jobs/", id, ""))
}

// RestoreJob brings a deleted job back: with its settings, tags and code, and
// started if it was; without its runs. It has the id that it had, unless another
// job has that now. ErrConflict says that its group is gone.
func (c *Client) RestoreJob(ctx context.Context, id int32) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodPost, path: at("/deleted/jobs/", id, "/restore")})
}

// DeletedGroups lists groups that can be brought back; f.GroupID is not read.
func (c *Client) DeletedGroups(ctx context.Context, f DeletedFilter) iter.Seq2[*Deleted, error] {
	return pages[Deleted](ctx, c, "/deleted/groups", values("name", f.Name, "sort", f.Sort))
}

// RestoredGroup is a group that came back.
type RestoredGroup struct {
	Group    Group `json:"group"`
	HadToken bool  `json:"had_token"` // it had an access token of its own, which is gone: make a new one
}

// RestoreGroup brings a deleted group back, without its access token. ErrConflict
// says that another group has its app name.
func (c *Client) RestoreGroup(ctx context.Context, id int32) (*RestoredGroup, error) {
	return post[RestoredGroup](ctx, c, at("/deleted/groups/", id, "/restore"), nil)
}

// Deletion is what the deletion of a job touches.
type Deletion struct {
	Started      bool     `json:"started"`       // it fires by its schedule
	RunningRuns  int      `json:"running_runs"`  // go on at their executors; their results are not kept
	PlannedRuns  int      `json:"planned_runs"`  // are not sent any more
	CodeVersions int      `json:"code_versions"` // come back with it
	Parents      []Parent `json:"parents"`       // that have it as a child; at most 20
	ParentsTotal int      `json:"parents_total"`
}

// Parent is a job that has another one as a child.
type Parent struct {
	ID   int32  `json:"id"`
	Name string `json:"name"` // "" for one that the caller may not see
}

// Deletion says what DeleteJob would touch.
func (c *Client) Deletion(ctx context.Context, jobID int32) (*Deletion, error) {
	return get[Deletion](ctx, c, at("/jobs/", jobID, "/deletion"))
}
