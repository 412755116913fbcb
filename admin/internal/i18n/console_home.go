package i18n

// consoleHome is what the overview says.
var consoleHome = pageTexts{
	"home.well":  {"一切正常", "一切正常", "All is well"},
	"home.wrong": {"{0} 件事需要注意", "{0} 件事需要注意", "To look at: {0}"},
	"home.node":  {"本节点：{0}", "本節點：{0}", "This node: {0}"},
	"home.failing": {
		"24 小时内 {1} 个任务有 {0} 次失败",
		"24 小時內 {1} 個任務有 {0} 次失敗",
		"In the last 24 hours {0} runs of {1} jobs failed",
	},
	"home.failing.most": {"24 小时内至少 {0} 次失败", "24 小時內至少 {0} 次失敗", "In the last 24 hours {0} runs or more failed"},
	"home.noaddress":    {"执行器“{0}”没有可用地址", "執行器「{0}」沒有可用位址", "No address of the executor “{0}” is registered"},
	"home.jobs":         {"任务", "任務", "Jobs"},
	"home.started":      {"其中已启动", "其中已啟動", "of them started"},
	"home.executors":    {"执行器地址", "執行器位址", "Executor addresses"},
	"home.running":      {"正在运行", "正在執行", "Running now"},
	"home.triggers":     {"累计触发", "累計觸發", "Triggers so far"},
	"home.days":         {"近 {0} 天的运行", "近 {0} 天的執行", "Runs of the last {0} days"},
	"home.runs.unit":    {"次/天", "次/天", "runs a day"},
	"home.day":          {"日期", "日期", "Day"},
	"home.hour":         {"未来一小时的触发", "未來一小時的觸發", "Fires of the coming hour"},
	"home.hour.unit":    {"次/分钟", "次/分鐘", "a minute"},
	"home.hour.some":    {"只画出前 {0} 个已启动的任务。", "只畫出前 {0} 個已啟動的任務。", "Drawn for the first {0} started jobs."},
	"home.hour.none":    {"未来一小时没有触发。", "未來一小時沒有觸發。", "Nothing fires in the coming hour."},
	"home.minute":       {"时间", "時間", "Minute"},
	"home.fires":        {"次数", "次數", "Fires"},
	"home.failures":     {"最近的失败", "最近的失敗", "The last failures"},
	"home.failures.no":  {"24 小时内没有失败。", "24 小時內沒有失敗。", "Nothing failed in the last 24 hours."},
	"home.first":        {"还没有执行器连接。", "還沒有執行器連線。", "No executor has connected yet."},
	"home.first.how":    {"如何连接", "如何連線", "How to connect one"},
}
