package ops

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const address = "http://10.0.0.1:9999/"

// run puts a run on record and returns its log id.
func (w *world) run(job int32, at time.Time, known ...*model.Outcome) int64 {
	w.t.Helper()
	j := w.load(job)
	r := &model.Run{
		JobID: job, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: at.UnixMilli(), ShardTotal: 1,
		Handler: j.Handler, Param: j.Param,
	}
	require.NoError(w.t, w.db.CreateRuns(w.t.Context(), []*model.Run{r}))
	for _, out := range known {
		out.LogID = r.LogID
	}
	if len(known) > 0 {
		require.NoError(w.t, (&results{db: w.db}).Results(w.t.Context(), known))
	}
	return r.LogID
}

func accepted() *model.Outcome {
	return &model.Outcome{Trigger: &model.TriggerResult{Code: 200, Address: address, AtMs: noon.UnixMilli()}}
}

func refusedTrigger() *model.Outcome {
	return &model.Outcome{Trigger: &model.TriggerResult{Code: 500, Msg: "no", AtMs: noon.UnixMilli()}}
}

func handled(code int32, msg string) *model.Outcome {
	return &model.Outcome{Handle: &model.HandleResult{Code: code, Msg: model.T(msg), AtMs: noon.UnixMilli()}}
}

func TestLogText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.gold))
	id := w.run(job, noon, accepted())

	w.exec.resp = wire.Response{Code: 200, Msg: wire.Str("Success")}
	w.exec.text = wire.LogResult{FromLineNum: 1, ToLineNum: 2, LogContent: "one <b>\ntwo\n"}
	got, err := w.LogText(ctx, w.mine, id, 0)
	require.NoError(t, err)
	assert.Equal(t, &LogText{LogResult: w.exec.text, Msg: wire.Str("Success")}, got)
	assert.Equal(t, wire.LogRequest{LogID: id, LogDateTime: noon.UnixMilli(), FromLineNum: 1}, w.exec.log)
	assert.Equal(t, []string{"log " + logObject(id)[4:] + " at " + address + " of golden-app"}, w.exec.calls)

	w.exec.text = wire.LogResult{FromLineNum: 3, ToLineNum: 2}
	got, err = w.LogText(ctx, w.mine, id, 3)
	require.NoError(t, err)
	assert.False(t, got.IsEnd, "it runs")
	require.NoError(t, (&results{db: w.db}).Results(ctx, []*model.Outcome{{
		LogID: id, Handle: &model.HandleResult{Code: 200, AtMs: noon.UnixMilli()},
	}}))
	got, err = w.LogText(ctx, w.mine, id, 3)
	require.NoError(t, err)
	assert.True(t, got.IsEnd, "it has ended, and everything was read")

	w.exec.resp = wire.Response{Code: 500, Msg: wire.Str("no such log")}
	_, err = w.LogText(ctx, w.mine, id, 1)
	refusal(t, err, Conflict, "no such log")
	w.exec.resp = wire.Response{Code: 500}
	_, err = w.LogText(ctx, w.mine, id, 1)
	refusal(t, err, Conflict, "")
	w.exec.err = errors.New("connection refused")
	_, err = w.LogText(ctx, w.mine, id, 1)
	refusal(t, err, Unavailable, "connection refused")
	_, err = w.LogText(ctx, w.admin, 99999, 1)
	refusal(t, err, NotFound, "Log ID is illegal")
}

func TestLogTextWithoutExecutor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.gold))

	got, err := w.LogText(ctx, w.mine, w.run(job, noon), 1)
	require.NoError(t, err)
	assert.Equal(t, &LogText{LogResult: wire.LogResult{FromLineNum: 1}, Msg: wire.Str("Success")}, got, "it waits")
	_, err = w.LogText(ctx, w.mine, w.run(job, noon, refusedTrigger()), 1)
	refusal(t, err, Conflict, "The run was not triggered, so the executor has no log of it")
	assert.Empty(t, w.exec.calls)
}

func TestKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.gold))
	id := w.run(job, noon, accepted())

	w.exec.resp = wire.Response{Code: 500, Msg: wire.Str("no")}
	_, err := w.Kill(ctx, w.mine, id)
	refusal(t, err, Conflict, "no")
	w.exec.err = errors.New("connection refused")
	_, err = w.Kill(ctx, w.mine, id)
	refusal(t, err, Unavailable, "connection refused")
	row, err := w.db.Log(ctx, id)
	require.NoError(t, err)
	assert.Zero(t, row.HandleCode, "a kill that failed ends nothing")

	w.exec.err, w.exec.resp, w.exec.calls = nil, wire.Response{Code: 200, Msg: wire.Str("Success")}, nil
	msg, err := w.Kill(ctx, w.mine, id)
	require.NoError(t, err)
	assert.Equal(t, wire.Str("Success"), msg)
	assert.Equal(t, []string{"kill " + id32(job) + " at " + address + " of golden-app"}, w.exec.calls)
	row, err = w.db.Log(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, int32(500), row.HandleCode)
	assert.Equal(t, "Manual operation, kill job:Success", row.HandleMsg.S)
	require.Len(t, w.done.outs, 1)
	assert.True(t, w.done.outs[0].Handle.NoRetry, "what a person ended does not run again")
	assert.Equal(t, "golden1 | log.kill | "+logObject(id)+" | job "+id32(job), w.lastAudit())

	w.exec.calls = nil
	_, err = w.Kill(ctx, w.mine, id)
	refusal(t, err, Conflict, "This run has ended, there is nothing to kill")
	assert.Empty(t, w.exec.calls, "the executor would kill a later run of the job")

	_, err = w.Kill(ctx, w.mine, w.run(job, noon, refusedTrigger()))
	refusal(t, err, Conflict, "Trigger Fail, can not kill job")
	_, err = w.Kill(ctx, w.mine, w.run(job, noon))
	refusal(t, err, Conflict, "Trigger Fail, can not kill job")
	_, err = w.Kill(ctx, w.admin, 99999)
	refusal(t, err, NotFound, "Log ID is illegal")
}

// A job that was moved away is not killed through its old logs.
func TestKillOfAMovedJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.gold))
	id := w.run(job, noon, accepted())
	require.NoError(t, w.UpdateJob(ctx, w.admin, bean(w.silver, withID(job))))
	_, err := w.Kill(ctx, w.mine, id)
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
	assert.Empty(t, w.exec.calls)
	_, err = w.Log(ctx, w.mine, id)
	require.NoError(t, err, "the log stays that of the old group")
}

func TestListLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	gold, silver := w.create(bean(w.gold)), w.create(bean(w.silver))
	a, b := w.run(gold, noon), w.run(silver, noon)
	ids := func(p Principal, f model.LogFilter) (ids []int64) {
		list, total, err := w.ListLogs(ctx, p, f)
		require.NoError(t, err)
		assert.Len(t, list, total)
		for _, l := range list {
			ids = append(ids, l.ID)
		}
		return ids
	}
	assert.Equal(t, []int64{b, a}, ids(w.admin, model.LogFilter{GroupID: -1}))
	assert.Equal(t, []int64{a}, ids(w.mine, model.LogFilter{}))
	assert.Empty(t, ids(w.mine, model.LogFilter{JobID: silver}), "a foreign job's id shows nothing")
	assert.Empty(t, ids(w.mine, model.LogFilter{GroupID: w.gold, JobID: silver}))
	assert.Empty(t, ids(Principal{Name: "new", Source: "login"}, model.LogFilter{}))
	_, _, err := w.ListLogs(ctx, w.mine, model.LogFilter{GroupID: w.silver})
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
	_, err = w.Log(ctx, w.mine, b)
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
}

func TestClearLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job, other := w.create(bean(w.gold)), w.create(bean(w.gold))
	old := w.run(job, noon.AddDate(0, -1, -1), accepted())
	now := w.run(job, noon, accepted(), handled(200, "done"))
	next := w.run(job, noon.Add(time.Second))
	w.run(other, noon.AddDate(-2, 0, 0), accepted(), handled(200, "done"))
	left := func() (ids []int64) {
		list, _, err := w.ListLogs(ctx, w.admin, model.LogFilter{JobID: job})
		require.NoError(t, err)
		for _, l := range list {
			ids = append(ids, l.ID)
		}
		return ids
	}
	clear := func(kind int) int {
		n, err := w.ClearLogs(ctx, w.mine, ClearInput{GroupID: w.gold, JobID: job, Type: kind})
		require.NoError(t, err)
		return n
	}
	_, err := w.ClearLogs(ctx, w.mine, ClearInput{GroupID: w.gold, JobID: job, Type: 10})
	refusal(t, err, Invalid, "Clean type is illegal")
	_, err = w.ClearLogs(ctx, w.mine, ClearInput{Type: 9})
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")

	for _, kind := range []int{2, 3, 4, 5, 6, 7, 8} {
		assert.Zero(t, clear(kind), "type %d", kind)
	}
	assert.Equal(t, []int64{next, now, old}, left())
	assert.Equal(t, 1, clear(1))
	assert.Equal(t, []int64{next, now}, left())
	require.Len(t, w.done.outs, 1, "the run was open")
	assert.Equal(t, old, w.done.outs[0].LogID)
	assert.True(t, w.done.outs[0].Handle.NoRetry)
	assert.Equal(t, 1, clear(9))
	assert.Equal(t, []int64{next}, left(), "what is planned for the next second stays")
	assert.Contains(t, w.lastAudit(), "golden1 | log.clear | logs of group "+id32(w.gold)+", job "+id32(job)+" | type 9: 1 rows")

	n, err := w.ClearLogs(ctx, w.admin, ClearInput{Type: 4})
	require.NoError(t, err)
	assert.Equal(t, 1, n, "of every group")
}

// The logs of a foreign job are not cleared under the name of an own group.
func TestClearForeignLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.silver))
	id := w.run(job, noon)
	n, err := w.ClearLogs(ctx, w.mine, ClearInput{GroupID: w.gold, JobID: job, Type: 9})
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Empty(t, w.done.outs)
	_, err = w.db.Log(ctx, id)
	require.NoError(t, err)
}

func TestClearManyLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job := w.create(bean(w.gold))
	const count = 2*clearBatch + 200
	runs := make([]*model.Run, count)
	for i := range runs {
		runs[i] = &model.Run{
			JobID: job, GroupID: w.gold, Type: model.TriggerManual, ShardTotal: 1,
			TriggerMs: noon.Add(-time.Duration(i) * time.Second).UnixMilli(),
		}
	}
	require.NoError(t, w.db.CreateRuns(ctx, runs))
	n, err := w.ClearLogs(ctx, w.admin, ClearInput{JobID: job, Type: 5})
	require.NoError(t, err)
	assert.Equal(t, count-1000, n)
	n, err = w.ClearLogs(ctx, w.admin, ClearInput{Type: 9})
	require.NoError(t, err)
	assert.Equal(t, 1000, n)
	open, err := w.db.CountOpenRuns(ctx)
	require.NoError(t, err)
	assert.Zero(t, open)
}
