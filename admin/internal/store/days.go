package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// class is what a log row counts as in the statistics of its day.
type class int

const (
	classNone class = iota
	classRunning
	classSuccess
	classFailed
)

// classOf is the rule of the Java admin's report (admin.md 5.6).
func classOf(trigger, handle int32) class {
	switch {
	case handle == model.CodeSuccess:
		return classSuccess
	case handle == model.CodeNone && (trigger == model.CodeNone || trigger == model.CodeSuccess):
		return classRunning
	default:
		return classFailed
	}
}

// days is by how much the counters of days move, by the text of the day's
// trigger_day.
type days map[string]*[classFailed + 1]int64

// move counts a row of this trigger time as one class instead of another.
func (d days) move(s *Store, triggerMs int64, from, to class) {
	if from == to {
		return
	}
	key := s.dayOf(triggerMs)
	counts := d[key]
	if counts == nil {
		counts = new([classFailed + 1]int64)
		d[key] = counts
	}
	counts[from]--
	counts[to]++
}

// dayOf is the midnight of an instant's day, as the database keeps it.
func (s *Store) dayOf(ms int64) string {
	return time.UnixMilli(ms).In(s.loc).Format("2006-01-02") + " 00:00:00"
}

// save moves the counters. It is the last thing in a transaction: every
// transaction of the hot path waits for this row. Where a Java admin counts the
// rows again and again, nothing is moved.
func (d days) save(ctx context.Context, s *Store, q sqldb.Querier) error {
	if !s.Info().MadeByUs {
		return nil
	}
	keys := make([]string, 0, len(d))
	for key, n := range d {
		if n[classRunning] != 0 || n[classSuccess] != 0 || n[classFailed] != 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if err := s.moveDay(ctx, q, key, d[key]); err != nil {
			return fmt.Errorf("count the runs of %s: %w", key, err)
		}
	}
	return nil
}

func (s *Store) moveDay(ctx context.Context, q sqldb.Querier, day string, n *[classFailed + 1]int64) error {
	// Update first: an upsert would use up an id of the table at each call.
	changed, err := sqldb.Affected(q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_log_report SET "+
		"running_count = running_count + ?, suc_count = suc_count + ?, fail_count = fail_count + ? "+
		"WHERE trigger_day = ?"),
		n[classRunning], n[classSuccess], n[classFailed], day))
	if err != nil || changed > 0 {
		return err
	}
	_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxl_job_log_report "+
		"(trigger_day, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?)"+addDay(s.db.Name)),
		day, n[classRunning], n[classSuccess], n[classFailed])
	return err
}

// addDay makes an INSERT add to the row that another node has inserted
// meanwhile.
func addDay(dialect string) string {
	if dialect == sqldb.MySQL {
		return " ON DUPLICATE KEY UPDATE running_count = running_count + VALUES(running_count), " +
			"suc_count = suc_count + VALUES(suc_count), fail_count = fail_count + VALUES(fail_count)"
	}
	return " ON CONFLICT (trigger_day) DO UPDATE SET running_count = xxl_job_log_report.running_count + " +
		"excluded.running_count, suc_count = xxl_job_log_report.suc_count + excluded.suc_count, " +
		"fail_count = xxl_job_log_report.fail_count + excluded.fail_count"
}
