package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

// jobApply makes jobs what files say.
type jobApply struct {
	Remote
	Form
	Sure

	Files  []string `name:"file" short:"f" required:"" help:"${apply_files}" env:"-" placeholder:"FILE" sep:"none"`
	DryRun bool     `help:"Only show the plan; exit code 3 if it has changes." env:"-"`
	Prune  bool     `help:"${apply_prune}" env:"-"`
	Group  string   `help:"With --prune: jobs of this group, its app name or id." env:"-" placeholder:"GROUP"`
	Tag    string   `help:"With --prune: jobs with this tag." env:"-"`
}

// applied is what apply prints as JSON or YAML.
type applied struct {
	*jobfile.Plan

	Applied bool `json:"applied"`
}

// Run shows the plan, asks, and carries it out.
func (a *jobApply) Run(ctx context.Context, con Console) error {
	if err := a.check(); err != nil {
		return err
	}
	jobs, err := a.read(con)
	if err != nil {
		return UsageError{Err: err}
	}
	return a.With(func(c *client.Client) error {
		w, err := world(ctx, c)
		if err != nil {
			return err
		}
		var scope *jobfile.Scope
		if a.Prune {
			if scope, err = a.scope(ctx, c); err != nil {
				return err
			}
		}
		plan, err := jobfile.Make(w, jobs, scope)
		if _, asked := errors.AsType[*client.Error](err); err != nil && !asked {
			return UsageError{Err: err}
		}
		if err != nil {
			return err
		}
		if err := validate(ctx, c, plan); err != nil {
			return err
		}
		if err := pruning(ctx, c, plan); err != nil {
			return err
		}
		changes := len(plan.Steps) > 0
		if a.Output == "table" {
			showPlan(con.Out, plan)
		}
		if changes && !a.DryRun {
			question := fmt.Sprintf("Create %d, update %d, delete %d?",
				plan.Count(jobfile.Create), plan.Count(jobfile.Update), plan.Count(jobfile.Delete))
			if err := a.ask(con, known(question)); err != nil {
				return err
			}
			if err := a.carryOut(ctx, con, c, plan); err != nil {
				return err
			}
		}
		if a.Output != "table" {
			if err := a.Print(con, applied{plan, changes && !a.DryRun}, nil); err != nil {
				return err
			}
		} else if changes && !a.DryRun {
			fmt.Fprintln(con.Out, "done")
		}
		if changes && a.DryRun {
			return SilentError{Err: codedError{err: errors.New("there are changes"), code: ExitChanges}}
		}
		return nil
	})
}

// scope says of which jobs others than those of the files are deleted. A group
// that is not there is a mistake: it would prune nothing, and nobody would know.
func (a *jobApply) scope(ctx context.Context, c *client.Client) (*jobfile.Scope, error) {
	scope := &jobfile.Scope{Tag: a.Tag}
	if a.Group != "" {
		g, err := findGroup(ctx, c, a.Group)
		if err != nil {
			return nil, err
		}
		scope.GroupID = g.ID
	}
	return scope, nil
}

func (a *jobApply) check() error {
	switch {
	case a.Prune && a.Group == "" && a.Tag == "":
		return UsageError{Err: errors.New("--prune needs --group or --tag, to say of which jobs others are deleted")}
	case !a.Prune && a.Group+a.Tag != "":
		return UsageError{Err: errors.New("--group and --tag belong to --prune")}
	case slices.Contains(a.Files, "-") && !a.Yes && !a.DryRun:
		err := errors.New("standard input is the file, so that it cannot answer: give --yes or --dry-run")
		return UsageError{Err: err}
	case a.Output != "table" && !a.Yes && !a.DryRun:
		return UsageError{Err: errors.New("--output json and yaml ask no questions: give --yes or --dry-run")}
	}
	return nil
}

// read reads all files, and the YAML files of folders.
func (a *jobApply) read(con Console) ([]*jobfile.Job, error) {
	var jobs []*jobfile.Job
	var faults []error
	add := func(name string, r io.Reader) {
		list, err := jobfile.Parse(name, r)
		jobs, faults = append(jobs, list...), append(faults, err)
	}
	for _, path := range a.Files {
		if path == "-" {
			add("standard input", con.In)
			continue
		}
		names, err := yamlFiles(path)
		faults = append(faults, err)
		for _, name := range names {
			file, err := os.Open(name)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			add(name, file)
			_ = file.Close() // only read
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%s: there is no job in it", strings.Join(a.Files, ", "))
	}
	return jobs, nil
}

func yamlFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if ext := filepath.Ext(entry.Name()); !entry.IsDir() && (ext == ".yaml" || ext == ".yml") {
			names = append(names, filepath.Join(path, entry.Name()))
		}
	}
	return names, nil
}

// showPlan prints a plan for people.
func showPlan(w io.Writer, plan *jobfile.Plan) {
	for _, s := range plan.Steps {
		name := Safe(s.Group + "/" + s.Name)
		switch s.Action {
		case jobfile.Create:
			fmt.Fprintf(w, "+ %s\n", name)
		case jobfile.Delete:
			fmt.Fprintf(w, "- %s (id %d)\n", name, s.ID)
			for _, note := range s.Notes {
				fmt.Fprintf(w, "    %s\n", Safe(note))
			}
		case jobfile.Update:
			fmt.Fprintf(w, "~ %s (id %d)\n", name, s.ID)
		}
		for _, f := range s.Fields {
			fmt.Fprintf(w, "    %s: %s -> %s\n", f.Field, Safe(dash(f.Before)), Safe(dash(f.After)))
		}
	}
	if len(plan.Steps) == 0 {
		fmt.Fprintf(w, "no changes, %d as the files say\n", plan.Unchanged)
	} else if plan.Unchanged > 0 {
		fmt.Fprintf(w, "= %d unchanged\n", plan.Unchanged)
	}
}

// carryOut does what a plan says. Where that ends early, it says what was done.
func (a *jobApply) carryOut(ctx context.Context, con Console, c *client.Client, plan *jobfile.Plan) error {
	var done []string
	err := carryOut(ctx, c, plan, func(what string, s *jobfile.Step) {
		done = append(done, fmt.Sprintf("%s %s (id %d)", what, s.Group+"/"+s.Name, s.ID))
	})
	if err == nil {
		return nil
	}
	w := a.aside(con)
	for _, line := range done {
		fmt.Fprintln(w, Safe(line))
	}
	fmt.Fprintf(w, "stopped after %d of %d changes: apply once more to see what is left\n", len(done), len(plan.Steps))
	return err
}

// carryOut does first what is new, so that it can be a child, then what changes,
// children before their parents, and last what goes. Each change that is whole is told to done.
func carryOut(
	ctx context.Context, c *client.Client, plan *jobfile.Plan, done func(what string, s *jobfile.Step),
) error {
	created := make(map[string]int32)
	for _, s := range plan.Steps {
		if s.Action != jobfile.Create {
			continue
		}
		if err := makeJob(ctx, c, s, created); err != nil {
			return fmt.Errorf("%s/%s: %w", s.Group, s.Name, err)
		}
		created[s.Group+"/"+s.Name] = s.ID
	}
	words := map[string]string{jobfile.Create: "created", jobfile.Update: "updated", jobfile.Delete: "deleted"}
	for _, s := range plan.Changes() {
		if err := change(ctx, c, s, created); err != nil {
			return fmt.Errorf("%s/%s: %w", s.Group, s.Name, err)
		}
		done(words[s.Action], s)
	}
	for _, s := range plan.Steps {
		if s.Action != jobfile.Delete {
			continue
		}
		if err := remove(ctx, c, s); err != nil {
			return fmt.Errorf("%s/%s: %w", s.Group, s.Name, err)
		}
		done(words[s.Action], s)
	}
	return nil
}

// remove deletes a job, unless somebody has changed it since the plan: it may not
// be one of those any more that are to go.
func remove(ctx context.Context, c *client.Client, s *jobfile.Step) error {
	now, err := unchanged(ctx, c, s)
	if err == nil {
		err = c.DeleteJob(ctx, s.ID, now.ETag)
	}
	if errors.Is(err, client.ErrNotFound) {
		return nil
	}
	return err
}

// unchanged returns the job of a step, if it is the one that the plan was made for.
func unchanged(ctx context.Context, c *client.Client, s *jobfile.Step) (*client.Job, error) {
	now, err := c.Job(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(now.JobInput, s.Was.JobInput) {
		return nil, errors.New("was changed meanwhile: apply once more to see the new plan")
	}
	return now, nil
}

// resolve sets the children of a step, and reports whether all of them are there.
func resolve(s *jobfile.Step, created map[string]int32) bool {
	all := true
	s.Want.Children = nil
	for _, ref := range s.Children {
		id := ref.ID
		if id == 0 {
			id = created[ref.Name]
		}
		if id == 0 {
			all = false
			continue
		}
		s.Want.Children = append(s.Want.Children, id)
	}
	return all
}

// makeJob creates a job. Its state comes when it has its children.
func makeJob(ctx context.Context, c *client.Client, s *jobfile.Step, created map[string]int32) error {
	if s.Want.Author == "" {
		who, err := c.Session(ctx)
		if err != nil {
			return err
		}
		s.Want.Author = who.Name
	}
	state := ""
	if resolve(s, created) {
		state = s.NewState
	}
	j, err := c.CreateJob(ctx, client.JobCreate{
		JobInput: s.Want, State: state, CodeType: s.Job.CodeType, Code: s.Job.Code, CodeRemark: s.Job.Remark,
	})
	if err != nil {
		return err
	}
	s.ID, s.Was = j.ID, j
	return nil
}

// change changes what there is, or what create has left to do.
func change(ctx context.Context, c *client.Client, s *jobfile.Step, created map[string]int32) error {
	resolve(s, created)
	if s.Action == jobfile.Update || !slices.Equal(s.Want.Children, s.Was.Children) {
		now, err := unchanged(ctx, c, s)
		if err != nil {
			return err
		}
		if _, err := c.UpdateJob(ctx, s.ID, now.ETag, s.Want); err != nil {
			return err
		}
	}
	if s.NewCode {
		remark := cmp.Or(s.Job.Remark, jobfile.Remark)
		if _, err := c.SaveCode(ctx, s.ID, s.Job.Code, remark); err != nil {
			return err
		}
	}
	return setState(ctx, c, s)
}

func setState(ctx context.Context, c *client.Client, s *jobfile.Step) (err error) {
	switch s.NewState {
	case "", s.Was.State:
	case client.StateStarted:
		_, err = c.StartJob(ctx, s.ID)
	default:
		_, err = c.StopJob(ctx, s.ID)
	}
	return err
}
