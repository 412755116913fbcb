package admin

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/metrics"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/registry"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// openTest opens a new database.
func openTest(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close()) })
	require.NoError(t, st.Migrate(t.Context()))
	return st
}

// TestResultsWithoutEffect: a result that ends no run leaves a trace that people
// can see: a number, and a line for one that says something else than the record.
func TestResultsWithoutEffect(t *testing.T) {
	t.Parallel()
	st := openTest(t)
	seen := map[metrics.Void]int{}
	var lines bytes.Buffer
	r := results{
		Store: st, void: func(v metrics.Void) { seen[v]++ },
		log: slog.New(slog.NewTextHandler(&lines, nil)),
	}
	now := time.Now().UnixMilli()
	runs := []*model.Run{
		{JobID: 1, GroupID: 1, TriggerMs: now, ShardTotal: 1}, {JobID: 1, GroupID: 1, TriggerMs: now, ShardTotal: 1},
	}
	require.NoError(t, st.CreateRuns(t.Context(), runs))
	finish := func(out model.Outcome) {
		t.Helper()
		_, err := r.Finish(t.Context(), []*model.Outcome{&out}, func([]*store.Ending, store.Loader) error { return nil })
		require.NoError(t, err)
	}
	result := func(id int64, code int32) model.Outcome {
		return model.Outcome{LogID: id, Handle: &model.HandleResult{Code: code, AtMs: now}}
	}
	lost, refused := runs[0].LogID, runs[1].LogID

	finish(result(lost, 500)) // as the sweep does
	finish(model.Outcome{LogID: lost, Trigger: &model.TriggerResult{Code: 200, AtMs: now}})
	assert.Empty(t, seen)
	finish(result(lost, 500))
	assert.Equal(t, map[metrics.Void]int{metrics.ResultRepeated: 1}, seen)
	assert.Empty(t, lines.String(), "a result that is sent again is nothing new")

	finish(result(lost, 200))
	finish(model.Outcome{LogID: refused, Trigger: &model.TriggerResult{Code: 500, AtMs: now}})
	finish(result(refused, 200))
	finish(result(refused+1, 200))
	assert.Equal(t, map[metrics.Void]int{
		metrics.ResultRepeated: 1, metrics.ResultLate: 2, metrics.ResultUnknown: 1,
	}, seen)
	assert.Equal(t, 2, strings.Count(lines.String(), `msg="result came after its run had ended"`))
	assert.Contains(t, lines.String(), "code=200 kept=false")
	assert.Contains(t, lines.String(), "code=200 kept=true")
}

// TestGapIsNoFailedRun: instants that were missed are found among what failed, in
// the list and in the day's counters, and have none of the effects of a failed
// run: nothing is open, retried or alarmed, and no result can end it.
func TestGapIsNoFailedRun(t *testing.T) {
	t.Parallel()
	st := openTest(t)
	ctx := t.Context()
	now := time.Now()
	job := &model.Job{
		GroupID: 1, Name: "job", ScheduleType: model.ScheduleFixRate, ScheduleConf: model.T("10"),
		Misfire: model.MisfireDoNothing, Route: model.RouteFirst, Block: model.BlockSerial, GlueType: model.GlueBean,
		Running: true, NextMs: now.Add(-time.Hour).UnixMilli(), Retries: 3, AddTime: now, UpdateTime: now, GlueUpdated: now,
	}
	require.NoError(t, st.CreateJob(ctx, job))
	_, err := st.InitShards(ctx, 1)
	require.NoError(t, err)
	_, err = st.Renew(ctx, "node", time.Minute)
	require.NoError(t, err)
	won, err := st.Acquire(ctx, "node", []int32{0}, time.Minute)
	require.NoError(t, err)
	fence := store.Fence{Node: "node", Total: 1, Shards: []store.ShardToken{{Token: won[0].Token}}}
	_, err = st.Plan(ctx, fence, now.UnixMilli(), 10, func(due []*model.Job) store.PlanResult {
		return store.PlanResult{
			Gaps: []*model.Log{{
				GroupID: 1, JobID: due[0].ID, TriggerTime: now, TriggerCode: model.CodeFail,
				TriggerMsg: model.T("missed"), AlarmStatus: model.AlarmNone,
			}},
			Advances: []store.Advance{{JobID: due[0].ID, LastMs: due[0].NextMs, NextMs: now.Add(time.Hour).UnixMilli()}},
		}
	})
	require.NoError(t, err)

	failed, n, err := st.Logs(ctx, model.LogFilter{Status: model.LogFailed})
	require.NoError(t, err)
	require.Equal(t, 1, n, "who looks for what failed has to find it")
	assert.Equal(t, "missed", failed[0].TriggerMsg.S)
	assert.Equal(t, model.AlarmNone, failed[0].AlarmStatus)
	days, err := st.Reports(ctx, now.Add(-24*time.Hour), now)
	require.NoError(t, err)
	require.Len(t, days, 1)
	assert.Equal(t, [3]int64{0, 0, 1}, [3]int64{int64(days[0].Running), int64(days[0].Success), int64(days[0].Failed)})
	open, err := st.CountOpenRuns(ctx)
	require.NoError(t, err)
	assert.Zero(t, open)
	ends, err := st.Finish(ctx, []*model.Outcome{{LogID: failed[0].ID, Handle: &model.HandleResult{Code: 500}}},
		func([]*store.Ending, store.Loader) error { return nil })
	require.NoError(t, err)
	assert.False(t, ends[0].Ends)
}

// TestInsecureTokens: tokens that everybody knows are counted.
func TestInsecureTokens(t *testing.T) {
	t.Parallel()
	st := openTest(t)
	for app, token := range map[string]string{"public": publicToken, "closed": "a token of its own", "open": ""} {
		g := &model.Group{AppName: app, Title: app, AccessToken: token, UpdateTime: time.Now()}
		require.NoError(t, st.CreateGroup(t.Context(), g))
	}
	for _, tt := range []struct {
		token string
		allow bool
		want  int
	}{
		{token: "one of our own", want: 0},
		{token: "one of our own", allow: true, want: 1},
		{token: publicToken, allow: true, want: 2},
		{allow: true, want: 2},
	} {
		cfg := Config{AccessToken: tt.token, AllowInsecureToken: tt.allow}
		s := &system{cfg: cfg, registry: registry.New(registry.Config{Store: st, AllowPublicToken: tt.allow})}
		require.NoError(t, s.registry.Refresh(t.Context()))
		assert.Equal(t, tt.want, s.insecureTokens(), tt)
	}
}
