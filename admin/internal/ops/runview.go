package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// runViewStore reads runs for lists and pages.
type runViewStore interface {
	Runs(ctx context.Context, f model.RunFilter) (*model.RunPage, error)
	CountRuns(ctx context.Context, f model.RunFilter) (n int, more bool, err error)
	RunsNear(ctx context.Context, jobID int32, id int64, n int) ([]*model.Log, error)
	ShardRuns(ctx context.Context, jobID int32, at time.Time) ([]*model.Log, error)
	SetBehind(ctx context.Context, rows []*model.Log) error
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
	return page, s.store.SetBehind(ctx, page.Runs)
}

// ViewLog is Log, with what is told of its place among other runs.
func (s *Service) ViewLog(ctx context.Context, p Principal, id int64) (*model.Log, error) {
	row, err := s.Log(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return row, s.store.SetBehind(ctx, []*model.Log{row})
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

const (
	// attemptsNear is how many rows of the job before and after a run are looked
	// at for its attempts.
	attemptsNear = 40
	// attemptSlack is how long after the end of a failed run its retry is made,
	// at most: rows have whole seconds, and results wait for the database.
	attemptSlack = 30 * time.Second
)

// RunFamily is what belongs to a run.
type RunFamily struct {
	// Attempts are the run and those that it is a retry of or that retry it, the
	// first one first; alone when there are none. The log row of Java does not
	// say whose retry it is: it is told by job, shard, retries left and time.
	Attempts []*model.Log
	// Shards are the runs of the same broadcast, by shard; nil unless sharded.
	Shards []*model.Log
}

// RunFamily returns what belongs to a run that the principal may see.
func (s *Service) RunFamily(ctx context.Context, p Principal, row *model.Log) (*RunFamily, error) {
	if !p.Can(row.GroupID, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "log.get", logObject(row.ID))
	}
	near, err := s.store.RunsNear(ctx, row.JobID, row.ID, attemptsNear)
	if err != nil {
		return nil, fmt.Errorf("read what belongs to log %d: %w", row.ID, err)
	}
	f := &RunFamily{Attempts: attempts(near, row)}
	if row.ShardingParam.S == "" || row.TriggerTime.IsZero() {
		return f, nil
	}
	if f.Shards, err = s.store.ShardRuns(ctx, row.JobID, row.TriggerTime); err != nil {
		return nil, fmt.Errorf("read what belongs to log %d: %w", row.ID, err)
	}
	f.Shards = sameBroadcast(f.Shards, row)
	return f, nil
}

// sameBroadcast keeps the shards of as many as the run has, in their order.
func sameBroadcast(list []*model.Log, row *model.Log) []*model.Log {
	_, total, _ := model.ParseSharding(row.ShardingParam.S)
	index := func(l *model.Log) int32 {
		i, _, _ := model.ParseSharding(l.ShardingParam.S)
		return i
	}
	list = slices.DeleteFunc(list, func(l *model.Log) bool {
		_, n, ok := model.ParseSharding(l.ShardingParam.S)
		return !ok || n != total
	})
	slices.SortStableFunc(list, func(a, b *model.Log) int { return cmp.Compare(index(a), index(b)) })
	return list
}

// attempts finds the run's own chain among its neighbours, which are in the
// order of their ids.
func attempts(near []*model.Log, row *model.Log) []*model.Log {
	at := slices.IndexFunc(near, func(l *model.Log) bool { return l.ID == row.ID })
	if at < 0 {
		return []*model.Log{row}
	}
	chain := []*model.Log{near[at]}
	for i := at - 1; i >= 0; i-- {
		if retries(near[i], chain[0]) {
			chain = slices.Insert(chain, 0, near[i])
		}
	}
	for i := at + 1; i < len(near); i++ {
		if retries(chain[len(chain)-1], near[i]) {
			chain = append(chain, near[i])
		}
	}
	return chain
}

// retries reports whether b is evidently the retry of a.
func retries(a, b *model.Log) bool {
	failed := a.HandleCode != model.CodeNone && a.HandleCode != model.CodeSuccess ||
		a.TriggerCode != model.CodeNone && a.TriggerCode != model.CodeSuccess
	if !failed || a.RetriesLeft != b.RetriesLeft+1 || a.ShardingParam != b.ShardingParam ||
		!strings.EqualFold(a.Param.S, b.Param.S) || b.TriggerTime.IsZero() {
		return false
	}
	ended := a.HandleTime
	if ended.IsZero() {
		ended = a.TriggerTime
	}
	wait := b.TriggerTime.Sub(ended)
	return wait >= -time.Second && wait <= attemptSlack
}
