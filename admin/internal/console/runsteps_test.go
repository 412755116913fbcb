package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// sentText is a trigger_msg of ours.
func sentText(s model.Sending, outcome string) string {
	return `Trigger Type：CRON<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br><br>` +
		"Sent, answered after, late by：" + s.String() + "<br>Executor Address：http://10.0.0.1:9999/<br>" +
		"Param：&lt;br&gt;<br>Trigger Msg：" + outcome
}

// sent stores a run whose trigger was answered with a code.
func (w *world) sent(j *model.Job, text string, code int32) int64 {
	w.t.Helper()
	at := noon.Add(-time.Minute)
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
		ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://10.0.0.1:9999/",
	}
	require.NoError(w.t, w.db.CreateRuns(w.t.Context(), []*model.Run{r}))
	require.NoError(w.t, w.parts.Results(w.t.Context(), []*model.Outcome{{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: code, Msg: text, Address: r.Address, AtMs: at.UnixMilli(),
	}}}))
	return r.LogID
}

func (w *world) ended(id int64, code int32) {
	w.t.Helper()
	require.NoError(w.t, w.parts.Results(w.t.Context(), []*model.Outcome{{LogID: id, Handle: &model.HandleResult{
		Code: code, AtMs: noon.UnixMilli(), NoRetry: true,
	}}}))
}

// TestTimeLine shows every step of a run with what is on record of it.
func TestTimeLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := w.job(w.group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	s := model.Sending{At: noon.Add(-time.Minute + 13*time.Millisecond), Answer: 2 * time.Millisecond, Late: 13 * time.Millisecond}
	ok := w.sent(j, sentText(s, "success"), 200)
	v := w.as(w.admin)

	running := v.text(runPath(ok))
	assert.Contains(t, running, "2026-11-21 11:59:00.000 UTC", "planned")
	assert.Contains(t, running, "2026-11-21 11:59:00.013 UTC", "sent")
	assert.Contains(t, running, ">13.0 ms<")
	assert.Contains(t, running, "2026-11-21 11:59:00.015 UTC", "accepted")
	assert.Contains(t, running, ">2.0 ms<")
	assert.NotContains(t, running, "no time reported")

	w.ended(ok, 200)
	done := v.text(runPath(ok))
	assert.Contains(t, done, "(no time reported)", "the log is empty")
	assert.Contains(t, done, "1 min in all")
	w.parts.text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: 3, IsEnd: true,
			LogContent: "2026-11-21 19:59:01 [a#b]-[1]-[job] " + wire.LogStart + "x\nother\n" +
				"2026-11-21 19:59:58 [a#b]-[1]-[job] " + wire.LogEnd + "200\n",
		}, nil
	}
	done = v.text(runPath(ok))
	assert.Contains(t, done, "<span>2026-11-21 11:59:01 UTC</span> <span class=\"muted\">(the executor's clock, from its log)")
	assert.Contains(t, done, "<span>2026-11-21 11:59:58 UTC</span>")
	assert.NotContains(t, done, "no time reported")
	assert.Contains(t, done, "Times inside the log are those of the executor")

	job := v.text(pathOf(j))
	assert.Contains(t, job, "of the last 1 run it is on record for 1")
	assert.Contains(t, job, "<dd>13.0 ms</dd>")

	failed := w.sent(j, sentText(s, "success"), 200)
	w.ended(failed, 500)
	bad := v.text(runPath(failed))
	assert.Contains(t, bad, "way-bad\">\n<span aria-hidden=\"true\">✕</span> <b>ended</b>")
	assert.Contains(t, bad, "way-done\">\n<span aria-hidden=\"true\">✓</span> <b>result stored</b>")

	s.Late = -1
	refused := v.text(runPath(w.sent(j, sentText(s, "error, no such handler"), 500)))
	assert.Contains(t, refused, "<b>asked for</b>")
	assert.Contains(t, refused, "<b>not accepted</b>")
	assert.NotContains(t, refused, "<b>started</b>")
	unsent := v.text(runPath(w.sent(j, "Trigger Msg：error, refused", 500)))
	assert.NotContains(t, unsent, "accepted</b>")
}
