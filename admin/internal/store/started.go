package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// maxStarted bounds the jobs that StartedJobs returns.
const maxStarted = 5000

// StartedJobs returns started jobs with ids above after, by id, at most limit (up
// to 5,000): what their schedules are, and nothing else of them.
func (s *Store) StartedJobs(ctx context.Context, after int32, limit int) ([]model.StartedJob, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.StartedJob, error) {
		var j model.StartedJob
		err := row.Scan(&j.ID, &j.GroupID, &j.Name, &j.ScheduleType, scanString{&j.Conf}, scanString{&j.TimeZone},
			&j.NextMs)
		return j, err
	}, s.db.SQL("SELECT id, job_group, {job.name}, schedule_type, schedule_conf, x_time_zone, trigger_next_time "+
		"FROM xxl_job_info WHERE trigger_status = 1 AND id > ? ORDER BY id LIMIT ?"),
		after, min(max(limit, 1), maxStarted))
	if err != nil {
		return nil, fmt.Errorf("started jobs: %w", err)
	}
	return list, nil
}
