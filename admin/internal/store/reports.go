package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Reports returns the day counters from the day of from to the day of to, both
// included, by day. Days on which nothing was triggered have none.
func (s *Store) Reports(ctx context.Context, from, to time.Time) ([]model.DayReport, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.DayReport, error) {
		var r model.DayReport
		err := row.Scan(s.db.ScanTime(&r.Day), &r.Running, &r.Success, &r.Failed)
		return r, err
	}, s.db.SQL("SELECT trigger_day, running_count, suc_count, fail_count FROM xxl_job_log_report "+
		"WHERE trigger_day >= ? AND trigger_day <= ? ORDER BY trigger_day"),
		s.dayOf(from.UnixMilli()), s.dayOf(to.UnixMilli()))
	if err != nil {
		return nil, fmt.Errorf("day reports: %w", err)
	}
	return list, nil
}

// midnight is how dayOf ends: the clock's face, also on a day whose clocks leave
// that hour out.
const midnight = " 00:00:00"

// TotalTriggers returns the sum of all day counters ever.
func (s *Store) TotalTriggers(ctx context.Context) (int64, error) {
	var n int64
	row := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT CAST("+
		"COALESCE(SUM(running_count + suc_count + fail_count), 0) AS "+s.bigint()+") FROM xxl_job_log_report"))
	if err := row.Scan(&n); err != nil {
		return 0, fmt.Errorf("total of triggers: %w", err)
	}
	return n, nil
}

// bigint is the name of a 64-bit type in a CAST.
func (s *Store) bigint() string {
	if s.db.Name == sqldb.MySQL {
		return "SIGNED"
	}
	return "BIGINT"
}

// counts are the numbers of a day.
type counts struct{ running, success, failed int64 }

// RecountDay counts the log rows of a day again (admin.md 5.6) and corrects the
// day's counters. It reads every row of the day. What ends while it counts is
// not lost: where the schema is ours the difference to the counters of the same
// moment is added; on a schema of the Java admin, which overwrites the counters
// each minute, they are overwritten as well.
func (s *Store) RecountDay(ctx context.Context, day time.Time) error {
	err := s.recountDay(ctx, day)
	if errors.Is(err, ErrDuplicate) { // the day's first row came meanwhile
		err = s.recountDay(ctx, day)
	}
	if err != nil {
		return fmt.Errorf("recount %s: %w", strings.TrimSuffix(s.dayOf(day.UnixMilli()), midnight), err)
	}
	return nil
}

func (s *Store) recountDay(ctx context.Context, day time.Time) error {
	was, found, is, err := s.countDay(ctx, day)
	if err != nil || !found && is == (counts{}) {
		return err
	}
	return s.db.InTx(ctx, func(q sqldb.Querier) error {
		if found {
			return s.correctDay(ctx, q, day, was, is)
		}
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, "+
			"fail_count) VALUES (?,?,?,?)"), s.dayOf(day.UnixMilli()), is.running, is.success, is.failed)
		return s.dupError(err)
	})
}

// countDay reads the counters of a day and counts its rows, both at one moment.
func (s *Store) countDay(ctx context.Context, day time.Time) (was counts, found bool, is counts, err error) {
	err = s.db.AtOnce(ctx, func(ctx context.Context, q sqldb.Querier) (err error) {
		was, found, is, err = s.countDayIn(ctx, q, day)
		return err
	})
	return was, found, is, err
}

func (s *Store) countDayIn(
	ctx context.Context, q sqldb.Querier, day time.Time,
) (was counts, found bool, is counts, err error) {
	err = q.QueryRowContext(ctx, s.db.SQL("SELECT running_count, suc_count, fail_count FROM xxl_job_log_report "+
		"WHERE trigger_day = ?"), s.dayOf(day.UnixMilli())).Scan(&was.running, &was.success, &was.failed)
	found = err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return was, false, is, err
	}
	y, m, d := day.In(s.loc).Date()
	next := time.Date(y, m, d+1, 12, 0, 0, 0, s.loc) // noon is in every day
	var all int64
	err = q.QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*), "+
		"COUNT(CASE WHEN trigger_code IN (0, 200) AND handle_code = 0 THEN 1 END), "+
		"COUNT(CASE WHEN handle_code = 200 THEN 1 END) "+
		"FROM xxl_job_log WHERE trigger_time >= ? AND trigger_time < ?"),
		s.dayOf(day.UnixMilli()), s.dayOf(next.UnixMilli())).Scan(&all, &is.running, &is.success)
	is.failed = all - is.running - is.success
	return was, found, is, err
}

func (s *Store) correctDay(ctx context.Context, q sqldb.Querier, day time.Time, was, is counts) error {
	set := "running_count = ?, suc_count = ?, fail_count = ?"
	args := []any{is.running, is.success, is.failed}
	if s.Info().MadeByUs {
		set = "running_count = running_count + ?, suc_count = suc_count + ?, fail_count = fail_count + ?"
		args = []any{is.running - was.running, is.success - was.success, is.failed - was.failed}
	}
	_, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_log_report SET "+set+" WHERE trigger_day = ?"),
		append(args, s.dayOf(day.UnixMilli()))...)
	return err
}
