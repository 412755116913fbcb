package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Who does not see every group is told the same of a job, run or change that is not
// there as of one in a group where he has no role: which ids there are is no concern
// of his. What was deleted in a group of his he may know of.

// denier is [Service.deny] or [Service.denyThrown].
type denier func(ctx context.Context, p Principal, action, object string) *Error

// absentJob refuses a job that is not there, in the words for a foreign one where the
// principal is not to know.
func (s *Service) absentJob(ctx context.Context, p Principal, id int32, action string, deny denier) *Error {
	if s.mayMiss(ctx, p, id) {
		return noJob(id)
	}
	return deny(ctx, p, action, jobObject(id))
}

// mayMiss reports whether the principal may know that there is no such job: it sees
// every group, or that which the job was in.
func (s *Service) mayMiss(ctx context.Context, p Principal, id int32) bool {
	if p.all() {
		return true
	}
	d, err := s.store.Deleted(ctx, model.ChangeJob, id)
	return err == nil && p.Can(d.GroupID, model.RoleViewer)
}

// jobFor loads a job in whose group the principal has the role, for an action that
// deny refuses to others.
func (s *Service) jobFor(
	ctx context.Context, p Principal, id int32, need model.Role, action string, deny denier,
) (*model.Job, error) {
	j, err := s.store.Job(ctx, id)
	switch {
	case notFound(err):
		return nil, s.absentJob(ctx, p, id, action, deny)
	case err != nil:
		return nil, fmt.Errorf("read job %d: %w", id, err)
	case !p.Can(j.GroupID, need):
		return nil, deny(ctx, p, action, jobObject(id))
	}
	return j, nil
}

// asForeign makes of an error that says that there is nothing, or that it is
// somebody else's, the one refusal of the action, for who does not see every group.
func (s *Service) asForeign(ctx context.Context, p Principal, err error, action, object string) error {
	var e *Error
	if p.all() || !errors.As(err, &e) || e.Kind != NotFound && e.Kind != Forbidden {
		return err
	}
	return s.denyThrown(ctx, p, action, object)
}
