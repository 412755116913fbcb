package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The names of settings.
const (
	retentionSetting = "retention"
	cleanedSetting   = "retention.last"
)

// MinRunDays is how many days runs are kept at least, unless for ever.
const MinRunDays = 3

// Bounds of retention, and of what is counted of its effect.
const (
	minAuditDays = 7
	minAlarmDays = 1
	maxDays      = 3650
	maxKeep      = 10_000_000
	countMax     = 100_000
)

// Retention says how long rows are kept. 0 is for ever, or without limit.
type Retention struct {
	RunDays    int `json:"run_days"`     // whole days of runs beside today; 0, or 3 and more
	KeepPerJob int `json:"keep_per_job"` // newest runs of each job, whatever their age
	AuditDays  int `json:"audit_days"`   // 0, or 7 and more
	AlarmDays  int `json:"alarm_days"`   // of alarms that have ended
}

// RetentionView is how long rows are kept, and why.
type RetentionView struct {
	Retention
	Default Retention // what the node was started with
	Set     bool      // set here, for all nodes; else that default counts
}

// Cleaned is what the cleaner last deleted.
type Cleaned struct {
	At       time.Time
	Node     string
	Runs     int64
	Audits   int64
	Alarms   int64 // that had ended
	Sessions int64 // logins that had expired
}

// Count is a number that was not counted beyond 100,000.
type Count struct {
	N    int
	More bool
}

func counted(n int) Count { return Count{min(n, countMax), n > countMax} }

// RetentionEffect is what a retention deletes when it begins to count. What
// KeepPerJob deletes is not counted.
type RetentionEffect struct {
	RunsBefore   time.Time // runs from before go; zero is none
	Runs         Count
	AuditsBefore time.Time
	Audits       Count
	AlarmsBefore time.Time // when they ended
	Alarms       Count
}

// clearCounter counts what a clearing would delete, up to a limit.
type clearCounter interface {
	CountLogsToClear(ctx context.Context, c model.LogClear, limit int) (int, error)
	CountAudits(ctx context.Context, before time.Time, limit int) (int, error)
	CountEndedAlarms(ctx context.Context, before time.Time, limit int) (int, error)
}

// Limits returns the retention that counts. It is for the admin itself.
func (s *Service) Limits(ctx context.Context) (RetentionView, error) {
	v := RetentionView{Retention: s.cfg.Retention, Default: s.cfg.Retention}
	text, ok, err := s.store.Setting(ctx, retentionSetting)
	if err != nil || !ok || text == "" {
		return v, err
	}
	if err := json.Unmarshal([]byte(text), &v.Retention); err != nil {
		return v, fmt.Errorf("read the setting %s: %w", retentionSetting, err)
	}
	v.Set = true
	return v, nil
}

// Retention returns how long rows are kept.
func (s *Service) Retention(ctx context.Context, p Principal) (RetentionView, error) {
	if err := s.needLogin(ctx, p, "settings.get"); err != nil {
		return RetentionView{}, err
	}
	return s.Limits(ctx)
}

func checkRetention(r Retention) *Error {
	bad := func(detail string) *Error { return invalid(detail, key(i18n.SystemInvalid)) }
	switch {
	case r.RunDays != 0 && (r.RunDays < MinRunDays || r.RunDays > maxDays):
		return bad(fmt.Sprintf("runs are kept %d to %d days, or 0 for ever", MinRunDays, maxDays)).
			own("refused.keep.runs", MinRunDays, maxDays)
	case r.KeepPerJob < 0 || r.KeepPerJob > maxKeep:
		return bad(fmt.Sprintf("a job keeps 1 to %d runs, or 0 without limit", maxKeep)).
			own("refused.keep.job", maxKeep)
	case r.AuditDays != 0 && (r.AuditDays < minAuditDays || r.AuditDays > maxDays):
		return bad(fmt.Sprintf("audit records are kept %d to %d days, or 0 for ever", minAuditDays, maxDays)).
			own("refused.keep.audit", minAuditDays, maxDays)
	case r.AlarmDays != 0 && (r.AlarmDays < minAlarmDays || r.AlarmDays > maxDays):
		return bad(fmt.Sprintf("alarms are kept %d to %d days after they have ended, or 0 for ever",
			minAlarmDays, maxDays)).own("refused.keep.alarms", minAlarmDays, maxDays)
	}
	return nil
}

// SetRetention says for all nodes how long rows are kept, in place of what they
// were started with; nil gives that back. It counts within a minute. For
// administrators.
func (s *Service) SetRetention(ctx context.Context, p Principal, r *Retention) error {
	if err := s.needAdmin(ctx, p, "settings.retention", ""); err != nil {
		return err
	}
	text, detail := "", "as the nodes were started"
	if r != nil {
		if e := checkRetention(*r); e != nil {
			return e
		}
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("write the retention: %w", err)
		}
		text = string(raw)
		detail = fmt.Sprintf("runs: %d days, %d of each job; audit: %d days; ended alarms: %d days (0 is for ever)",
			r.RunDays, r.KeepPerJob, r.AuditDays, r.AlarmDays)
	}
	if err := s.store.SetSetting(ctx, retentionSetting, text); err != nil {
		return fmt.Errorf("set the retention: %w", err)
	}
	s.record(ctx, p, "settings.retention", "retention", detail)
	return nil
}

// RetentionEffect returns what a retention deletes. For administrators.
func (s *Service) RetentionEffect(ctx context.Context, p Principal, r Retention) (RetentionEffect, error) {
	var e RetentionEffect
	if err := s.needAdmin(ctx, p, "settings.retention", ""); err != nil {
		return e, err
	}
	if bad := checkRetention(r); bad != nil {
		return e, bad
	}
	now := s.now().In(s.cfg.Location)
	if r.RunDays > 0 {
		y, m, d := now.Date()
		e.RunsBefore = time.Date(y, m, d-r.RunDays, 0, 0, 0, 0, s.cfg.Location)
		n, err := s.store.CountLogsToClear(ctx, model.LogClear{Before: e.RunsBefore}, countMax+1)
		if err != nil {
			return e, err
		}
		e.Runs = counted(n)
	}
	if r.AuditDays > 0 {
		e.AuditsBefore = now.AddDate(0, 0, -r.AuditDays)
		n, err := s.store.CountAudits(ctx, e.AuditsBefore, countMax+1)
		if err != nil {
			return e, err
		}
		e.Audits = counted(n)
	}
	if r.AlarmDays > 0 {
		e.AlarmsBefore = now.AddDate(0, 0, -r.AlarmDays)
		n, err := s.store.CountEndedAlarms(ctx, e.AlarmsBefore, countMax+1)
		if err != nil {
			return e, err
		}
		e.Alarms = counted(n)
	}
	return e, nil
}

// NoteCleaned puts on record what the cleaner has deleted. It is for the admin
// itself.
func (s *Service) NoteCleaned(ctx context.Context, c Cleaned) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.store.SetSetting(ctx, cleanedSetting, string(raw))
}

// LastCleaned returns what the cleaner last deleted; ok is false when it never
// has deleted anything.
func (s *Service) LastCleaned(ctx context.Context, p Principal) (c Cleaned, ok bool, err error) {
	if err := s.needLogin(ctx, p, "settings.get"); err != nil {
		return c, false, err
	}
	text, ok, err := s.store.Setting(ctx, cleanedSetting)
	if err != nil || !ok {
		return c, false, err
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, false, fmt.Errorf("read the setting %s: %w", cleanedSetting, err)
	}
	return c, true, nil
}

// ClearEffect is what ClearLogs would do.
type ClearEffect struct {
	Rows Count
	Open Count // of these are runs that have not ended, which end as failed
}

// ClearEffect returns what ClearLogs would do with the same input, for who may
// do it.
func (s *Service) ClearEffect(ctx context.Context, p Principal, in ClearInput) (ClearEffect, error) {
	var e ClearEffect
	c, err := s.clearing(ctx, p, in)
	if err != nil {
		return e, err
	}
	n, err := s.store.CountLogsToClear(ctx, c, countMax+1)
	if err != nil {
		return e, err
	}
	open, err := s.store.OpenLogsToClear(ctx, c, countMax+1)
	if err != nil {
		return e, err
	}
	return ClearEffect{Rows: counted(n), Open: counted(len(open))}, nil
}
