package jobset

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// pageSize is how many jobs are read at a time.
const pageSize = 1000

// reader is what this package reads of package ops.
type reader interface {
	PermittedGroups(ctx context.Context, p ops.Principal) ([]*ops.Group, error)
	ListJobs(ctx context.Context, p ops.Principal, f model.JobFilter) ([]*model.Job, int, error)
	Tags(ctx context.Context, jobs []*model.Job) (map[int32][]string, error)
}

// World returns the groups and jobs that the principal may see.
func World(ctx context.Context, r reader, who ops.Principal) (jobfile.World, error) {
	code := map[int32]string{}
	w := jobfile.World{Code: func(id int32) (string, error) { return code[id], nil }}
	groups, err := r.PermittedGroups(ctx, who)
	if err != nil {
		return w, fmt.Errorf("read groups: %w", err)
	}
	for _, g := range groups {
		w.Groups = append(w.Groups, &client.Group{
			ID: g.ID, GroupInput: client.GroupInput{AppName: g.AppName, Title: g.Title},
		})
	}
	f := model.JobFilter{Ascending: true, Limit: pageSize}
	for {
		jobs, _, err := r.ListJobs(ctx, who, f)
		if err != nil {
			return w, fmt.Errorf("read jobs: %w", err)
		}
		tags, err := r.Tags(ctx, jobs)
		if err != nil {
			return w, fmt.Errorf("read tags: %w", err)
		}
		for _, j := range jobs {
			w.Jobs = append(w.Jobs, view(j, tags[j.ID]))
			if j.GlueType != model.GlueBean {
				code[j.ID] = j.GlueSource.S
			}
		}
		if len(jobs) < pageSize {
			return w, nil
		}
		f.After = &model.JobMark{ID: jobs[len(jobs)-1].ID}
	}
}

// Export writes jobs as documents that jobfile.Parse reads, in the order of
// their ids and with the code of script jobs. Of ids that are not in the world
// there is none.
func Export(out io.Writer, w jobfile.World, ids []int32) error {
	wanted := make(map[int32]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	jobs := slices.DeleteFunc(slices.Clone(w.Jobs), func(j *client.Job) bool { return !wanted[j.ID] })
	docs := jobfile.FromJobs(w, jobs)
	for i, j := range jobs {
		if j.CodeType == "bean" {
			continue
		}
		code, err := w.Code(j.ID)
		if err != nil {
			return err
		}
		docs[i].Code = code
	}
	return jobfile.Write(out, docs)
}

func lower[T ~string](v T) string { return strings.ToLower(string(v)) }

// view is a job as the REST API shows it.
func view(j *model.Job, tags []string) *client.Job {
	children, _ := j.ChildIDs()
	v := &client.Job{
		ID: j.ID, State: client.StateStopped, CodeType: lower(j.GlueType),
		JobInput: client.JobInput{
			GroupID: j.GroupID, Name: j.Name, Author: j.Author.S, AlarmEmail: j.AlarmEmail.S,
			Schedule: client.Schedule{Type: lower(j.ScheduleType), TimeZone: j.TimeZone},
			Misfire:  lower(j.Misfire), Route: lower(j.Route), Block: lower(j.Block), Handler: j.Handler.S,
			Param: j.Param.S, TimeoutMs: int64(max(j.TimeoutSec, 0)) * 1000, Retries: max(j.Retries, 0),
			Children: children, Tags: slices.Sorted(slices.Values(tags)),
		},
	}
	switch j.ScheduleType {
	case model.ScheduleCron:
		v.Schedule.Cron = j.ScheduleConf.S
	case model.ScheduleFixRate:
		if n, err := strconv.ParseInt(j.ScheduleConf.S, 10, 32); err == nil {
			v.Schedule.IntervalMs = n * 1000
		}
	case model.ScheduleNone:
	}
	if j.Running {
		v.State = client.StateStarted
	}
	return v
}

// jobOf is the job that an input describes.
func jobOf(in client.JobInput) *model.Job {
	children := make([]string, len(in.Children))
	for i, id := range in.Children {
		children[i] = strconv.Itoa(int(id))
	}
	j := &model.Job{
		GroupID: in.GroupID, Name: in.Name, Author: model.T(in.Author), AlarmEmail: model.T(in.AlarmEmail),
		ScheduleType: model.ScheduleType(strings.ToUpper(in.Schedule.Type)), TimeZone: in.Schedule.TimeZone,
		Misfire: model.Misfire(strings.ToUpper(in.Misfire)), Route: model.Route(strings.ToUpper(in.Route)),
		Block: model.Block(strings.ToUpper(in.Block)), Handler: model.T(in.Handler), Param: model.T(in.Param),
		TimeoutSec: int32(min(in.TimeoutMs/1000, 1<<31-1)), //nolint:gosec // bounded
		Retries:    in.Retries, Children: model.T(strings.Join(children, ",")), GlueType: model.GlueBean,
		ScheduleConf: model.T(""), GlueSource: model.T(""), GlueRemark: model.T(""),
	}
	switch in.Schedule.Type {
	case client.ScheduleCron:
		j.ScheduleConf = model.T(in.Schedule.Cron)
	case client.ScheduleFixRate:
		j.ScheduleConf = model.T(strconv.FormatInt(in.Schedule.IntervalMs/1000, 10))
	}
	return j
}
