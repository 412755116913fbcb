//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

const (
	grace      = 8 * time.Second  // late fires of the window still count
	drainLimit = 60 * time.Second // for results that wait
)

// figures are what one window gave.
type figures struct {
	trial                  trial
	fired, missed, doubled int
	p50, p99, worst        time.Duration // late
	acked, postErrors      int64
	waiting                int64         // results at the end of the window
	undelivered            int64         // results after the drain
	ack50, ack99           time.Duration // from trigger to acknowledged result
	admin, database        share
	stored                 stored
	lastError              string
}

// share is what a process used in the window.
type share struct {
	microseconds float64 // of CPU a fire
	cores        float64
	memory       memory // at the end; the peak is of the window
}

// held reports whether the admin keeps up.
func (f figures) held() bool {
	return f.missed == 0 && f.doubled == 0 && f.postErrors == 0 && f.undelivered == 0 &&
		f.p99 < heldLateMs*time.Millisecond && float64(f.waiting) < heldWaiting.Seconds()*float64(f.trial.rate)
}

// measure does one trial.
func (b *bench) measure(ctx context.Context, t trial) (f figures, err error) {
	f.trial = t
	s, err := b.open(ctx, t)
	if err != nil {
		return f, err
	}
	defer s.close()
	n, err := b.startAdmin(ctx, s)
	if err != nil {
		return f, err
	}
	defer n.kill()
	l := startLoad(ctx, s, n.base, b.opt.posters)
	stopped := false
	defer func() {
		if !stopped {
			l.stop()
		}
	}()
	progress("%s: %s fires a second for %v%s", t.db, grouped(int64(t.rate)), t.window, t.more())
	if err := f.watch(ctx, s, n, l, b.opt.warm); err != nil {
		return f, err
	}
	l.closing.Store(true)
	if err := n.stop(); err != nil {
		return f, err
	}
	stopped = true
	l.stop()
	f.acked = l.acked.Load()
	if f.stored, err = s.count(ctx); err != nil {
		return f, err
	}
	progress("%s", f.line())
	return f, nil
}

// more says what else is in the tables.
func (t trial) more() string {
	switch {
	case t.idleJobs > 0:
		return fmt.Sprintf(", among %s jobs", grouped(int64(t.idleJobs+t.jobs())))
	case t.logRows > 0:
		return fmt.Sprintf(", on %s log rows", grouped(int64(t.logRows)))
	}
	return ""
}

// watch lets the window pass and reads its figures.
func (f *figures) watch(ctx context.Context, s *site, n *node, l *load, warm time.Duration) error {
	if !pause(ctx, warm) {
		return ctx.Err()
	}
	rounds := int(f.trial.window / period)
	// The window starts and ends at a multiple of the period, so that every job
	// has the same number of fires in it.
	start := time.Now().Truncate(period).Add(period)
	book := newLedger(start, f.trial.jobs(), rounds)
	l.book.Store(book)
	if !pause(ctx, time.Until(start)) {
		return ctx.Err()
	}
	resetPeaks(n.pid(), s.databasePid())
	before, err := usages(n.pid(), s.databasePid())
	if err != nil {
		return fmt.Errorf("%w: %s", err, n.tail())
	}
	end := start.Add(time.Duration(rounds) * period)
	if !pause(ctx, time.Until(end)) {
		return ctx.Err()
	}
	after, err := usages(n.pid(), s.databasePid())
	if err != nil {
		return fmt.Errorf("%w: %s", err, n.tail())
	}
	f.waiting = l.waiting.Load()
	if !pause(ctx, grace) {
		return ctx.Err()
	}
	// Fires go on; what the backlog of the window took shows in what waits.
	for limit := time.Now().Add(drainLimit); l.waiting.Load() > int64(f.trial.rate)/2 && time.Now().Before(limit); {
		if !pause(ctx, 50*time.Millisecond) {
			return ctx.Err()
		}
	}
	f.undelivered = max(l.waiting.Load()-int64(f.trial.rate), 0)
	f.read(book, l)
	f.admin, f.database = f.shareOf(before[0], after[0]), f.shareOf(before[1], after[1])
	return nil
}

// read takes the figures of the load.
func (f *figures) read(book *ledger, l *load) {
	f.fired, f.missed, f.doubled = book.totals()
	f.p50, f.p99, f.worst = book.late.quantile(.5), book.late.quantile(.99), book.late.quantile(1)
	f.ack50, f.ack99 = l.answer.quantile(.5), l.answer.quantile(.99)
	f.postErrors = l.errors.Load()
	if text := l.lastErr.Load(); text != nil {
		f.lastError = *text
	}
}

func (f *figures) shareOf(before, after usage) share {
	cpu := after.cpu - before.cpu
	s := share{cores: cpu.Seconds() / f.trial.window.Truncate(period).Seconds(), memory: after.memory}
	if f.fired > 0 {
		s.microseconds = float64(cpu.Microseconds()) / float64(f.fired)
	}
	return s
}

// line is the trial in one line, for those who wait.
func (f figures) line() string {
	return fmt.Sprintf("  fired %d missed %d doubled %d, late p50 %s p99 %s max %s, results acked p99 %s, errors %d, "+
		"CPU a fire %.0f + %.0f µs, admin %.0f MB, stored %d of %d rows, acked %d, open %d",
		f.fired, f.missed, f.doubled, milli(f.p50), milli(f.p99), milli(f.worst), milli(f.ack99), f.postErrors,
		f.admin.microseconds, f.database.microseconds, megabytes(f.admin.memory.peak), f.stored.good, f.stored.rows,
		f.acked, f.stored.open)
}
