package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// loadLogs reads the log rows that have no run.
func (f *finishing) loadLogs(ctx context.Context) error {
	var ids []int64
	for id, row := range f.rows {
		if !row.open {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	cond, args := f.s.db.In("l.id", sqldb.SortedIDs(ids))
	rows, err := f.q.QueryContext(ctx, f.s.db.Bind("SELECT "+logColumns+f.s.fromLog()+" WHERE "+cond), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	logs := make(map[int64]*model.Log, len(ids))
	for rows.Next() {
		l, err := f.s.logRow(rows)
		if err != nil {
			return err
		}
		logs[l.ID] = l
	}
	for _, e := range f.ends {
		if e.Run == nil {
			e.Log = logs[e.Outcome.LogID]
		}
	}
	return rows.Err()
}

// loadJobs reads the jobs of runs that have failed, and those with children.
func (f *finishing) loadJobs(ctx context.Context, ending []*Ending) error {
	var failed, all []int32
	for _, e := range ending {
		id := f.rows[e.Outcome.LogID].run.JobID
		all = append(all, id)
		if !succeeded(e.Outcome) {
			failed = append(failed, id)
		}
	}
	cond, args := f.s.db.In("id", sqldb.SortedIDs(all))
	among := ""
	if len(failed) > 0 {
		text, more := f.s.db.In("id", sqldb.SortedIDs(failed))
		among, args = " OR "+text, append(args, more...)
	}
	jobs, err := f.s.jobsWhere(ctx, f.q, cond+" AND (child_jobid <> ''"+among+")", args...)
	if err != nil {
		return err
	}
	for _, e := range ending {
		job := jobs[f.rows[e.Outcome.LogID].run.JobID]
		if job != nil && (job.Children.S != "" || !succeeded(e.Outcome)) {
			e.Job = job
		}
	}
	return nil
}

func succeeded(out *model.Outcome) bool {
	if out.Handle != nil {
		return out.Handle.Code == model.CodeSuccess
	}
	return out.Trigger.Code == model.CodeSuccess
}

// allColumns are the columns of a job, with the source of code only where it is
// needed.
const allColumns = "id, job_group, {job.name}, add_time, update_time, author, alarm_email, schedule_type, " +
	"schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, " +
	"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, " +
	"CASE WHEN glue_type = 'BEAN' THEN NULL ELSE glue_source END, glue_remark, glue_updatetime, child_jobid, " +
	"trigger_status, trigger_last_time, trigger_next_time, x_time_zone"

// jobsWhere reads jobs inside a transaction.
func (s *Store) jobsWhere(ctx context.Context, q sqldb.Querier, cond string, args ...any) (map[int32]*model.Job,
	error,
) {
	rows, err := q.QueryContext(ctx, s.db.Bind("SELECT "+allColumns+" FROM xxl_job_info WHERE "+cond), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	jobs := make(map[int32]*model.Job)
	for rows.Next() {
		j, err := s.jobRow(rows)
		if err != nil {
			return nil, err
		}
		jobs[j.ID] = j
	}
	return jobs, rows.Err()
}

// loader is what decide gets.
type loader struct{ f *finishing }

// Jobs implements Loader.
func (l loader) Jobs(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cond, args := l.f.s.db.In("id", sqldb.SortedIDs(ids))
	jobs, err := l.f.s.jobsWhere(ctx, l.f.q, cond, args...)
	if err != nil {
		return nil, fmt.Errorf("read jobs: %w", err)
	}
	return jobs, nil
}
