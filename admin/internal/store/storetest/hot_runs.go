package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func hotRuns(t *testing.T, f *fixture) {
	t.Run("filters", func(t *testing.T) { hotRunFilters(t, f) })
	t.Run("delete unsent", func(t *testing.T) { hotDeleteUnsent(t, f) })
	t.Run("address", func(t *testing.T) { hotAddress(t, f) })
	t.Run("adopt", func(t *testing.T) { hotAdopt(t, f) })
}

func hotRunFilters(t *testing.T, f *fixture) {
	runs := manual(600) // more than one statement
	for i, r := range runs {
		r.TriggerMs += int64(i) * 1000
	}
	runs[5].Sharded, runs[5].ShardIndex, runs[5].ShardTotal = true, 1, 4
	require.NoError(t, f.CreateRuns(t.Context(), runs))
	require.NoError(t, f.CreateRuns(t.Context(), nil))
	for i, r := range runs {
		require.NotZero(t, r.LogID)
		if i > 0 {
			require.Greater(t, r.LogID, runs[i-1].LogID, "ids in the order of the runs")
		}
	}
	f.finish(t, accepted(runs[0].LogID), result(runs[1].LogID, 200, ""))
	late := accepted(runs[2].LogID)
	late.Trigger.AtMs = runs[2].TriggerMs + 6000
	f.finish(t, late)
	n, err := f.CountOpenRuns(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 599, n)
	list := func(filter store.OpenRunFilter) []*model.Run {
		got, err := f.OpenRuns(t.Context(), filter)
		require.NoError(t, err)
		return got
	}
	states := []model.RunState{model.RunPlanned, model.RunAccepted}
	took := list(store.OpenRunFilter{State: &states[1]})
	require.Len(t, took, 2)
	assert.Equal(t, runs[0].TriggerMs, took[0].SentMs, "taken within seconds: no time of its own")
	assert.Equal(t, late.Trigger.AtMs, took[1].SentMs)
	assert.Equal(t, model.RunAccepted, took[0].State)
	assert.Equal(t, "http://127.0.0.1:9999/", took[0].Address)
	assert.Len(t, list(store.OpenRunFilter{State: &states[0]}), 597)
	assert.Len(t, list(store.OpenRunFilter{Limit: 3}), 3)
	page := list(store.OpenRunFilter{AfterLogID: runs[4].LogID, Limit: 2})
	require.Len(t, page, 2)
	assert.Equal(t, runs[5], page[0])
	assert.Equal(t, runs[6], page[1])
	assert.Len(t, list(store.OpenRunFilter{JobID: 105}), 1)
	assert.Len(t, list(store.OpenRunFilter{TriggerFromMs: runs[595].TriggerMs}), 5)
	assert.Len(t, list(store.OpenRunFilter{TriggerBeforeMs: runs[10].TriggerMs}), 9)
	for _, r := range list(store.OpenRunFilter{Total: 8, Shards: []int32{3, 5}}) {
		assert.Contains(t, []int32{3, 5}, r.JobID%8)
	}
	assert.Len(t, list(store.OpenRunFilter{Total: 2, Shards: []int32{0, 1}}), 599)
	assert.Empty(t, list(store.OpenRunFilter{Total: 2, Shards: []int32{}}))
	f.wipe(t)
}

func hotDeleteUnsent(t *testing.T, f *fixture) {
	runs := f.create(t, 5)
	f.finish(t, accepted(runs[1].LogID), result(runs[2].LogID, 200, "x"))
	ids := []int64{runs[3].LogID, runs[0].LogID, runs[1].LogID, runs[2].LogID, runs[0].LogID, 987654321}
	gone, err := f.DeleteUnsent(t.Context(), ids)
	require.NoError(t, err)
	assert.Equal(t, []int64{runs[0].LogID, runs[3].LogID}, gone)
	_, err = f.Log(t.Context(), runs[0].LogID)
	require.ErrorIs(t, err, store.ErrNotFound)
	assert.Equal(t, []int64{runs[1].LogID, runs[4].LogID}, f.open(t))
	if f.info.MadeByUs {
		got := f.day(t)
		assert.Equal(t, 2, got.Running)
		assert.Equal(t, 1, got.Success)
	}
	gone, err = f.DeleteUnsent(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, gone)
	f.wipe(t)
}

func hotAddress(t *testing.T, f *fixture) {
	runs := f.create(t, 4)
	failed, err := f.SetRunAddresses(t.Context(), map[int64]string{runs[0].LogID: "http://a/"})
	require.NoError(t, err)
	assert.Empty(t, failed)
	assert.Equal(t, "http://a/", f.log(t, runs[0].LogID).Address.S)
	f.finish(t, accepted(runs[1].LogID))
	failed, err = f.SetRunAddresses(t.Context(), map[int64]string{
		runs[1].LogID: "http://c/", runs[2].LogID: "http://c/", runs[3].LogID: "http://d/", 987654321: "http://b/",
	})
	require.NoError(t, err)
	assert.Len(t, failed, 2)
	require.ErrorIs(t, failed[runs[1].LogID], store.ErrNotFound)
	require.ErrorIs(t, failed[987654321], store.ErrNotFound)
	assert.Equal(t, "http://127.0.0.1:9999/", f.log(t, runs[1].LogID).Address.S)
	assert.Equal(t, "http://c/", f.log(t, runs[2].LogID).Address.S)
	assert.Equal(t, "http://d/", f.log(t, runs[3].LogID).Address.S)

	failed, err = f.SetRunAddresses(t.Context(), map[int64]string{
		runs[0].LogID: "http://e/", runs[2].LogID: "http://" + strings.Repeat("x", 300), runs[3].LogID: "http://f/",
	})
	require.NoError(t, err)
	if f.info.Dialect != "sqlite" { // its columns have no width
		assert.Len(t, failed, 1)
		require.Error(t, failed[runs[2].LogID])
		require.NotErrorIs(t, failed[runs[2].LogID], store.ErrNotFound)
		assert.Equal(t, "http://c/", f.log(t, runs[2].LogID).Address.S)
	}
	assert.Equal(t, "http://e/", f.log(t, runs[0].LogID).Address.S, "one that is refused holds up no other")
	assert.Equal(t, "http://f/", f.log(t, runs[3].LogID).Address.S)
	f.wipe(t)
}

func hotAdopt(t *testing.T, f *fixture) {
	row := func(id int64, trigger, handle int32, at time.Time) *model.Log {
		return &model.Log{
			ID: id, GroupID: 7, JobID: 9, TriggerTime: at, TriggerCode: trigger, HandleCode: handle,
			Handler: model.T("demo"), Param: model.T("q"), ShardingParam: model.T("2/5"), RetriesLeft: 1,
		}
	}
	runs := f.create(t, 4)
	first := runs[3].LogID + 1
	var rows []*model.Log
	for i := range int64(600) {
		rows = append(rows, row(first+i, 200, 0, base.Add(time.Duration(i)*time.Second)))
	}
	rows = append(rows, row(first+600, 0, 0, base), row(first+601, 500, 0, base), row(first+602, 200, 500, base),
		row(first+603, 200, 0, base.Add(-time.Hour)))
	f.addLogs(t, rows...)
	f.exec(t, "UPDATE xxl_job_log SET trigger_code = 200, handle_code = 500 WHERE id = ?", runs[0].LogID)
	f.exec(t, "DELETE FROM xxl_job_log WHERE id = ?", runs[1].LogID)
	f.exec(t, "UPDATE xxl_job_log SET handle_code = 200 WHERE id = ?", runs[3].LogID)
	for range 2 {
		n, err := f.AdoptJavaRuns(t.Context(), base.UnixMilli())
		require.NoError(t, err)
		if n != 0 {
			assert.Equal(t, 600, n)
		}
		assert.Len(t, f.open(t), 601, "and those of ours that Java ended or deleted are closed")
	}
	assert.EqualValues(t, 200, f.log(t, runs[3].LogID).TriggerCode, "a result proves that it was triggered")
	got, err := f.OpenRuns(t.Context(), store.OpenRunFilter{JobID: 9, Limit: 1})
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, model.Run{
		LogID: first, JobID: 9, GroupID: 7, Type: model.TriggerCron, TriggerMs: base.UnixMilli(), ShardIndex: 2,
		ShardTotal: 5, Sharded: true, RetriesLeft: 1, State: model.RunAccepted, Handler: model.T("demo"),
		Param: model.T("q"), SentMs: base.UnixMilli(),
	}, *got[0])
	f.wipe(t)
}

func hotFinish(t *testing.T, f *fixture) {
	t.Run("accepted, then done", func(t *testing.T) { hotFinishPlain(t, f) })
	t.Run("first wins", func(t *testing.T) { hotFinishFirst(t, f) })
	t.Run("in one batch", func(t *testing.T) { hotFinishBatch(t, f) })
	t.Run("children and retries", func(t *testing.T) { hotFinishFollow(t, f) })
	t.Run("row of a Java admin", func(t *testing.T) { hotFinishJava(t, f) })
	t.Run("many", func(t *testing.T) { hotFinishMany(t, f) })
	t.Run("decide fails", func(t *testing.T) { hotFinishError(t, f) })
}

func hotFinishPlain(t *testing.T, f *fixture) {
	run := f.create(t, 1)[0]
	end := f.finish(t, accepted(run.LogID))[0]
	assert.False(t, end.Ends)
	assert.Equal(t, store.FinishStored, end.Status)
	l := f.log(t, run.LogID)
	assert.EqualValues(t, 200, l.TriggerCode)
	assert.Equal(t, "taken", l.TriggerMsg.S)
	assert.Equal(t, "http://127.0.0.1:9999/", l.Address.S)
	assert.Zero(t, l.HandleCode)
	assert.Equal(t, []int64{run.LogID}, f.open(t))

	ends, err := f.Finish(t.Context(), []*model.Outcome{result(run.LogID, 200, "fine")},
		func(ends []*store.Ending, _ store.Loader) error {
			require.Len(t, ends, 1)
			assert.Equal(t, "fine", ends[0].HandleMsg.S)
			assert.Equal(t, model.RunAccepted, ends[0].Run.State)
			ends[0].HandleMsg = model.T("fine, and more")
			ends[0].AlarmStatus = model.AlarmNone
			return nil
		})
	require.NoError(t, err)
	assert.True(t, ends[0].Ends)
	assert.Nil(t, ends[0].Log)
	l = f.log(t, run.LogID)
	assert.EqualValues(t, 200, l.HandleCode)
	assert.Equal(t, "fine, and more", l.HandleMsg.S)
	assert.Equal(t, "taken", l.TriggerMsg.S)
	assert.Equal(t, model.AlarmNone, l.AlarmStatus)
	sameTime(t, base.Add(3*time.Second), l.HandleTime, "handle time")
	sameTime(t, base, l.TriggerTime, "trigger time")
	assert.Empty(t, f.open(t))
	if f.info.MadeByUs {
		d := f.day(t)
		assert.Equal(t, [3]int{0, 1, 0}, [3]int{d.Running, d.Success, d.Failed})
	}
	f.wipe(t)
}

func hotFinishFirst(t *testing.T, f *fixture) {
	runs := f.create(t, 4)
	a, b, c := runs[0].LogID, runs[1].LogID, runs[2].LogID

	// The result comes before the answer to the trigger.
	f.finish(t, result(a, 500, "first"))
	assert.EqualValues(t, 200, f.log(t, a).TriggerCode, "the executor evidently took it")
	ends := f.finish(t, result(a, 200, "second"), refusal(a))
	assert.Equal(t, store.FinishRepeated, ends[0].Status)
	assert.Equal(t, store.FinishRepeated, ends[1].Status)
	assert.NotNil(t, ends[0].Log)
	l := f.log(t, a)
	assert.EqualValues(t, 200, l.TriggerCode)
	assert.EqualValues(t, 500, l.HandleCode)
	assert.Equal(t, "first", l.HandleMsg.S)
	assert.Equal(t, "refused", l.TriggerMsg.S, "the missing message is filled in")
	f.finish(t, accepted(a))
	assert.Equal(t, "refused", f.log(t, a).TriggerMsg.S, "once")

	// A refused trigger ends the run; what comes later is recorded and has no effect.
	ends = f.finish(t, refusal(b))
	assert.True(t, ends[0].Ends)
	ends = f.finish(t, result(b, 200, "late"))
	assert.Equal(t, store.FinishLate, ends[0].Status)
	assert.False(t, ends[0].Ends)
	l = f.log(t, b)
	assert.EqualValues(t, 500, l.TriggerCode)
	assert.EqualValues(t, 200, l.HandleCode)
	assert.Equal(t, "late", l.HandleMsg.S)
	assert.Equal(t, store.FinishRepeated, f.finish(t, result(b, 500, "later"))[0].Status)

	// A second answer changes nothing, nor does one for a row that is not there.
	f.finish(t, accepted(c))
	ends = f.finish(t, refusal(c), result(987654321, 200, ""), accepted(987654320))
	assert.Equal(t, store.FinishRepeated, ends[0].Status)
	assert.Equal(t, store.FinishUnknown, ends[1].Status)
	assert.Equal(t, store.FinishUnknown, ends[2].Status)
	assert.EqualValues(t, 200, f.log(t, c).TriggerCode)
	assert.Equal(t, []int64{c, runs[3].LogID}, f.open(t))
	if f.info.MadeByUs {
		d := f.day(t)
		assert.Equal(t, [3]int{2, 1, 1}, [3]int{d.Running, d.Success, d.Failed})
	}

	// A Java admin beside this one had the result: it stores no trigger code.
	d := runs[3].LogID
	f.exec(t, "UPDATE xxl_job_log SET handle_code = 200 WHERE id = ?", d)
	assert.Equal(t, store.FinishRepeated, f.finish(t, result(d, 500, "other"))[0].Status)
	assert.EqualValues(t, 200, f.log(t, d).TriggerCode, "the executor evidently took it")
	assert.Equal(t, store.FinishRepeated, f.finish(t, accepted(d))[0].Status)
	l = f.log(t, d)
	assert.EqualValues(t, 200, l.HandleCode)
	assert.EqualValues(t, 200, l.TriggerCode)
	assert.Equal(t, "taken", l.TriggerMsg.S)
	assert.Equal(t, []int64{c}, f.open(t), "and the run is closed")

	// A log row that was deleted takes its run with it.
	f.exec(t, "DELETE FROM xxl_job_log WHERE id = ?", c)
	f.finish(t, result(c, 200, ""))
	n, err := f.CountOpenRuns(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	f.wipe(t)
}

func hotFinishBatch(t *testing.T, f *fixture) {
	runs := f.create(t, 5)
	both := accepted(runs[0].LogID)
	both.Handle = result(0, 200, "both").Handle
	failedBoth := refusal(runs[1].LogID)
	failedBoth.Handle = result(0, 200, "ran all the same").Handle
	ends := f.finish(t,
		both, failedBoth,
		result(runs[2].LogID, 200, "one"), accepted(runs[2].LogID), result(runs[2].LogID, 500, "two"),
		accepted(runs[3].LogID), result(runs[3].LogID, 502, "slow"),
		refusal(runs[4].LogID), result(runs[4].LogID, 200, "late"),
	)
	var ended []bool
	var status []store.FinishStatus
	for _, e := range ends {
		ended, status = append(ended, e.Ends), append(status, e.Status)
	}
	assert.Equal(t, []bool{true, true, true, false, false, false, true, true, false}, ended)
	assert.Equal(t, []store.FinishStatus{
		store.FinishStored, store.FinishStored, store.FinishStored, store.FinishRepeated, store.FinishRepeated,
		store.FinishStored, store.FinishStored, store.FinishStored, store.FinishLate,
	}, status)
	type row struct {
		trigger, handle int32
		tmsg, hmsg      string
	}
	want := []row{
		{200, 200, "taken", "both"},
		{200, 200, "refused", "ran all the same"},
		{200, 200, "taken", "one"},
		{200, 502, "taken", "slow"},
		{500, 200, "refused", "late"},
	}
	for i, w := range want {
		l := f.log(t, runs[i].LogID)
		assert.Equal(t, w, row{l.TriggerCode, l.HandleCode, l.TriggerMsg.S, l.HandleMsg.S}, i)
	}
	assert.Empty(t, f.open(t))
	f.wipe(t)
}

func hotFinishFollow(t *testing.T, f *fixture) {
	jobs := f.addJobs(t, 3, base.Add(time.Hour), func(i int, j *model.Job) {
		j.Running = false
		if i == 0 {
			j.Children = model.T("77")
		}
		if i == 2 {
			j.GlueType, j.GlueSource = "GLUE_SHELL", model.T("echo 1")
		}
	})
	runs := manual(4)
	for i, r := range runs {
		r.JobID = jobs[i%3].ID
	}
	runs[3].JobID = 987654
	require.NoError(t, f.CreateRuns(t.Context(), runs))
	f.finish(t, accepted(runs[0].LogID))
	var child, retry *model.Run
	ends, err := f.Finish(t.Context(), []*model.Outcome{
		result(runs[0].LogID, 200, "parent"), result(runs[1].LogID, 200, "alone"), refusal(runs[2].LogID),
		result(runs[3].LogID, 500, "job is gone"),
	}, func(ends []*store.Ending, load store.Loader) error {
		require.Len(t, ends, 4)
		require.NotNil(t, ends[0].Job)
		assert.Equal(t, jobs[0].ID, ends[0].Job.ID)
		assert.Equal(t, "me", ends[0].Job.Author.S)
		assert.Nil(t, ends[1].Job, "nothing follows")
		require.NotNil(t, ends[2].Job)
		assert.Equal(t, "echo 1", ends[2].Job.GlueSource.S)
		assert.Nil(t, ends[3].Job)
		found, err := load.Jobs(t.Context(), []int32{jobs[1].ID, 5555555})
		require.NoError(t, err)
		require.Len(t, found, 1)
		none, err := load.Jobs(t.Context(), nil)
		require.NoError(t, err)
		assert.Empty(t, none)
		child, retry = manual(1)[0], manual(1)[0]
		child.Type, retry.Type, retry.RetriesLeft = model.TriggerParent, model.TriggerRetry, 0
		retry.Sharded, retry.ShardIndex, retry.ShardTotal = true, 1, 2
		ends[0].NewRuns = []*model.Run{child}
		ends[0].HandleMsg = model.T("parent, started 77")
		ends[2].NewRuns = []*model.Run{retry}
		ends[2].TriggerMsgSuffix = " >> retry"
		ends[2].AlarmStatus = model.AlarmLocked
		return nil
	})
	require.NoError(t, err)
	assert.NotZero(t, child.LogID)
	assert.Greater(t, retry.LogID, child.LogID)
	assert.Equal(t, []int64{child.LogID, retry.LogID}, f.open(t))
	assert.Equal(t, store.FinishStored, ends[3].Status)
	assert.Equal(t, "parent, started 77", f.log(t, runs[0].LogID).HandleMsg.S)
	l := f.log(t, runs[2].LogID)
	assert.Equal(t, "refused >> retry", l.TriggerMsg.S)
	assert.Equal(t, model.AlarmLocked, l.AlarmStatus)
	assert.Equal(t, "1/2", f.log(t, retry.LogID).ShardingParam.S)

	// A suffix where the message was stored before.
	f.finish(t, accepted(child.LogID))
	_, err = f.Finish(t.Context(), []*model.Outcome{result(child.LogID, 500, "bad")},
		func(ends []*store.Ending, _ store.Loader) error {
			ends[0].TriggerMsgSuffix = " >> again"
			return nil
		})
	require.NoError(t, err)
	assert.Equal(t, "taken >> again", f.log(t, child.LogID).TriggerMsg.S)
	f.wipe(t)
}

func hotFinishJava(t *testing.T, f *fixture) {
	f.addLogs(t, &model.Log{
		ID: 4711, GroupID: 7, JobID: 9, TriggerTime: base, TriggerCode: 200, TriggerMsg: model.T("by Java"),
		Handler: model.T("demo"), RetriesLeft: 3, HandleMsg: model.T("before"),
	})
	ends, err := f.Finish(t.Context(), []*model.Outcome{result(4711, 500, "bad")},
		func(ends []*store.Ending, _ store.Loader) error {
			require.Len(t, ends, 1)
			require.Nil(t, ends[0].Run)
			require.NotNil(t, ends[0].Log)
			assert.EqualValues(t, 3, ends[0].Log.RetriesLeft)
			assert.Equal(t, "before", ends[0].Log.HandleMsg.S)
			sameTime(t, base, ends[0].Log.TriggerTime, "trigger time")
			return nil
		})
	require.NoError(t, err)
	assert.True(t, ends[0].Ends)
	assert.EqualValues(t, 500, f.log(t, 4711).HandleCode)
	f.wipe(t)
}

func hotFinishMany(t *testing.T, f *fixture) {
	runs := f.create(t, 1500)
	var outs []*model.Outcome
	for i := range runs {
		r := runs[len(runs)-1-i] // in no order
		switch i % 3 {
		case 0:
			outs = append(outs, accepted(r.LogID))
		case 1:
			out := accepted(r.LogID)
			out.Handle = result(0, 200, "done "+r.Handler.S).Handle
			outs = append(outs, out)
		case 2:
			outs = append(outs, result(r.LogID, 500, ""))
		}
	}
	f.finish(t, outs...)
	assert.Len(t, f.open(t), 500)
	assert.EqualValues(t, 500, f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE handle_code = 200 AND "+
		"handle_msg = 'done demo' AND trigger_msg = 'taken'"))
	assert.EqualValues(t, 500, f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE handle_code = 500 "+
		"AND trigger_msg IS NULL"))
	assert.EqualValues(t, 1500, f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE trigger_code = 200"))
	if f.info.MadeByUs {
		d := f.day(t)
		assert.Equal(t, [3]int{500, 500, 500}, [3]int{d.Running, d.Success, d.Failed})
	}
	f.wipe(t)
}

var errDecide = errors.New("decide says no")

func hotFinishError(t *testing.T, f *fixture) {
	runs := f.create(t, 2)
	var made *model.Run
	_, err := f.Finish(t.Context(), []*model.Outcome{accepted(runs[0].LogID), result(runs[1].LogID, 200, "x")},
		func(ends []*store.Ending, _ store.Loader) error {
			made = manual(1)[0]
			ends[0].NewRuns = []*model.Run{made}
			return errDecide
		})
	require.ErrorIs(t, err, errDecide)
	assert.Zero(t, made.LogID)
	assert.Len(t, f.open(t), 2)
	assert.Zero(t, f.log(t, runs[0].LogID).TriggerCode)
	none, err := f.Finish(t.Context(), nil, nothing)
	require.NoError(t, err)
	assert.Empty(t, none)
	f.wipe(t)
}
