package i18n

// consoleHome is what the overview says.
var consoleHome = pageTexts{
	"home.well": {"一切正常", "一切正常", "All is well"},

	// The sentence of what is wrong: its parts, what stands between and at the end.
	"home.s.and":         {"；", "；", "; "},
	"home.s.end":         {"。", "。", "."},
	"home.s.failing":     {"{0} 个任务在失败", "{0} 個任務在失敗", "{0} jobs are failing"},
	"home.s.failing.one": {"1 个任务在失败", "1 個任務在失敗", "1 job is failing"},
	"home.s.lonely": {
		"{0} 个执行器没有可用地址", "{0} 個執行器沒有可用位址", "{0} executors with started jobs have no address",
	},
	"home.s.lonely.one": {
		"1 个执行器没有可用地址", "1 個執行器沒有可用位址", "1 executor with started jobs has no address",
	},
	"home.s.late": {
		"近 10 分钟有 {0} 次触发晚于 1 秒", "近 10 分鐘有 {0} 次觸發晚於 1 秒",
		"{0} fires of the last 10 minutes were more than 1 s late",
	},
	"home.s.late.one": {
		"近 10 分钟有 1 次触发晚于 1 秒", "近 10 分鐘有 1 次觸發晚於 1 秒",
		"1 fire of the last 10 minutes was more than 1 s late",
	},
	"home.s.dead":       {"{0} 个执行器地址无应答", "{0} 個執行器位址無應答", "{0} executor addresses do not answer"},
	"home.s.dead.one":   {"1 个执行器地址无应答", "1 個執行器位址無應答", "1 executor address does not answer"},
	"home.acked":        {"{0} 个告警已确认", "{0} 個告警已確認", "{0} alarms are acknowledged"},
	"home.acked.one":    {"1 个告警已确认", "1 個告警已確認", "1 alarm is acknowledged"},
	"home.s.alarms":     {"{0} 个告警未恢复", "{0} 個告警未恢復", "{0} alarms are open"},
	"home.s.alarms.one": {"1 个告警未恢复", "1 個告警未恢復", "1 alarm is open"},
	"home.s.idle":       {"{0} 个节点没有租约", "{0} 個節點沒有租約", "{0} nodes hold no lease"},
	"home.s.idle.one":   {"1 个节点没有租约", "1 個節點沒有租約", "1 node holds no lease"},
	"home.s.silent":     {"{0} 个节点没有心跳", "{0} 個節點沒有心跳", "{0} nodes have no heartbeat"},
	"home.s.silent.one": {"1 个节点没有心跳", "1 個節點沒有心跳", "1 node has no heartbeat"},
	"home.s.orphans": {
		"{0} 个调度分片无人负责", "{0} 個排程分片無人負責", "{0} scheduling shards are held by no node",
	},
	"home.s.orphans.one": {
		"1 个调度分片无人负责", "1 個排程分片無人負責", "1 scheduling shard is held by no node",
	},
	"home.s.node":     {"本节点有 {0} 处异常", "本節點有 {0} 處異常", "{0} things are wrong with this node"},
	"home.s.node.one": {"本节点有 1 处异常", "本節點有 1 處異常", "something is wrong with this node"},

	"home.notnamed": {"以及另外 {0} 项", "以及另外 {0} 項", "and {0} more"},
	"home.node":     {"本节点：{0}", "本節點：{0}", "This node: {0}"},
	"home.idlenode": {"节点 {0} 没有租约", "節點 {0} 沒有租約", "Node {0} holds no lease"},
	"home.silentnode": {
		"节点 {0} 没有心跳，也没有正常停止", "節點 {0} 沒有心跳，也沒有正常停止",
		"Node {0} has no heartbeat, and has not said that it stops",
	},
	"home.refused": {
		"有执行器使用了错误的访问令牌：{0}", "有執行器使用了錯誤的存取權杖：{0}",
		"An executor comes with a wrong access token: {0}",
	},
	"home.unknown": {
		"有程序以 AppName “{0}” 注册，但没有这样的执行器。", "有程式以 AppName「{0}」註冊，但沒有這樣的執行器。",
		"Registered as “{0}”, but no executor is called so",
	},
	"home.unknowns": {
		"有程序以 {0} 个 AppName 注册（如“{1}”），但没有这样的执行器。", "有程式以 {0} 個 AppName 註冊（如「{1}」），但沒有這樣的執行器。",
		"Registered under {0} app names (such as “{1}”), but no executor is called so",
	},
	"home.noaddress": {
		"执行器“{0}”没有可用地址（已启动任务 {1} 个）", "執行器「{0}」沒有可用位址（已啟動任務 {1} 個）",
		"No address of the executor “{0}” is registered (started jobs: {1})",
	},
	"home.deadof": {
		"执行器“{0}”：{2} 个地址中 {1} 个无应答", "執行器「{0}」：{2} 個位址中 {1} 個無應答",
		"Executor “{0}”: {1} of {2} {2|address|addresses} {1|does|do} not answer",
	},

	"home.jobs":      {"任务", "任務", "Jobs"},
	"home.started":   {"其中已启动", "其中已啟動", "of them started"},
	"home.executors": {"执行器地址", "執行器位址", "Executor addresses"},
	"home.running":   {"正在运行", "正在執行", "Running now"},
	"home.triggers":  {"累计触发", "累計觸發", "Triggers so far"},
	"home.some": {
		"仅统计您有权限的执行器。", "僅統計您有權限的執行器。", "These are the numbers of your executors alone.",
	},
	"home.late": {"触发延迟 {0}", "觸發延遲 {0}", "Lateness {0}"},
	"home.late.how": {
		"触发延迟：从计划时刻到写入执行器连接。由本节点测得，最近 10 分钟，{0} 次定时触发。",
		"觸發延遲：從計劃時刻到寫入執行器連線。由本節點測得，最近 10 分鐘，{0} 次定時觸發。",
		"Lateness is from the planned instant to the executor's socket, measured by this node over its {0} scheduled " +
			"{0|fire|fires} of the last 10 minutes.",
	},
	"home.minutes":      {"近一小时结束的运行", "近一小時結束的執行", "Runs that ended within the hour"},
	"home.minutes.unit": {"次/分钟", "次/分鐘", "a minute"},
	"home.minutes.how":  {"由本节点入库的结果；本节点启动于", "由本節點入庫的結果；本節點啟動於", "Results stored by this node, which was started"},
	"home.days":         {"近 {0} 天的运行", "近 {0} 天的執行", "Runs of the last {0} {0|day|days}"},
	"home.runs.unit":    {"次/天", "次/天", "runs a day"},
	"home.day":          {"日期", "日期", "Day"},
	"home.hour":         {"未来一小时的触发", "未來一小時的觸發", "Fires of the coming hour"},
	"home.hour.unit":    {"每分钟最多 {0} 次", "每分鐘最多 {0} 次", "up to {0} a minute"},
	"home.hour.more":    {"及另外 {0} 个", "及另外 {0} 個", "and {0} more"},
	"home.hour.wait":    {"正在统计，请稍后刷新。", "正在統計，請稍後重新整理。", "It is being counted: load the page again in a moment."},
	"home.hour.none":    {"未来一小时没有触发。", "未來一小時沒有觸發。", "Nothing fires in the coming hour."},
	"home.hour.next":    {"下一次：", "下一次：", "The next one:"},
	"home.hour.counted": {"按当时的任务计算：", "按當時的任務計算：", "From the jobs as they were"},
	"home.hour.never": {
		"已启动的任务都没有下一次触发时间。", "已啟動的任務都沒有下一次觸發時間。",
		"None of the started jobs has a next time.",
	},
	"home.hour.still": {"没有已启动的任务。", "沒有已啟動的任務。", "No job is started."},
	"home.hour.stopped": {
		"没有已启动的任务：启动一个任务，它才会触发。", "沒有已啟動的任務：啟動一個任務，它才會觸發。",
		"No job is started: start one, and it fires.",
	},
	"home.minute":       {"时间", "時間", "Minute"},
	"home.fires":        {"次数", "次數", "Fires"},
	"home.failures":     {"24 小时内失败的任务", "24 小時內失敗的任務", "Jobs that failed within 24 hours"},
	"home.failures.no":  {"24 小时内没有失败。", "24 小時內沒有失敗。", "Nothing failed in the last 24 hours."},
	"home.nowis":        {"现在", "現在", "Now"},
	"home.failing":      {"仍在失败", "仍在失敗", "failing"},
	"home.again":        {"已恢复", "已恢復", "works again"},
	"home.failed.count": {"失败次数", "失敗次數", "Failed runs"},
	"home.failed.last":  {"最近一次失败", "最近一次失敗", "Last failure"},
	"home.queues":       {"等待发送的触发", "等待發送的觸發", "Triggers that wait to be sent"},
	"home.queues.no": {
		"本节点没有等待发送的触发。", "本節點沒有等待發送的觸發。", "Nothing waits on this node.",
	},
	"home.dead":     {"{1} 个地址中 {0} 个无应答", "{1} 個位址中 {0} 個無應答", "{0} of {1} {0|does|do} not answer"},
	"home.alive":    {"有应答", "有應答", "answers"},
	"home.nodes":    {"节点与租约", "節點與租約", "Nodes and leases"},
	"home.nodename": {"节点", "節點", "Node"},
	"home.shards":   {"分片", "分片", "Shards"},
	"home.seen":     {"最后续约", "最後續約", "Last renewal"},
	"home.thisnode": {"本节点", "本節點", "this one"},
	"home.java": {
		"有 Java 调度中心也在使用该数据库，最近发现其运行：", "有 Java 調度中心也在使用該資料庫，最近發現其執行：",
		"A Java admin works on this database too. A run of its own was seen",
	},
	"home.setup": {
		"初始设置还没有完成：接入执行器并新建第一个任务，或者跳过。", "初始設定還沒有完成：接入執行器並新增第一個任務，或者略過。",
		"The setup is not finished: connect an executor and make a first job, or skip it.",
	},
	"home.setup.go": {"继续设置", "繼續設定", "Go on with the setup"},

	"home.first":     {"还没有执行器连接。", "還沒有執行器連線。", "No executor has connected yet."},
	"home.first.how": {"如何连接", "如何連線", "How to connect one"},
}
