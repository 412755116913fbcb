package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Draft is a job as it would be created or edited.
type Draft struct {
	Job  *model.Job // ID 0 is a new one. Running says that it is started afterwards
	Tags []string
	// NewCode says of a job that there is that its code becomes GlueSource, with
	// GlueRemark.
	NewCode bool
}

// CheckJobs returns for each draft all that the change would be refused for, and
// changes nothing. Drafts are looked at together: the children of one that is among
// them are those that it would have.
func (s *Service) CheckJobs(ctx context.Context, p Principal, drafts []Draft) ([][]*Error, error) {
	if err := s.needLogin(ctx, p, "job.check"); err != nil {
		return nil, err
	}
	var ids []int32
	for _, d := range drafts {
		if d.Job.ID != 0 {
			ids = append(ids, d.Job.ID)
		}
	}
	have, err := s.jobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	check := draftCheck{s: s, p: p, have: have, groups: map[int32]bool{}, known: map[int32]*model.Job{}}
	for _, d := range drafts {
		if have[d.Job.ID] != nil {
			check.known[d.Job.ID] = d.Job
		}
	}
	groups, err := s.store.AllGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	for _, g := range groups {
		check.groups[g.ID] = true
	}
	all := make([][]*Error, len(drafts))
	for i := range drafts {
		if all[i], err = check.faults(ctx, &drafts[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// draftCheck is one call of CheckJobs.
type draftCheck struct {
	s      *Service
	p      Principal
	have   map[int32]*model.Job // of the drafts
	groups map[int32]bool
	known  map[int32]*model.Job // with the children that they would have; nil is none
}

// read is readJobs that reads each job once, of which it keeps the children alone:
// many drafts may lead to the same jobs, and these have code.
func (c *draftCheck) read(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	found := make(map[int32]*model.Job, len(ids))
	var ask []int32
	for _, id := range ids {
		if j, asked := c.known[id]; !asked {
			ask = append(ask, id)
		} else if j != nil {
			found[id] = j
		}
	}
	read, err := c.s.jobsByID(ctx, ask)
	if err != nil {
		return nil, err
	}
	for _, id := range ask {
		c.known[id] = nil
		if j := read[id]; j != nil {
			c.known[id] = &model.Job{ID: id, Children: j.Children}
			found[id] = c.known[id]
		}
	}
	return found, nil
}

// faults are all of a draft. Who may not edit the job or its new group learns that
// alone.
func (c *draftCheck) faults(ctx context.Context, d *Draft) ([]*Error, error) {
	s, p := c.s, c.p
	j := *d.Job
	old := c.have[j.ID]
	switch {
	case !p.Can(j.GroupID, model.RoleEditor) || old != nil && !p.Can(old.GroupID, model.RoleEditor) ||
		j.ID != 0 && old == nil && !s.mayMiss(ctx, p, j.ID):
		e := s.deny(ctx, p, "job.check", jobObject(j.ID))
		e.Parts = append([]Part{key(i18n.JobinfoFieldJobgroup)}, e.Parts...)
		return []*Error{e}, nil
	case j.ID != 0 && old == nil:
		return []*Error{noJob(j.ID)}, nil
	case !c.groups[j.GroupID]:
		return []*Error{invalid("there is no executor (group) "+id32(j.GroupID),
			key(i18n.JobinfoFieldJobgroup), key(i18n.SystemInvalid))}, nil
	}
	code := func() *Error { return s.checkCode(ctx, p, &j) }
	if old != nil {
		j = *edited(old, d.Job)
		j.Running, j.Children = d.Job.Running, d.Job.Children
		code = func() *Error { return needHandler(&j) }
	}
	normalise(&j)
	checks := s.commonChecks(&j, code)
	if d.NewCode {
		checks = append(checks, func() *Error { return c.newCode(ctx, &j, d) })
	}
	checks = append(checks, func() *Error { return checkTags(d.Tags) })
	var faults []*Error
	for _, check := range checks {
		if e := check(); e != nil {
			faults = append(faults, e)
		}
	}
	children, err := s.childFaults(ctx, p, &j, c.read)
	faults = append(faults, children...)
	if len(faults) == 0 && j.Running && (old == nil || !old.Running || old.ScheduleConf != j.ScheduleConf) {
		if e := s.mayStart(&j); e != nil {
			faults = append(faults, e)
		}
	}
	return faults, err
}

// newCode checks code in place of that of a job.
func (c *draftCheck) newCode(ctx context.Context, j *model.Job, d *Draft) *Error {
	if j.GlueType == model.GlueBean {
		return &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JobinfoFieldGluetype), key(i18n.JobinfoGlueGluetypeInvalid)},
			Detail: "a BEAN job runs a handler of the executor",
		}
	}
	if e := c.s.needCode(ctx, c.p, "job.check", jobObject(j.ID)); e != nil {
		return e
	}
	return checkSource(d.Job.GlueSource.S, d.Job.GlueRemark.S)
}

// mayStart refuses a job that has no time to come.
func (s *Service) mayStart(j *model.Job) *Error {
	if j.ScheduleType == model.ScheduleNone {
		return noStart()
	}
	var e *Error
	if _, err := s.firstMs(j, s.now()); errors.As(err, &e) {
		return e
	}
	return nil
}
