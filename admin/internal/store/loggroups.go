package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// GroupsOfLogs returns the group of each log row that exists, by its id. It
// reads in batches and blocks on the database.
func (s *Store) GroupsOfLogs(ctx context.Context, ids []int64) (map[int64]int32, error) {
	found := make(map[int64]int32, len(ids))
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(ids)), idBatch) {
		part, err := s.groupsOfLogs(ctx, chunk)
		if err != nil {
			return nil, fmt.Errorf("groups of %d log rows: %w", len(ids), err)
		}
		maps.Copy(found, part)
	}
	return found, nil
}

func (s *Store) groupsOfLogs(ctx context.Context, ids []int64) (map[int64]int32, error) {
	args := padded(ids)
	rows, err := s.reader().QueryContext(ctx,
		s.sql("SELECT id, job_group FROM xxl_job_log WHERE id IN ("+marks(len(args))+")"), args...)
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
