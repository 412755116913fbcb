package runpages_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestTimeLine shows every step of a run with what is on record of it.
func TestTimeLine(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	s := model.Sending{At: consoletest.Noon.Add(-time.Minute + 13*time.Millisecond), Answer: 2 * time.Millisecond, Late: 13 * time.Millisecond}
	ok := w.Sent(j, consoletest.SentText(s, "success"), 200)
	v := w.As(w.Admin)

	running := v.Text(consoletest.RunPath(ok))
	assert.Contains(t, running, "2026-11-21 11:59:00.000 UTC", "planned")
	assert.Contains(t, running, "2026-11-21 11:59:00.013 UTC", "sent")
	assert.Contains(t, running, ">13.0 ms<")
	assert.Contains(t, running, "2026-11-21 11:59:00.015 UTC", "accepted")
	assert.Contains(t, running, ">2.0 ms<")
	assert.NotContains(t, running, "no time reported")

	w.Ended(ok, 200)
	done := v.Text(consoletest.RunPath(ok))
	assert.Contains(t, done, "(no time reported)", "the log is empty")
	assert.Contains(t, done, "1 min in all")
	w.Parts.Text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: 3, IsEnd: true,
			LogContent: "2026-11-21 19:59:01 [a#b]-[1]-[job] " + wire.LogStart + "x\nother\n" +
				"2026-11-21 19:59:58 [a#b]-[1]-[job] " + wire.LogEnd + "200\n",
		}, nil
	}
	done = v.Text(consoletest.RunPath(ok))
	assert.Contains(t, done, "<span>2026-11-21 11:59:01 UTC</span> <span class=\"muted\">(the executor's clock, from its log)")
	assert.Contains(t, done, "<span>2026-11-21 11:59:58 UTC</span>")
	assert.NotContains(t, done, "no time reported")
	assert.Contains(t, done, "Times inside the log are those of the executor")

	job := v.Text(consoletest.PathOf(j))
	assert.Contains(t, job, "of the last 1 run it is on record for 1")
	assert.Contains(t, job, "<dd>13.0 ms</dd>")

	failed := w.Sent(j, consoletest.SentText(s, "success"), 200)
	w.Ended(failed, 500)
	bad := v.Text(consoletest.RunPath(failed))
	assert.Contains(t, bad, "way-bad\">\n<span aria-hidden=\"true\">✕</span> <b>ended</b>")
	assert.Contains(t, bad, "way-done\">\n<span aria-hidden=\"true\">✓</span> <b>result stored</b>")

	s.Late = -1
	refused := v.Text(consoletest.RunPath(w.Sent(j, consoletest.SentText(s, "error, no such handler"), 500)))
	assert.Contains(t, refused, "<b>asked for</b>")
	assert.Contains(t, refused, "<b>not accepted</b>")
	assert.NotContains(t, refused, "<b>started</b>")
	unsent := v.Text(consoletest.RunPath(w.Sent(j, "Trigger Msg：error, refused", 500)))
	assert.NotContains(t, unsent, "accepted</b>")
}
