package ops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// runIDs are the ids of log rows.
func runIDs(list []*model.Log) (ids []int64) {
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

// TestFamily has a run that was retried twice, long after its job has run often
// since, whose last attempt has started a child, and was run again.
func TestFamily(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	job, secret := w.create(bean(w.gold)), w.create(bean(w.silver))
	make1 := func(job, group int32, c model.Cause, at time.Time) int64 {
		run := &model.Run{JobID: job, GroupID: group, Type: model.TriggerManual, TriggerMs: at.UnixMilli(), ShardTotal: 1, Cause: c}
		require.NoError(t, w.db.CreateRuns(ctx, []*model.Run{run}))
		code := model.CodeSuccess
		if c.Kind == model.CauseRetry || c.Kind == model.CauseManual {
			code = model.CodeFail
		}
		require.NoError(t, w.done.Results(ctx, []*model.Outcome{{
			LogID: run.LogID, Handle: &model.HandleResult{Code: code, AtMs: at.UnixMilli()},
		}}))
		return run.LogID
	}
	crowd := func() {
		var runs []*model.Run
		for range 2 * attemptsNear {
			runs = append(runs, &model.Run{
				JobID: job, GroupID: w.gold, Type: model.TriggerCron, TriggerMs: noon.UnixMilli(), ShardTotal: 1,
			})
		}
		require.NoError(t, w.db.CreateRuns(ctx, runs))
	}
	first := make1(job, w.gold, model.Cause{Kind: model.CauseManual, Who: "ann"}, noon)
	crowd()
	second := make1(job, w.gold, model.Cause{Kind: model.CauseRetry, Parent: first}, noon.Add(time.Hour))
	third := make1(job, w.gold, model.Cause{Kind: model.CauseRetry, Parent: second}, noon.Add(2*time.Hour))
	other := make1(job, w.gold, model.Cause{Kind: model.CauseManual}, noon.Add(2*time.Hour)) // no retry, whatever it looks like
	child := make1(secret, w.silver, model.Cause{Kind: model.CauseChild, Parent: third}, noon)
	again := make1(job, w.gold, model.Cause{Kind: model.CauseAgain, Parent: third, Who: "ann"}, noon)

	family := func(p Principal, id int64) *RunFamily {
		row, err := w.ViewLog(ctx, p, id)
		require.NoError(t, err)
		f, err := w.RunFamily(ctx, p, row)
		require.NoError(t, err)
		return f
	}
	for _, id := range []int64{first, second, third} {
		assert.Equal(t, []int64{first, second, third}, runIDs(family(w.mine, id).Attempts), id)
	}
	assert.Equal(t, []int64{other}, runIDs(family(w.mine, other).Attempts))
	assert.Nil(t, family(w.mine, third).Parent, "an attempt is no parent")
	assert.Equal(t, []int64{again}, runIDs(family(w.mine, third).Started), "of what the asker may see")
	assert.Equal(t, []int64{child, again}, runIDs(family(w.admin, third).Started))
	assert.Equal(t, third, family(w.admin, child).Parent.ID)
	assert.Equal(t, third, family(w.mine, again).Parent.ID)
	page, err := w.Runs(ctx, w.mine, model.RunFilter{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, model.Cause{Kind: model.CauseAgain, Parent: third, Who: "ann"}, page.Runs[0].Cause)

	_, err = w.db.DeleteLogs(ctx, model.LogClear{GroupID: w.gold, Before: noon.Add(90 * time.Minute)}, 1000)
	require.NoError(t, err)
	assert.Equal(t, []int64{third}, runIDs(family(w.mine, third).Attempts), "what is gone is left out")
}
