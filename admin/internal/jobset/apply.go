package jobset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// writer is what this package changes through package ops.
type writer interface {
	CreateTagged(ctx context.Context, p ops.Principal, in *model.Job, tags []string) (int32, error)
	EditJob(ctx context.Context, p ops.Principal, in ops.JobEdit) error
	SaveGlue(ctx context.Context, p ops.Principal, jobID int32, source, remark string) error
	StartJob(ctx context.Context, p ops.Principal, id int32) error
	StopJob(ctx context.Context, p ops.Principal, id int32) error
	DeleteJob(ctx context.Context, p ops.Principal, id int32) error
}

// Done counts what was done of a plan.
type Done struct{ Created, Updated, Deleted int }

// StepError says at which job of a plan it has ended. Unwrap is why.
type StepError struct {
	Job string // group and name
	Err error
}

// Error names the job.
func (e *StepError) Error() string { return e.Job + ": " + e.Err.Error() }

// Unwrap is why it has ended.
func (e *StepError) Unwrap() error { return e.Err }

// applier carries out one plan.
type applier struct {
	w       writer
	who     ops.Principal
	created map[string]int32
	done    Done
}

// Apply does what a plan says: first what is new, so that it can be a child, then what
// changes, children before their parents, last what goes. It ends at the first job
// with which something is wrong, a *StepError;
// what was done before stays, and the same file applied again does the rest. A job
// that was changed since the plan was made is ops.ErrStale.
func Apply(ctx context.Context, w writer, who ops.Principal, plan *jobfile.Plan) (Done, error) {
	a := &applier{w: w, who: who, created: map[string]int32{}}
	for _, pass := range []struct {
		do    func(context.Context, *jobfile.Step) error
		steps []*jobfile.Step
	}{{a.create, plan.Steps}, {a.change, plan.Changes()}, {a.remove, plan.Steps}} {
		for _, s := range pass.steps {
			if err := pass.do(ctx, s); err != nil {
				return a.done, &StepError{Job: s.Group + "/" + s.Name, Err: err}
			}
		}
	}
	return a.done, nil
}

// create makes a job; its state and its children come later.
func (a *applier) create(ctx context.Context, s *jobfile.Step) error {
	if s.Action != jobfile.Create {
		return nil
	}
	in := s.Want
	in.Author = cmp.Or(in.Author, a.who.Name)
	in.Children = nil
	j := jobOf(in)
	j.GlueType = strings.ToUpper(s.Job.CodeType)
	j.GlueSource, j.GlueRemark = model.T(s.Job.Code), model.T(s.Job.Remark)
	id, err := a.w.CreateTagged(ctx, a.who, j, in.Tags)
	if err != nil {
		return err
	}
	a.created[s.Group+"/"+s.Name] = id
	a.done.Created++
	return nil
}

// change changes what there is, and does what create has left to do.
func (a *applier) change(ctx context.Context, s *jobfile.Step) error {
	id, state := s.ID, client.StateStopped
	want := s.Want
	want.Children = nil
	for _, ref := range s.Children {
		want.Children = append(want.Children, cmp.Or(ref.ID, a.created[ref.Name]))
	}
	var same func(*model.Job, []string) bool
	if s.Action == jobfile.Create {
		id = a.created[s.Group+"/"+s.Name]
		want.Author = cmp.Or(want.Author, a.who.Name)
	} else {
		state = s.Was.State
		same = func(now *model.Job, tags []string) bool {
			return reflect.DeepEqual(view(now, tags).JobInput, s.Was.JobInput)
		}
	}
	if s.Action == jobfile.Update || len(want.Children) > 0 {
		j := jobOf(want)
		j.ID, j.TimeZone = id, cmp.Or(j.TimeZone, ops.ServerZone)
		if err := a.w.EditJob(ctx, a.who, ops.JobEdit{Job: j, Tags: &want.Tags, Match: same}); err != nil {
			return err
		}
	}
	if s.NewCode {
		remark := cmp.Or(s.Job.Remark, jobfile.Remark)
		if err := a.w.SaveGlue(ctx, a.who, id, s.Job.Code, remark); err != nil {
			return err
		}
	}
	if s.Action == jobfile.Update {
		a.done.Updated++
	}
	switch s.NewState {
	case "", state:
	case client.StateStarted:
		return a.w.StartJob(ctx, a.who, id)
	default:
		return a.w.StopJob(ctx, a.who, id)
	}
	return nil
}

// remove deletes a job that the file does not have. One that is gone is no
// error.
func (a *applier) remove(ctx context.Context, s *jobfile.Step) error {
	if s.Action != jobfile.Delete {
		return nil
	}
	var refusal *ops.Error
	err := a.w.DeleteJob(ctx, a.who, s.ID)
	if errors.As(err, &refusal) && refusal.Kind == ops.NotFound {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	a.done.Deleted++
	return nil
}
