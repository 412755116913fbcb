package i18n

// consoleJobs is what the pages of jobs say.
var consoleJobs = pageTexts{
	"job.late": {"触发延迟", "觸發延遲", "Lateness"},
	"job.late.how": {
		"触发延迟：从计划时刻到写入执行器连接；最近 {0} 次运行中有 {1} 次的记录。",
		"觸發延遲：從計劃時刻到寫入執行器連線；最近 {0} 次執行中有 {1} 次的記錄。",
		"Lateness is from the planned instant to the executor's socket; of the last {0} {0|run|runs} " +
			"it is on record for {1}.",
	},
	"job.late.none": {
		"最近 {0} 次运行都没有触发延迟的记录：不是按计划触发，或由更早的版本、Java 调度中心发送。",
		"最近 {0} 次執行都沒有觸發延遲的記錄：不是按計劃觸發，或由更早的版本、Java 調度中心發送。",
		"Of the last {0} {0|run|runs} no lateness is on record: " +
			"no schedule made them, or an older or a Java admin sent them.",
	},
	"jobs.new":         {"新建任务", "新增任務", "New job"},
	"jobs.selected":    {"项已选", "項已選", "selected"},
	"jobs.all":         {"全选本页", "全選本頁", "Select the whole page"},
	"jobs.none":        {"还没有任务。", "還沒有任務。", "There is no job yet."},
	"jobs.none.filter": {"没有符合筛选条件的任务。", "沒有符合篩選條件的任務。", "No job matches the filter."},
	"jobs.none.executors": {
		"还没有执行器。先接入一个，再为它新建任务。", "還沒有執行器。先接入一個，再為它新增任務。",
		"There is no executor yet: connect one first, and then make a job for it.",
	},
	"jobs.none.groups": {
		"您还没有任何执行器的权限，请联系管理员。",
		"您還沒有任何執行器的權限，請聯絡管理員。",
		"You have no permission on any executor yet: ask an administrator.",
	},
	"jobs.bulk.none":    {"没有选中任何任务。", "沒有選取任何任務。", "No job is selected."},
	"jobs.bulk.start":   {"已启动 {0} 个任务。", "已啟動 {0} 個任務。", "Started jobs: {0}."},
	"jobs.bulk.stop":    {"已停止 {0} 个任务。", "已停止 {0} 個任務。", "Stopped jobs: {0}."},
	"jobs.bulk.run":     {"已执行 {0} 个任务。", "已執行 {0} 個任務。", "Jobs that run now: {0}."},
	"jobs.bulk.delete":  {"已删除 {0} 个任务。", "已刪除 {0} 個任務。", "Deleted jobs: {0}."},
	"jobs.bulk.refused": {"{0} 个未能处理。", "{0} 個未能處理。", "Refused: {0}."},

	"jobs.delete.running": {"其中 {0} 个仍在启动状态。", "其中 {0} 個仍在啟動狀態。", "Still started: {0}."},

	"job.id":         {"编号", "編號", "Id"},
	"job.name":       {"名称", "名稱", "Name"},
	"job.group":      {"执行器", "執行器", "Executor"},
	"job.group.gone": {"执行器 {0} 已不存在", "執行器 {0} 已不存在", "executor {0} is gone"},
	"job.author":     {"负责人", "負責人", "Author"},
	"job.type":       {"运行模式", "執行模式", "Type"},
	"job.handler":    {"JobHandler 名称", "JobHandler 名稱", "Handler"},
	"job.param":      {"任务参数", "任務參數", "Parameter"},
	"job.schedule":   {"调度", "排程", "Schedule"},
	"job.next":       {"下次触发", "下次觸發", "Next fire"},
	"job.last":       {"最近运行", "最近執行", "Last runs"},
	"job.state":      {"状态", "狀態", "State"},
	"job.started":    {"已启动", "已啟動", "started"},
	"job.stopped":    {"已停止", "已停止", "stopped"},
	"job.never":      {"未运行过", "未執行過", "never ran"},
	"job.never.long": {"这个任务还没有运行过。", "這個任務還沒有執行過。", "This job has not run yet."},

	"job.start": {"启动", "啟動", "Start"},
	"job.stop":  {"停止", "停止", "Stop"},
	"job.run":   {"立即执行", "立即執行", "Run now"},
	"job.clone": {"复制", "複製", "Clone"},
	"job.code":  {"代码", "程式碼", "Code"},

	"job.address":     {"执行地址", "執行位址", "Address"},
	"job.address.any": {"按路由策略选择", "按路由策略選擇", "as the route says"},
	"job.noaddress": {
		"执行器没有地址：触发时运行会失败", "執行器沒有位址：觸發時執行會失敗",
		"its executor has no address: runs fail",
	},
	"job.address.none": {
		"目前没有已注册的地址：运行会失败。",
		"目前沒有已註冊的位址：執行會失敗。",
		"No address is registered now: the run would fail.",
	},

	"job.strip": {"最近 {0} 次运行", "最近 {0} 次執行", "The last {0} {0|run|runs}"},
	"job.rate":  {"成功率", "成功率", "Success rate"},
	"job.rate.of": {
		"共 {0} 次运行；{1} 次重试", "共 {0} 次執行；{1} 次重試", "of {0} {0|run|runs}; {1} {1|retry|retries}",
	},
	"job.failures": {"失败", "失敗", "Failures"},
	"job.took":     {"耗时", "耗時", "Took"},
	"job.result":   {"结果", "結果", "Result"},
	"job.runs.all": {"全部运行记录", "全部執行記錄", "All runs of this job"},

	"job.tab.runs":     {"运行记录", "執行記錄", "Runs"},
	"job.tab.times":    {"触发时间", "觸發時間", "Next fires"},
	"job.tab.children": {"子任务", "子任務", "Children"},
	"job.tab.settings": {"设置", "設定", "Settings"},

	"job.times": {"接下来 10 次触发", "接下來 10 次觸發", "The next ten fires"},
	"job.times.stopped": {
		"任务已停止：启动后才会按此触发。",
		"任務已停止：啟動後才會按此觸發。",
		"The job is stopped: it fires like this once it is started.",
	},
	"job.times.none":  {"不会自动触发。", "不會自動觸發。", "It does not fire by itself."},
	"job.month":       {"{0} 年 {1}", "{0} 年 {1}", "{1} {0}"},
	"job.month.unit":  {"每天触发次数", "每天觸發次數", "fires a day"},
	"job.month.prev":  {"上个月", "上個月", "Earlier month"},
	"job.month.next":  {"下个月", "下個月", "Later month"},
	"job.month.day":   {"日期", "日期", "Day"},
	"job.month.times": {"时间", "時間", "Times"},
	"job.month.more":  {"另有 {0} 次", "另有 {0} 次", "and {0} more"},
	"job.month.none":  {"这个月没有（更多）触发。", "這個月沒有（更多）觸發。", "Nothing (more) fires in this month."},

	"job.children": {"子任务", "子任務", "Child jobs"},
	"job.children.none": {
		"没有子任务。成功后要触发的任务可在编辑页中填写。",
		"沒有子任務。成功後要觸發的任務可在編輯頁中填寫。",
		"No child jobs. Jobs to be started after a success are named in the editor.",
	},
	"job.child":        {"子任务", "子任務", "Child"},
	"job.child.hidden": {"任务 {0}（不存在或无权限）", "任務 {0}（不存在或無權限）", "job {0} (gone, or not yours)"},

	"job.zone":         {"时区", "時區", "Time zone"},
	"job.zone.server":  {"（服务器）", "（伺服器）", "(the server's)"},
	"job.misfire":      {"错过触发时", "錯過觸發時", "After a misfire"},
	"job.route":        {"路由策略", "路由策略", "Route"},
	"job.block":        {"阻塞处理", "阻塞處理", "While it still runs"},
	"job.timeout":      {"超时", "逾時", "Time limit"},
	"job.timeout.none": {"不限", "不限", "none"},
	"job.retries":      {"失败重试次数", "失敗重試次數", "Retries after a failure"},
	"job.mail":         {"告警邮箱", "告警信箱", "Mail of a failure to"},
	"job.changed":      {"最后修改", "最後修改", "Changed"},

	"job.did.start": {"任务已启动。", "任務已啟動。", "The job is started."},
	"job.did.stop": {
		"任务已停止；已计划而未发送的触发已取消。",
		"任務已停止；已計劃而未發送的觸發已取消。",
		"The job is stopped; what was planned and not sent is cancelled.",
	},
	"job.did.run": {"已触发 {0} 次运行。", "已觸發 {0} 次執行。", "Runs on their way: {0}."},

	"run.started": {"触发时间", "觸發時間", "Started"},
	"run.where":   {"地址", "位址", "Where"},
	"run.message": {"消息", "訊息", "Message"},

	"table": {"数据表", "資料表", "Table"},

	"weekday.0": {"周日", "週日", "Sun"},
	"weekday.1": {"周一", "週一", "Mon"},
	"weekday.2": {"周二", "週二", "Tue"},
	"weekday.3": {"周三", "週三", "Wed"},
	"weekday.4": {"周四", "週四", "Thu"},
	"weekday.5": {"周五", "週五", "Fri"},
	"weekday.6": {"周六", "週六", "Sat"},
}
