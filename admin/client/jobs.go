package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// States of a job.
const (
	StateStarted = "started" // fires by its schedule
	StateStopped = "stopped"
)

// Types of a schedule.
const (
	ScheduleNone    = "none"     // only by hand, by API or as a child
	ScheduleCron    = "cron"     // at the times of Schedule.Cron
	ScheduleFixRate = "fix_rate" // every Schedule.IntervalMs
)

// Schedule says when a job fires.
type Schedule struct {
	Type       string `json:"type"`                  // ScheduleNone, ScheduleCron or ScheduleFixRate
	Cron       string `json:"cron,omitempty"`        // Quartz syntax with seconds, such as "0 0 3 * * ?"
	IntervalMs int64  `json:"interval_ms,omitempty"` // milliseconds, whole seconds
	TimeZone   string `json:"time_zone,omitempty"`   // IANA name; "" is the zone of the server
}

// JobInput is what an editor sets of a job. GroupID, Name, Author and Schedule
// are required; an empty field has the default that it names.
type JobInput struct {
	GroupID    int32    `json:"group_id"`
	Name       string   `json:"name"`
	Author     string   `json:"author"`
	AlarmEmail string   `json:"alarm_email,omitempty"` // addresses, comma separated
	Schedule   Schedule `json:"schedule"`
	Misfire    string   `json:"misfire,omitempty"` // do_nothing (default) or fire_once_now
	Route      string   `json:"route,omitempty"`   // first (default), round, sharding_broadcast …
	Block      string   `json:"block,omitempty"`   // serial_execution (default), discard_later or cover_early
	Handler    string   `json:"handler,omitempty"` // what executors have registered
	Param      string   `json:"param,omitempty"`
	TimeoutMs  int64    `json:"timeout_ms,omitempty"` // milliseconds, whole seconds; 0 is no limit
	Retries    int32    `json:"retries,omitempty"`    // runs after a failed one
	Children   []int32  `json:"children,omitempty"`   // jobs to run after a success
	Tags       []string `json:"tags,omitempty"`
}

// JobCreate is a new job.
type JobCreate struct {
	JobInput

	State      string `json:"state,omitempty"`     // StateStopped (default) or StateStarted
	CodeType   string `json:"code_type,omitempty"` // bean (default), glue_shell, glue_python …
	Code       string `json:"code,omitempty"`      // of a script job
	CodeRemark string `json:"code_remark,omitempty"`
}

// Job is a job as it is.
type Job struct {
	JobInput

	ID        int32      `json:"id"`
	State     string     `json:"state"`
	CodeType  string     `json:"code_type"`
	LastFire  *time.Time `json:"last_fire"` // nil: none yet
	NextFire  *time.Time `json:"next_fire"` // nil: none, or the job is stopped
	CreatedAt *time.Time `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at"`

	ETag string `json:"-"` // version for UpdateJob and DeleteJob; "" in lists
}

// JobFilter selects jobs. Zero fields select everything.
type JobFilter struct {
	GroupID int32
	State   string // StateStarted or StateStopped
	Name    string // part of the name
	Handler string // part of the handler
	Author  string // part of the author
	Tag     string
	Sort    string // id, name, next_fire, handler, author or state; with - the other way round; default -id
}

// Jobs lists jobs. The error, if any, comes last.
func (c *Client) Jobs(ctx context.Context, f JobFilter) iter.Seq2[*Job, error] {
	return pages[Job](ctx, c, "/jobs", values("group_id", number(f.GroupID), "state", f.State, "name", f.Name,
		"handler", f.Handler, "author", f.Author, "tag", f.Tag, "sort", f.Sort))
}

// job sends a request that is answered by a job.
func (c *Client) job(ctx context.Context, r *call) (*Job, error) {
	var j Job
	r.out = &j
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	j.ETag = r.tag
	return &j, nil
}

// Job returns a job, or ErrNotFound.
func (c *Client) Job(ctx context.Context, id int32) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodGet, path: at("/jobs/", id, "")})
}

// CreateJob creates a job.
func (c *Client) CreateJob(ctx context.Context, in JobCreate) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodPost, path: "/jobs", in: in})
}

// JobDraft is a job as it would be created or, with an id, edited.
type JobDraft struct {
	JobCreate

	ID int32 `json:"id,omitempty"` // 0 is a new job
}

// JobFaults is what a draft would be refused for.
type JobFaults struct {
	Index  int          `json:"index"` // of the draft
	Errors []FieldError `json:"errors"`
}

// ValidateJobs makes every check of CreateJob and UpdateJob and changes nothing. It
// returns those of at most 500 drafts that would be refused.
func (c *Client) ValidateJobs(ctx context.Context, drafts []JobDraft) ([]JobFaults, error) {
	answer, err := post[struct {
		Items []JobFaults `json:"items"`
	}](ctx, c, "/jobs/validate", map[string]any{"jobs": drafts})
	if err != nil {
		return nil, err
	}
	return answer.Items, nil
}

// UpdateJob replaces what an editor sets of a job: all of it. etag is Job.ETag,
// or "*" for whatever version there is; ErrStale says that there is a newer one.
func (c *Client) UpdateJob(ctx context.Context, id int32, etag string, in JobInput) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodPut, path: at("/jobs/", id, ""), ifTag: etag, in: in})
}

// DeleteJob deletes a job with its runs and logs. RestoreJob brings back the rest.
// etag is as for UpdateJob.
func (c *Client) DeleteJob(ctx context.Context, id int32, etag string) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: at("/jobs/", id, ""), ifTag: etag})
}

// StartJob lets a job fire by its schedule.
func (c *Client) StartJob(ctx context.Context, id int32) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodPost, path: at("/jobs/", id, "/start")})
}

// StopJob lets a job fire no more. What runs goes on.
func (c *Client) StopJob(ctx context.Context, id int32) (*Job, error) {
	return c.job(ctx, &call{method: http.MethodPost, path: at("/jobs/", id, "/stop")})
}

// RunInput changes what a run by hand does.
type RunInput struct {
	Param     *string  `json:"param,omitempty"`     // nil: that of the job
	Addresses []string `json:"addresses,omitempty"` // only here; among the addresses of the group
}

// RunJob runs a job once, and returns the ids of the runs: one, or one for each
// shard of a broadcast. They are on record, and not yet ended.
func (c *Client) RunJob(ctx context.Context, id int32, in RunInput) ([]int64, error) {
	return c.started(ctx, &call{method: http.MethodPost, path: at("/jobs/", id, "/run"), in: in})
}

func (c *Client) started(ctx context.Context, r *call) ([]int64, error) {
	var out struct {
		RunIDs []int64 `json:"run_ids"`
	}
	r.out = &out
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return out.RunIDs, nil
}

// CloneJob creates a stopped copy of a job. name may be "", for a name made of
// the job's.
func (c *Client) CloneJob(ctx context.Context, id int32, name string) (*Job, error) {
	in := struct {
		Name string `json:"name,omitempty"`
	}{name}
	return c.job(ctx, &call{method: http.MethodPost, path: at("/jobs/", id, "/clone"), in: in})
}

// Moved is what became of jobs that were to be moved.
type Moved struct {
	Moved     int          `json:"moved"` // jobs that are in the group now
	Refused   []JobRefusal `json:"refused"`
	ChangeIDs []int64      `json:"change_ids"` // entries of the history, for Undo
}

// JobRefusal says why something was not done with a job.
type JobRefusal struct {
	ID      int32  `json:"id"`
	Message string `json:"message"`
}

// MoveJobs puts up to 1,000 jobs into another group. Nothing else of them changes.
func (c *Client) MoveJobs(ctx context.Context, ids []int32, groupID int32) (*Moved, error) {
	in := struct {
		IDs     []int32 `json:"ids"`
		GroupID int32   `json:"group_id"`
	}{ids, groupID}
	return post[Moved](ctx, c, "/jobs/move", in)
}

// TagCount is a tag and how many jobs have it.
type TagCount struct {
	Tag  string `json:"tag"`
	Jobs int    `json:"jobs"`
}

// Tags returns the tags of the jobs that the caller may see, the most used first
// and at most 200.
func (c *Client) Tags(ctx context.Context) ([]TagCount, error) {
	out, err := get[page[TagCount]](ctx, c, "/tags")
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// Pages of the console that have views.
const (
	PageJobs = "jobs"
	PageRuns = "runs"
)

// View is a filter of a page that a user has saved.
type View struct {
	Page  string `json:"page"`  // PageJobs or PageRuns
	Name  string `json:"name"`  // 1 to 64 characters
	Query string `json:"query"` // of the address of the page, up to 2000 bytes
}

// Views returns the views of the user who asks, by name: those of a page, "" being
// all. Views belong to users: with a key there are none.
func (c *Client) Views(ctx context.Context, ofPage string) ([]View, error) {
	out, err := get[page[View]](ctx, c, "/views", "page", ofPage)
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// SaveView saves a view, over what was there under its name. ErrConflict says that
// the page has 50 already. With a key it is ErrForbidden.
func (c *Client) SaveView(ctx context.Context, v View) error {
	return c.do(ctx, &call{method: http.MethodPut, path: "/views", in: v})
}

// DeleteView forgets a view. One that is not there is no error. With a key it is
// ErrForbidden.
func (c *Client) DeleteView(ctx context.Context, page, name string) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: "/views", query: values("page", page, "name", name)})
}

// Times are instants at which a schedule fires.
type Times struct {
	Times    []time.Time `json:"times"`
	TimeZone string      `json:"time_zone"` // in which they were computed
}

// NextTimes returns the next times of a job's schedule, whether it is started or
// not. count is 1 to 100; 0 is 10.
func (c *Client) NextTimes(ctx context.Context, id int32, count int) (*Times, error) {
	return get[Times](ctx, c, at("/jobs/", id, "/next"), "count", number(count))
}

// PreviewSchedule returns the next times of a schedule. count is as for
// NextTimes.
func (c *Client) PreviewSchedule(ctx context.Context, s Schedule, count int) (*Times, error) {
	in := struct {
		Schedule Schedule `json:"schedule"`
		Count    int      `json:"count,omitempty"`
	}{s, count}
	return post[Times](ctx, c, "/schedules/preview", in)
}

// Code is the code of a script job.
type Code struct {
	CodeType string        `json:"code_type"`
	Code     string        `json:"code"`
	Remark   string        `json:"remark"`
	SavedAt  *time.Time    `json:"saved_at"`
	Versions []CodeVersion `json:"versions"` // newest first
}

// CodeVersion is a saved version of code.
type CodeVersion struct {
	ID      int32      `json:"id"`
	Code    string     `json:"code"`
	Remark  string     `json:"remark"`
	SavedAt *time.Time `json:"saved_at"`
	SavedBy *string    `json:"saved_by"` // nil where it is not known
}

// Code returns the code of a script job with its versions.
func (c *Client) Code(ctx context.Context, jobID int32) (*Code, error) {
	return get[Code](ctx, c, at("/jobs/", jobID, "/code"))
}

// SaveCode saves the code of a script job. remark says what has changed, in 4 to
// 100 characters. It is refused unless the admin allows code to be edited.
func (c *Client) SaveCode(ctx context.Context, jobID int32, code, remark string) (*Code, error) {
	in := struct {
		Code   string `json:"code"`
		Remark string `json:"remark"`
	}{code, remark}
	return post[Code](ctx, c, at("/jobs/", jobID, "/code"), in)
}

// get asks for an object, with pairs as its query.
func get[T any](ctx context.Context, c *Client, path string, pairs ...string) (*T, error) {
	return object[T](ctx, c, &call{method: http.MethodGet, path: path, query: values(pairs...)})
}

// post sends in and is answered by an object. in may be nil.
func post[T any](ctx context.Context, c *Client, path string, in any) (*T, error) {
	return object[T](ctx, c, &call{method: http.MethodPost, path: path, in: in})
}

// object sends a request that is answered by an object.
func object[T any](ctx context.Context, c *Client, r *call) (*T, error) {
	out := new(T)
	r.out = out
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return out, nil
}
