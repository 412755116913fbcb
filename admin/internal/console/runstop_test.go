package console

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestStopIsTold: asked to stop, then stopped, or going on all the same.
func TestStopIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const begin = "2026-11-21 11:59:50 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute start -----------\n"
	log := []string{begin}
	w.parts.text = func(req wire.LogRequest) (wire.LogResult, error) {
		n := int(req.FromLineNum) - 1
		if n >= len(log) {
			return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum - 1}, nil
		}
		return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum, LogContent: log[n]}, nil
	}
	j := w.job(w.group("orders", "Orders", "http://10.0.0.1:9999/"), "loop")
	v := w.as(w.admin)
	id := w.run(j, noon, 0, 0, "")
	v.post(runPath(id)+"/kill", nil)
	page := v.text(runPath(id))
	for _, want := range []string{
		"its log does not say yet", "data-stopping", "<b>asked to stop</b>",
		"way-open\">\n<span aria-hidden=\"true\">○</span> <b>stopped</b>",
	} {
		assert.Contains(t, page, want)
	}

	log = append(log, "2026-11-21 12:00:03 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute end(error) -----------\n")
	page = v.text(runPath(id))
	assert.Contains(t, page, "An operator has killed it, and it has stopped.")
	assert.NotContains(t, page, "data-stopping")

	stack := "1 @ 0x1\n#\tmain.loop" + evil + "\n"
	log = []string{
		begin, "2026-11-21 12:00:05 [x]-[y]-[1]-[z] " + wire.LogStranded + "\n" + stack,
		"2026-11-21 12:00:05 [x]-[y]-[1]-[z] <br>----------- xxl-job job execute end(error) -----------\n",
	}
	page = v.text(runPath(id))
	assert.Contains(t, page, "Its handler did not stop when it was told to, and was left behind at 2026-11-21 12:00:05")
	assert.Contains(t, page, "Whether it has ended since is not known")
	assert.Contains(t, page, "at 2026-11-21 12:00:05 it still went on")
	assert.Contains(t, page, "Stack of the handler that did not stop")
	assert.Contains(t, page, "main.loop")
	assert.NotContains(t, v.get(runPath(id)).Body.String(), "<script>alert")
	assert.Equal(t, "1 @ 0x1\n#\tmain.loop"+evil, strandedStack(log[1]+log[2]), "what follows is no part of it")

	log = append(log, "2026-11-21 12:00:55 [x]-[y]-[1]-[z] "+wire.LogReturned+"\n")
	page = v.text(runPath(id))
	assert.Contains(t, page, "has returned at 2026-11-21 12:00:55, by the executor's clock: no restart is needed")
	assert.NotContains(t, page, "Whether it has ended since")
	assert.Contains(t, page, "✓</span> <b>stopped</b>\n<span>2026-11-21 12:00:55</span>")

	other := w.run(j, noon, 0, model.CodeFail, "Manual work failed")
	assert.NotContains(t, v.text(runPath(other)), "asked to stop")
	assert.Equal(t, "2 ok · 1 bad", tally([]besideRun{
		{runRow: runRow{State: runState{Text: "ok"}}},
		{runRow: runRow{State: runState{Text: "bad"}}},
		{runRow: runRow{State: runState{Text: "ok"}}},
	}))
}

// TestJobAlarms: what concerns a job, and a mute and a rule in one step.
func TestJobAlarms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("orders", "Orders", "")
	j, other := w.job(g, "settle"), w.job(g, "other")
	at := pathOf(j) + "?tab=alarms"
	page := v.text(at)
	assert.Contains(t, page, "Nobody is told")
	assert.Contains(t, page, "Nothing is muted.")
	assert.NotContains(t, page, "has no executor for", "that is a rule of groups")
	id := strconv.Itoa(int(j.ID))
	back := func(path string, form map[string]string) {
		t.Helper()
		rec := v.post(path, values(form))
		require.Equal(t, at, rec.Header().Get("Location"))
	}
	back("/alarms/mute", map[string]string{"job": id, "minutes": "15", "reason": "deploy " + evil, "back": at})
	back("/alarms/rules", map[string]string{"job": id, "what": "late", "limit": "90", "back": at})
	v.post("/alarms/rules", values(map[string]string{"group": strconv.Itoa(int(g)), "what": "long", "limit": "60"}))
	v.post("/alarms/mute", values(map[string]string{"job": strconv.Itoa(int(other.ID)), "minutes": "20", "reason": "not mine"}))
	page = v.text(at)
	for _, want := range []string{"deploy ", "fires later than", "1 min 30 s", "rule of the group", "runs longer than"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "not mine")
	assert.NotContains(t, v.get(at).Body.String(), "<script>alert")
	back("/alarms/unmute", map[string]string{"job": id, "back": at})
	back("/alarms/rules/delete", map[string]string{"job": id, "what": "late", "back": at})
	page = v.text(at)
	assert.NotContains(t, page, "deploy ")
	assert.NotContains(t, page, "1 min 30 s")
}

// values makes a form.
func values(pairs map[string]string) url.Values {
	v := url.Values{}
	for name, value := range pairs {
		v.Set(name, value)
	}
	return v
}
