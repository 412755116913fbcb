package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// shards stores the runs of a broadcast, of which each of the bad ones has failed.
func (w *world) shards(j *model.Job, total int32, bad ...int32) (ids []int64) {
	w.t.Helper()
	at := noon.Add(-time.Minute)
	for i := range total {
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
			Sharded: true, ShardIndex: i, ShardTotal: total,
			Handler: j.Handler, Address: fmt.Sprintf("http://10.0.0.%d:9999/", i+1),
		}
		require.NoError(w.t, w.db.CreateRuns(w.t.Context(), []*model.Run{r}))
		code, msg := model.CodeSuccess, ""
		for _, b := range bad {
			if b == i {
				code, msg = model.CodeFail, "boom at "+evil
			}
		}
		require.NoError(w.t, w.parts.Results(w.t.Context(), []*model.Outcome{{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle:  &model.HandleResult{Code: code, Msg: model.T(msg), AtMs: at.Add(3 * time.Second).UnixMilli(), NoRetry: true},
		}}))
		ids = append(ids, r.LogID)
	}
	return ids
}

// TestShardsBesideEachOther: each with result, address and time, the one of the
// page marked, close to one another where there are many, and once more as a table.
func TestShardsBesideEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := w.job(w.group("orders", "Orders", "http://10.0.0.1:9999/"), "broadcast")
	v := w.as(w.admin)
	few := w.shards(j, 3, 1)
	page := v.text(runPath(few[2]))
	assert.Contains(t, page, "Shards <span class=\"muted\">2 succeeded · 1 failed")
	assert.Contains(t, page, `<ol class="beside">`)
	assert.Contains(t, page, `<a class="one one-bad" href="`+runPath(few[1])+`" title="boom at`)
	assert.Contains(t, page, `href="`+runPath(few[2])+`" aria-current="true">`)
	assert.Equal(t, 1, strings.Count(page, "this run</span>"))
	assert.Contains(t, page, "<b>shard 1/3</b>")
	assert.Contains(t, page, `>10.0.0.2:9999</code>`)
	assert.Contains(t, page, `<details class="flat"><summary>Table</summary>`)
	assert.NotContains(t, v.get(runPath(few[2])).Body.String(), "<script>alert")

	many := w.job(j.GroupID, "broadcast to many")
	page = v.text(runPath(w.shards(many, 143, 7, 99)[7]))
	assert.Contains(t, page, "141 succeeded · 2 failed")
	assert.Contains(t, page, `<ol class="beside dense">`)
	assert.Equal(t, 143, strings.Count(page, `class="one one-`))
}

// TestAttemptsBesideEachOther: the first try, and its retries.
func TestAttemptsBesideEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := w.job(w.group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	var ids []int64
	for left := int32(2); left >= 0; left-- {
		at := noon.Add(-time.Minute + time.Duration(2-left)*5*time.Second)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerRetry, TriggerMs: at.UnixMilli(), ShardTotal: 1,
			Handler: j.Handler, Address: "http://10.0.0.1:9999/", RetriesLeft: left,
		}
		require.NoError(t, w.db.CreateRuns(t.Context(), []*model.Run{r}))
		require.NoError(t, w.parts.Results(t.Context(), []*model.Outcome{{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle:  &model.HandleResult{Code: model.CodeFail, Msg: model.T("no"), AtMs: at.Add(4 * time.Second).UnixMilli(), NoRetry: true},
		}}))
		ids = append(ids, r.LogID)
	}
	page := w.as(w.admin).text(runPath(ids[1]))
	for _, want := range []string{"<b>first try</b>", "<b>retry 1</b> <span class=\"tag\">this run</span>", "<b>retry 2</b>"} {
		assert.Contains(t, page, want)
	}
}
