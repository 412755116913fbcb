package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// due is a bound after all jobs that are due at base.
var due = base.Add(time.Second).UnixMilli()

func hotPlan(t *testing.T, f *fixture) {
	fence := f.lease(t, node)
	t.Run("one pass", func(t *testing.T) { hotPlanPass(t, f, fence) })
	t.Run("limit, order and shards", func(t *testing.T) { hotPlanOrder(t, f, fence) })
	t.Run("gap and end of a schedule", func(t *testing.T) { hotPlanGap(t, f, fence) })
	t.Run("what was missed of one job", func(t *testing.T) { hotPlanMissed(t, f) })
	t.Run("instant on record", func(t *testing.T) { hotPlanDuplicate(t, f, fence) })
	t.Run("fenced", func(t *testing.T) { hotPlanFenced(t, f, fence) })
	t.Run("leases extended", func(t *testing.T) { hotPlanExtends(t, f, fence) })
	if f.info.Dialect != "sqlite" { // one writer: nothing comes between
		t.Run("stopped between read and write", func(t *testing.T) { hotPlanStopped(t, f, fence) })
	}
	if f.info.MadeByUs { // elsewhere the counters of the day are not moved
		t.Run("rolled back", func(t *testing.T) { hotPlanRolledBack(t, f, fence) })
	}
}

func hotPlanPass(t *testing.T, f *fixture, fence store.Fence) {
	jobs := f.addJobs(t, 70, base, func(i int, j *model.Job) {
		if i == 1 {
			j.GlueType, j.GlueSource, j.Handler, j.Param = "GLUE_SHELL", model.T("echo 你好"), model.Text{}, model.Text{}
		}
		if i == 0 {
			j.GlueSource = model.T("left over")
		}
	})
	f.addJobs(t, 3, base, func(_ int, j *model.Job) { j.Running = false })
	f.addJobs(t, 3, base.Add(2*time.Second))
	var got store.PlanResult
	var seen []*model.Job
	more, err := f.Plan(t.Context(), fence, due, 1000, func(due []*model.Job) store.PlanResult {
		seen = due
		r := each(&got)(due)
		last := due[len(due)-1]
		for i := range int32(3) {
			run := planned(last)
			run.Sharded, run.ShardIndex, run.ShardTotal, run.PlannedMs = true, i, 3, run.PlannedMs+1
			r.Runs = append(r.Runs, run)
		}
		got = r
		return r
	})
	require.NoError(t, err)
	assert.False(t, more)
	require.Len(t, seen, 70)
	assert.False(t, seen[0].GlueSource.Valid, "not read for BEAN")
	assert.Equal(t, "echo 你好", seen[1].GlueSource.S)
	for i, j := range seen {
		assert.Equal(t, jobs[i].ID, j.ID)
		assert.Equal(t, base.UnixMilli(), j.NextMs)
	}
	require.Len(t, got.Runs, 73)
	byID := make(map[int64]*model.Run)
	for _, r := range got.Runs {
		require.NotZero(t, r.LogID)
		require.Nil(t, byID[r.LogID], "ids are distinct")
		byID[r.LogID] = r
	}
	open, err := f.OpenRuns(t.Context(), store.OpenRunFilter{})
	require.NoError(t, err)
	require.Len(t, open, 73)
	for _, r := range open {
		want := *byID[r.LogID]
		assert.Equal(t, &want, r, "what was planned is on record")
		l := f.log(t, r.LogID)
		assert.Equal(t, model.Log{
			ID: r.LogID, GroupID: 7, JobID: want.JobID, Address: model.T(want.Address), Handler: want.Handler,
			Param: want.Param, ShardingParam: want.ShardingParam(), RetriesLeft: 2, TriggerTime: l.TriggerTime,
		}, *l)
		sameTime(t, base, l.TriggerTime, "trigger time")
	}
	for _, j := range jobs {
		now, err := f.Job(t.Context(), j.ID)
		require.NoError(t, err)
		assert.Equal(t, base.UnixMilli(), now.LastMs)
		assert.Equal(t, base.UnixMilli()+10_000, now.NextMs)
		assert.True(t, now.Running)
	}
	if f.info.MadeByUs {
		assert.Equal(t, 73, f.day(t).Running)
	}
	more, err = f.Plan(t.Context(), fence, due, 1000, each(&got))
	require.NoError(t, err)
	assert.False(t, more)
	assert.Len(t, f.open(t), 73, "nothing is due any more")
	f.wipe(t)
}

// wipe removes jobs and runs.
func (f *fixture) wipe(t *testing.T) {
	t.Helper()
	for _, table := range []string{
		"xxl_job_info", "xxljob_run", "xxl_job_log", "xxljob_log_end", "xxljob_log_cause",
		"xxl_job_log_report",
	} {
		f.exec(t, "DELETE FROM "+table)
	}
}

func hotPlanOrder(t *testing.T, f *fixture, fence store.Fence) {
	jobs := f.addJobs(t, 12, base, func(i int, j *model.Job) { j.NextMs += int64(12-i) * 10 })
	var got store.PlanResult
	more, err := f.Plan(t.Context(), fence, due, 5, each(&got))
	require.NoError(t, err)
	assert.True(t, more)
	require.Len(t, got.Runs, 5)
	for i, r := range got.Runs {
		assert.Equal(t, jobs[11-i].ID, r.JobID, "oldest instant first")
	}
	some := fence
	some.Shards = fence.Shards[1:2]
	for more = true; more; {
		more, err = f.Plan(t.Context(), some, due, 5, func(due []*model.Job) store.PlanResult {
			for _, j := range due {
				assert.EqualValues(t, some.Shards[0].Shard, j.ID%shards)
			}
			return each(&got)(due)
		})
		require.NoError(t, err)
	}
	left := f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= ?", due)
	others := f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= ? "+
		"AND id % 4 <> ?", due, some.Shards[0].Shard)
	assert.Equal(t, others, left, "the shard is done, the others wait")
	f.wipe(t)
}

func hotPlanGap(t *testing.T, f *fixture, fence store.Fence) {
	job := f.addJobs(t, 1, base)[0]
	_, err := f.Plan(t.Context(), fence, due, 5, func(due []*model.Job) store.PlanResult {
		return store.PlanResult{
			Gaps: []*model.Log{{
				GroupID: 7, JobID: due[0].ID, TriggerTime: base, TriggerCode: model.CodeFail, Handler: model.T("demo"),
				TriggerMsg: model.T("3 instants were missed"), AlarmStatus: model.AlarmNone,
			}},
			Advances: []store.Advance{{JobID: due[0].ID, LastMs: due[0].NextMs, Stop: true}},
		}
	})
	require.NoError(t, err)
	logs, n, err := f.Logs(t.Context(), model.LogFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	assert.Equal(t, "3 instants were missed", logs[0].TriggerMsg.S)
	assert.Equal(t, model.AlarmNone, logs[0].AlarmStatus)
	sameTime(t, base, logs[0].TriggerTime, "trigger time")
	assert.Empty(t, f.open(t))
	now, err := f.Job(t.Context(), job.ID)
	require.NoError(t, err)
	assert.False(t, now.Running)
	assert.Zero(t, now.NextMs)
	if f.info.MadeByUs {
		assert.Equal(t, 1, f.day(t).Failed)
	}
	f.wipe(t)
}

// hotPlanMissed puts what was missed on record for a job alone, without a lease.
func hotPlanMissed(t *testing.T, f *fixture) {
	t.Helper()
	jobs := f.addJobs(t, 2, base)
	calls := 0
	missed := func(id int32, shared bool, before int64) {
		require.NoError(t, f.Missed(t.Context(), id, shared, before, func(j *model.Job) store.PlanResult {
			calls++
			assert.Equal(t, id, j.ID)
			assert.Equal(t, base.UnixMilli(), j.NextMs)
			return store.PlanResult{
				Gaps: []*model.Log{{
					GroupID: 7, JobID: j.ID, TriggerTime: base, TriggerCode: model.CodeFail,
					TriggerMsg: model.T("9 instants were missed"), AlarmStatus: model.AlarmNone,
				}},
				Advances: []store.Advance{{JobID: j.ID, LastMs: due - 1, NextMs: due + 1}},
			}
		}))
	}
	missed(jobs[0].ID, true, base.UnixMilli()-1)
	assert.Zero(t, calls, "not due")
	missed(jobs[0].ID, true, due)
	missed(jobs[0].ID, false, due)
	assert.Equal(t, 1, calls, "moved on by the first")
	now, err := f.Job(t.Context(), jobs[0].ID)
	require.NoError(t, err)
	assert.True(t, now.Running)
	assert.Equal(t, []int64{due - 1, due + 1}, []int64{now.LastMs, now.NextMs})
	require.NoError(t, f.SetRunning(t.Context(), jobs[1].ID, false, 0))
	missed(jobs[1].ID, false, due)
	assert.Equal(t, 1, calls, "a job that stands")
	logs, n, err := f.Logs(t.Context(), model.LogFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	assert.Equal(t, "9 instants were missed", logs[0].TriggerMsg.S)
	if f.info.MadeByUs {
		assert.Equal(t, 1, f.day(t).Failed)
	}
	f.wipe(t)
}

func hotPlanDuplicate(t *testing.T, f *fixture, fence store.Fence) {
	jobs := f.addJobs(t, 9, base)
	var got store.PlanResult
	_, err := f.Plan(t.Context(), fence, due, 100, each(&got))
	require.NoError(t, err)
	// Somebody has set two of them back.
	f.exec(t, "UPDATE xxl_job_info SET trigger_next_time = ? WHERE id IN (?, ?)",
		base.UnixMilli(), jobs[2].ID, jobs[5].ID)
	f.exec(t, "UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?", base.UnixMilli()+1, jobs[7].ID)
	_, err = f.Plan(t.Context(), fence, due, 100, each(&got))
	require.NoError(t, err)
	require.Len(t, got.Runs, 3)
	for _, r := range got.Runs {
		assert.Equal(t, r.JobID != jobs[7].ID, r.LogID == 0, "only the new instant is written")
	}
	assert.Len(t, f.open(t), 10)
	assert.EqualValues(t, 10, f.number(t, "SELECT COUNT(*) FROM xxl_job_log"))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 "+
		"AND trigger_next_time <= ?", due), "all moved on")
	if f.info.MadeByUs {
		assert.Equal(t, 10, f.day(t).Running)
	}
	f.wipe(t)
}

func hotPlanFenced(t *testing.T, f *fixture, fence store.Fence) {
	f.addJobs(t, 3, base)
	refuse := func(t *testing.T, fence store.Fence) {
		t.Helper()
		_, err := f.Plan(t.Context(), fence, due, 100, func([]*model.Job) store.PlanResult {
			t.Error("decide was called")
			return store.PlanResult{}
		})
		require.ErrorIs(t, err, store.ErrFenced)
		assert.Empty(t, f.open(t))
	}
	other := fence
	other.Node = "node-b"
	refuse(t, other)
	old := fence
	old.Shards = append([]store.ShardToken{}, fence.Shards...)
	old.Shards[3].Token--
	refuse(t, old)
	refuse(t, store.Fence{Node: node, Total: shards})
	f.exec(t, "UPDATE xxljob_shard SET expires_ms = ? WHERE shard_index = 2", f.now(t)-1)
	refuse(t, fence)
	f.exec(t, "UPDATE xxljob_shard SET expires_ms = ? WHERE shard_index = 2", f.now(t)+ttl.Milliseconds())
	shared := fence
	shared.SharedLock = true
	var got store.PlanResult
	_, err := f.Plan(t.Context(), shared, due, 100, each(&got))
	require.NoError(t, err)
	assert.Len(t, f.open(t), 3)
	f.wipe(t)
}

// hotPlanExtends: a pass that writes extends the leases that it was made under,
// never cuts one short, and says so only when it is on record.
func hotPlanExtends(t *testing.T, f *fixture, fence store.Fence) {
	expires := func() (list []int64) {
		view, err := f.Renew(t.Context(), "onlooker", time.Second)
		require.NoError(t, err)
		for _, sh := range view.Shards {
			list = append(list, sh.ExpiresMs)
		}
		require.NoError(t, f.Leave(t.Context(), "onlooker"))
		return list
	}
	var told []time.Time
	fence.Extended = func(start time.Time) { told = append(told, start) }
	plan := func(fence store.Fence) error {
		_, err := f.Plan(t.Context(), fence, due, 100, each(new(store.PlanResult)))
		return err
	}
	f.addJobs(t, 3, base)
	before := expires()
	fence.TTL = ttl / 2
	require.NoError(t, plan(fence))
	assert.Equal(t, before, expires(), "they last longer as it is")
	require.Len(t, told, 1)
	assert.WithinDuration(t, time.Now(), told[0], time.Minute)

	fence.TTL = 2 * ttl
	require.NoError(t, plan(fence))
	assert.Equal(t, before, expires(), "nothing was due")
	assert.Len(t, told, 1)

	f.wipe(t)
	f.addJobs(t, 3, base)
	some := fence
	some.Shards = fence.Shards[1:]
	require.NoError(t, plan(some))
	after := expires()
	assert.Equal(t, before[0], after[0])
	for i := 1; i < shards; i++ {
		assert.InDelta(t, f.now(t)+2*ttl.Milliseconds(), after[i], 60_000)
	}
	require.Len(t, told, 2)

	f.wipe(t)
	f.addJobs(t, 3, base)
	f.exec(t, "UPDATE xxljob_shard SET expires_ms = ? WHERE shard_index = 2", f.now(t)-1)
	require.ErrorIs(t, plan(fence), store.ErrFenced)
	assert.Equal(t, before[0], expires()[0], "nothing was written")
	assert.Len(t, told, 2)
	for i, ms := range before {
		f.exec(t, "UPDATE xxljob_shard SET expires_ms = ? WHERE shard_index = ?", ms, i)
	}
	fence.TTL = 0
	require.NoError(t, plan(fence))
	assert.Equal(t, before, expires())
	assert.Len(t, told, 2, "not asked for")
	f.wipe(t)
}

// now is the clock that leases live by.
func (f *fixture) now(t *testing.T) int64 {
	t.Helper()
	ms, err := f.NowMs(t.Context())
	require.NoError(t, err)
	return ms
}

// hotPlanStopped stops one job and moves another while decide runs, where a
// second writer exists: what was decided for them is decided anew.
func hotPlanStopped(t *testing.T, f *fixture, fence store.Fence) {
	jobs := f.addJobs(t, 6, base)
	var got store.PlanResult
	calls := 0
	_, err := f.Plan(t.Context(), fence, due, 100, func(due []*model.Job) store.PlanResult {
		if calls++; calls == 1 {
			assert.Len(t, due, 6)
			assert.NoError(t, f.SetRunning(t.Context(), jobs[1].ID, false, 0))
			f.exec(t, "UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?", base.UnixMilli()+500, jobs[3].ID)
		}
		return each(&got)(due)
	})
	require.NoError(t, err)
	assert.Equal(t, 2, calls)
	require.Len(t, got.Runs, 5)
	for _, r := range got.Runs {
		assert.NotZero(t, r.LogID)
		assert.NotEqual(t, jobs[1].ID, r.JobID)
		assert.Equal(t, r.JobID == jobs[3].ID, r.PlannedMs == base.UnixMilli()+500)
	}
	now, err := f.Job(t.Context(), jobs[1].ID)
	require.NoError(t, err)
	assert.False(t, now.Running, "stays stopped")
	assert.Len(t, f.open(t), 5)
	f.wipe(t)
}

// hotPlanRolledBack makes the last statement of the transaction fail.
func hotPlanRolledBack(t *testing.T, f *fixture, fence store.Fence) {
	f.addJobs(t, 5, base)
	f.exec(t, "ALTER TABLE xxl_job_log_report RENAME TO hidden")
	var got store.PlanResult
	_, err := f.Plan(t.Context(), fence, due, 100, each(&got))
	require.Error(t, err)
	for _, r := range got.Runs {
		assert.Zero(t, r.LogID)
	}
	f.exec(t, "ALTER TABLE hidden RENAME TO xxl_job_log_report")
	assert.Empty(t, f.open(t))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_log"))
	assert.EqualValues(t, 5, f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_next_time = ?",
		base.UnixMilli()))
	_, err = f.Plan(t.Context(), fence, due, 100, each(&got))
	require.NoError(t, err)
	assert.Len(t, f.open(t), 5)
	f.wipe(t)
}

// poison is an address that no column takes where columns have a width, and
// that a column with a CHECK refuses where they have none.
var poison = "http://" + strings.Repeat("x", 300)

func hotRefused(t *testing.T, f *fixture) {
	if f.info.Dialect == "sqlite" { // columns without a width: a rule takes its place
		f.exec(t, "CREATE TRIGGER refuse BEFORE INSERT ON xxl_job_log WHEN length(new.executor_address) > 255 "+
			"BEGIN SELECT RAISE(ABORT, 'address too long'); END")
		f.exec(t, "CREATE TRIGGER refuse2 BEFORE UPDATE ON xxl_job_log WHEN length(new.executor_address) > 255 "+
			"BEGIN SELECT RAISE(ABORT, 'address too long'); END")
	}
	fence := f.lease(t, node)
	f.addJobs(t, 20, base)
	var got store.PlanResult
	_, err := f.Plan(t.Context(), fence, due, 100, func(due []*model.Job) store.PlanResult {
		r := each(&got)(due)
		r.Runs[4].Address, r.Runs[17].Address = poison, poison
		got = r
		return r
	})
	var refused *store.RefusedError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []*model.Run{got.Runs[4], got.Runs[17]}, refused.Runs)
	for i, r := range got.Runs {
		assert.Equal(t, i == 4 || i == 17, r.LogID == 0)
	}
	assert.Len(t, f.open(t), 18)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 "+
		"AND trigger_next_time <= ?", due), "all moved on")
	failed, n, err := f.Logs(t.Context(), model.LogFilter{Status: model.LogFailed})
	require.NoError(t, err)
	require.Equal(t, 2, n, "what is refused is on record all the same")
	assert.Contains(t, failed[0].TriggerMsg.S, "refuses this run")
	f.wipe(t)

	runs := manual(5)
	runs[2].Address = poison
	err = f.CreateRuns(t.Context(), runs)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []*model.Run{runs[2]}, refused.Runs)
	assert.Len(t, f.open(t), 4)
	f.wipe(t)

	hotRefusedResults(t, f)
}

func hotRefusedResults(t *testing.T, f *fixture) {
	runs := f.create(t, 30)
	outs := make([]*model.Outcome, 0, 30)
	for i, r := range runs {
		switch i {
		case 9:
			out := accepted(r.LogID)
			out.Trigger.Address = poison
			outs = append(outs, out)
		case 10: // texts that a database does not take are mended
			outs = append(outs, result(r.LogID, 200, "a\x00b\xff"+strings.Repeat("你", 40_000)))
		default:
			outs = append(outs, result(r.LogID, 500, "done"))
		}
	}
	ends, err := f.Finish(t.Context(), outs, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			retry := manual(1)[0]
			if e.Outcome.LogID == runs[20].LogID {
				retry.Address = poison
			}
			e.NewRuns = []*model.Run{retry}
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, ends, 30)
	for i, e := range ends {
		require.Same(t, outs[i], e.Outcome)
		if i == 9 {
			require.Error(t, e.Err)
			continue
		}
		require.NoError(t, e.Err, i)
		require.Len(t, e.NewRuns, 1)
		assert.Equal(t, i == 20, e.NewRuns[0].LogID == 0)
	}
	l := f.log(t, runs[10].LogID)
	assert.EqualValues(t, 200, l.HandleCode)
	assert.True(t, strings.HasPrefix(l.HandleMsg.S, "a?b?你"))
	assert.LessOrEqual(t, len(l.HandleMsg.S), 65535)
	assert.Zero(t, f.log(t, runs[9].LogID).TriggerCode, "nothing of it is stored")
	assert.Len(t, f.open(t), 1+28, "the refused one, and 28 of 29 retries")
	f.wipe(t)
}
