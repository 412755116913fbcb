package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// logColumns are all columns of a log row, in the order of logRow.
const logColumns = "l.id, l.job_group, l.job_id, l.executor_address, l.executor_handler, l.executor_param, " +
	"l.executor_sharding_param, l.executor_fail_retry_count, l.trigger_time, l.trigger_code, l.trigger_msg, " +
	"l.handle_time, l.handle_code, l.handle_msg, l.alarm_status, " + endColumns

func (s *Store) logRow(row sqldb.Scanner) (*model.Log, error) {
	var l model.Log
	err := row.Scan(&l.ID, &l.GroupID, &l.JobID, scanText{&l.Address}, scanText{&l.Handler}, scanText{&l.Param},
		scanText{&l.ShardingParam}, &l.RetriesLeft, s.db.ScanTime(&l.TriggerTime), &l.TriggerCode,
		scanText{&l.TriggerMsg},
		s.db.ScanTime(&l.HandleTime), &l.HandleCode, scanText{&l.HandleMsg}, &l.AlarmStatus,
		scanNumber(&l.End.PlannedMs), scanNumber(&l.End.SentMs), scanNumber(&l.End.EndedMs), scanNumber(&l.End.Kind))
	return &l, err
}

// Log returns a log row, or ErrNotFound.
func (s *Store) Log(ctx context.Context, id int64) (*model.Log, error) {
	l, err := s.logRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+logColumns+s.fromLog()+" WHERE l.id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("log %d: %w", id, notFound(err))
	}
	return l, nil
}

const (
	// logCountMax is where counting along an index ends: nobody pages through a
	// list that long.
	logCountMax = 1_000_000

	// logScanMax is how many rows are looked at to count those that match what
	// no index knows.
	logScanMax = 100_000
)

// logFailed is the condition of the failed ones, in the words of the partial
// index that serves it.
const logFailed = "(l.trigger_code NOT IN (0, 200) OR l.handle_code NOT IN (0, 200))"

// fromOpen joins the open runs to their log rows. The plus keeps SQLite from
// going through the log rows instead.
const fromOpen = " FROM xxljob_run r JOIN xxl_job_log l ON l.id = +r.log_id"

// logQuery is a list of log rows.
type logQuery struct {
	from  string
	scan  where  // what an index finds: job and time
	match where  // what is then looked at in the row: group and status
	order string // newest first, along the index
	exact bool   // counting is cheap although match is not empty
}

// groupColumn is how a condition names the group: in a way that no index knows
// where a job or a time is the better one to go by, which not every database
// finds out.
func groupColumn(jobID int32, times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return "l.job_group + 0"
		}
	}
	if jobID != 0 {
		return "l.job_group + 0"
	}
	return "l.job_group"
}

// where is the WHERE of the whole list, with its arguments.
func (lq *logQuery) where() (string, []any) {
	w := where{conds: slices.Concat(lq.scan.conds, lq.match.conds), args: slices.Concat(lq.scan.args, lq.match.args)}
	return w.String(), w.args
}

// logQuery builds the list; ok is false when nothing can match.
func (s *Store) logQuery(f model.LogFilter) (lq logQuery, ok bool) {
	lq = logQuery{from: " FROM xxl_job_log l", order: "l.id DESC"}
	if !lq.match.groups(groupColumn(f.JobID, f.From, f.To), f.GroupID, f.GroupIDs) {
		return lq, false
	}
	info := s.Info()
	lq.exact = info.MadeByUs || info.Generation >= "S4" // the index over groups came with S4
	if f.JobID != 0 {
		lq.scan.add("l.job_id = ?", f.JobID)
	}
	if !f.From.IsZero() {
		lq.scan.add("l.trigger_time >= ?", s.db.Wall(f.From))
	}
	if !f.To.IsZero() {
		lq.scan.add("l.trigger_time <= ?", s.db.Wall(f.To))
	}
	if len(lq.scan.conds) > 0 {
		lq.exact = false
		if f.JobID == 0 {
			lq.order = "l.trigger_time DESC, l.id DESC"
		}
	}
	switch f.Status {
	case model.LogSuccess:
		lq.match.add("l.handle_code + 0 = 200") // not by an index: nearly all rows have it
		lq.exact = false
	case model.LogFailed:
		lq.match.add(logFailed)
		lq.exact = false
	case model.LogRunning:
		lq.match.add("l.trigger_code = 200 AND l.handle_code = 0")
		lq.exact = info.MadeByUs
		if info.MadeByUs { // every open run has its row there, and there are few
			lq.from = fromOpen
		}
	case model.LogAny:
	}
	return lq, true
}

// Logs returns a page of the log rows that match, and how many match in all.
// The newest come first: by id, or by the time of the trigger in a list that is
// narrowed to a time but not to a job.
//
// The number is exact up to 1,000,000 for a list by nothing but job, time or
// group, and for any other as long as at most 100,000 rows belong to that job
// and time. Beyond that it counts what matches among the newest of these, and is at
// least one more than the page's end as long as there is more.
func (s *Store) Logs(ctx context.Context, f model.LogFilter) ([]*model.Log, int, error) {
	lq, ok := s.logQuery(f)
	if !ok {
		return nil, 0, nil
	}
	total, err := s.countLogs(ctx, &lq)
	if err != nil {
		return nil, 0, fmt.Errorf("list logs: count: %w", err)
	}
	offset, limit := page(f.Offset, f.Limit)
	cond, args := lq.where()
	// The ids first: the rows that are skipped hold long texts.
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
		s.db.SQL("SELECT l.id"+lq.from+cond+" ORDER BY "+lq.order+" LIMIT ? OFFSET ?"), append(args, limit+1,
			offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list logs: %w", err)
	}
	if len(ids) > 0 {
		total = max(total, offset+len(ids))
	}
	ids = ids[:min(len(ids), limit)]
	byID, err := s.logsByID(ctx, ids)
	if err != nil {
		return nil, 0, fmt.Errorf("list logs: %w", err)
	}
	return inOrder(ids, byID), total, nil
}

func (s *Store) countLogs(ctx context.Context, lq *logQuery) (int, error) {
	var total int
	if len(lq.match.conds) == 0 || lq.exact {
		cond, args := lq.where()
		err := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM (SELECT l.id"+lq.from+cond+" LIMIT "+
			"?) c"),
			append(args, logCountMax)...).Scan(&total)
		return total, err
	}
	args := slices.Concat(lq.match.args, lq.scan.args, []any{logScanMax})
	err := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(CASE WHEN "+strings.Join(lq.match.conds, " AND ")+
		" THEN 1 END) FROM (SELECT l.job_group, l.trigger_code, l.handle_code"+lq.from+lq.scan.String()+
		" ORDER BY "+lq.order+" LIMIT ?) l"), args...).Scan(&total)
	return total, err
}

func (s *Store) logsByID(ctx context.Context, ids []int64) (map[int64]*model.Log, error) {
	byID := make(map[int64]*model.Log, len(ids))
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		list, err := sqldb.Collect(ctx, s.db.Reader(), s.logRow,
			s.db.SQL("SELECT "+logColumns+s.fromLog()+" WHERE l.id IN ("+sqldb.Marks(len(args))+")"), args...)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			byID[l.ID] = l
		}
	}
	return byID, nil
}

// clearQuery is the WHERE and ORDER BY of the rows that a clearing names. ok is
// false when there are none.
func (s *Store) clearQuery(ctx context.Context, c model.LogClear) (w where, order string, ok bool, err error) {
	w.groups(groupColumn(c.JobID, c.Before), c.GroupID, nil)
	if c.JobID != 0 {
		w.add("l.job_id = ?", c.JobID)
	}
	if c.Keep > 0 {
		// The newest row that is not kept.
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
			s.db.SQL("SELECT l.id FROM xxl_job_log l"+w.String()+" ORDER BY l.id DESC LIMIT 1 OFFSET ?"),
			append(slices.Clip(w.args), c.Keep)...)
		if err != nil || len(ids) == 0 {
			return w, "", false, err
		}
		w.add("l.id <= ?", ids[0])
	}
	order = "l.id"
	if !c.Before.IsZero() {
		w.add("l.trigger_time <= ?", s.db.Wall(c.Before))
		if c.JobID == 0 {
			order = "l.trigger_time, l.id" // so that the index over the times is the one to use
		}
	}
	return w, order, true, nil
}

// DeleteLogs deletes log rows that the clearing names, the oldest first and at
// most limit of them, in small transactions by their ids, and returns how many
// went. A row whose run is open stays: see OpenLogsToClear. Fewer than limit
// means that nothing is left to delete.
func (s *Store) DeleteLogs(ctx context.Context, c model.LogClear, limit int) (int, error) {
	w, order, ok, err := s.clearQuery(ctx, c)
	if err != nil {
		return 0, fmt.Errorf("clear logs: %w", err)
	}
	if !ok {
		return 0, nil
	}
	w.add("NOT EXISTS (SELECT 1 FROM xxljob_run r WHERE r.log_id = l.id)")
	deleted := 0
	for deleted < limit {
		n := min(limit-deleted, sqldb.IDBatch)
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
			s.db.SQL("SELECT l.id FROM xxl_job_log l"+w.String()+" ORDER BY "+order+" LIMIT ?"),
			append(slices.Clip(w.args), n)...)
		if err != nil {
			return deleted, fmt.Errorf("clear logs: %w", err)
		}
		if len(ids) == 0 {
			break
		}
		gone, err := s.deleteLogs(ctx, ids)
		deleted += gone
		if err != nil {
			return deleted, fmt.Errorf("clear logs: %w", err)
		}
		if len(ids) < n || gone == 0 {
			break
		}
	}
	return deleted, nil
}

// deleteLogs deletes rows by their ids, unless a run of theirs is open.
func (s *Store) deleteLogs(ctx context.Context, ids []int64) (int, error) {
	slices.Sort(ids)
	args := sqldb.Padded(ids)
	n := 0
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_log WHERE id IN ("+sqldb.Marks(len(args))+
			") AND NOT EXISTS (SELECT 1 FROM xxljob_run r WHERE r.log_id = xxl_job_log.id)"), args...)
		gone, err := sqldb.Affected(res, err)
		if n = int(gone); err != nil || n == 0 {
			return err
		}
		for _, table := range besideLogs {
			_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM "+table+" WHERE log_id IN ("+sqldb.Marks(len(args))+
				") AND NOT EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = "+table+".log_id)"), args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// OpenLogsToClear returns the ids of the open runs whose log rows the clearing
// names, in id order and at most limit of them: they have to be ended before
// DeleteLogs takes them.
func (s *Store) OpenLogsToClear(ctx context.Context, c model.LogClear, limit int) ([]int64, error) {
	w, _, ok, err := s.clearQuery(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open runs to clear: %w", err)
	}
	if !ok {
		return nil, nil
	}
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
		s.db.SQL("SELECT l.id"+fromOpen+w.String()+" ORDER BY l.id LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("open runs to clear: %w", err)
	}
	return ids, nil
}

// MarkAlarms sets the alarm status of rows whose alarm was being sent
// (AlarmLocked); others stay as they are.
func (s *Store) MarkAlarms(ctx context.Context, ids []int64, status model.AlarmStatus) error {
	ids = slices.Sorted(slices.Values(ids))
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		if _, err := s.markAlarms(ctx, chunk, status); err != nil {
			return fmt.Errorf("mark alarms: %w", err)
		}
	}
	return nil
}

func (s *Store) markAlarms(ctx context.Context, ids []int64, status model.AlarmStatus) (int, error) {
	args := sqldb.Padded(ids)
	return s.execCount(ctx, "UPDATE xxl_job_log SET alarm_status = ? WHERE id IN ("+sqldb.Marks(len(args))+
		") AND alarm_status = -1", append([]any{int(status)}, args...)...)
}

// SweepAlarms sets the alarm status of the rows that were triggered in the time
// from … before and still are AlarmLocked: whoever was sending is gone. It
// takes at most limit rows and returns how many. On MySQL it reads every row that
// has not succeeded.
func (s *Store) SweepAlarms(
	ctx context.Context, from, before time.Time, status model.AlarmStatus, limit int,
) (int, error) {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL(s.lockedAlarms()), s.db.Wall(from),
		s.db.Wall(before), limit)
	if err != nil {
		return 0, fmt.Errorf("sweep alarms: %w", err)
	}
	total := 0
	slices.Sort(ids)
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		n, err := s.markAlarms(ctx, chunk, status)
		total += n
		if err != nil {
			return total, fmt.Errorf("sweep alarms: %w", err)
		}
	}
	return total, nil
}

// lockedAlarms finds rows whose alarm is being sent. MySQL has no index over
// these alone. They have failed: there the index over results finds them, which
// it takes once that over times is out of the question.
func (s *Store) lockedAlarms() string {
	if s.db.Name == sqldb.MySQL {
		return "SELECT l.id FROM xxl_job_log l WHERE l.alarm_status = -1 AND l.handle_code <> 200 " +
			"AND l.trigger_time + INTERVAL 0 SECOND >= ? AND l.trigger_time + INTERVAL 0 SECOND < ? LIMIT ?"
	}
	return "SELECT l.id FROM xxl_job_log l WHERE l.alarm_status = -1 AND l.trigger_time >= ? AND l.trigger_time < ? " +
		"ORDER BY l.trigger_time, l.id LIMIT ?"
}
