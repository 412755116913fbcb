package runpages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestShardsBesideEachOther: each with result, address and time, the one of the
// page marked, close to one another where there are many, and once more as a table.
func TestShardsBesideEachOther(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "broadcast")
	v := w.As(w.Admin)
	few := w.Shards(j, 3, 1)
	page := v.Text(consoletest.RunPath(few[2]))
	assert.Contains(t, page, "Shards <span class=\"muted\">2 succeeded · 1 failed")
	assert.Contains(t, page, `<ol class="beside">`)
	assert.Contains(t, page, `<a class="one one-bad" href="`+consoletest.RunPath(few[1])+`" title="boom at`)
	assert.Contains(t, page, `href="`+consoletest.RunPath(few[2])+`" aria-current="true">`)
	assert.Equal(t, 1, strings.Count(page, "this run</span>"))
	assert.Contains(t, page, "<b>shard 1/3</b>")
	assert.Contains(t, page, `>10.0.0.2:9999</code>`)
	assert.Contains(t, page, `<details class="flat"><summary>Table</summary>`)
	assert.NotContains(t, v.Get(consoletest.RunPath(few[2])).Body.String(), "<script>alert")

	many := w.Job(j.GroupID, "broadcast to many")
	page = v.Text(consoletest.RunPath(w.Shards(many, 143, 7, 99)[7]))
	assert.Contains(t, page, "141 succeeded · 2 failed")
	assert.Contains(t, page, `<ol class="beside dense">`)
	assert.Equal(t, 143, strings.Count(page, `class="one one-`))
}

// TestAttemptsBesideEachOther: the first try, and its retries.
func TestAttemptsBesideEachOther(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	var ids []int64
	for left := int32(2); left >= 0; left-- {
		at := consoletest.Noon.Add(-time.Minute + time.Duration(2-left)*5*time.Second)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerRetry, TriggerMs: at.UnixMilli(), ShardTotal: 1,
			Handler: j.Handler, Address: "http://10.0.0.1:9999/", RetriesLeft: left,
		}
		require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
		require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle:  &model.HandleResult{Code: model.CodeFail, Msg: model.T("no"), AtMs: at.Add(4 * time.Second).UnixMilli(), NoRetry: true},
		}}))
		ids = append(ids, r.LogID)
	}
	page := w.As(w.Admin).Text(consoletest.RunPath(ids[1]))
	for _, want := range []string{"<b>first try</b>", "<b>retry 1</b> <span class=\"tag\">this run</span>", "<b>retry 2</b>"} {
		assert.Contains(t, page, want)
	}
}
