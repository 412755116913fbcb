package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// jobColumns are all columns of a job, in the order of jobRow.
const jobColumns = "id, job_group, {job.name}, add_time, update_time, author, alarm_email, schedule_type, " +
	"schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, " +
	"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, " +
	"glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time, x_time_zone"

func (s *Store) jobRow(row sqldb.Scanner) (*model.Job, error) {
	var j model.Job
	var status int
	err := row.Scan(&j.ID, &j.GroupID, &j.Name, s.db.ScanTime(&j.AddTime), s.db.ScanTime(&j.UpdateTime),
		scanText{&j.Author}, scanText{&j.AlarmEmail}, &j.ScheduleType, scanText{&j.ScheduleConf}, &j.Misfire,
		scanString{(*string)(&j.Route)}, scanText{&j.Handler}, scanText{&j.Param}, scanString{(*string)(&j.Block)},
		&j.TimeoutSec, &j.Retries, &j.GlueType, scanText{&j.GlueSource}, scanText{&j.GlueRemark},
		s.db.ScanTime(&j.GlueUpdated), scanText{&j.Children}, &status, &j.LastMs, &j.NextMs, scanString{&j.TimeZone})
	j.Running = status == 1
	return &j, err
}

func (s *Store) checkJob(j *model.Job) error {
	return checkFields(
		field{name: "job name", value: j.Name, max: maxJobName},
		text("author", j.Author, maxAuthor),
		text("alarm e-mail", j.AlarmEmail, maxAlarmEmail),
		field{name: "schedule type", value: string(j.ScheduleType), max: maxKind},
		text("schedule", j.ScheduleConf, maxScheduleConf),
		field{name: "misfire strategy", value: string(j.Misfire), max: maxKind},
		field{name: "time zone", value: j.TimeZone, max: maxTimeZone},
		field{name: "route strategy", value: string(j.Route), max: maxKind},
		text("handler", j.Handler, maxHandler),
		s.paramField(j.Param),
		field{name: "block strategy", value: string(j.Block), max: maxKind},
		field{name: "glue type", value: j.GlueType, max: maxKind},
		field{name: "glue source", value: j.GlueSource.S, max: maxMediumText, bytes: true},
		text("glue remark", j.GlueRemark, maxGlueRemark),
		text("child jobs", j.Children, maxChildren),
	)
}

// CreateJob inserts a job as it is given, its status and its next time
// included, and assigns its ID. A zero GlueUpdated becomes AddTime, for the
// Java admin does not bear NULL there. A text that does not fit is ErrTooLong.
func (s *Store) CreateJob(ctx context.Context, j *model.Job) error {
	if err := s.checkJob(j); err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	if j.GlueUpdated.IsZero() {
		j.GlueUpdated = j.AddTime
	}
	var id int32
	err := s.db.InTx(ctx, func(q sqldb.Querier) (err error) {
		id, err = s.insertJob(ctx, q, j)
		return err
	})
	if err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	j.ID = id
	return nil
}

func (s *Store) insertJob(ctx context.Context, q sqldb.Querier, j *model.Job) (int32, error) {
	id, err := s.db.InsertID(ctx, q, "INSERT INTO xxl_job_info (job_group, {job.name}, add_time, update_time, author, "+
		"alarm_email, schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, "+
		"executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, "+
		"glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, "+
		"trigger_next_time, x_time_zone) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		j.GroupID, j.Name, s.db.Wall(j.AddTime), s.db.Wall(j.UpdateTime), textArg(j.Author), textArg(j.AlarmEmail),
		string(j.ScheduleType), textArg(j.ScheduleConf), string(j.Misfire), string(j.Route), textArg(j.Handler),
		textArg(j.Param), string(j.Block), j.TimeoutSec, j.Retries, j.GlueType, textArg(j.GlueSource),
		textArg(j.GlueRemark), s.db.Wall(j.GlueUpdated), textArg(j.Children), bit(j.Running), j.LastMs, j.NextMs,
		orNull(j.TimeZone))
	return int32(id), err //nolint:gosec // the column is 32 bits wide
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// orNull is the argument for a column where "" is NULL.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Job returns a job, or ErrNotFound.
func (s *Store) Job(ctx context.Context, id int32) (*model.Job, error) {
	j, err := s.jobRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+jobColumns+" FROM xxl_job_info WHERE id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("job %d: %w", id, notFound(err))
	}
	return j, nil
}

// notFound makes ErrNotFound of the error for a query without a row.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// JobsByID returns those of the jobs that exist. The order and repetitions of
// ids do not matter.
func (s *Store) JobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	jobs := make(map[int32]*model.Job, len(ids))
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		list, err := sqldb.Collect(ctx, s.db.Reader(), s.jobRow,
			s.db.SQL("SELECT "+jobColumns+" FROM xxl_job_info WHERE id IN ("+sqldb.Marks(len(args))+")"), args...)
		if err != nil {
			return nil, fmt.Errorf("jobs by id: %w", err)
		}
		for _, j := range list {
			jobs[j.ID] = j
		}
	}
	return jobs, nil
}

// Jobs returns a page of the jobs that match, newest id first unless f.Sort says
// otherwise, and how many match in all.
func (s *Store) Jobs(ctx context.Context, f model.JobFilter) ([]*model.Job, int, error) {
	w, ok := jobWhere(&f)
	if !ok {
		return nil, 0, nil
	}
	var total int
	row := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM xxl_job_info"+w.String()), w.args...)
	if err := row.Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("list jobs: count: %w", err)
	}
	offset, limit := page(f.Offset, f.Limit)
	order, turned := w.place(f)
	// The ids first: the rows that are skipped hold source code.
	ids, err := sqldb.SelectIDs[int32](ctx, s.db.Reader(),
		s.db.SQL("SELECT id FROM xxl_job_info"+w.String()+" ORDER BY "+order+" LIMIT ? OFFSET ?"),
		append(w.args, limit, offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list jobs: %w", err)
	}
	if turned {
		slices.Reverse(ids)
	}
	byID, err := s.JobsByID(ctx, ids)
	if err != nil {
		return nil, 0, fmt.Errorf("list jobs: %w", err)
	}
	return inOrder(ids, byID), total, nil
}

// inOrder lists what was found of ids; a row may have gone between two queries.
func inOrder[K comparable, V any](ids []K, byID map[K]*V) []*V {
	list := make([]*V, 0, len(ids))
	for _, id := range ids {
		if item := byID[id]; item != nil {
			list = append(list, item)
		}
	}
	return list
}

// CountJobs returns how many jobs a group has; group 0 is all.
func (s *Store) CountJobs(ctx context.Context, groupID int32) (int, error) {
	var w where
	w.groups("job_group", groupID, nil)
	var n int
	row := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM xxl_job_info"+w.String()), w.args...)
	if err := row.Scan(&n); err != nil {
		return 0, fmt.Errorf("count jobs: %w", err)
	}
	return n, nil
}

// UpdateJob writes what a console edits: everything but the id, the time of
// adding, the glue code and the status. The next time is left alone, unless
// resetNextMs is given and the job runs when the row is written. It returns
// ErrNotFound, or ErrTooLong for a text that does not fit.
func (s *Store) UpdateJob(ctx context.Context, j *model.Job, resetNextMs *int64) error {
	return s.updateJob(ctx, j, resetNextMs, false)
}

func (s *Store) updateJob(ctx context.Context, j *model.Job, resetNextMs *int64, behind bool) error {
	if err := s.checkJob(j); err != nil {
		return fmt.Errorf("update job %d: %w", j.ID, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_info SET job_group = ?, {job.name} = ?, update_time "+
			"= ?, author = ?, alarm_email = ?, schedule_type = ?, schedule_conf = ?, misfire_strategy = ?, "+
			"executor_route_strategy = ?, executor_handler = ?, executor_param = ?, executor_block_strategy = ?, "+
			"executor_timeout = ?, executor_fail_retry_count = ?, child_jobid = ?, x_time_zone = ? WHERE id = ?"),
			j.GroupID, j.Name, s.db.Wall(j.UpdateTime), textArg(j.Author), textArg(j.AlarmEmail),
			string(j.ScheduleType),
			textArg(j.ScheduleConf), string(j.Misfire), string(j.Route), textArg(j.Handler), textArg(j.Param),
			string(j.Block), j.TimeoutSec, j.Retries, textArg(j.Children), orNull(j.TimeZone), j.ID)
		if err := oneRow(res, err); err != nil || resetNextMs == nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_info SET trigger_next_time = ? "+
			"WHERE id = ? AND trigger_status = 1"), *resetNextMs, j.ID)
		if err != nil || !behind {
			return err
		}
		return s.notPlanned(ctx, q, j.ID, *resetNextMs)
	})
	if err != nil {
		return fmt.Errorf("update job %d: %w", j.ID, err)
	}
	return nil
}

// oneRow makes ErrNotFound of an UPDATE that found no row.
func oneRow(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

// PlannedError says that runs of the job's schedule are on record for the next
// time that was given, or later: another node has planned them and will send
// them. Nothing was written; try again with a time after UntilMs.
type PlannedError struct{ UntilMs int64 }

// Error says what to do.
func (e *PlannedError) Error() string {
	return fmt.Sprintf("runs are planned up to %d (Unix ms): the next time has to be later", e.UntilMs)
}

// notPlanned returns a *PlannedError if a run of the job is planned for nextMs
// or later. The caller has locked the job's row, which planning locks too.
func (s *Store) notPlanned(ctx context.Context, q sqldb.Querier, id int32, nextMs int64) error {
	var until sql.NullInt64
	err := q.QueryRowContext(ctx, s.db.SQL("SELECT MAX(planned_ms) FROM xxljob_run WHERE job_id = ? AND planned_ms "+
		">= ?"),
		id, nextMs).Scan(&until)
	if err != nil || !until.Valid {
		return err
	}
	return &PlannedError{UntilMs: until.Int64}
}

// MoveJob is UpdateJob with a next time, for a job whose planned runs stay as
// they are, because another node has them. It returns a *PlannedError where the
// next time lies before one of them.
func (s *Store) MoveJob(ctx context.Context, j *model.Job, nextMs int64) error {
	return s.updateJob(ctx, j, &nextMs, true)
}

// RegroupJobs puts jobs into a group. It writes some hundreds of them at a time;
// when it fails, those before are in the group.
func (s *Store) RegroupJobs(ctx context.Context, ids []int32, group int32, now time.Time) error {
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		_, err := s.execCount(ctx, "UPDATE xxl_job_info SET job_group = ?, update_time = ? WHERE id IN ("+
			sqldb.Marks(len(args))+")", append([]any{group, s.db.Wall(now)}, args...)...)
		if err != nil {
			return fmt.Errorf("move jobs to group %d: %w", group, err)
		}
	}
	return nil
}

// SetRunning starts or stops a job: its status, no last time, and nextMs as its
// next one (0 when it is stopped). It returns ErrNotFound, and for a start a
// *PlannedError where runs of before the stop are still planned for nextMs or
// later.
func (s *Store) SetRunning(ctx context.Context, id int32, running bool, nextMs int64) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		err := oneRow(q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_info SET trigger_status = ?, trigger_last_time = 0, "+
			"trigger_next_time = ? WHERE id = ?"), bit(running), nextMs, id))
		if err != nil || !running {
			return err
		}
		return s.notPlanned(ctx, q, id, nextMs)
	})
	if err != nil {
		return fmt.Errorf("set the status of job %d: %w", id, err)
	}
	return nil
}

// DeleteJob deletes a job with its code versions and its open runs in one
// transaction, and then its logs in small ones. A job that does not exist is
// no error; when the call ends early, the next one deletes the logs that are
// left.
func (s *Store) DeleteJob(ctx context.Context, id int32) error {
	return s.deleteJob(ctx, id, func(context.Context, sqldb.Querier) error { return nil })
}

// deleteJob is DeleteJob with something that is done before in the same
// transaction, when the job is there: its row is locked then.
func (s *Store) deleteJob(ctx context.Context, id int32, first func(ctx context.Context, q sqldb.Querier) error) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		// The job's row first: whoever plans runs of it holds that row.
		here, err := sqldb.SelectIDs[int32](ctx, q, s.db.SQL("SELECT id FROM xxl_job_info WHERE id = ?{lock}"), id)
		if err == nil && len(here) > 0 {
			err = first(ctx, q)
		}
		if err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_info WHERE id = ?"), id); err != nil {
			return err
		}
		for _, table := range []string{"xxl_job_logglue", "xxljob_code_version", "xxljob_tag"} {
			if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM "+table+" WHERE job_id = ?"), id); err != nil {
				return err
			}
		}
		return s.deleteOpenRuns(ctx, q, id)
	})
	if err != nil {
		return fmt.Errorf("delete job %d: %w", id, err)
	}
	for last := int64(0); ; {
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
			s.db.SQL("SELECT id FROM xxl_job_log WHERE job_id = ? AND id > ? ORDER BY id LIMIT ?"), id, last,
			sqldb.IDBatch)
		if err != nil {
			return fmt.Errorf("delete the logs of job %d: %w", id, err)
		}
		if len(ids) == 0 {
			return nil
		}
		if _, err := s.deleteLogs(ctx, ids); err != nil {
			return fmt.Errorf("delete the logs of job %d: %w", id, err)
		}
		last = ids[len(ids)-1]
	}
}

// deleteOpenRuns deletes the open runs of a job and their log rows, which are
// locked first, as everywhere, and takes them out of the counters of their days.
func (s *Store) deleteOpenRuns(ctx context.Context, q sqldb.Querier, jobID int32) error {
	open, err := sqldb.Collect(ctx, q, func(row sqldb.Scanner) (openRow, error) {
		var r openRow
		err := row.Scan(&r.id, &r.triggerMs, &r.trigger, &r.handle)
		return r, err
	}, s.db.SQL("SELECT l.id, r.trigger_ms, l.trigger_code, l.handle_code FROM xxl_job_log l "+
		"JOIN xxljob_run r ON r.log_id = l.id WHERE r.job_id = ? ORDER BY l.id"+s.db.LockOf("l")), jobID)
	if err != nil {
		return err
	}
	moved := make(days)
	for chunk := range slices.Chunk(open, sqldb.IDBatch) {
		ids := make([]int64, len(chunk))
		for i, r := range chunk {
			ids[i] = r.id
			moved.move(s, r.triggerMs, classOf(r.trigger, r.handle), classNone)
		}
		args := sqldb.Padded(ids)
		in := " IN (" + sqldb.Marks(len(args)) + ")"
		if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_log WHERE id"+in), args...); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_run WHERE log_id"+in), args...); err != nil {
			return err
		}
	}
	// A run whose log row somebody else has deleted.
	if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_run WHERE job_id = ?"), jobID); err != nil {
		return err
	}
	return moved.save(ctx, s, q)
}

// openRow is what DeleteJob reads of an open run.
type openRow struct {
	id, triggerMs   int64
	trigger, handle int32
}
