package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

// JobCmd works on the jobs of a running admin.
type JobCmd struct {
	List   jobList   `cmd:"" help:"List jobs."`
	Get    jobGet    `cmd:"" help:"Show a job."`
	Apply  jobApply  `cmd:"" help:"Make jobs what YAML files say: show a plan, ask, change."`
	Export jobExport `cmd:"" help:"Write jobs as YAML, as apply reads them."`
	Start  jobStart  `cmd:"" help:"Let jobs fire by their schedules."`
	Stop   jobStop   `cmd:"" help:"Let jobs fire no more. What runs goes on."`
	Run    jobRun    `cmd:"" help:"Run a job once."`
	Delete jobDelete `cmd:"" help:"Delete jobs with their runs and logs."`

	Deleted jobDeleted `cmd:"" help:"List deleted jobs that can be brought back."`
	Restore jobRestore `cmd:"" help:"Bring deleted jobs back, with their code and without their runs."`
	History jobHistory `cmd:"" help:"Show who has changed what of a job."`
	Undo    jobUndo    `cmd:"" help:"Undo changes of jobs, groups, alarm rules and mute windows."`
}

// jobSet selects jobs.
type jobSet struct {
	Group   string `help:"Only of this group: its app name or id." env:"-" placeholder:"GROUP"`
	State   string `help:"Only started or stopped ones." enum:",started,stopped" default:"" env:"-" placeholder:"STATE"`
	Name    string `help:"Only those whose names contain this." env:"-" placeholder:"PART"`
	Handler string `help:"Only those whose handlers contain this." env:"-" placeholder:"PART"`
	Author  string `help:"Only those whose authors contain this." env:"-" placeholder:"PART"`
	Tag     string `help:"Only those with this tag." env:"-"`
	Sort    string `help:"${job_sort}" enum:"${job_sorts}" default:"id" env:"-"`
}

// filter is the set as the API knows it.
func (s *jobSet) filter(ctx context.Context, c *client.Client) (client.JobFilter, error) {
	f := client.JobFilter{State: s.State, Name: s.Name, Handler: s.Handler, Author: s.Author, Tag: s.Tag, Sort: s.Sort}
	if s.Group == "" {
		return f, nil
	}
	g, err := findGroup(ctx, c, s.Group)
	if err == nil {
		f.GroupID = g.ID
	}
	return f, err
}

// jobs lists the set.
func (s *jobSet) jobs(ctx context.Context, c *client.Client) ([]*client.Job, error) {
	f, err := s.filter(ctx, c)
	if err != nil {
		return nil, err
	}
	list := []*client.Job{}
	for j, err := range c.Jobs(ctx, f) {
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, nil
}

// jobList lists jobs.
type jobList struct {
	Remote
	Form
	jobSet
}

// Run prints them by id.
func (l *jobList) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		list, err := l.jobs(ctx, c)
		if err != nil {
			return err
		}
		groups, err := groupsByID(ctx, c)
		if err != nil {
			return err
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "ID", "GROUP", "NAME", "STATE", "SCHEDULE", "NEXT FIRE")
			for _, j := range list {
				Row(w, j.ID, groupOf(j, groups).AppName, j.Name, stateOf(j, groups), jobfile.Words(j.Schedule),
					clock(j.NextFire))
			}
		})
	})
}

// groupOf is the group of a job, an empty one where it is gone.
func groupOf(j *client.Job, groups map[int32]*client.Group) *client.Group {
	return cmp.Or(groups[j.GroupID], new(client.Group))
}

// stateOf is the state of a job, and that there is nobody to run it.
func stateOf(j *client.Job, groups map[int32]*client.Group) string {
	if g := groups[j.GroupID]; g != nil && len(g.Addresses) == 0 {
		return j.State + ", no address"
	}
	return j.State
}

// oneJob names a job.
type oneJob struct {
	Job string `arg:"" help:"Id, name, or GROUP/NAME."`
}

// jobGet shows a job.
type jobGet struct {
	Remote
	Form
	oneJob
}

// Run prints it.
func (g *jobGet) Run(ctx context.Context, con Console) error {
	return g.With(func(c *client.Client) error {
		j, err := FindJob(ctx, c, g.Job)
		if err != nil {
			return err
		}
		groups, err := groupsByID(ctx, c)
		if err != nil {
			return err
		}
		return g.Print(con, j, func(w io.Writer) {
			for _, line := range [][2]string{
				{"id", fmt.Sprint(j.ID)},
				{"group", fmt.Sprintf("%s (%d)", groupOf(j, groups).AppName, j.GroupID)},
				{"name", j.Name},
				{"author", j.Author},
				{"state", stateOf(j, groups)},
				{"schedule", jobfile.Words(j.Schedule)},
				{"next fire", clock(j.NextFire)},
				{"last fire", clock(j.LastFire)},
				{"misfire", j.Misfire},
				{"route", j.Route},
				{"block", j.Block},
				{"code type", j.CodeType},
				{"handler", dash(j.Handler)},
				{"param", dash(j.Param)},
				{"timeout", jobfile.Span(j.TimeoutMs)},
				{"retries", fmt.Sprint(j.Retries)},
				{"children", strings.Trim(fmt.Sprint(j.Children), "[]")},
				{"tags", strings.Join(j.Tags, " ")},
				{"alarm e-mail", dash(j.AlarmEmail)},
			} {
				Row(w, line[0], line[1])
			}
		})
	})
}

// jobExport writes jobs as YAML.
type jobExport struct {
	Remote
	jobSet

	Jobs []string `arg:"" optional:"" name:"job" help:"Ids, names, or GROUP/NAME. Default: all that the flags select."`
	File string   `help:"Write into this file instead of standard output." short:"f" env:"-" placeholder:"FILE"`
}

// Run writes them.
func (e *jobExport) Run(ctx context.Context, con Console) error {
	return e.With(func(c *client.Client) error {
		w, err := world(ctx, c)
		if err != nil {
			return err
		}
		list, err := e.jobs(ctx, c)
		if len(e.Jobs) > 0 && err == nil {
			list, err = findJobs(ctx, c, e.Jobs, FindJob)
		}
		if err != nil {
			return err
		}
		docs := jobfile.FromJobs(w, list)
		for i, j := range list {
			if j.CodeType != "bean" {
				if docs[i].Code, err = w.Code(j.ID); err != nil {
					return err
				}
			}
		}
		if e.File == "" {
			return jobfile.Write(con.Out, docs)
		}
		return writeFile(e.File, func(w io.Writer) error { return jobfile.Write(w, docs) })
	})
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// finder finds a job by what was typed.
type finder func(ctx context.Context, c *client.Client, name string) (*client.Job, error)

// findJobs finds each of the names, before anything is done to one of them. A job
// that is named twice is one.
func findJobs(ctx context.Context, c *client.Client, names []string, find finder) ([]*client.Job, error) {
	list := make([]*client.Job, 0, len(names))
	seen := make(map[int32]bool)
	for _, name := range names {
		j, err := find(ctx, c, name)
		if err != nil {
			return nil, err
		}
		if !seen[j.ID] {
			list = append(list, j)
		}
		seen[j.ID] = true
	}
	return list, nil
}

// namedJobs is how many jobs a question names.
const namedJobs = 10

// nameJobs says how many jobs these are, and which.
func nameJobs(list []*client.Job) string {
	names := make([]string, 0, len(list))
	for _, j := range list[:min(len(list), namedJobs)] {
		names = append(names, fmt.Sprintf("%d %s", j.ID, Safe(j.Name)))
	}
	if len(list) == 1 {
		return "job " + names[0]
	}
	if more := len(list) - namedJobs; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d jobs (%s)", len(list), strings.Join(names, ", "))
}

// manyJobs names jobs.
type manyJobs struct {
	Jobs []string `arg:"" name:"job" help:"Ids, names, or GROUP/NAME."`
}

// each finds the jobs, does something to each, and says so.
func (m *manyJobs) each(
	ctx context.Context, con Console, c *client.Client, done string, do func(j *client.Job) error,
) error {
	list, err := findJobs(ctx, c, m.Jobs, findTarget)
	if err != nil {
		return err
	}
	return eachOf(con, list, done, do)
}

// eachOf does something to each job, and says so.
func eachOf(con Console, list []*client.Job, done string, do func(j *client.Job) error) error {
	var faults []error
	for _, j := range list {
		if err := do(j); err != nil {
			faults = append(faults, fmt.Errorf("job %d: %w", j.ID, err))
			continue
		}
		fmt.Fprintln(con.Out, strings.TrimSpace(fmt.Sprintf("%s job %d %s", done, j.ID, Safe(j.Name))))
	}
	return errors.Join(faults...)
}

// jobStart starts jobs.
type jobStart struct {
	Remote
	manyJobs
}

// Run starts them.
func (s *jobStart) Run(ctx context.Context, con Console) error {
	return s.With(func(c *client.Client) error {
		return s.each(ctx, con, c, "started", func(j *client.Job) error {
			_, err := c.StartJob(ctx, j.ID)
			return err
		})
	})
}

// jobStop stops jobs.
type jobStop struct {
	Remote
	manyJobs
}

// Run stops them.
func (s *jobStop) Run(ctx context.Context, con Console) error {
	return s.With(func(c *client.Client) error {
		return s.each(ctx, con, c, "stopped", func(j *client.Job) error {
			_, err := c.StopJob(ctx, j.ID)
			return err
		})
	})
}

// jobDelete deletes jobs.
type jobDelete struct {
	Remote
	manyJobs
	Sure
}

// Run asks, and deletes them.
func (d *jobDelete) Run(ctx context.Context, con Console) error {
	return d.With(func(c *client.Client) error {
		list, err := findJobs(ctx, c, d.Jobs, FindJob)
		if err != nil {
			return err
		}
		err = d.ask(con, func() (string, error) {
			what, err := touched(ctx, c, list)
			return what + "Delete " + nameJobs(list) + " with runs and logs?", err
		})
		if err != nil {
			return err
		}
		var gone []string
		err = eachOf(con, list, "deleted", func(j *client.Job) error {
			err := c.DeleteJob(ctx, j.ID, "*")
			if err == nil {
				gone = append(gone, fmt.Sprint(j.ID))
			}
			return err
		})
		if len(gone) > 0 {
			fmt.Fprintf(con.Err, "without their runs they come back: xxl-job-admin job restore %s\n",
				strings.Join(gone, " "))
		}
		return err
	})
}
