package store

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// maxRules bounds the rules that AlarmRules returns.
const maxRules = 1000

// SetAlarmRule stores a rule, in place of one of the same key.
func (s *Store) SetAlarmRule(ctx context.Context, r *model.AlarmRule) error {
	err := checkFields(field{name: "kind", value: r.Kind, max: 16}, field{name: "what", value: string(r.What), max: 16})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return s.setAlarmRule(ctx, q, r) })
	}
	if err != nil {
		return fmt.Errorf("alarm rule of %s %d: %w", r.Kind, r.ObjectID, err)
	}
	return nil
}

func (s *Store) setAlarmRule(ctx context.Context, q sqldb.Querier, r *model.AlarmRule) error {
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_alarm_rule (kind, object_id, what, limit_ms, "+
		"username, created_ms) VALUES (?,?,?,?,?,?)"+
		s.db.Upsert("kind, object_id, what", "limit_ms", "username", "created_ms")),
		r.Kind, r.ObjectID, string(r.What), r.Limit.Milliseconds(), cutRunes(r.User, auditName),
		r.Created.UnixMilli())
	return err
}

const ruleSelect = "SELECT kind, object_id, what, limit_ms, username, created_ms FROM xxljob_alarm_rule " +
	"ORDER BY kind, object_id, what"

func (s *Store) ruleRow(row sqldb.Scanner) (model.AlarmRule, error) {
	var r model.AlarmRule
	var limit, created int64
	err := row.Scan(&r.Kind, &r.ObjectID, &r.What, &limit, &r.User, &created)
	r.Limit, r.Created = time.Duration(limit)*time.Millisecond, s.instant(created)
	return r, err
}

// AlarmRules returns the rules, at most 1,000, by kind, object and what they are
// about.
func (s *Store) AlarmRules(ctx context.Context) ([]model.AlarmRule, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.ruleRow, s.db.SQL(ruleSelect+" LIMIT ?"), maxRules)
	if err != nil {
		return nil, fmt.Errorf("alarm rules: %w", err)
	}
	return list, nil
}

// DeleteAlarmRule deletes a rule. One that is not there is no error.
func (s *Store) DeleteAlarmRule(ctx context.Context, k model.AlarmKey) error {
	_, err := s.execCount(ctx, "DELETE FROM xxljob_alarm_rule WHERE kind = ? AND object_id = ? AND what = ?",
		k.Kind, k.ObjectID, string(k.What))
	if err != nil {
		return fmt.Errorf("alarm rule of %s %d: %w", k.Kind, k.ObjectID, err)
	}
	return nil
}

// overdueRow reads what a rule is about.
func overdueRow(row sqldb.Scanner) (model.Overdue, error) {
	var o model.Overdue
	err := row.Scan(&o.JobID, &o.GroupID, &o.LogID, &o.SinceMs)
	return o, err
}

// LateFires returns fires of a job, or of the jobs of a group, that were due
// before then and have not been sent, at most limit: planned runs, and jobs
// whose next time has passed without one.
func (s *Store) LateFires(
	ctx context.Context, kind string, id int32, before time.Time, limit int,
) ([]model.Overdue, error) {
	job, run := "job_group = ?", "l.job_group = ?"
	if kind == model.ChangeJob {
		job, run = "id = ?", "r.job_id = ?"
	}
	_, limit = page(0, limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), overdueRow, s.db.SQL("SELECT r.job_id, l.job_group, l.id, "+
		"r.planned_ms FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id WHERE "+run+" AND r.planned_ms < ? "+
		"AND l.trigger_code = 0 ORDER BY r.log_id LIMIT ?"), id, before.UnixMilli(), limit)
	if err == nil && len(list) < limit {
		var more []model.Overdue
		more, err = sqldb.Collect(ctx, s.db.Reader(), overdueRow, s.db.SQL("SELECT id, job_group, 0, "+
			"trigger_next_time FROM xxl_job_info WHERE "+job+" AND trigger_status = 1 AND trigger_next_time > 0 "+
			"AND trigger_next_time < ? ORDER BY id LIMIT ?"), id, before.UnixMilli(), limit-len(list))
		list = append(list, more...)
	}
	if err != nil {
		return nil, fmt.Errorf("late fires of %s %d: %w", kind, id, err)
	}
	return list, nil
}

// LongRuns returns open runs of a job, or of the jobs of a group, that an
// executor has had since before then, at most limit.
func (s *Store) LongRuns(
	ctx context.Context, kind string, id int32, before time.Time, limit int,
) ([]model.Overdue, error) {
	cond := "l.job_group = ?"
	if kind == model.ChangeJob {
		cond = "r.job_id = ?"
	}
	_, limit = page(0, limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), overdueRow, s.db.SQL("SELECT r.job_id, l.job_group, l.id, "+
		"CASE WHEN r.sent_ms > 0 THEN r.sent_ms ELSE r.trigger_ms END FROM xxljob_run r "+
		"JOIN xxl_job_log l ON l.id = r.log_id WHERE "+cond+" AND l.trigger_code = 200 AND r.trigger_ms < ? "+
		"AND r.sent_ms < ? ORDER BY r.log_id LIMIT ?"), id, before.UnixMilli(), before.UnixMilli(), limit)
	if err != nil {
		return nil, fmt.Errorf("long runs of %s %d: %w", kind, id, err)
	}
	return list, nil
}
