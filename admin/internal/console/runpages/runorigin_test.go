package runpages_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestWhereARunComesFrom: a child leads to its parent and back, a retry to what it
// retries, and one sees who has asked for a run.
func TestWhereARunComesFrom(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	orders, hidden := w.Group("orders", "Orders", "http://10.0.0.1:9999/"), w.Group("hidden", "Hidden", "")
	parent, child := w.Job(orders, "load <b>"), w.Job(hidden, "settle")
	first := w.Run(parent, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")
	add := func(j *model.Job, c model.Cause) int64 {
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, TriggerMs: consoletest.Noon.UnixMilli(), ShardTotal: 1, Cause: c,
		}
		require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
		return r.LogID
	}
	started := add(child, model.Cause{Kind: model.CauseChild, Parent: first})
	v := w.As(w.Admin)
	link := `<a href="` + consoletest.RunPath(first) + `">Run ` + strconv.FormatInt(first, 10)
	page := v.Text(consoletest.RunPath(started))
	assert.Contains(t, page, "Started as a child, after the success of "+link+" · load <b>")
	page = v.Text(consoletest.RunPath(first))
	assert.Contains(t, page, "Started from here")
	assert.Contains(t, page, `href="`+consoletest.RunPath(started)+`"`)
	assert.Contains(t, page, "<b>settle</b>")

	one := w.As(w.Member("lin", model.RoleViewer, orders))
	assert.NotContains(t, one.Text(consoletest.RunPath(first)), "Started from here", "what may not be seen")
	other := w.As(w.Member("kim", model.RoleViewer, hidden))
	page = other.Text(consoletest.RunPath(started))
	assert.Contains(t, page, "after the success of Run ")
	assert.NotContains(t, page, link)
	assert.NotContains(t, page, "load <b>")

	rec := v.Post(consoletest.RunPath(first)+"/retry", nil)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	again := v.Text(rec.Header().Get("Location"))
	assert.Contains(t, again, "Run again by "+w.Admin.Username+", after "+link)
	assert.Contains(t, v.Text(consoletest.RunPath(first)), "<b>run again</b>")

	for want, c := range map[string]model.Cause{
		"A retry, after the failure of " + link:   {Kind: model.CauseRetry, Parent: first},
		"Started by hand, by ann.":                {Kind: model.CauseManual, Who: "ann"},
		"Started by hand.":                        {Kind: model.CauseManual},
		"Started through the API, by key:<b>ci.":  {Kind: model.CauseAPI, Who: "key:<b>ci"},
		"Started through the API.":                {Kind: model.CauseAPI},
		"Run again by ann, after Run 99999999</p": {Kind: model.CauseAgain, Parent: 99999999, Who: "ann"},
	} {
		assert.Contains(t, v.Text(consoletest.RunPath(add(parent, c))), want)
	}
}

// TestShardIsRunAgain: the shard alone, at its address.
func TestShardIsRunAgain(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "broadcast")
	shards := w.Shards(j, 3, 1)
	v := w.As(w.Admin)
	assert.Contains(t, v.Text(consoletest.RunPath(shards[1])), "Run this shard again</button>")
	rec := v.Post(consoletest.RunPath(shards[1])+"/retry", nil)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Contains(t, v.Text(rec.Header().Get("Location")), "<dd>1/3</dd>")
}

// TestKilledRunHasNoFailingLine: somebody wanted it to end.
func TestKilledRunHasNoFailingLine(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	failed := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, "boom")
	killed := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, wire.ReasonKilled+" [job running, killed]")
	waited := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, wire.ReasonKilled+wire.SuffixQueued)
	assert.Contains(t, v.Text(consoletest.RunPath(failed)), "?at=fail")
	assert.NotContains(t, v.Text(consoletest.RunPath(killed)), "?at=fail")
	assert.Contains(t, v.Text(consoletest.RunPath(killed)), "<dd>1 s</dd>")
	assert.Contains(t, v.Text(consoletest.RunPath(waited)), "<dd>–</dd>", "it took nothing: it waited")
}
