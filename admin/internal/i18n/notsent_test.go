package i18n

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNotSent: why a run was not sent, out of what admins of ours and of Java's write.
func TestNotSent(t *testing.T) {
	t.Parallel()
	const sent, none = "http://10.0.0.1:9999/", ""
	asked := "Executor Address：address route fail, Idle check：<br>address：http://a:1/<br>code：500<br>msg：busy &lt;b&gt;" +
		"<br>Trigger Msg：error, Address Router Fail."
	for _, tt := range []struct{ name, address, msg, want, chinese string }{
		{"nothing is said", none, "", "", ""},
		{
			"discarded", sent, "Trigger Msg：error, block strategy effect：Discard Later",
			"The executor did not take it: an earlier run of its job was still at it (block strategy: discard later).",
			"执行器没有接收：同一任务较早的运行尚未结束（阻塞策略：丢弃后续调度）。",
		},
		{
			"refused", sent, "JobHandler：x<br>Trigger Msg：error, no such &lt;handler&gt;",
			"The executor did not take it: no such <handler>", "执行器没有接收：no such <handler>",
		},
		{
			"all were asked", none, asked,
			"1 executor was asked, and none could take it. The last answer: busy <b>",
			"已询问 1 个执行器，没有一个可以接收。最后一个的答复：busy <b>",
		},
		{
			"the strategy is unknown", none,
			"Executor Address：address route fail, route strategy X is unknown<br>Trigger Msg：error, Address Router Fail.",
			"No executor could be chosen: route strategy X is unknown", "没有可用的执行器地址：route strategy X is unknown",
		},
		{
			"none was chosen", none, "Executor Address：address route fail.<br>Trigger Msg：error, Address Router Fail.",
			"The route strategy chose none of the executors that are registered.", "路由策略没有从已注册的执行器中选出一个。",
		},
		{
			"nobody is there", none, "Trigger Msg：error, " + ZhTC.Text(JobconfTriggerAddressEmpty),
			"No address of its executor was registered.", "没有执行器地址：该执行器没有注册任何机器。",
		},
		{"the admin says why", none, "Trigger Msg：error, The job was deleted", "The job was deleted", "The job was deleted"},
		{"what an old admin says", none, "Trigger Fail", "Trigger Fail", "Trigger Fail"},
	} {
		assert.Equal(t, tt.want, En.NotSent(tt.address, tt.msg), tt.name)
		assert.Equal(t, tt.chinese, ZhCN.NotSent(tt.address, tt.msg), tt.name)
	}
}
