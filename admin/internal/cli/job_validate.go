package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

const (
	// validateJobs is how many jobs a server looks at in one request.
	validateJobs = 500
	// validateBytes is how much a request holds, well below what a server takes.
	validateBytes = 512 << 10
	// rewiredMost is how many drafts are sent beside them: half of what a request
	// may have. Behind as many a circle may be seen that there will not be.
	rewiredMost = validateJobs / 2
)

// validate has the server make every check of the changes of a plan. The error joins
// all that they would be refused for, each with its file and line.
func validate(ctx context.Context, c *client.Client, plan *jobfile.Plan) error {
	if plan.Count(jobfile.Create)+plan.Count(jobfile.Update) == 0 {
		return nil
	}
	who, err := c.Session(ctx)
	if err != nil {
		return err
	}
	drafts, steps := plan.Drafts(who.Name)
	beside := rewired(drafts, steps)
	var faults []error
	for len(drafts) > 0 {
		n, err := portion(drafts, validateJobs-len(beside))
		if err != nil {
			return err
		}
		found, err := c.ValidateJobs(ctx, slices.Concat(drafts[:n], beside))
		if err != nil {
			return err
		}
		for _, f := range found {
			if f.Index >= n {
				continue // beside: it has its own turn
			}
			for _, e := range f.Errors {
				faults = append(faults, steps[f.Index].Fault(e.Pointer, e.Detail))
			}
		}
		drafts, steps = drafts[n:], steps[n:]
	}
	if len(faults) > 0 {
		return UsageError{Err: fmt.Errorf("nothing was changed:\n%w", errors.Join(faults...))}
	}
	return nil
}

// pruning asks of each job that is to go whether it may, and says in the plan what
// goes with it.
func pruning(ctx context.Context, c *client.Client, plan *jobfile.Plan) error {
	var faults []error
	for _, s := range plan.Steps {
		if s.Action != jobfile.Delete {
			continue
		}
		d, err := c.Deletion(ctx, s.ID)
		switch {
		case errors.Is(err, client.ErrForbidden):
			faults = append(faults, fmt.Errorf("%s/%s (id %d) cannot be deleted: %w", s.Group, s.Name, s.ID, err))
		case err != nil:
			return fmt.Errorf("%s/%s: %w", s.Group, s.Name, err)
		default:
			s.Notes = append([]string{"the files do not have it"}, pruned(plan, d)...)
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("nothing was changed:\n%w", errors.Join(faults...))
	}
	return nil
}

// pruned says in words what the deletion of a job touches beside itself.
func pruned(plan *jobfile.Plan, d *client.Deletion) (notes []string) {
	if d.Started {
		notes = append(notes, "it fires by its schedule now")
	}
	if d.RunningRuns > 0 {
		notes = append(notes, counted(d.RunningRuns, "run")+" on executors now: what comes of it is not kept")
	}
	if d.PlannedRuns > 0 {
		notes = append(notes, counted(d.PlannedRuns, "run")+" will not be sent any more")
	}
	changed := make(map[int32]bool)
	for _, s := range plan.Steps {
		changed[s.ID] = true
	}
	for _, p := range d.Parents {
		if !changed[p.ID] {
			notes = append(notes, fmt.Sprintf("job %d %s has it as a child, and will trigger it no more", p.ID, p.Name))
		}
	}
	return notes
}

// portion is how many of the drafts go into one request: at least one, at most most.
func portion(drafts []client.JobDraft, most int) (int, error) {
	size := 0
	for i := range drafts[:min(len(drafts), most)] {
		raw, err := json.Marshal(drafts[i])
		if err != nil {
			return 0, err
		}
		if size += len(raw); i > 0 && size > validateBytes {
			return i, nil
		}
	}
	return min(len(drafts), most), nil
}

// rewired are the drafts that change the children of jobs that there are, with little
// but these. They are sent beside every part of the plan: whether there is a circle
// depends on what all jobs will lead to, and the server knows only what they do now.
func rewired(drafts []client.JobDraft, of []*jobfile.Step) (list []client.JobDraft) {
	for i, d := range drafts {
		if of[i].Was == nil || slices.Equal(of[i].Was.Children, d.Children) || len(list) == rewiredMost {
			continue
		}
		short := client.JobDraft{ID: d.ID}
		short.GroupID, short.Name, short.Schedule, short.Children = d.GroupID, d.Name, d.Schedule, d.Children
		list = append(list, short)
	}
	return list
}
