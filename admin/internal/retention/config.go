package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Store is what the Cleaner needs of the database.
type Store interface {
	// DeleteLogs deletes at most limit rows, never one whose run is open; fewer
	// than limit means that nothing is left.
	DeleteLogs(ctx context.Context, c model.LogClear, limit int) (int, error)
	// Jobs lists jobs, the newest first.
	Jobs(ctx context.Context, f model.JobFilter) ([]*model.Job, int, error)
	// ExpireSessions deletes the logins that have expired at now.
	ExpireSessions(ctx context.Context, now time.Time) (int, error)
	// DeleteAudits deletes at most limit lines that are older than before.
	DeleteAudits(ctx context.Context, before time.Time, limit int) (int, error)
	// ExpireDeleted forgets at most limit deletions that are older than before.
	ExpireDeleted(ctx context.Context, before time.Time, limit int) (int, error)
	// ExpireAlarms deletes at most limit alarms that ended before then.
	ExpireAlarms(ctx context.Context, before time.Time, limit int) (int, error)
	// ExpireAddressInfos forgets addresses that were last seen before beforeMs.
	ExpireAddressInfos(ctx context.Context, beforeMs int64) (int, error)
	// TidyRoles deletes the roles of users in groups that do not count any more.
	TidyRoles(ctx context.Context) (int, error)
	// TidyEnds deletes at most limit ends of runs whose log rows somebody else has
	// deleted.
	TidyEnds(ctx context.Context, limit int) (int, error)
	// RecountDay counts the runs of a day again.
	RecountDay(ctx context.Context, day time.Time) error
}

// Limits are those of Config that may change while the cleaner runs.
type Limits struct{ Days, KeepPerJob, AuditDays, AlarmDays int }

// Deleted is what a pass has deleted.
type Deleted struct{ Logs, Sessions, Audits, Alarms int64 }

// How long audit records, and alarms that have ended, are kept by default.
const (
	AuditDays = 365
	AlarmDays = 30
)

// off switches a limit off that is on by default.
const off = -1

// Config describes a Cleaner. Store is required; the zero value of every other
// field selects the default named in its comment.
type Config struct {
	Store Store

	// Days is how many whole days of log rows are kept beside today. Default 30;
	// negative or below MinDays: all are kept, as in Java.
	Days int
	// MinDays is the smallest number of days that is taken at its word. Default 3,
	// that of Java from 3.1.0 on.
	MinDays int
	// KeepPerJob is how many of its newest log rows every job keeps, whatever
	// their age. Default 0: no limit.
	KeepPerJob int
	// AuditDays is how long audit lines are kept, and jobs and groups that were
	// deleted, to be brought back. Default 365; negative: for ever.
	AuditDays int
	// AlarmDays is how long alarms are kept after they have ended. Default 30;
	// negative: for ever.
	AlarmDays int
	// Recount counts today and yesterday again, each minute or, when that takes
	// long, so rarely that it takes a twentieth of the time: on a schema that a
	// Java admin made. Default false.
	Recount bool

	// Limits returns what takes the place of Days, KeepPerJob, AuditDays and
	// AlarmDays in the pass that begins, with the same meaning. Nothing is deleted by age or number
	// in a pass for which it returns an error. nil: those count.
	Limits func(ctx context.Context) (Limits, error)
	// Cleaned is told what a pass has deleted, when that is anything. nil: nobody.
	Cleaned func(ctx context.Context, d Deleted)

	Interval time.Duration // between two passes; default 1 min
	Limit    time.Duration // for each kind of deletion in a pass; default a third of Interval
	Pause    time.Duration // at least, between two transactions; default 50 ms
	Batch    int           // rows a transaction; default 500

	// Mine reports whether the pass that begins is this node's; only the log rows,
	// the audit lines, the alarms and the days depend on it. Default: always.
	Mine     func() bool
	Location *time.Location // of the days; default time.Local
	Logger   *slog.Logger   // default: nothing is logged
}

func (c Config) withDefaults() Config {
	c.Days = cmp.Or(c.Days, 30)
	c.MinDays = cmp.Or(c.MinDays, 3)
	c.AuditDays = cmp.Or(c.AuditDays, AuditDays)
	c.AlarmDays = cmp.Or(c.AlarmDays, AlarmDays)
	c.Interval = cmp.Or(c.Interval, time.Minute)
	c.Limit = cmp.Or(c.Limit, c.Interval/3)
	c.Pause = cmp.Or(c.Pause, 50*time.Millisecond)
	c.Batch = cmp.Or(c.Batch, 500)
	c.Location = cmp.Or(c.Location, time.Local)
	if c.Mine == nil {
		c.Mine = func() bool { return true }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// limits are those of the configuration.
func (c *Config) limits() Limits {
	return Limits{c.Days, c.KeepPerJob, c.AuditDays, c.AlarmDays}.floor(c.MinDays)
}

// floor keeps all log rows where there are too few days.
func (l Limits) floor(least int) Limits {
	if l.Days < least {
		l.Days = off
	}
	return l
}

// validate returns every fault, each with the name of its field.
func (c *Config) validate() error {
	var faults []error
	if c.Store == nil {
		faults = append(faults, errors.New("Store: is missing"))
	}
	for name, value := range map[string]int64{
		"MinDays": int64(c.MinDays), "KeepPerJob": int64(c.KeepPerJob), "Interval": int64(c.Interval),
		"Limit": int64(c.Limit), "Pause": int64(c.Pause), "Batch": int64(c.Batch),
	} {
		if value < 0 {
			faults = append(faults, fmt.Errorf("%s: must not be negative", name))
		}
	}
	return errors.Join(faults...)
}
