//go:build databases

package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

// twoNodes are two stores on one database, each with half of the shards and
// due jobs in each shard.
func twoNodes(t *testing.T, dsn string) (a, b *store.Store, fenceA, fenceB store.Fence) {
	t.Helper()
	open := func() *store.Store {
		s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: storetest.Zone})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		require.NoError(t, s.Migrate(t.Context()))
		return s
	}
	a, b = open(), open()
	_, err := a.InitShards(t.Context(), 16)
	require.NoError(t, err)
	hold := func(s *store.Store, node string, from int32) store.Fence {
		f := store.Fence{Node: node, Total: 16}
		ids := []int32{from, from + 2, from + 4, from + 6, from + 8, from + 10, from + 12, from + 14}
		won, err := s.Acquire(t.Context(), node, ids, time.Hour)
		require.NoError(t, err)
		require.Len(t, won, 8)
		for _, sh := range won {
			f.Shards = append(f.Shards, store.ShardToken{Shard: sh.Index, Token: sh.Token})
		}
		return f
	}
	fenceA, fenceB = hold(a, "a", 0), hold(b, "b", 1)
	for range 40 {
		j := &model.Job{
			GroupID: 1, Name: "job", ScheduleType: model.ScheduleFixRate, ScheduleConf: model.T("1"), Running: true,
			Misfire: model.MisfireDoNothing, NextMs: 1_780_000_000_000, GlueType: model.GlueBean,
			AddTime: time.UnixMilli(1_780_000_000_000),
		}
		require.NoError(t, a.CreateJob(t.Context(), j))
	}
	return a, b, fenceA, fenceB
}

// planAll plans everything that is due, one run a job.
func planAll(during func()) func(due []*model.Job) store.PlanResult {
	return func(due []*model.Job) store.PlanResult {
		var r store.PlanResult
		for _, j := range due {
			r.Runs = append(r.Runs, &model.Run{
				JobID: j.ID, GroupID: 1, Type: model.TriggerCron, PlannedMs: j.NextMs, TriggerMs: j.NextMs, ShardTotal: 1,
			})
			r.Advances = append(r.Advances, store.Advance{JobID: j.ID, LastMs: j.NextMs, NextMs: j.NextMs + 1000})
		}
		during()
		return r
	}
}

// TestNodesDoNotWait: while one node is in the middle of its planning, the other
// one renews, plans and stores results, and only what is the first one's own
// has to wait for it.
func TestNodesDoNotWait(t *testing.T) {
	t.Parallel()
	for name, dsn := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, fenceA, fenceB := twoNodes(t, dsn(t))
			inside := 0
			_, err := a.Plan(t.Context(), fenceA, 1_780_000_000_000, 100, planAll(func() {
				inside++
				begin := time.Now()
				_, err := b.Renew(t.Context(), "b", time.Hour)
				assert.NoError(t, err)
				_, err = b.Plan(t.Context(), fenceB, 1_780_000_000_000, 100, planAll(func() {}))
				assert.NoError(t, err)
				runs := manualRuns(3)
				assert.NoError(t, b.CreateRuns(t.Context(), runs))
				_, err = b.Finish(t.Context(), []*model.Outcome{
					{LogID: runs[0].LogID, Handle: &model.HandleResult{Code: 200, AtMs: 1}},
				}, none)
				assert.NoError(t, err)
				assert.Less(t, time.Since(begin), 10*time.Second, "no lock was waited for")

				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				_, err = b.Acquire(ctx, "b", []int32{0}, time.Hour)
				assert.Error(t, err, "the lease of a planning node cannot be taken")
			}))
			require.NoError(t, err)
			assert.Equal(t, 1, inside)
			open, err := b.OpenRuns(t.Context(), store.OpenRunFilter{})
			require.NoError(t, err)
			assert.Len(t, open, 40+2)
		})
	}
}

// TestSharedLock: a pass waits for a Java scheduler for about two seconds, then
// says so, and has written nothing.
func TestSharedLock(t *testing.T) {
	t.Parallel()
	for name, dsn := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dsn(t)
			a, _, fence, _ := twoNodes(t, dsn)
			fence.SharedLock = true
			tx, err := openPlain(t, dsn).BeginTx(t.Context(), nil)
			require.NoError(t, err)
			var lock string
			require.NoError(t, tx.QueryRowContext(t.Context(),
				"SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE").Scan(&lock))
			begin := time.Now()
			_, err = a.Plan(t.Context(), fence, 1_780_000_000_000, 100, planAll(func() { t.Error("decide was called") }))
			require.ErrorIs(t, err, store.ErrBusy)
			assert.Less(t, time.Since(begin), 30*time.Second)
			_, err = a.Renew(t.Context(), "a", time.Hour)
			require.NoError(t, err, "the lease is renewed all the same")
			require.NoError(t, tx.Rollback())
			_, err = a.Plan(t.Context(), fence, 1_780_000_000_000, 100, planAll(func() {}))
			require.NoError(t, err)
		})
	}
}

// TestReadLocked: while a backup has locked all tables, reads go on, writes end
// with their caller's patience, and afterwards everything is as before.
func TestReadLocked(t *testing.T) {
	t.Parallel()
	dsn := servers["mysql"](t)
	a, _, fence, _ := twoNodes(t, dsn)
	runs := manualRuns(2)
	require.NoError(t, a.CreateRuns(t.Context(), runs))
	conn, err := openPlain(t, dsn).Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	var lock strings.Builder
	lock.WriteString("LOCK TABLES")
	for i, table := range []string{
		"xxl_job_info", "xxl_job_log", "xxl_job_lock", "xxl_job_log_report", "xxljob_run", "xxljob_shard", "xxljob_node",
	} {
		if i > 0 {
			lock.WriteString(",")
		}
		lock.WriteString(" " + table + " READ")
	}
	_, err = conn.ExecContext(t.Context(), lock.String())
	require.NoError(t, err)
	open, err := a.OpenRuns(t.Context(), store.OpenRunFilter{})
	require.NoError(t, err)
	assert.Len(t, open, 2)
	outs := []*model.Outcome{{LogID: runs[0].LogID, Handle: &model.HandleResult{Code: 200, AtMs: 1}}}
	for _, write := range []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := a.Finish(ctx, outs, none); return err },
		func(ctx context.Context) error {
			_, err := a.Plan(ctx, fence, 1_780_000_000_000, 100, planAll(func() {}))
			return err
		},
		func(ctx context.Context) error { _, err := a.Renew(ctx, "a", time.Hour); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		begin := time.Now()
		require.Error(t, write(ctx))
		assert.Less(t, time.Since(begin), 30*time.Second)
		cancel()
	}
	_, err = conn.ExecContext(t.Context(), "UNLOCK TABLES")
	require.NoError(t, err)
	_, err = a.Finish(t.Context(), outs, none)
	require.NoError(t, err)
	_, err = a.Plan(t.Context(), fence, 1_780_000_000_000, 100, planAll(func() {}))
	require.NoError(t, err)
}
