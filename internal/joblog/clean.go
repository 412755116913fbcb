package joblog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// cleanCheck bounds a sleep of the cleaner, which so notices a new day
	// also after the wall clock was set.
	cleanCheck = time.Hour
	// kickPause is the shortest time between two checks of MaxBytes.
	kickPause = time.Second
	// fullPause is that while logs take nothing: each check then counts what
	// is really there, since others may have made room.
	fullPause = 10 * time.Second
	// allDays is more days than there are.
	allDays = 10_000 * 366
)

// usage is what the run logs take on disk.
type usage struct {
	total atomic.Int64
	kick  chan struct{} // size 1: MaxBytes is near

	mu   sync.Mutex
	days map[day]int64
}

// Size returns the bytes of all run logs. Without Config.MaxBytes it is what
// was written since Open. With it each Clean adds what lay there before or came
// from other processes, the stored line indexes included.
func (s *Store) Size() int64 { return s.usage.total.Load() }

// wrote accounts for bytes appended to a log.
func (s *Store) wrote(k key, n int) {
	if n <= 0 {
		return
	}
	s.stats.written.Add(int64(n))
	total := s.usage.total.Add(int64(n))
	if s.cfg.MaxBytes == 0 {
		return
	}
	s.usage.mu.Lock()
	s.usage.days[k.day] += int64(n)
	s.usage.mu.Unlock()
	if total > s.highWater() {
		s.kickCleaner()
	}
}

// kickCleaner asks Run to look at MaxBytes soon.
func (s *Store) kickCleaner() {
	select {
	case s.usage.kick <- struct{}{}:
	default:
	}
}

// full reports whether logs must not grow.
func (s *Store) full() bool {
	return s.cfg.MaxBytes > 0 && s.usage.total.Load() >= s.cfg.MaxBytes
}

func (s *Store) highWater() int64 { return s.cfg.MaxBytes - s.cfg.MaxBytes/20 }
func (s *Store) lowWater() int64  { return s.cfg.MaxBytes - s.cfg.MaxBytes/10 }

// runCleaner cleans at the start, on each new day, and when MaxBytes is near.
func (s *Store) runCleaner(ctx context.Context) {
	cleaned := dayOf(time.Now(), s.cfg.Location)
	s.cleanAndLog(s.clean(ctx, time.Now()))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		timer.Reset(min(cleanCheck, untilMidnight(now, s.cfg.Location)))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if today := dayOf(time.Now(), s.cfg.Location); today != cleaned {
				cleaned = today
				s.cleanAndLog(s.clean(ctx, time.Now()))
			}
		case <-s.usage.kick:
			s.cleanAndLog(s.shrink(ctx, dayOf(time.Now(), s.cfg.Location)))
			pause := kickPause
			if s.full() {
				s.cleanAndLog(nil, s.measure())
				pause = fullPause
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
		}
	}
}

func untilMidnight(now time.Time, loc *time.Location) time.Duration {
	year, month, dom := now.In(loc).Date()
	return max(time.Date(year, month, dom+1, 0, 0, 0, 0, loc).Sub(now), time.Millisecond)
}

func (s *Store) cleanAndLog(removed []string, err error) {
	if len(removed) > 0 {
		s.cfg.Logger.Info("run logs removed", slog.Any("folders", removed))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.cfg.Logger.Warn("run logs not removed", slog.Any("err", err))
	}
}

// Clean removes day folders: with retention on, those of a day D where the day
// of now is later than D + RetentionDays; above 95 % of MaxBytes, the oldest
// until 90 % are left, never that of now's day nor later ones. It returns the
// names of the folders that are gone, also with an error.
//
// A day folder is a folder directly in Dir whose name is strictly a date in
// the form yyyy-MM-dd. Java takes every name with a dash that begins with
// something like a date (2024-1-5, 2024-01-05-bak, 2024-13-45); those are left
// alone here, as is everything else. The log of a run that is still going on
// is removed with its folder; both are made again by the next entry.
func (s *Store) Clean(now time.Time) (removed []string, err error) {
	return s.clean(context.Background(), now)
}

func (s *Store) clean(ctx context.Context, now time.Time) (removed []string, err error) {
	today := dayOf(now, s.cfg.Location)
	days, err := s.disk.topLevel()
	if err != nil {
		return nil, fmt.Errorf("joblog: clean: %w", err)
	}
	faults := []error{}
	if s.cfg.RetentionDays >= minRetentionDays {
		last := today.add(-min(s.cfg.RetentionDays, allDays))
		for len(days) > 0 && days[0] < last && ctx.Err() == nil {
			if err := s.removeDay(ctx, days[0]); err != nil {
				faults = append(faults, err)
			} else {
				removed = append(removed, days[0].name())
			}
			days = days[1:]
		}
	}
	if s.cfg.MaxBytes > 0 {
		faults = append(faults, s.measure())
		more, err := s.shrink(ctx, today)
		removed, faults = append(removed, more...), append(faults, err)
	}
	return removed, errors.Join(faults...)
}

// measure counts what the folders take.
func (s *Store) measure() error {
	days, err := s.disk.topLevel()
	if err != nil {
		return fmt.Errorf("joblog: measure: %w", err)
	}
	for _, d := range days {
		s.usage.mu.Lock()
		before := s.usage.days[d]
		s.usage.mu.Unlock()
		n, err := s.disk.folderBytes(d)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("joblog: measure: %w", err)
		}
		// What was written while we counted is in both numbers; the difference
		// to before is added, so that an error here is never more than that.
		s.account(d, n-before)
	}
	return s.forgetMissing(days)
}

// forgetMissing takes folders off the account that others have removed.
func (s *Store) forgetMissing(days []day) error {
	there := make(map[day]bool, len(days))
	for _, d := range days {
		there[d] = true
	}
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	for d, n := range s.usage.days {
		if !there[d] {
			s.usage.total.Add(-n)
			delete(s.usage.days, d)
		}
	}
	return nil
}

func (s *Store) account(d day, n int64) {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	s.usage.days[d] += n
	s.usage.total.Add(n)
}

// shrink removes the oldest folders while MaxBytes is near.
func (s *Store) shrink(ctx context.Context, today day) (removed []string, err error) {
	if s.Size() <= s.highWater() {
		return nil, nil
	}
	days, err := s.disk.topLevel()
	if err != nil {
		return nil, fmt.Errorf("joblog: clean: %w", err)
	}
	for _, d := range days {
		if d >= today || s.Size() <= s.lowWater() {
			break
		}
		if err := s.removeDay(ctx, d); err != nil {
			return removed, err
		}
		removed = append(removed, d.name())
	}
	return removed, nil
}

func (s *Store) removeDay(ctx context.Context, d day) error {
	if err := s.disk.remove(ctx, d); err != nil {
		return fmt.Errorf("joblog: remove %s: %w", d.name(), err)
	}
	s.indexes.forget(d)
	s.stats.removed.Add(1)
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.cfg.MaxBytes > 0 {
		s.usage.total.Add(-s.usage.days[d])
		delete(s.usage.days, d)
	}
	return nil
}
