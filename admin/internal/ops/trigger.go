package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TriggerJob runs a job once and returns the ids of the log rows: one, or one
// for each shard of a broadcast. It returns when the runs are on record. An
// override of the address may only name addresses at which an executor of the
// job's group is registered or configured: nobody can make the admin talk, and
// send its token, to an address of his own. For operators.
func (s *Service) TriggerJob(ctx context.Context, p Principal, id int32, in TriggerInput) ([]int64, error) {
	j, err := s.jobFor(ctx, p, id, model.RoleOperator, "job.trigger", s.deny)
	if err != nil {
		return nil, err
	}
	group, err := s.groupOf(ctx, j)
	if err != nil {
		return nil, err
	}
	if in.Type == "" {
		in.Type = model.TriggerManual
	}
	if in.Param != nil {
		if e := fits(field{key(i18n.JobinfoFieldExecutorparam), *in.Param, s.cfg.ParamMax}); e != nil {
			return nil, e
		}
	}
	known := s.addresses(group)
	if in.Addresses, err = pick(in.Addresses, known); err != nil {
		return nil, err
	}
	in.Cause = causeOf(p, &in)
	logIDs, err := s.cfg.Dispatcher.Trigger(ctx, j, in)
	if err != nil {
		return nil, fmt.Errorf("trigger job %d: %w", id, refused(err))
	}
	detail := fmt.Sprintf("%s, log %v", in.Type, logIDs)
	if in.Again != 0 {
		detail += fmt.Sprintf(", run %d again", in.Again)
	}
	if in.Shard != nil {
		detail += fmt.Sprintf(", shard %d/%d", in.Shard.Index, in.Shard.Total)
	}
	if len(in.Addresses) > 0 {
		detail += ", at " + strings.Join(in.Addresses, ",")
	}
	s.record(ctx, p, "job.trigger", jobObject(id), detail)
	return logIDs, nil
}

// causeOf is what is kept of who has asked for runs, and why.
func causeOf(p Principal, in *TriggerInput) model.Cause {
	c := model.Cause{Kind: in.Type.Cause(), Parent: in.Again, Who: p.Name}
	if in.Again != 0 {
		c.Kind = model.CauseAgain
	}
	return c
}

// groupOf loads the group of a job.
func (s *Service) groupOf(ctx context.Context, j *model.Job) (*model.Group, error) {
	g, err := s.store.Group(ctx, j.GroupID)
	switch {
	case notFound(err):
		return nil, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JobinfoFieldJobgroup), key(i18n.SystemNotFound)},
			Detail: fmt.Sprintf("the executor (group) %d of job %d is gone: give the job another one", j.GroupID, j.ID),
		}
	case err != nil:
		return nil, fmt.Errorf("read group %d: %w", j.GroupID, err)
	}
	return g, nil
}

// addresses lists where executors of the group are: on record, and as last
// known to the registry, which is some seconds ahead.
func (s *Service) addresses(g *model.Group) []string {
	list := g.Addresses()
	if live, ok := s.cfg.Registry.Group(g.ID); ok {
		list = append(list, live.Addresses()...)
	}
	return list
}

// pick returns the wanted addresses in the spelling in which they are known,
// without blanks and repeats. A slash at the end makes no difference.
func pick(wanted, known []string) ([]string, error) {
	var list []string
	for _, item := range wanted {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		i := slices.IndexFunc(known, func(a string) bool {
			return strings.TrimRight(a, "/") == strings.TrimRight(item, "/")
		})
		if i < 0 {
			return nil, invalid("only addresses that are registered or configured for the job's executor can be chosen",
				key(i18n.JobgroupFieldRegistryList), lit("("+cut(item, maxValue)+")"), key(i18n.SystemNotFound)).
				own("refused.address.unknown", cut(item, maxValue))
		}
		if !slices.Contains(list, known[i]) {
			list = append(list, known[i])
		}
	}
	return list, nil
}
