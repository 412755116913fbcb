package retention

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore counts rows instead of keeping them.
type fakeStore struct {
	mu        sync.Mutex
	old       int           // log rows that are too old
	perJob    map[int32]int // rows that a job has too many
	jobs      []*model.Job
	audits    int
	alarms    int
	sessions  int
	took      time.Duration // of each deletion
	counting  time.Duration // of counting a day
	fault     error
	panics    bool
	befores   []time.Time
	ended     []time.Time // before which alarms went
	days      []time.Time
	deletions []time.Time
	asked     []int32
}

func (f *fakeStore) DeleteLogs(_ context.Context, c model.LogClear, limit int) (int, error) {
	<-time.After(f.took)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("boom")
	}
	if f.fault != nil {
		return 0, f.fault
	}
	f.deletions = append(f.deletions, time.Now())
	if c.JobID != 0 {
		f.asked = append(f.asked, c.JobID)
		n := min(limit, f.perJob[c.JobID])
		f.perJob[c.JobID] -= n
		return n, nil
	}
	f.befores = append(f.befores, c.Before)
	n := min(limit, f.old)
	f.old -= n
	return n, nil
}

func (f *fakeStore) Jobs(_ context.Context, filter model.JobFilter) ([]*model.Job, int, error) {
	from := min(filter.Offset, len(f.jobs))
	return f.jobs[from:min(from+filter.Limit, len(f.jobs))], len(f.jobs), nil
}

func (f *fakeStore) ExpireSessions(context.Context, time.Time) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.sessions
	f.sessions = 0
	return n, nil
}

func (f *fakeStore) ExpireDeleted(context.Context, time.Time, int) (int, error) { return 0, nil }

func (f *fakeStore) ExpireAddressInfos(context.Context, int64) (int, error) { return 0, nil }

func (f *fakeStore) TidyRoles(context.Context) (int, error) { return 0, nil }

func (f *fakeStore) TidyEnds(context.Context, int) (int, error) { return 0, nil }

func (f *fakeStore) DeleteAudits(_ context.Context, _ time.Time, limit int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(limit, f.audits)
	f.audits -= n
	return n, nil
}

func (f *fakeStore) ExpireAlarms(_ context.Context, before time.Time, limit int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = append(f.ended, before)
	n := min(limit, f.alarms)
	f.alarms -= n
	return n, nil
}

func (f *fakeStore) RecountDay(ctx context.Context, day time.Time) error {
	select {
	case <-time.After(f.counting):
	case <-ctx.Done():
		return ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.days = append(f.days, day)
	return nil
}

// clean runs a Cleaner over the store for so long.
func clean(t *testing.T, cfg Config, f *fakeStore, d time.Duration) Stats {
	t.Helper()
	cfg.Store = f
	c, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	<-time.After(d)
	cancel()
	require.NoError(t, <-done)
	assert.ErrorIs(t, c.Run(t.Context()), ErrStarted)
	return c.Stats()
}

func TestDeletesByAgeInBatchesWithPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		zone := time.FixedZone("UTC+8", 8*3600)
		f := &fakeStore{old: 1750, took: 200 * time.Millisecond, sessions: 3, audits: 4, alarms: 501}
		s := clean(t, Config{Days: 7, Location: zone}, f, 10*time.Second)
		assert.Equal(t, int64(1750), s.Logs)
		assert.Equal(t, int64(3), s.Sessions)
		assert.Equal(t, int64(4), s.Audits)
		assert.Equal(t, int64(501), s.Alarms)
		assert.Len(t, f.ended, 2)
		assert.Equal(t, int64(1), s.Passes)
		assert.False(t, s.Behind)
		assert.Zero(t, s.Faults)
		require.Len(t, f.deletions, 4)
		for i := 1; i < 4; i++ {
			assert.Equal(t, 400*time.Millisecond, f.deletions[i].Sub(f.deletions[i-1]), "as long a pause as a batch takes")
		}
		// The bubble begins at midnight UTC of 2000-01-01, which is 8 o'clock there.
		assert.Equal(t, time.Date(1999, 12, 25, 0, 0, 0, 0, zone), f.befores[0])
		assert.Empty(t, f.days)
	})
}

func TestAPassIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{old: 1 << 30, took: time.Second}
		s := clean(t, Config{}, f, 59*time.Second)
		assert.Equal(t, int64(1), s.Passes)
		assert.True(t, s.Behind)
		assert.Equal(t, int64(10*500), s.Logs, "a third of the minute, half of it in pauses")
		assert.Equal(t, 20*time.Second, s.LastPass.Sub(f.deletions[0])+time.Second)
	})
}

func TestRetentionSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"negative": {Days: -1}, "below three": {Days: 2}, "below the own minimum": {Days: 6, MinDays: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fakeStore{old: 10, audits: 5, alarms: 5}
				cfg.AuditDays, cfg.AlarmDays = -1, -1
				s := clean(t, cfg, f, time.Hour-time.Second)
				assert.Zero(t, s.Logs)
				assert.Zero(t, s.Audits)
				assert.Zero(t, s.Alarms)
				assert.Equal(t, int64(60), s.Passes)
			})
		})
	}
}

func TestThreeDaysAreTakenAtTheirWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{old: 10}
		s := clean(t, Config{Days: 3, Location: time.UTC}, f, time.Second)
		assert.Equal(t, int64(10), s.Logs)
		assert.Equal(t, time.Date(1999, 12, 29, 0, 0, 0, 0, time.UTC), f.befores[0])
	})
}

func TestDeletesByNumberOfEachJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{perJob: make(map[int32]int)}
		for id := int32(1); id <= 250; id++ {
			f.jobs = append(f.jobs, &model.Job{ID: id})
			f.perJob[id] = int(id)
		}
		f.perJob[3] = 5000
		s := clean(t, Config{Days: -1, KeepPerJob: 100}, f, 59*time.Minute)
		assert.Equal(t, int64(250*251/2-3+5000), s.Logs)
		seen := make(map[int32]int)
		for _, id := range f.asked {
			seen[id]++
		}
		assert.Len(t, seen, 250)
		assert.Equal(t, 11, seen[3])
		assert.Equal(t, 1, seen[250], "one round an hour")
	})
}

func TestAHugeJobGoesOnInTheNextPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{took: 500 * time.Millisecond, jobs: []*model.Job{{ID: 1}, {ID: 2}}, perJob: map[int32]int{1: 25_000, 2: 1}}
		s := clean(t, Config{Days: -1, KeepPerJob: 100}, f, 59*time.Second)
		assert.True(t, s.Behind)
		assert.Zero(t, s.Faults)
		assert.Equal(t, int64(10_000), s.Logs)
		assert.NotContains(t, f.asked, int32(2))

		s = clean(t, Config{Days: -1, KeepPerJob: 100}, f, 3*time.Minute)
		assert.Equal(t, int64(15_001), s.Logs)
		assert.False(t, s.Behind)
	})
}

func TestFaultsCostTheirStepOnly(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*fakeStore{
		"error": {fault: errors.New("table is locked"), sessions: 1, audits: 600},
		"panic": {panics: true, sessions: 1, audits: 600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := clean(t, Config{}, f, 2*time.Minute+time.Second)
				assert.Equal(t, int64(3), s.Passes)
				assert.Equal(t, int64(3), s.Faults)
				assert.Equal(t, int64(1), s.Sessions)
				assert.Equal(t, int64(600), s.Audits)
				assert.Contains(t, s.LastErr, "age: ")
			})
		})
	}
}

func TestRecount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{counting: 100 * time.Millisecond}
		clean(t, Config{Recount: true, Location: time.UTC}, f, 10*time.Minute-time.Second)
		require.Len(t, f.days, 20, "two days each minute")
		assert.Equal(t, time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC), f.days[0])
		assert.Equal(t, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), f.days[1])
	})
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{counting: 10 * time.Second}
		clean(t, Config{Recount: true, Location: time.UTC}, f, 60*time.Minute-time.Second)
		assert.Len(t, f.days, 2*9, "20 s of counting is done each 400 s, which is the seventh minute")
	})
}

func TestOnlyTheNodeWhoseTurnItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{old: 10, sessions: 1, alarms: 1}
		s := clean(t, Config{Recount: true, Mine: func() bool { return false }}, f, time.Minute)
		assert.Zero(t, s.Logs)
		assert.Zero(t, s.Alarms)
		assert.Equal(t, int64(1), s.Sessions)
		assert.Empty(t, f.days)
	})
}

func TestStopsInTheMiddle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{old: 1 << 30, took: 10 * time.Second}
		begin := time.Now()
		s := clean(t, Config{}, f, time.Second)
		assert.Equal(t, 10*time.Second, time.Since(begin), "the transaction that was under way")
		assert.Zero(t, s.Faults)
		assert.Zero(t, s.Passes)
	})
}

func TestNewNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Batch: -1, Pause: -1})
	for _, want := range []string{"Store: is missing", "Batch: must not be negative", "Pause: must not be negative"} {
		assert.ErrorContains(t, err, want)
	}
}
