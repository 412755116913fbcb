package storetest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// hotTexts stores messages that begin and end alike, as those of the runs of one
// group do: each run keeps its own.
func hotTexts(t *testing.T, f *fixture) {
	long := strings.Repeat("任务触发类型：Cron触发<br>", 30)
	runs := f.create(t, 6)
	middle := func(i int) string { return strings.Repeat("执行'\\%é", i) + strconv.Itoa(i) }
	outs := make([]*model.Outcome, len(runs))
	for i, r := range runs {
		outs[i] = accepted(r.LogID)
		outs[i].Trigger.Msg = long + middle(i) + "<br>" + long
		outs[i].Handle = result(r.LogID, model.CodeSuccess, long+middle(i)).Handle
	}
	outs[5].Handle.Msg = model.Text{}
	f.finish(t, outs[:3]...)
	f.finish(t, outs[3:]...)
	for i, r := range runs {
		l := f.log(t, r.LogID)
		assert.Equal(t, outs[i].Trigger.Msg, l.TriggerMsg.S)
		assert.Equal(t, outs[i].Handle.Msg.S, l.HandleMsg.S)
	}
}
