package admin

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/retention"
)

// retention is how long rows are kept by the configuration, as people say it.
func (s *system) retention() ops.Retention {
	r := ops.Retention{
		RunDays: s.cfg.LogDays, KeepPerJob: s.cfg.LogKeepPerJob,
		AuditDays: retention.AuditDays, AlarmDays: retention.AlarmDays, // unless an administrator has said otherwise
	}
	if r.RunDays < ops.MinRunDays { // as in Java
		r.RunDays = 0
	}
	return r
}

// limits are those of the pass of the cleaner that begins.
func (s *system) limits(ctx context.Context) (retention.Limits, error) {
	v, err := s.ops.Limits(ctx)
	if err != nil {
		return retention.Limits{}, err
	}
	return retention.Limits{
		Days: cmp.Or(v.RunDays, -1), KeepPerJob: v.KeepPerJob, AuditDays: cmp.Or(v.AuditDays, -1),
		AlarmDays: cmp.Or(v.AlarmDays, -1),
	}, nil
}

// cleaned puts on record what a pass of the cleaner has deleted.
func (s *system) cleaned(ctx context.Context, d retention.Deleted) {
	err := s.ops.NoteCleaned(ctx, ops.Cleaned{
		At: time.Now(), Node: s.node, Runs: d.Logs, Audits: d.Audits, Alarms: d.Alarms, Sessions: d.Sessions,
	})
	if err != nil {
		s.log.WarnContext(ctx, "what was cleaned is not on record", slog.Any("err", err))
	}
}
