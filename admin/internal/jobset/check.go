package jobset

import (
	"cmp"
	"context"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// checker is what Check asks of package ops.
type checker interface {
	CheckJobs(ctx context.Context, p ops.Principal, drafts []ops.Draft) ([][]*ops.Error, error)
}

// Fault is what a step of a plan would be refused for.
type Fault struct {
	Step *jobfile.Step
	Err  *ops.Error
}

// Check returns all that Apply would be refused for, in the order of the file. It
// changes nothing.
func Check(ctx context.Context, c checker, who ops.Principal, plan *jobfile.Plan) ([]Fault, error) {
	list, steps := plan.Drafts(who.Name)
	drafts := make([]ops.Draft, len(list))
	for i, d := range list {
		j := jobOf(d.JobInput)
		j.ID, j.GlueType = d.ID, strings.ToUpper(cmp.Or(d.CodeType, model.GlueBean))
		j.GlueSource, j.GlueRemark = model.T(d.Code), model.T(d.CodeRemark)
		j.Running = d.State == client.StateStarted
		if d.ID != 0 {
			j.TimeZone = cmp.Or(j.TimeZone, ops.ServerZone)
		}
		drafts[i] = ops.Draft{Job: j, Tags: d.Tags, NewCode: steps[i].NewCode}
	}
	found, err := c.CheckJobs(ctx, who, drafts)
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for i, refusals := range found {
		for _, e := range refusals {
			faults = append(faults, Fault{steps[i], e})
		}
	}
	return faults, nil
}
