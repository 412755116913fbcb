package ops

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// moveAction is the action of the history for jobs that were moved together.
const moveAction = "move"

// moveJobs puts jobs into a group. Nothing else of them changes, not even what an
// editor would refuse today; runs that are on record stay with the old group.
// Jobs that are in the group already count as done.
func (s *Service) moveJobs(ctx context.Context, p Principal, ids []int32, to int32) (*BulkResult, error) {
	result := &BulkResult{}
	if !p.Can(to, model.RoleEditor) {
		return result, s.deny(ctx, p, "job.move", groupObject(to))
	}
	if _, err := s.store.Group(ctx, to); notFound(err) {
		return result, invalid("there is no executor (group) "+id32(to),
			key(i18n.JobinfoFieldJobgroup), key(i18n.SystemInvalid))
	} else if err != nil {
		return result, fmt.Errorf("read group %d: %w", to, err)
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return result, err
	}
	defer unlock()
	jobs, err := s.store.JobsByID(ctx, ids)
	if err != nil {
		return result, fmt.Errorf("read jobs: %w", err)
	}
	var move []*model.Job
	for _, id := range ids {
		j := jobs[id]
		switch {
		case j == nil:
			err = result.take(id, s.absentJob(ctx, p, id, "job.move", s.deny))
		case !p.Can(j.GroupID, model.RoleEditor):
			err = result.take(id, s.deny(ctx, p, "job.move", jobObject(id)))
		case j.GroupID == to:
			err = result.take(id, nil)
		default:
			move = append(move, j)
		}
		if err != nil {
			return result, err
		}
	}
	return result, s.regroup(ctx, p, move, to, moveAction, result)
}

// regroup writes the group of jobs, and what was done.
func (s *Service) regroup(
	ctx context.Context, p Principal, jobs []*model.Job, to int32, action string, result *BulkResult,
) error {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]int32, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	tags, err := s.store.Tags(ctx, ids)
	if err != nil {
		return fmt.Errorf("read tags: %w", err)
	}
	now := s.seconds()
	if err := s.store.RegroupJobs(ctx, ids, to, now); err != nil {
		return fmt.Errorf("move jobs to group %d: %w", to, err)
	}
	for _, j := range jobs {
		after := *j
		after.GroupID, after.UpdateTime = to, now
		s.record(ctx, p, "job."+action, jobObject(j.ID), jobDiff(j, &after))
		s.changed(ctx, p, change{
			kind: model.ChangeJob, id: j.ID, action: action,
			before: jobState(j, tags[j.ID]), after: jobState(&after, tags[j.ID]),
		})
		if err := result.take(j.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// unmove puts a job back into the group that it was in before a change of
// nothing else.
func (s *Service) unmove(ctx context.Context, p Principal, id int32, before, after *JobState, force bool) error {
	if !p.Can(before.GroupID, model.RoleEditor) {
		return s.deny(ctx, p, "job.move", groupObject(before.GroupID))
	}
	if _, err := s.store.Group(ctx, before.GroupID); notFound(err) {
		return invalid("there is no executor (group) "+id32(before.GroupID)+" any more",
			key(i18n.JobinfoFieldJobgroup), key(i18n.SystemInvalid))
	} else if err != nil {
		return fmt.Errorf("read group %d: %w", before.GroupID, err)
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	j, err := s.Job(ctx, p, id)
	switch {
	case err != nil:
		return err
	case !p.Can(j.GroupID, model.RoleEditor):
		return s.deny(ctx, p, "job.move", jobObject(id))
	case j.GroupID != after.GroupID && !force:
		return ErrStale
	}
	return s.regroup(ctx, p, []*model.Job{j}, before.GroupID, "undo", &BulkResult{})
}
