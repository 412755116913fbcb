package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// maxRecent bounds the runs of one job that RecentRuns returns.
const maxRecent = 200

// RecentRuns returns the last runs of each job, at most so many (up to 200), the
// oldest first. Jobs without runs are not in the map. Each job is a question of
// its own that an index answers.
func (s *Store) RecentRuns(ctx context.Context, jobIDs []int32, each int) (map[int32][]model.Recent, error) {
	found := make(map[int32][]model.Recent, len(jobIDs))
	for _, id := range jobIDs {
		list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.Recent, error) {
			var r model.Recent
			err := row.Scan(&r.ID, s.db.ScanTime(&r.TriggerTime), &r.TriggerCode, s.db.ScanTime(&r.HandleTime),
				&r.HandleCode, scanNumber(&r.End.PlannedMs), scanNumber(&r.End.SentMs),
				scanNumber(&r.End.EndedMs), scanNumber(&r.End.Kind), &r.RetriesLeft)
			return r, err
		}, s.db.SQL("SELECT l.id, l.trigger_time, l.trigger_code, l.handle_time, l.handle_code, "+endColumns+
			", l.executor_fail_retry_count"+s.fromLog()+
			" WHERE l.job_id = ? ORDER BY l.id DESC LIMIT ?"), id, min(max(each, 1), maxRecent))
		if err != nil {
			return nil, fmt.Errorf("recent runs of job %d: %w", id, err)
		}
		if len(list) > 0 {
			slices.Reverse(list)
			found[id] = list
		}
	}
	return found, nil
}
