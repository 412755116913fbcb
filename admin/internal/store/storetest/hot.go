package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	node   = "node-a"
	shards = 4
	ttl    = time.Hour
)

// base is a whole second of a plain day in Zone.
var base = time.Date(2026, 5, 20, 12, 0, 0, 0, Zone)

// lease takes all shards for the node and returns the fence.
func (f *fixture) lease(t *testing.T, name string) store.Fence {
	t.Helper()
	n, err := f.InitShards(t.Context(), shards)
	require.NoError(t, err)
	require.EqualValues(t, shards, n)
	won, err := f.Acquire(t.Context(), name, []int32{0, 1, 2, 3}, ttl)
	require.NoError(t, err)
	require.Len(t, won, shards)
	fence := store.Fence{Node: name, Total: shards}
	for _, sh := range won {
		fence.Shards = append(fence.Shards, store.ShardToken{Shard: sh.Index, Token: sh.Token})
	}
	return fence
}

// addJobs creates running jobs that are due at next.
func (f *fixture) addJobs(t *testing.T, n int, next time.Time, change ...func(i int, j *model.Job)) []*model.Job {
	t.Helper()
	jobs := make([]*model.Job, n)
	for i := range jobs {
		j := &model.Job{
			GroupID: 7, Name: "job", AddTime: base, UpdateTime: base, Author: model.T("me"),
			ScheduleType: model.ScheduleFixRate, ScheduleConf: model.T("10"), Misfire: model.MisfireDoNothing,
			Running: true, NextMs: next.UnixMilli(), Route: model.RouteFirst, Handler: model.T("demo"),
			Param: model.T("p"), Block: model.BlockSerial, TimeoutSec: 5, Retries: 2, GlueType: model.GlueBean,
			GlueUpdated: base,
		}
		for _, c := range change {
			c(i, j)
		}
		require.NoError(t, f.CreateJob(t.Context(), j))
		jobs[i] = j
	}
	return jobs
}

// planned makes a run of a job at its next time.
func planned(j *model.Job) *model.Run {
	return &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: j.NextMs,
		TriggerMs: j.NextMs / 1000 * 1000, ShardTotal: 1, RetriesLeft: j.Retries, Handler: j.Handler, Param: j.Param,
		Address: "http://127.0.0.1:9999/", Token: 3,
	}
}

// each plans one run for each job and moves it on by 10 s.
func each(result *store.PlanResult) func(due []*model.Job) store.PlanResult {
	return func(due []*model.Job) store.PlanResult {
		*result = store.PlanResult{}
		for _, j := range due {
			result.Runs = append(result.Runs, planned(j))
			result.Advances = append(result.Advances, store.Advance{
				JobID: j.ID, LastMs: j.NextMs, NextMs: j.NextMs + 10_000,
			})
		}
		return *result
	}
}

// manual makes n runs that no schedule made.
func manual(n int) []*model.Run {
	runs := make([]*model.Run, n)
	for i := range runs {
		runs[i] = &model.Run{
			JobID: int32(100 + i), GroupID: 7, Type: model.TriggerManual, TriggerMs: base.UnixMilli(), ShardTotal: 1,
			RetriesLeft: 1, Handler: model.T("demo"), Param: model.T("p"),
		}
	}
	return runs
}

// create stores manual runs.
func (f *fixture) create(t *testing.T, n int) []*model.Run {
	t.Helper()
	runs := manual(n)
	require.NoError(t, f.CreateRuns(t.Context(), runs))
	return runs
}

func accepted(id int64) *model.Outcome {
	return &model.Outcome{LogID: id, Trigger: &model.TriggerResult{
		Code: model.CodeSuccess, Msg: "taken", Address: "http://127.0.0.1:9999/", AtMs: base.UnixMilli() + 20,
	}}
}

func refusal(id int64) *model.Outcome {
	return &model.Outcome{LogID: id, Trigger: &model.TriggerResult{
		Code: model.CodeFail, Msg: "refused", Address: "http://127.0.0.1:9998/", AtMs: base.UnixMilli() + 20,
	}}
}

func result(id int64, code int32, msg string) *model.Outcome {
	return &model.Outcome{LogID: id, Handle: &model.HandleResult{
		Code: code, Msg: model.T(msg), AtMs: base.UnixMilli() + 3000,
	}}
}

// nothing is a decide that adds nothing.
func nothing([]*store.Ending, store.Loader) error { return nil }

// finish stores outcomes.
func (f *fixture) finish(t *testing.T, outs ...*model.Outcome) []*store.Ending {
	t.Helper()
	ends, err := f.Finish(t.Context(), outs, nothing)
	require.NoError(t, err)
	require.Len(t, ends, len(outs))
	for i, e := range ends {
		require.Same(t, outs[i], e.Outcome)
		require.NoError(t, e.Err)
	}
	return ends
}

// log reads a log row.
func (f *fixture) log(t *testing.T, id int64) *model.Log {
	t.Helper()
	l, err := f.Log(t.Context(), id)
	require.NoError(t, err)
	return l
}

// open returns the ids of the open runs.
func (f *fixture) open(t *testing.T) []int64 {
	t.Helper()
	runs, err := f.OpenRuns(t.Context(), store.OpenRunFilter{Limit: 1_000_000})
	require.NoError(t, err)
	ids := make([]int64, len(runs))
	for i, r := range runs {
		ids[i] = r.LogID
	}
	return ids
}

// day returns the counters of the day of base.
func (f *fixture) day(t *testing.T) model.DayReport {
	t.Helper()
	list, err := f.Reports(t.Context(), base, base)
	require.NoError(t, err)
	if len(list) == 0 {
		return model.DayReport{}
	}
	require.Len(t, list, 1)
	return list[0]
}
