package runpages_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/runpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestStopIsTold: asked to stop, then stopped, or going on all the same.
func TestStopIsTold(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	const begin = "2026-11-21 11:59:50 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute start -----------\n"
	log := []string{begin}
	w.Parts.Text = func(req wire.LogRequest) (wire.LogResult, error) {
		n := int(req.FromLineNum) - 1
		if n >= len(log) {
			return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum - 1}, nil
		}
		return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum, LogContent: log[n]}, nil
	}
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "loop")
	v := w.As(w.Admin)
	id := w.Run(j, consoletest.Noon, 0, 0, "")
	v.Post(consoletest.RunPath(id)+"/kill", nil)
	page := v.Text(consoletest.RunPath(id))
	for _, want := range []string{
		"its log does not say yet", "data-stopping", "<b>asked to stop</b>",
		"way-open\">\n<span aria-hidden=\"true\">○</span> <b>stopped</b>",
	} {
		assert.Contains(t, page, want)
	}

	log = append(log, "2026-11-21 12:00:03 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute end(error) -----------\n")
	page = v.Text(consoletest.RunPath(id))
	assert.Contains(t, page, "An operator has killed it, and it has stopped.")
	assert.NotContains(t, page, "data-stopping")

	stack := "1 @ 0x1\n#\tmain.loop" + consoletest.Evil + "\n"
	log = []string{
		begin, "2026-11-21 12:00:05 [x]-[y]-[1]-[z] " + wire.LogStranded + "\n" + stack,
		"2026-11-21 12:00:05 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute end(error) -----------\n",
	}
	page = v.Text(consoletest.RunPath(id))
	assert.Contains(t, page, "Its handler did not stop when it was told to, and was left behind at 2026-11-21 12:00:05")
	assert.Contains(t, page, "Whether it has ended since is not known")
	assert.Contains(t, page, "at 2026-11-21 12:00:05 it still went on")
	assert.Contains(t, page, "Stack of the handler that did not stop")
	assert.Contains(t, page, "main.loop")
	assert.NotContains(t, v.Get(consoletest.RunPath(id)).Body.String(), "<script>alert")
	assert.Equal(t, "1 @ 0x1\n#\tmain.loop"+consoletest.Evil, runpages.StrandedStack(log[1]+log[2]), "what follows is no part of it")

	log = append(log, "2026-11-21 12:00:55 [x]-[y]-[1]-[z] "+wire.LogReturned+"\n")
	page = v.Text(consoletest.RunPath(id))
	assert.Contains(t, page, "has returned at 2026-11-21 12:00:55, by the executor's clock: no restart is needed")
	assert.NotContains(t, page, "Whether it has ended since")
	assert.Contains(t, page, "✓</span> <b>stopped</b>\n<span>2026-11-21 12:00:55</span>")

	other := w.Run(j, consoletest.Noon, 0, model.CodeFail, "Manual work failed")
	assert.NotContains(t, v.Text(consoletest.RunPath(other)), "asked to stop")
	assert.Equal(t, "2 ok · 1 bad", runpages.Tally([]runpages.BesideRun{
		{RunRow: parts.RunRow{State: web.State{Text: "ok"}}},
		{RunRow: parts.RunRow{State: web.State{Text: "bad"}}},
		{RunRow: parts.RunRow{State: web.State{Text: "ok"}}},
	}))
}
