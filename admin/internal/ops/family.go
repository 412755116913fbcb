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

const (
	// attemptsNear is how many rows of the job before and after a run are looked
	// at for its attempts.
	attemptsNear = 40
	// attemptSlack is how long after the end of a failed run its retry is made,
	// at most: rows have whole seconds, and results wait for the database.
	attemptSlack = 30 * time.Second
	// attemptsMost is how many attempts are followed each way beyond those, and
	// followedMost how many runs that come from one are shown.
	attemptsMost, followedMost = 20, 100
)

// RunFamily is what belongs to a run.
type RunFamily struct {
	// Attempts are the run and those that it is a retry of or that retry it, the
	// first one first; alone when there are none. Of rows of before causes were
	// kept, and of a Java admin, it is told by job, shard, retries left and time.
	Attempts []*model.Log
	// Parent is the run that has started this one: of its parent job, or the one
	// that somebody has run again. It is nil unless there is one that may be seen.
	Parent *model.Log
	// Started are the runs that this one has started likewise, as far as they may be
	// seen: children, and those by which somebody has run it again.
	Started []*model.Log
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
	if err := s.store.SetCauses(ctx, near); err != nil {
		return nil, fmt.Errorf("read what belongs to log %d: %w", row.ID, err)
	}
	f := &RunFamily{Attempts: attempts(near, row)}
	if err := s.relatives(ctx, p, row, f); err != nil {
		return nil, fmt.Errorf("read what belongs to log %d: %w", row.ID, err)
	}
	if row.ShardingParam.S == "" || row.TriggerTime.IsZero() {
		return f, nil
	}
	if f.Shards, err = s.store.ShardRuns(ctx, row.JobID, row.TriggerTime); err != nil {
		return nil, fmt.Errorf("read what belongs to log %d: %w", row.ID, err)
	}
	f.Shards = sameBroadcast(f.Shards, row)
	return f, nil
}

// relatives adds to the family what is on record of where the run, and its
// attempts, come from.
func (s *Service) relatives(ctx context.Context, p Principal, row *model.Log, f *RunFamily) error {
	if row.Cause.Parent != 0 && row.Cause.Kind != model.CauseRetry {
		parent, err := s.logOf(ctx, row.Cause.Parent)
		if err != nil {
			return err
		}
		if parent != nil && p.Can(parent.GroupID, model.RoleViewer) {
			f.Parent = parent
		}
	}
	for range attemptsMost {
		first := f.Attempts[0]
		if first.Cause.Kind != model.CauseRetry || first.Cause.Parent == 0 {
			break
		}
		before, err := s.logOf(ctx, first.Cause.Parent)
		if err != nil {
			return err
		}
		if before == nil {
			break
		}
		f.Attempts = slices.Insert(f.Attempts, 0, before)
	}
	return s.descendants(ctx, p, row, f)
}

// descendants adds what the run has started, and the attempts behind the last one
// that is known.
func (s *Service) descendants(ctx context.Context, p Principal, row *model.Log, f *RunFamily) error {
	list, err := s.store.Followed(ctx, row.ID, followedMost)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.Cause.Kind != model.CauseRetry && p.Can(l.GroupID, model.RoleViewer) {
			f.Started = append(f.Started, l)
		}
	}
	for range attemptsMost {
		last := f.Attempts[len(f.Attempts)-1]
		i := slices.IndexFunc(last.Followed, func(l model.Follow) bool { return l.Kind == model.CauseRetry })
		if i < 0 {
			break
		}
		next, err := s.logOf(ctx, last.Followed[i].ID)
		if err != nil || next == nil {
			return err
		}
		f.Attempts = append(f.Attempts, next)
	}
	return nil
}

// logOf reads a log row with what it comes from; nil if it is gone.
func (s *Service) logOf(ctx context.Context, id int64) (*model.Log, error) {
	l, err := s.store.Log(ctx, id)
	switch {
	case notFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return l, s.store.SetCauses(ctx, []*model.Log{l})
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

// retries reports whether b is the retry of a: as is on record, or evidently.
func retries(a, b *model.Log) bool {
	if k := b.Cause.Kind; k != model.CauseUnknown && (k != model.CauseRetry || b.Cause.Parent != 0) {
		return b.Cause.Parent == a.ID && k == model.CauseRetry
	}
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
