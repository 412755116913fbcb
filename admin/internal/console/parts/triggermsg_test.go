package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestTriggerTexts(t *testing.T) {
	t.Parallel()
	msg := "任务触发类型：Cron触发<br>调度机器：node-a<br>路由策略：分片广播(0/2)<br><br>" +
		`<span style="color:#00c0ef;" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>` +
		"执行器地址：http://10.0.0.1:9999/<br>任务参数：a &lt;b&gt; ：c<br>响应：error, <img src=x onerror=alert(1)> 1 < 2"
	assert.Equal(t, []Said{
		{"任务触发类型", "Cron触发"},
		{"调度机器", "node-a"},
		{"路由策略", "分片广播(0/2)"},
		{"", "触发调度"},
		{"执行器地址", "http://10.0.0.1:9999/"},
		{"任务参数", "a <b> ：c"},
		{"响应", "error, <img src=x onerror=alert(1)> 1 < 2"},
	}, triggerTexts(msg))
	assert.Equal(t, "error, <img src=x onerror=alert(1)> 1 < 2", model.TriggerOutcome(msg))
	assert.Equal(t, "no", model.TriggerOutcome(`响应：no<br><br><span style="color:#F39C12;" > >>>>>>>>>>>重试<<<<<<<<<<< </span><br>`))
	own, more := SplitMessage(`a <b><br><br><span style="color:#00c0ef;" > >>>>>>>>>>>children<<<<<<<<<<< </span><br>1/1：started`)
	assert.Equal(t, "a <b>", own)
	assert.Equal(t, []Said{{"", "children"}, {"1/1", "started"}}, more)
	own, more = SplitMessage("plain<br>text")
	assert.Equal(t, "plain<br>text", own)
	assert.Empty(t, more)
	assert.Empty(t, triggerTexts("<br><br/> "))
	assert.Empty(t, model.TriggerOutcome(""))
	assert.Equal(t, []Said{{Value: "<spanner> <span"}}, triggerTexts("<spanner> <span"))
}
