package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// logColumns are all columns of a log row, in the order of logRow.
const logColumns = "l.id, l.job_group, l.job_id, l.executor_address, l.executor_handler, l.executor_param, " +
	"l.executor_sharding_param, l.executor_fail_retry_count, l.trigger_time, l.trigger_code, l.trigger_msg, " +
	"l.handle_time, l.handle_code, l.handle_msg, l.alarm_status"

func (s *Store) logRow(row scanner) (*model.Log, error) {
	var l model.Log
	err := row.Scan(&l.ID, &l.GroupID, &l.JobID, scanText{&l.Address}, scanText{&l.Handler}, scanText{&l.Param},
		scanText{&l.ShardingParam}, &l.RetriesLeft, s.scanTime(&l.TriggerTime), &l.TriggerCode, scanText{&l.TriggerMsg},
		s.scanTime(&l.HandleTime), &l.HandleCode, scanText{&l.HandleMsg}, &l.AlarmStatus)
	return &l, err
}

// Log returns a log row, or ErrNotFound.
func (s *Store) Log(ctx context.Context, id int64) (*model.Log, error) {
	l, err := s.logRow(s.reader().QueryRowContext(ctx,
		s.sql("SELECT "+logColumns+" FROM xxl_job_log l WHERE l.id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("log %d: %w", id, notFound(err))
	}
	return l, nil
}

// logCountMax is where counting log rows ends: a list that long is not paged
// through to its end, and counting every row of a large table takes seconds.
const logCountMax = 1_000_000

// logFailed is the condition of the failed ones, in the words of the partial
// index that serves it.
const logFailed = "(l.trigger_code NOT IN (0, 200) OR l.handle_code NOT IN (0, 200))"

// logQuery is the FROM and WHERE of a list of log rows.
func (s *Store) logQuery(f model.LogFilter) (from string, w where, ok bool) {
	from = " FROM xxl_job_log l"
	if !w.groups("l.job_group", f.GroupID, f.GroupIDs) {
		return "", w, false
	}
	if f.JobID != 0 {
		w.add("l.job_id = ?", f.JobID)
	}
	switch f.Status {
	case model.LogSuccess:
		w.add("l.handle_code = 200")
	case model.LogFailed:
		w.add(logFailed)
	case model.LogRunning:
		if s.Info().MadeByUs { // every open run has its row there, and there are few
			from = " FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id"
		}
		w.add("l.trigger_code = 200 AND l.handle_code = 0")
	case model.LogAny:
	}
	if !f.From.IsZero() {
		w.add("l.trigger_time >= ?", s.wall(f.From))
	}
	if !f.To.IsZero() {
		w.add("l.trigger_time <= ?", s.wall(f.To))
	}
	return from, w, true
}

// Logs returns a page of the log rows that match, newest first, and how many
// match in all. The number is exact up to 1,000,000, where counting ends.
func (s *Store) Logs(ctx context.Context, f model.LogFilter) ([]*model.Log, int, error) {
	from, w, ok := s.logQuery(f)
	if !ok {
		return nil, 0, nil
	}
	var total int
	row := s.reader().QueryRowContext(ctx, s.sql("SELECT COUNT(*) FROM (SELECT l.id"+from+w.String()+" LIMIT ?) c"),
		append(slices.Clip(w.args), logCountMax)...)
	if err := row.Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("list logs: count: %w", err)
	}
	offset, limit := page(f.Offset, f.Limit)
	// The ids first: the rows that are skipped hold long texts.
	ids, err := selectIDs[int64](ctx, s.reader(),
		s.sql("SELECT l.id"+from+w.String()+" ORDER BY l.id DESC LIMIT ? OFFSET ?"),
		append(slices.Clip(w.args), limit, offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list logs: %w", err)
	}
	byID := make(map[int64]*model.Log, len(ids))
	for chunk := range slices.Chunk(ids, idBatch) {
		args := padded(chunk)
		list, err := collect(ctx, s.reader(), s.logRow,
			s.sql("SELECT "+logColumns+" FROM xxl_job_log l WHERE l.id IN ("+marks(len(args))+")"), args...)
		if err != nil {
			return nil, 0, fmt.Errorf("list logs: %w", err)
		}
		for _, l := range list {
			byID[l.ID] = l
		}
	}
	return inOrder(ids, byID), total, nil
}

// clearQuery is the WHERE and ORDER BY of the rows that a clearing names. ok is
// false when there are none.
func (s *Store) clearQuery(ctx context.Context, c model.LogClear) (w where, order string, ok bool, err error) {
	w.groups("l.job_group", c.GroupID, nil)
	if c.JobID != 0 {
		w.add("l.job_id = ?", c.JobID)
	}
	if c.Keep > 0 {
		// The newest row that is not kept.
		ids, err := selectIDs[int64](ctx, s.reader(),
			s.sql("SELECT l.id FROM xxl_job_log l"+w.String()+" ORDER BY l.id DESC LIMIT 1 OFFSET ?"),
			append(slices.Clip(w.args), c.Keep)...)
		if err != nil || len(ids) == 0 {
			return w, "", false, err
		}
		w.add("l.id <= ?", ids[0])
	}
	order = "l.id"
	if !c.Before.IsZero() {
		w.add("l.trigger_time <= ?", s.wall(c.Before))
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
		n := min(limit-deleted, idBatch)
		ids, err := selectIDs[int64](ctx, s.reader(),
			s.sql("SELECT l.id FROM xxl_job_log l"+w.String()+" ORDER BY "+order+" LIMIT ?"),
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
	args := padded(ids)
	n, err := s.execCount(ctx, "DELETE FROM xxl_job_log WHERE id IN ("+marks(len(args))+
		") AND NOT EXISTS (SELECT 1 FROM xxljob_run r WHERE r.log_id = xxl_job_log.id)", args...)
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
	ids, err := selectIDs[int64](ctx, s.reader(), s.sql("SELECT l.id FROM xxljob_run r "+
		"JOIN xxl_job_log l ON l.id = r.log_id"+w.String()+" ORDER BY l.id LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("open runs to clear: %w", err)
	}
	return ids, nil
}

// MarkAlarms sets the alarm status of rows whose alarm was being sent
// (AlarmLocked); others stay as they are.
func (s *Store) MarkAlarms(ctx context.Context, ids []int64, status model.AlarmStatus) error {
	ids = slices.Sorted(slices.Values(ids))
	for chunk := range slices.Chunk(ids, idBatch) {
		if _, err := s.markAlarms(ctx, chunk, status); err != nil {
			return fmt.Errorf("mark alarms: %w", err)
		}
	}
	return nil
}

func (s *Store) markAlarms(ctx context.Context, ids []int64, status model.AlarmStatus) (int, error) {
	args := padded(ids)
	return s.execCount(ctx, "UPDATE xxl_job_log SET alarm_status = ? WHERE id IN ("+marks(len(args))+
		") AND alarm_status = -1", append([]any{int(status)}, args...)...)
}

// SweepAlarms sets the alarm status of the rows that were triggered in the time
// from … before and still are AlarmLocked: whoever was sending is gone. It
// takes at most limit rows and returns how many. It reads every row of that
// time.
func (s *Store) SweepAlarms(
	ctx context.Context, from, before time.Time, status model.AlarmStatus, limit int,
) (int, error) {
	ids, err := selectIDs[int64](ctx, s.reader(), s.sql("SELECT l.id FROM xxl_job_log l WHERE l.trigger_time >= ? "+
		"AND l.trigger_time < ? AND l.alarm_status = -1 ORDER BY l.trigger_time, l.id LIMIT ?"),
		s.wall(from), s.wall(before), limit)
	if err != nil {
		return 0, fmt.Errorf("sweep alarms: %w", err)
	}
	total := 0
	slices.Sort(ids)
	for chunk := range slices.Chunk(ids, idBatch) {
		n, err := s.markAlarms(ctx, chunk, status)
		total += n
		if err != nil {
			return total, fmt.Errorf("sweep alarms: %w", err)
		}
	}
	return total, nil
}
