package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ErrStarted is returned by a second call of Run.
var ErrStarted = errors.New("the cleaner runs, or has run")

const (
	callLimit   = time.Minute // for one call of the store
	addressAge  = 30 * 24 * time.Hour
	roundEvery  = time.Hour // between two rounds over all jobs
	jobPage     = 100       // jobs that are read at once
	recountPart = 20        // a recount takes one part in so many of the time
)

// Stats are the numbers of a Cleaner since its start.
type Stats struct {
	Passes   int64
	LastPass time.Time // when the last one ended; zero before the first
	Behind   bool      // the last pass has left rows that are to go
	Logs     int64     // rows deleted
	Sessions int64     // logins expired
	Audits   int64     // lines deleted
	Alarms   int64     // ended ones deleted
	Faults   int64     // steps that ended with an error or a panic
	LastErr  string    // of the last fault; "" is none
}

// Cleaner deletes what is old. New makes one, Run makes it work. Its methods
// are safe for concurrent use.
type Cleaner struct {
	cfg     Config
	log     *slog.Logger
	started atomic.Bool

	mu    sync.Mutex
	stats Stats

	// What follows belongs to the goroutine of Run.
	limits    Limits // of this pass
	behind    bool
	offset    int       // of the next page of jobs in this round
	nextRound time.Time // when the next round over all jobs may begin
	recountAt time.Time // when days may be counted again
}

// New returns a Cleaner, or an error that names every fault of the
// configuration. It starts nothing.
func New(cfg Config) (*Cleaner, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("retention: invalid config: %w", err)
	}
	cfg = cfg.withDefaults()
	return &Cleaner{cfg: cfg, log: cfg.Logger.With(slog.String("part", "retention"))}, nil
}

// Run cleans at once and then in every interval, until ctx ends; then it
// returns nil, after the transaction that is under way. A second call returns
// ErrStarted.
func (c *Cleaner) Run(ctx context.Context) error {
	if !c.started.CompareAndSwap(false, true) {
		return ErrStarted
	}
	ticker := time.NewTicker(c.cfg.Interval)
	defer ticker.Stop()
	for {
		c.pass(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Stats returns the numbers as they are now.
func (c *Cleaner) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// pass does each kind of work once.
func (c *Cleaner) pass(ctx context.Context) {
	c.behind = false
	before := c.Stats()
	c.limits = Limits{Days: off, AuditDays: off, AlarmDays: off}
	c.step(ctx, "sessions", c.expireSessions)
	if c.cfg.Mine() {
		c.step(ctx, "limits", c.readLimits)
		c.step(ctx, "addresses", c.forgetAddresses)
		c.step(ctx, "roles", c.tidyRoles)
		c.step(ctx, "days", c.recount)
		c.step(ctx, "audit", c.deleteAudits)
		c.step(ctx, "deleted", c.expireDeleted)
		c.step(ctx, "alarms", c.deleteAlarms)
		c.step(ctx, "age", c.deleteByAge)
		c.step(ctx, "number", c.deleteByNumber)
		c.step(ctx, "ends", c.tidyEnds)
	}
	if after := c.Stats(); c.cfg.Cleaned != nil {
		d := Deleted{
			after.Logs - before.Logs, after.Sessions - before.Sessions, after.Audits - before.Audits,
			after.Alarms - before.Alarms,
		}
		if d != (Deleted{}) {
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
			c.cfg.Cleaned(limited, d)
			cancel()
		}
	}
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Passes++
	c.stats.LastPass = time.Now()
	c.stats.Behind = c.behind
}

// step runs one kind of work and outlives its faults.
func (c *Cleaner) step(ctx context.Context, name string, work func(ctx context.Context) error) {
	defer func() {
		if value := recover(); value != nil {
			c.fault(ctx, name, fmt.Errorf("panic: %v", value), slog.String("stack", string(debug.Stack())))
		}
	}()
	if ctx.Err() != nil {
		return
	}
	if err := work(ctx); err != nil && ctx.Err() == nil {
		c.fault(ctx, name, err)
	}
}

func (c *Cleaner) fault(ctx context.Context, name string, err error, more ...slog.Attr) {
	c.log.LogAttrs(ctx, slog.LevelWarn, "cleaning went wrong, the next pass tries again",
		append([]slog.Attr{slog.String("step", name), slog.Any("err", err)}, more...)...)
	c.count(func(s *Stats) {
		s.Faults++
		s.LastErr = name + ": " + err.Error()
	})
}

func (c *Cleaner) count(change func(s *Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

// readLimits finds out what this pass may delete.
func (c *Cleaner) readLimits(ctx context.Context) error {
	if c.cfg.Limits == nil {
		c.limits = c.cfg.limits()
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	l, err := c.cfg.Limits(ctx)
	if err != nil {
		return err
	}
	c.limits = l.floor(c.cfg.MinDays)
	return nil
}

func (c *Cleaner) expireSessions(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	n, err := c.cfg.Store.ExpireSessions(ctx, time.Now())
	c.count(func(s *Stats) { s.Sessions += int64(n) })
	return err
}

// tidyRoles deletes the roles that do not count any more: a console of the Java
// admin has overtaken them.
func (c *Cleaner) tidyRoles(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	n, err := c.cfg.Store.TidyRoles(ctx)
	if n > 0 {
		c.log.InfoContext(ctx, "roles that do not count any more deleted", slog.Int("count", n))
	}
	return err
}

// tidyEnds deletes what is kept of runs whose log rows are gone.
func (c *Cleaner) tidyEnds(ctx context.Context) error {
	_, err := c.untilDone(ctx, time.Now().Add(c.cfg.Limit), func(ctx context.Context) (int, error) {
		return c.cfg.Store.TidyEnds(ctx, c.cfg.Batch)
	})
	return err
}

// forgetAddresses drops what is known of addresses that nobody has seen for
// long.
func (c *Cleaner) forgetAddresses(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := c.cfg.Store.ExpireAddressInfos(ctx, time.Now().Add(-addressAge).UnixMilli())
	return err
}

// recount counts yesterday and today again, unless the last time took so long
// that it would take more than its part.
func (c *Cleaner) recount(ctx context.Context) error {
	begin := time.Now()
	if !c.cfg.Recount || begin.Before(c.recountAt) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	defer func() { c.recountAt = begin.Add(recountPart * time.Since(begin)) }()
	today := c.midnight(begin, 0)
	if err := c.cfg.Store.RecountDay(limited, c.midnight(begin, 1)); err != nil {
		return err
	}
	return c.cfg.Store.RecountDay(limited, today)
}

func (c *Cleaner) deleteAudits(ctx context.Context) error {
	return c.deleteOlder(ctx, c.limits.AuditDays, c.cfg.Store.DeleteAudits, func(s *Stats, n int64) { s.Audits += n })
}

func (c *Cleaner) deleteAlarms(ctx context.Context) error {
	return c.deleteOlder(ctx, c.limits.AlarmDays, c.cfg.Store.ExpireAlarms, func(s *Stats, n int64) { s.Alarms += n })
}

// deleteOlder deletes what is so many days old; below 0 nothing is.
func (c *Cleaner) deleteOlder(
	ctx context.Context, days int, remove func(ctx context.Context, before time.Time, limit int) (int, error),
	add func(s *Stats, n int64),
) error {
	if days < 0 {
		return nil
	}
	before := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
	_, err := c.untilDone(ctx, time.Now().Add(c.cfg.Limit), func(ctx context.Context) (int, error) {
		n, err := remove(ctx, before, c.cfg.Batch)
		c.count(func(s *Stats) { add(s, int64(n)) })
		return n, err
	})
	return err
}

// expireDeleted forgets jobs and groups that were deleted as long ago as audit
// lines are kept.
func (c *Cleaner) expireDeleted(ctx context.Context) error {
	return c.deleteOlder(ctx, c.limits.AuditDays, c.cfg.Store.ExpireDeleted, func(*Stats, int64) {})
}

// deleteByAge deletes the rows of the days before the kept ones (admin.md 5.7).
func (c *Cleaner) deleteByAge(ctx context.Context) error {
	if c.limits.Days < 0 {
		return nil
	}
	old := model.LogClear{Before: c.midnight(time.Now(), c.limits.Days)}
	_, err := c.deleteLogs(ctx, old, time.Now().Add(c.cfg.Limit))
	return err
}

// deleteByNumber goes on with the round over all jobs, and begins one when its
// time has come.
func (c *Cleaner) deleteByNumber(ctx context.Context) error {
	if c.limits.KeepPerJob == 0 || time.Now().Before(c.nextRound) {
		return nil
	}
	until := time.Now().Add(c.cfg.Limit)
	for time.Now().Before(until) {
		limited, cancel := context.WithTimeout(ctx, callLimit)
		jobs, _, err := c.cfg.Store.Jobs(limited, model.JobFilter{Offset: c.offset, Limit: jobPage})
		cancel()
		if err != nil {
			return err
		}
		if len(jobs) == 0 {
			c.offset, c.nextRound = 0, time.Now().Add(roundEvery)
			return nil
		}
		for _, job := range jobs {
			if !time.Now().Before(until) {
				c.behind = true
				return nil
			}
			begin := time.Now()
			done, err := c.deleteLogs(ctx, model.LogClear{JobID: job.ID, Keep: c.limits.KeepPerJob}, until)
			if done || err != nil {
				c.offset++ // also after a fault: one job must not hold up the others
			}
			if err != nil {
				return fmt.Errorf("job %d: %w", job.ID, err)
			}
			if !c.wait(ctx, max(c.cfg.Pause/10, time.Since(begin))) {
				return ctx.Err()
			}
		}
	}
	c.behind = true
	return nil
}

func (c *Cleaner) deleteLogs(ctx context.Context, which model.LogClear, until time.Time) (done bool, err error) {
	return c.untilDone(ctx, until, func(ctx context.Context) (int, error) {
		n, err := c.cfg.Store.DeleteLogs(ctx, which, c.cfg.Batch)
		c.count(func(s *Stats) { s.Logs += int64(n) })
		return n, err
	})
}

// untilDone deletes batch after batch until one is not full, which is done, or
// the time is over. The pause after a batch is at least as long as the batch
// took.
func (c *Cleaner) untilDone(
	ctx context.Context, until time.Time, remove func(ctx context.Context) (int, error),
) (done bool, err error) {
	for {
		begin := time.Now()
		limited, cancel := context.WithTimeout(ctx, callLimit)
		n, err := remove(limited)
		cancel()
		if err != nil {
			return false, err
		}
		if n < c.cfg.Batch {
			return true, nil
		}
		if !c.wait(ctx, max(c.cfg.Pause, time.Since(begin))) {
			return false, ctx.Err()
		}
		if !time.Now().Before(until) {
			c.behind = true
			return false, nil
		}
	}
}

// wait pauses and reports whether ctx goes on.
func (c *Cleaner) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// midnight returns the beginning of the day that lies so many days before that
// of at.
func (c *Cleaner) midnight(at time.Time, days int) time.Time {
	y, m, d := at.In(c.cfg.Location).Date()
	return time.Date(y, m, d-days, 0, 0, 0, 0, c.cfg.Location)
}
