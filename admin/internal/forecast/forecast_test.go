package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func all(int32) bool { return true }

// jobs answers pages of a list.
func jobs(list []model.StartedJob) func(context.Context, int32, int) ([]model.StartedJob, error) {
	return func(_ context.Context, after int32, limit int) (page []model.StartedJob, err error) {
		for _, j := range list {
			if j.ID > after && len(page) < limit {
				page = append(page, j)
			}
		}
		return page, nil
	}
}

func sum(h *Hour) (fires int) {
	for _, c := range h.Cells {
		fires += c.Fires
	}
	return fires
}

func TestHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(12*time.Hour + 20*time.Second)
		now := time.Now()
		ms := now.UnixMilli()
		list := []model.StartedJob{
			{ID: 1, GroupID: 1, Name: "every 20 s", ScheduleType: model.ScheduleCron, Conf: "0/20 * * * * ?", NextMs: ms},
			{ID: 2, GroupID: 1, Name: "twelve", ScheduleType: model.ScheduleCron, Conf: "0 30 12 * * ?", NextMs: ms},
			{ID: 3, GroupID: 2, Name: "rate", ScheduleType: model.ScheduleFixRate, Conf: "90", NextMs: ms + 90_000},
			{ID: 4, GroupID: 2, Name: "broken", ScheduleType: model.ScheduleCron, Conf: "nonsense", NextMs: ms},
			{ID: 5, GroupID: 2, Name: "tomorrow", ScheduleType: model.ScheduleCron, Conf: "0 0 0 * * ?", NextMs: ms + 86_400_000},
			{ID: 6, GroupID: 2, Name: "elsewhere", ScheduleType: model.ScheduleCron, Conf: "0 5 20 * * ?", TimeZone: "Asia/Shanghai", NextMs: ms},
			{ID: 7, GroupID: 3, Name: "api only", ScheduleType: model.ScheduleNone},
		}
		asked := 0
		f := New(Config{Location: time.UTC, Jobs: func(ctx context.Context, after int32, limit int) ([]model.StartedJob, error) {
			asked++
			return jobs(list)(ctx, after, limit)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go f.Run(ctx)

		h, ok := f.Hour(ctx, all)
		require.True(t, ok)
		assert.Equal(t, now.Truncate(time.Minute), h.Start)
		assert.Equal(t, 7, h.Started)
		assert.Equal(t, 3*60+1+39+1, sum(h))
		assert.Equal(t, Cell{Fires: 5, Jobs: 3, Names: []string{"every 20 s", "rate", "twelve"}}, h.Cells[30])
		assert.Contains(t, h.Cells[5].Names, "elsewhere")
		h, ok = f.Hour(ctx, func(g int32) bool { return g == 2 })
		require.True(t, ok)
		assert.Equal(t, "elsewhere", h.Next.Name, "the broken one never fires")
		assert.Equal(t, 1, asked, "once within a few seconds")

		h, ok = f.Hour(ctx, func(g int32) bool { return g == 3 })
		require.True(t, ok)
		assert.Zero(t, sum(h))
		assert.Nil(t, h.Next)

		<-time.After(3 * time.Minute)
		h, ok = f.Hour(ctx, all)
		require.True(t, ok)
		assert.Equal(t, 27, minuteOf(h, "twelve"))
		assert.Equal(t, 2, asked, "counted anew")
		list = list[:1]
		<-time.After(fresh)
		h, ok = f.Hour(ctx, all)
		require.True(t, ok)
		assert.Equal(t, 1, h.Started, "what was changed within the minute is seen")
		assert.Equal(t, time.Now(), h.Counted)
	})
}

// TestSlowCount counts for a second each time.
func TestSlowCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		f := New(Config{Jobs: func(context.Context, int32, int) ([]model.StartedJob, error) {
			asked++
			<-time.After(time.Second)
			return make([]model.StartedJob, asked), nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go f.Run(ctx)
		begun := time.Now()
		_, ok := f.Hour(ctx, all)
		assert.False(t, ok, "nobody waits for a second")
		<-time.After(restFactor * time.Second)
		h, ok := f.Hour(ctx, all)
		require.True(t, ok)
		assert.Equal(t, 1, h.Started)
		assert.Equal(t, begun, h.Counted)
		synctest.Wait()
		assert.Equal(t, 2, asked, "another one is made meanwhile")
		<-time.After(restFactor * time.Second / 2)
		now := time.Now()
		h, ok = f.Hour(ctx, all)
		require.True(t, ok)
		assert.Equal(t, 2, h.Started)
		assert.Equal(t, now, time.Now(), "nobody waits where there is something to show")
		synctest.Wait()
		assert.Equal(t, 2, asked, "and it rests for twenty times as long as it takes")
	})
}

// minuteOf is the first minute that names a job.
func minuteOf(h *Hour, name string) int {
	for i, c := range h.Cells {
		if slices.Contains(c.Names, name) {
			return i
		}
	}
	return -1
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		fault, slow := error(nil), time.Hour
		set := func(err error, d time.Duration) { mu.Lock(); defer mu.Unlock(); fault, slow = err, d }
		f := New(Config{Jobs: func(ctx context.Context, _ int32, _ int) ([]model.StartedJob, error) {
			mu.Lock()
			err, d := fault, slow
			mu.Unlock()
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(d):
				return nil, err
			}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go f.Run(ctx)
		start := time.Now()
		_, ok := f.Hour(ctx, all)
		assert.False(t, ok)
		assert.Equal(t, firstWait, time.Since(start))
		<-time.After(countLimit)
		set(errors.New("no database"), 0)
		_, ok = f.Hour(ctx, all)
		assert.False(t, ok)
		set(nil, 0)
		_, ok = f.Hour(ctx, all)
		assert.True(t, ok)
		<-time.After(time.Hour)
		h, ok := f.Hour(ctx, all)
		assert.True(t, ok, "an old one is not shown, but waited for")
		assert.Equal(t, time.Now().Truncate(time.Minute), h.Start)
	})
}

// TestCronFires compares with every single instant, where the clock changes too.
func TestCronFires(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, from := range []time.Time{
		time.Date(2026, 3, 1, 12, 0, 0, 0, berlin), time.Date(2026, 3, 29, 1, 30, 0, 0, berlin),
		time.Date(2026, 10, 25, 1, 40, 0, 0, berlin), time.Date(2026, 12, 31, 23, 30, 0, 0, berlin),
	} {
		for _, expr := range []string{
			"* * * * * ?", "0/7 0/3 * * * ?", "5,10,50 * 2 * * ?", "0 30 2 * * ?", "0 0 0 1 1 ? 2027", "0 0 0 1 1 ? 2020",
		} {
			s, err := cron.Parse(expr)
			require.NoError(t, err)
			var want [span]int
			end := from.Add(span * time.Minute)
			for at := s.Next(from.Add(-1)); !at.IsZero() && at.Before(end); at = s.Next(at) {
				want[at.Sub(from)/time.Minute]++
			}
			assert.Equal(t, want, *cronFires(s, from), "%s from %s", expr, from)
		}
	}
}

func TestRateFires(t *testing.T) {
	t.Parallel()
	for _, step := range []int64{1, 7, 59, 60, 61, 3600, 1 << 31} {
		for _, first := range []int64{0, 1, 59_999, 60_000, 3_599_000, -5_000} {
			var want [span]int
			for at := first; at < span*60_000; at += step * 1000 {
				if at >= 0 {
					want[at/60_000]++
				}
			}
			assert.Equal(t, want, *rateFires(0, first, step*1000), "%d from %d", step, first)
		}
	}
}

// BenchmarkCount counts 10,000 jobs, each with an expression of its own.
func BenchmarkCount(b *testing.B) {
	now := time.Now()
	list := make([]model.StartedJob, 10_000)
	for i := range list {
		list[i] = model.StartedJob{
			ID: int32(i + 1), GroupID: int32(i % 40), Name: "job", ScheduleType: model.ScheduleCron,
			Conf: fmt.Sprintf("%d/%d %d/%d * * * ?", i%60, 1+i%59, i/60%60, 1+i/100), NextMs: now.UnixMilli(),
		}
	}
	f := New(Config{Jobs: jobs(list)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.count(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
