package runpages_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestWaitsBehind: a run that an executor has taken and that waits there for an
// earlier one of its job says so, until its log says that it has begun.
func TestWaitsBehind(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	g := w.Group("settle", "Settle", "http://10.0.0.1:9999/")
	j := w.Job(g, "settle")
	v := w.As(w.Admin)
	first, second := w.Run(j, consoletest.Noon.Add(-time.Minute), 0, 0, ""), w.Run(j, consoletest.Noon.Add(-time.Second), 0, 0, "")
	elsewhere := w.RunAt(j, "http://10.0.0.2:9999/", consoletest.Noon, 0, 0, "")
	page := v.Text(consoletest.RunPath(second))
	for _, want := range []string{
		fmt.Sprintf("◷</span> waiting behind #%d", first), fmt.Sprintf("and #%d came first", first),
		`<a href="` + consoletest.RunPath(first) + `">`, fmt.Sprintf("is asked to stop #%d, which it works on now", first),
	} {
		assert.Contains(t, page, want)
	}
	for _, id := range []int64{first, elsewhere} {
		page := v.Text(consoletest.RunPath(id))
		assert.Contains(t, page, "●</span> running")
		assert.NotContains(t, page, "waiting behind")
	}
	assert.Equal(t, 1, strings.Count(v.Text("/runs"), "waiting behind #"))

	w.Parts.Text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{FromLineNum: r.FromLineNum, ToLineNum: 1, LogContent: "it has begun\n"}, nil
	}
	page = v.Text(consoletest.RunPath(second))
	assert.Contains(t, page, "An executor has taken it and has not reported yet.")
	assert.NotContains(t, page, "waiting behind")
	assert.NotContains(t, page, "which it works on now")
}

// TestUnheard: a run whose executor does not answer says since when, what the
// admin will do, and what a person can do.
func TestUnheard(t *testing.T) {
	t.Parallel()
	var st model.AddressState
	w := consoletest.New(t, func(cfg *console.Config) {
		cfg.Executors = console.Executors{
			Addresses: func(_ context.Context, _ string, at []string) (map[string]model.AddressState, error) {
				return map[string]model.AddressState{at[0]: st}, nil
			},
			LostAfter: 10 * time.Minute, GoneTwice: 2 * time.Minute,
		}
	})
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	open := w.Run(j, consoletest.Noon.Add(-3*time.Minute), 0, 0, "")
	old := w.Run(j, consoletest.Noon.Add(-time.Hour), 0, 0, "")
	ended := w.Run(j, consoletest.Noon.Add(-2*time.Hour), time.Second, 500, "no")
	const silent = "The executor at http://10.0.0.1:9999/ does not answer."
	assert.NotContains(t, v.Text(consoletest.RunPath(open)), silent)

	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	for _, tt := range []struct {
		name  string
		id    int64
		state model.AddressState
		want  string
	}{
		{
			"gone", open,
			model.AddressState{DeadSince: consoletest.Noon.Add(-2 * time.Minute)},
			silent + " Calls to it fail since 2026-11-21 11:58:00 UTC.</p>\n<p>The result may still come. " +
				"If nothing is heard of it, the admin records the run as lost at about 2026-11-21 12:09:00 UTC.",
		},
		{
			"its registration has ended", open,
			model.AddressState{LastBeat: consoletest.Noon.Add(-2 * time.Minute)},
			silent + " Its last heartbeat came at 2026-11-21 11:58:00 UTC.</p>",
		},
		{"for long", old, model.AddressState{}, silent + "</p>\n<p>The result may still come. If nothing is heard of it, the admin records the run as lost within some minutes."},
		{"it beats", open, model.AddressState{LastBeat: consoletest.Noon.Add(-time.Second), DeadSince: consoletest.Noon.Add(-time.Minute)}, "since 2026-11-21 11:59:00 UTC.</p>\n<p>It still registers"},
		{
			"it was killed", open,
			model.AddressState{LastBeat: consoletest.Noon.Add(-40 * time.Second), DeadSince: consoletest.Noon.Add(-30 * time.Second)},
			"No heartbeat came since: its registration runs out at 2026-11-21 12:00:50 UTC.</p>\n<p>The result may still come. " +
				"If nothing is heard of it, the admin records the run as lost at about 2026-11-21 12:09:00 UTC.",
		},
	} {
		st = tt.state
		page := v.Text(consoletest.RunPath(tt.id))
		assert.Contains(t, page, tt.want, tt.name)
		assert.Contains(t, page, `<a href="/executors/`, tt.name)
		assert.Contains(t, page, "run the job once more from its page", tt.name)
	}
	assert.NotContains(t, v.Text(consoletest.RunPath(ended)), silent)
}

// TestAskedBeforeItWasSent: each executor that was asked has its row, and the
// headline says what came of it.
func TestAskedBeforeItWasSent(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: consoletest.Noon.UnixMilli(), ShardTotal: 1, Handler: j.Handler,
	}
	require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
	const one = "address：http://10.0.0.1:9999/<br>code：500<br>msg：busy &lt;b&gt;<br>took：1.2 ms"
	msg := "Route：Busyover<br>Executor Address：address route fail, Idle check：<br>" + one +
		"<br><br>Idle check：<br>" + one + "<br>Trigger Msg：error, Address Router Fail."
	require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{
		LogID: r.LogID, Trigger: &model.TriggerResult{Code: model.CodeFail, Msg: msg, AtMs: consoletest.Noon.UnixMilli()},
	}}))
	v := w.As(w.Admin)
	page := v.Text(consoletest.RunPath(r.LogID))
	assert.Contains(t, page, "2 executors were asked, and none could take it. The last answer: busy <b>")
	assert.Equal(t, 2, strings.Count(page, `<td class="num" data-label="Took">1.2 ms</td>`))
	assert.Equal(t, 2, strings.Count(page, `data-label="Question">Idle check</td>`))
	assert.Contains(t, page, "<dd>address route fail</dd>")
	assert.Contains(t, v.Text("/runs"), "2 executors were asked")
}

// TestEndedByItsBlockStrategy: what a job wants to happen is told in words.
func TestEndedByItsBlockStrategy(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	covered := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, wire.ReasonCovered+" [job running, killed]")
	assert.Contains(t, v.Text(consoletest.RunPath(covered)), "A later run of its job took its place")
	r := &model.Run{JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: consoletest.Noon.UnixMilli(), ShardTotal: 1}
	require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
	require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeFail, Msg: "Trigger Msg：error, " + wire.TextDiscardLater, Address: "http://10.0.0.1:9999/", AtMs: consoletest.Noon.UnixMilli(),
	}}}))
	assert.Contains(t, v.Text(consoletest.RunPath(r.LogID)), "an earlier run of its job was still at it")
}

// TestStrayHandler: a run that was timed out while its handler goes on does not say
// that it was stopped and no more.
func TestStrayHandler(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	id := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, model.CodeTimeout, "job execute timeout")
	w.Parts.Text = logOf([]string{"begun", "2026-11-21 12:00:00 x" + wire.LogStranded, "main.spin()", "2026-11-21 12:00:00 x" + wire.LogTimeout}, 10)
	page := w.As(w.Admin).Text(consoletest.RunPath(id))
	assert.Contains(t, page, "Its handler did not stop when it was told to, and was left behind at 2026-11-21 12:00:00")
	assert.Contains(t, page, `aria-label="Stack of the handler that did not stop">main.spin()</pre>`)
}

// TestChildrenOfARun: a run says which children it has triggered, and leads to
// their runs.
func TestChildrenOfARun(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	id := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "done"+`<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>children<<<<<<<<<<< </span><br>1/2. [17] triggered`)
	page := w.As(w.Admin).Text(consoletest.RunPath(id))
	assert.Contains(t, page, `1/2. [17] triggered <a href="/runs?from=2026-11-21T11%3A59&job=17">its runs</a>`)
	assert.Contains(t, page, `<pre class="said">done</pre>`)
}

// TestNeverBegan: what ended while it waited at its executor did not start, and
// does not say that it did.
func TestNeverBegan(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	const open, tick = "○</span> <b>started</b>", "✓</span> <b>started</b>"
	cut := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, wire.TextNeverStarted)
	page := v.Text(consoletest.RunPath(cut))
	assert.Contains(t, page, "✕</span> <b>started</b>")
	assert.Contains(t, page, "it did not begin")
	assert.NotContains(t, page, "<b>ended</b>")
	assert.Contains(t, v.Text(consoletest.RunPath(w.Run(j, consoletest.Noon, time.Second, 500, "bad"))), tick, "its executor reports a failure")

	kill := func(at time.Time) int64 {
		return w.Run(j, at, time.Second, 500, "Manual operation, kill job:")
	}
	waited, old := kill(consoletest.Noon.Add(-10*time.Second)), kill(consoletest.Noon.Add(-time.Hour))
	page = v.Text(consoletest.RunPath(waited))
	for _, want := range []string{"An operator has killed it before it began", open, "<b>asked to stop</b>"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "<b>stopped</b>")
	page = v.Text(consoletest.RunPath(old))
	for _, want := range []string{"whether it has stopped is not known", open, "whether it began is not known"} {
		assert.Contains(t, page, want, "its log may have been deleted")
	}
	assert.NotContains(t, page, "data-stopping")

	w.Parts.Text = logOf([]string{"2026-11-21 12:00:01 x" + wire.LogCallbackDone}, 10)
	assert.Contains(t, v.Text(consoletest.RunPath(old)), "An operator has killed it before it began")
	w.Parts.Text = logOf([]string{"2026-11-21 11:00:00 x" + wire.LogStart, "2026-11-21 11:00:01 x" + wire.LogCallbackDone}, 10)
	assert.Contains(t, v.Text(consoletest.RunPath(old)), tick)
}
