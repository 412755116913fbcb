package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// runViewStore reads runs for lists and pages.
type runViewStore interface {
	Runs(ctx context.Context, f model.RunFilter) (*model.RunPage, error)
	CountRuns(ctx context.Context, f model.RunFilter) (n int, more bool, err error)
	RunsNear(ctx context.Context, jobID int32, id int64, n int) ([]*model.Log, error)
	ShardRuns(ctx context.Context, jobID int32, at time.Time) ([]*model.Log, error)
	OpenByAddress(ctx context.Context) ([]model.OpenRuns, error)
	SetBehind(ctx context.Context, rows []*model.Log) error
	SetCauses(ctx context.Context, rows []*model.Log) error
	Followed(ctx context.Context, id int64, limit int) ([]*model.Log, error)
}

// permittedRuns narrows a filter to what the principal may see; none is true
// when that is nothing.
func (s *Service) permittedRuns(ctx context.Context, p Principal, f *model.RunFilter) (none bool, err error) {
	f.GroupID, f.JobID = max(f.GroupID, 0), max(f.JobID, 0)
	if f.GroupID > 0 && !p.Can(f.GroupID, model.RoleViewer) {
		return false, s.denyThrown(ctx, p, "log.list", groupObject(f.GroupID))
	}
	if err := s.needLogin(ctx, p, "log.list"); err != nil {
		return false, err
	}
	f.GroupIDs = nil
	if !p.all() {
		f.GroupIDs = p.groups()
	}
	if none = !p.all() && len(p.groups()) == 0; none || f.JobName == "" {
		return none, nil
	}
	f.JobIDs, err = s.jobsNamed(ctx, f)
	return len(f.JobIDs) == 0, err
}

// jobsNamed returns the jobs of a name among the groups of a filter; where there
// is none, those that have it in theirs.
func (s *Service) jobsNamed(ctx context.Context, f *model.RunFilter) ([]int32, error) {
	in := model.JobFilter{GroupID: f.GroupID, GroupIDs: f.GroupIDs}
	exact, part := in, in
	exact.Named, part.Name = f.JobName, f.JobName
	ids, err := s.store.JobIDs(ctx, exact, model.RunJobsMax+1)
	if err == nil && len(ids) == 0 {
		ids, err = s.store.JobIDs(ctx, part, model.RunJobsMax+1)
	}
	if err != nil || len(ids) <= model.RunJobsMax {
		return ids, err
	}
	const many = "more than %d jobs have %q in their names: give more of the name"
	return nil, &Error{
		Kind: Invalid, Own: "runs.job.many", OwnArgs: []any{model.RunJobsMax, f.JobName},
		Detail: fmt.Sprintf(many, model.RunJobsMax, f.JobName),
	}
}

// Runs returns a page of runs in the order of the filter, of the groups that the principal
// may see; a group that it may not see is refused.
func (s *Service) Runs(ctx context.Context, p Principal, f model.RunFilter) (*model.RunPage, error) {
	none, err := s.permittedRuns(ctx, p, &f)
	switch {
	case err != nil:
		return nil, err
	case none:
		return &model.RunPage{}, nil
	}
	page, err := s.store.Runs(ctx, f)
	if err != nil {
		return nil, err
	}
	return page, s.setPlaces(ctx, page.Runs)
}

// ViewLog is Log, with what is told of its place among other runs.
func (s *Service) ViewLog(ctx context.Context, p Principal, id int64) (*model.Log, error) {
	row, err := s.Log(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return row, s.setPlaces(ctx, []*model.Log{row})
}

// setPlaces sets what is told of the place of runs among others.
func (s *Service) setPlaces(ctx context.Context, rows []*model.Log) error {
	if err := s.store.SetBehind(ctx, rows); err != nil {
		return err
	}
	return s.store.SetCauses(ctx, rows)
}

// CountRuns counts what Runs lists, up to 10,000; more is true when there may be
// others.
func (s *Service) CountRuns(ctx context.Context, p Principal, f model.RunFilter) (n int, more bool, err error) {
	none, err := s.permittedRuns(ctx, p, &f)
	if err != nil || none {
		return 0, false, err
	}
	return s.store.CountRuns(ctx, f)
}
