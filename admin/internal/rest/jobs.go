package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// jobSorts are the orders of a list of jobs, without the minus.
var jobSorts = map[string]model.JobSort{
	"id": model.SortID, "name": model.SortName, "next_fire": model.SortNext, "handler": model.SortHandler,
	"author": model.SortAuthor, "state": model.SortState,
}

// jobPage is a page of jobs.
type jobPage struct {
	Items      []jobView `json:"items"`
	Total      int       `json:"total"`
	NextCursor *string   `json:"next_cursor"`
}

func listJobs(ctx context.Context, c *call) error {
	f, limit, err := c.jobFilter()
	if err != nil {
		return err
	}
	jobs, total, err := c.s.cfg.Ops.ListJobs(ctx, c.who, f)
	if err != nil {
		return err
	}
	jobs, more := cut(jobs, limit)
	tags, err := c.s.cfg.Ops.Tags(ctx, jobs)
	if err != nil {
		return err
	}
	answer := jobPage{Items: make([]jobView, 0, len(jobs)), Total: total}
	var last mark
	for _, j := range jobs {
		answer.Items = append(answer.Items, viewJob(j, tags[j.ID]))
		m := f.Sort.Mark(j, "")
		last = mark{ID: int64(m.ID), Text: m.Text, Number: m.Number}
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

// jobFilter reads the filters of a list of jobs. One more job is asked for than
// the page holds.
func (c *call) jobFilter() (f model.JobFilter, limit int, err error) {
	limit, m, err := c.paging()
	if err != nil {
		return f, 0, err
	}
	f.Limit = limit + 1
	state, err := c.choice("state", "started", "stopped")
	if err != nil {
		return f, 0, err
	}
	if state != "" {
		running := state == "started"
		f.Running = &running
	}
	for name, to := range map[string]*string{
		"name": &f.Name, "handler": &f.Handler, "author": &f.Author, "tag": &f.Tag,
	} {
		if *to, err = c.short(name, 255); err != nil {
			return f, 0, err
		}
	}
	if f.GroupID, err = c.filterID("group_id"); err != nil {
		return f, 0, err
	}
	order, err := c.choice("sort", "-id", "id", "-name", "name", "-next_fire", "next_fire", "-handler", "handler",
		"-author", "author", "-state", "state")
	if err != nil {
		return f, 0, err
	}
	f.Sort = jobSorts[strings.TrimPrefix(order, "-")]
	f.Ascending = order != "" && !strings.HasPrefix(order, "-")
	if m != nil {
		f.After = &model.JobMark{
			ID: int32(m.ID), Text: m.Text, Number: m.Number, //nolint:gosec // checked by the cursor's sum
		}
	}
	return f, limit, nil
}

// filterID reads an id of 32 bits from the query; 0 where it is not given.
func (c *call) filterID(name string) (int32, error) {
	text := c.r.URL.Query().Get(name)
	if !c.r.URL.Query().Has(name) {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, badParam(name, "a whole number from 1 to 2147483647")
	}
	return int32(n), nil
}

// job loads the job of the path with its tags.
func (c *call) job(ctx context.Context) (*model.Job, []string, error) {
	id, err := c.id32("job_id")
	if err != nil {
		return nil, nil, err
	}
	return c.jobByID(ctx, id)
}

func (c *call) jobByID(ctx context.Context, id int32) (*model.Job, []string, error) {
	j, err := c.s.cfg.Ops.Job(ctx, c.who, id)
	if err != nil {
		return nil, nil, err
	}
	tags, err := c.s.cfg.Ops.Tags(ctx, []*model.Job{j})
	return j, tags[id], err
}

// showJob answers with a job as it stands.
func (c *call) showJob(ctx context.Context, status int, id int32) error {
	j, tags, err := c.jobByID(ctx, id)
	if err != nil {
		return err
	}
	return c.withETag(status, jobETag(j, tags), viewJob(j, tags))
}

func getJob(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	return c.showJob(ctx, http.StatusOK, id)
}

func createJob(ctx context.Context, c *call) error {
	var in jobCreate
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	j := in.created(&f)
	if err := f.err(); err != nil {
		return err
	}
	id, err := c.s.cfg.Ops.CreateTagged(ctx, c.who, j, in.Tags)
	if err != nil {
		return err
	}
	return c.createdJob(ctx, id)
}

func (c *call) createdJob(ctx context.Context, id int32) error {
	j, tags, err := c.jobByID(ctx, id)
	if err != nil {
		return err
	}
	c.w.Header().Set("ETag", jobETag(j, tags))
	return c.created(http.StatusCreated, "/v1/jobs/"+strconv.Itoa(int(id)), viewJob(j, tags))
}

func updateJob(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	if _, err := c.matches(""); err != nil {
		return err
	}
	var in jobInput
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	j := in.edited(&f, id)
	if err := f.err(); err != nil {
		return err
	}
	err = c.s.cfg.Ops.EditJob(ctx, c.who, ops.JobEdit{
		Job: j, Tags: &in.Tags,
		Match: func(now *model.Job, tags []string) bool {
			ok, err := c.matches(jobETag(now, tags))
			return ok && err == nil
		},
	})
	if err != nil {
		return err
	}
	return c.showJob(ctx, http.StatusOK, id)
}

func deleteJob(ctx context.Context, c *call) error {
	j, tags, err := c.job(ctx)
	if err != nil {
		return err
	}
	ok, err := c.matches(jobETag(j, tags))
	if err != nil {
		return err
	}
	if !ok {
		return ops.ErrStale
	}
	if err := c.s.cfg.Ops.DeleteJob(ctx, c.who, j.ID); err != nil {
		return err
	}
	return c.gone()
}

func startJob(ctx context.Context, c *call) error { return switchJob(ctx, c, c.s.cfg.Ops.StartJob) }

func stopJob(ctx context.Context, c *call) error { return switchJob(ctx, c, c.s.cfg.Ops.StopJob) }

func switchJob(ctx context.Context, c *call, do func(context.Context, ops.Principal, int32) error) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	if err := c.decodeIf(&struct{}{}); err != nil {
		return err
	}
	if err := do(ctx, c.who, id); err != nil {
		return err
	}
	return c.showJob(ctx, http.StatusOK, id)
}

// runsStarted are runs that are on record.
type runsStarted struct {
	RunIDs []int64 `json:"run_ids"`
}

func (c *call) started(ids []int64) error {
	if len(ids) == 0 {
		return problem(kindConflict, "no executor of the job has an address")
	}
	return c.created(http.StatusAccepted, "/v1/runs/"+strconv.FormatInt(ids[0], 10), runsStarted{ids})
}

func runJob(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	var in struct {
		Param     *string  `json:"param"`
		Addresses []string `json:"addresses"`
	}
	if err := c.decodeIf(&in); err != nil {
		return err
	}
	source := model.TriggerManual
	if c.key != nil {
		source = model.TriggerAPI
	}
	ids, err := c.s.cfg.Ops.TriggerJob(ctx, c.who, id, ops.TriggerInput{
		Param: in.Param, Addresses: in.Addresses, Type: source,
	})
	if err != nil {
		return err
	}
	return c.started(ids)
}

func cloneJob(ctx context.Context, c *call) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := c.decodeIf(&in); err != nil {
		return err
	}
	j, tags, err := c.job(ctx)
	if err != nil {
		return err
	}
	twin := *j
	twin.Running = false
	if twin.Name = in.Name; in.Name == "" {
		name := []rune(j.Name)
		twin.Name = string(name[:min(len(name), 248)]) + " (copy)"
	}
	id, err := c.s.cfg.Ops.CreateTagged(ctx, c.who, &twin, tags)
	if err != nil {
		return err
	}
	return c.createdJob(ctx, id)
}

// dayOf reads a day from the query.
func (c *call) dayOf(name string, def time.Time) (time.Time, error) {
	q := c.r.URL.Query()
	if !q.Has(name) {
		return def, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, q.Get(name), c.s.cfg.Location)
	if err != nil {
		return t, badParam(name, "a day such as 2026-11-21")
	}
	return t, nil
}

// splitList splits a header by commas.
func splitList(text string) []string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
