package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

const (
	// validateJobs is how many jobs a server looks at in one request.
	validateJobs = 500
	// validateBytes is how much a request holds, well below what a server takes.
	validateBytes = 512 << 10
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
	var faults []error
	for len(drafts) > 0 {
		n, err := portion(drafts)
		if err != nil {
			return err
		}
		found, err := c.ValidateJobs(ctx, drafts[:n])
		if err != nil {
			return err
		}
		for _, f := range found {
			for _, e := range f.Errors {
				faults = append(faults, steps[f.Index].Fault(e.Pointer, e.Detail))
			}
		}
		drafts, steps = drafts[n:], steps[n:]
	}
	if len(faults) > 0 {
		return fmt.Errorf("nothing was changed:\n%w", errors.Join(faults...))
	}
	return nil
}

// portion is how many of the drafts go into one request: at least one.
func portion(drafts []client.JobDraft) (int, error) {
	size := 0
	for i := range drafts[:min(len(drafts), validateJobs)] {
		raw, err := json.Marshal(drafts[i])
		if err != nil {
			return 0, err
		}
		if size += len(raw); i > 0 && size > validateBytes {
			return i, nil
		}
	}
	return min(len(drafts), validateJobs), nil
}
