package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// fewJobs is for how many jobs of a list of runs the index over jobs is asked for
// each; rows of more jobs are looked for as what no index knows.
const fewJobs = 16

// runQueries are the searches that make a list of runs: one, or of a few jobs one
// each. There is none when nothing can match.
func (s *Store) runQueries(f *model.RunFilter) []*runQuery {
	if f.JobID != 0 || len(f.JobIDs) == 0 || len(f.JobIDs) > fewJobs {
		if rq, ok := s.runQuery(f); ok {
			return []*runQuery{rq}
		}
		return nil
	}
	var list []*runQuery
	for _, id := range slices.Compact(slices.Sorted(slices.Values(f.JobIDs))) {
		one := *f
		one.JobID, one.JobIDs = id, nil
		if rq, ok := s.runQuery(&one); ok {
			list = append(list, rq)
		}
	}
	return list
}

// searchAll is searchRuns of several jobs at once, whose lists go by id.
func (s *Store) searchAll(
	ctx context.Context, rqs []*runQuery, at model.RunCursor, limit int,
) (keys []runKey, next model.RunCursor, err error) {
	if len(rqs) == 1 {
		return s.searchRuns(ctx, rqs[0], at, limit, runBudget)
	}
	oldest := rqs[0].oldest
	order := func(a, b int64) int {
		if oldest {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	}
	for _, rq := range rqs {
		part, end, err := s.searchRuns(ctx, rq, at, limit, runBudget/time.Duration(len(rqs)))
		if err != nil {
			return nil, next, err
		}
		keys = append(keys, part...)
		if end.ID != 0 && (next.ID == 0 || order(end.ID, next.ID) < 0) {
			next = end
		}
	}
	// Behind the first end there may be more of its job.
	keys = slices.DeleteFunc(keys, func(k runKey) bool { return next.ID != 0 && order(k.id, next.ID) > 0 })
	slices.SortFunc(keys, func(a, b runKey) int { return order(a.id, b.id) })
	if len(keys) > limit {
		keys = keys[:limit]
		next = keys[limit-1].cursor()
	}
	return keys, next, nil
}
