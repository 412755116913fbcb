package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// GroupsOfLogs returns the group of each log row that exists, by its id. It
// reads in batches and blocks on the database.
func (s *Store) GroupsOfLogs(ctx context.Context, ids []int64) (map[int64]int32, error) {
	found := make(map[int64]int32, len(ids))
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(ids)), sqldb.IDBatch) {
		part, err := s.groupsOfLogs(ctx, chunk)
		if err != nil {
			return nil, fmt.Errorf("groups of %d log rows: %w", len(ids), err)
		}
		maps.Copy(found, part)
	}
	return found, nil
}

func (s *Store) groupsOfLogs(ctx context.Context, ids []int64) (map[int64]int32, error) {
	args := sqldb.Padded(ids)
	rows, err := s.db.Reader().QueryContext(ctx,
		s.db.SQL("SELECT id, job_group FROM xxl_job_log WHERE id IN ("+sqldb.Marks(len(args))+")"), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[int64]int32, len(ids))
	for rows.Next() {
		var id int64
		var group int32
		if err := rows.Scan(&id, &group); err != nil {
			return nil, err
		}
		found[id] = group
	}
	return found, rows.Err()
}

// StartedByGroup counts the started jobs of every group that has any. It reads
// the table of jobs once.
func (s *Store) StartedByGroup(ctx context.Context) (map[int32]int, error) {
	type pair struct {
		group int32
		n     int
	}
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (pair, error) {
		var p pair
		err := row.Scan(&p.group, &p.n)
		return p, err
	}, "SELECT job_group, COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 GROUP BY job_group")
	if err != nil {
		return nil, fmt.Errorf("started jobs by group: %w", err)
	}
	found := make(map[int32]int, len(list))
	for _, p := range list {
		found[p.group] = p.n
	}
	return found, nil
}
