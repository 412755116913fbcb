package i18n

// consoleJobList is what the list of jobs, its questions and the import say.
var consoleJobList = pageTexts{
	"jobs.matching":     {"筛选出的全部 {0} 个", "篩選出的全部 {0} 個", "all {0} that match"},
	"jobs.tag":          {"标签为“{0}”的任务", "標籤為「{0}」的任務", "Jobs tagged “{0}”"},
	"jobs.late":         {"已晚 {0}", "已晚 {0}", "late: {0}"},
	"jobs.fault":        {"调度无效", "排程無效", "cannot fire"},
	"jobs.fault.type":   {"未知的调度类型 {0}", "未知的排程類型 {0}", "There is no kind of schedule {0}."},
	"jobs.fault.over":   {"已启动，但不会再触发。", "已啟動，但不會再觸發。", "It is started, but no time is left at which it would fire."},
	"jobs.none.here":    {"这里已经没有任务了。", "這裡已經沒有任務了。", "There are no jobs left here."},
	"jobs.first":        {"回到开头", "回到開頭", "To the beginning"},
	"jobs.move":         {"移动", "移動", "Move"},
	"jobs.move.to":      {"移到执行器", "移到執行器", "To the executor"},
	"jobs.run.ask":      {"立即执行一次？", "立即執行一次？", "Run this job once, now?"},
	"jobs.export":       {"导出", "匯出", "Export"},
	"jobs.export.all":   {"导出全部", "匯出全部", "Export all"},
	"jobs.export.found": {"导出筛选结果", "匯出篩選結果", "Export what is found"},
	"jobs.import":       {"导入任务", "匯入任務", "Import jobs"},
	"jobs.move.hint": {
		"新的执行器须注册了相同名称的处理器。已在途的运行仍归原执行器。",
		"新的執行器須註冊了相同名稱的處理器。已在途的執行仍歸原執行器。",
		"It must have registered handlers of the same names. Runs on their way stay with the old one.",
	},
	"jobs.bulk.move": {"已移动 {0} 个任务。", "已移動 {0} 個任務。", "Moved jobs: {0}."},
	"jobs.bulk.left": {
		"时间已到，还有 {0} 个未处理，请再执行一次。", "時間已到，還有 {0} 個未處理，請再執行一次。",
		"Time was up before {0} more: do it again for them.",
	},

	"jobs.sure.start":  {"启动任务", "啟動任務", "Start jobs"},
	"jobs.sure.stop":   {"停止任务", "停止任務", "Stop jobs"},
	"jobs.sure.run":    {"执行任务", "執行任務", "Run jobs"},
	"jobs.sure.delete": {"删除任务", "刪除任務", "Delete jobs"},
	"jobs.sure.move":   {"移动任务", "移動任務", "Move jobs"},
	"jobs.ask.start":   {"启动 {0} 个任务？", "啟動 {0} 個任務？", "Start {0} job(s)?"},
	"jobs.ask.stop":    {"停止 {0} 个任务？", "停止 {0} 個任務？", "Stop {0} job(s)?"},
	"jobs.ask.run":     {"立即执行 {0} 个任务？", "立即執行 {0} 個任務？", "Run {0} job(s) now?"},
	"jobs.ask.delete":  {"删除 {0} 个任务？", "刪除 {0} 個任務？", "Delete {0} job(s)?"},
	"jobs.ask.move":    {"把 {0} 个任务移到其他执行器？", "把 {0} 個任務移到其他執行器？", "Move {0} job(s) to another executor?"},
	"jobs.do.start":    {"启动 {0} 个任务", "啟動 {0} 個任務", "Start {0} job(s)"},
	"jobs.do.stop":     {"停止 {0} 个任务", "停止 {0} 個任務", "Stop {0} job(s)"},
	"jobs.do.run":      {"执行 {0} 个任务", "執行 {0} 個任務", "Run {0} job(s)"},
	"jobs.do.delete":   {"删除 {0} 个任务", "刪除 {0} 個任務", "Delete {0} job(s)"},
	"jobs.do.move":     {"移动 {0} 个任务", "移動 {0} 個任務", "Move {0} job(s)"},
	"jobs.touch.start": {
		"它们从下一个触发时间开始运行。", "它們從下一個觸發時間開始執行。", "They fire from their next times on.",
	},
	"jobs.touch.stop": {
		"它们不再触发，已计划而未发出的运行会取消；正在运行的不受影响。",
		"它們不再觸發，已計劃而未發出的執行會取消；正在執行的不受影響。",
		"They fire no more, and what is planned and not sent is cancelled. What runs goes on.",
	},
	"jobs.touch.run": {
		"每个任务各触发一次运行，无法撤销。", "每個任務各觸發一次執行，無法復原。",
		"Each of them runs once. That cannot be undone.",
	},
	"jobs.touch.move": {
		"只改变所属的执行器，可以撤销。", "只改變所屬的執行器，可以復原。",
		"Nothing else of them changes, and it can be undone.",
	},
	"jobs.touch.delete": {
		"其运行记录和脚本版本将一并删除，无法恢复；设置可以恢复。正在运行的记录会被结束。",
		"其執行記錄和腳本版本將一併刪除，無法復原；設定可以復原。正在執行的記錄會被結束。",
		"Their runs and the versions of their code go with them, for good; their settings can be brought back. " +
			"Runs that are open are ended.",
	},
	"jobs.sure.changed": {
		"符合筛选条件的任务刚刚有变化，请再确认一次。", "符合篩選條件的任務剛剛有變化，請再確認一次。",
		"Other jobs match the filter than a moment ago: look again.",
	},
	"jobs.sure.more": {
		"符合条件的更多，一次最多处理 {0} 个。", "符合條件的更多，一次最多處理 {0} 個。",
		"There are more that match. {0} are worked on at once, at most.",
	},
	"jobs.sure.others": {"以及另外 {0} 个。", "以及另外 {0} 個。", "And {0} others."},

	"job.tags":          {"标签", "標籤", "Tags"},
	"job.handler.short": {"处理器", "處理器", "Handler"},
	"job.strip.unit":    {"柱高为耗时，满格 {0}", "柱高為耗時，滿格 {0}", "height is the duration, full height {0}"},
	"job.strip.knee": {
		"柱高为耗时：十次中有九次不超过 {0}；缺口以上为更久的运行，按缩小的比例画到 {1}",
		"柱高為耗時：十次中有九次不超過 {0}；缺口以上為更久的執行，按縮小的比例畫到 {1}",
		"height is the duration: nine of ten took at most {0}; bars with a gap took longer, up to {1} at full height",
	},
	"edit.tags.hint": {"用逗号分隔", "用逗號分隔", "With commas between them"},

	"views":         {"已保存的视图", "已儲存的檢視", "Saved views"},
	"views.save":    {"保存为视图", "儲存為檢視", "Save as a view"},
	"views.name":    {"名称", "名稱", "Name of the view"},
	"views.delete":  {"删除此视图", "刪除此檢視", "Delete this view"},
	"views.saved":   {"视图“{0}”已保存。", "檢視「{0}」已儲存。", "The view “{0}” is saved."},
	"views.deleted": {"视图“{0}”已删除。", "檢視「{0}」已刪除。", "The view “{0}” is deleted."},
	"views.empty": {
		"请先筛选或排序，再保存为视图。", "請先篩選或排序，再儲存為檢視。", "Filter or sort first: a view keeps that.",
	},

	"import.intro": {
		"每个任务一段 YAML，与“导出”和 xxl-job-admin job apply 使用的文件相同。先显示计划，确认后才会修改。",
		"每個任務一段 YAML，與「匯出」和 xxl-job-admin job apply 使用的檔案相同。先顯示計劃，確認後才會修改。",
		"One YAML document a job, as the export and xxl-job-admin job apply have it. " +
			"What would change is shown first; nothing is changed before you say so.",
	},
	"import.file":        {"选择文件", "選擇檔案", "Choose a file"},
	"import.text":        {"或粘贴内容", "或貼上內容", "Or put it here"},
	"import.prune":       {"文件中没有的任务", "檔案中沒有的任務", "Jobs that the file does not have"},
	"import.prune.no":    {"保留", "保留", "stay"},
	"import.prune.group": {"删除：某个执行器下的", "刪除：某個執行器下的", "are deleted, if they are of this executor"},
	"import.prune.tag":   {"删除：带某个标签的", "刪除：帶某個標籤的", "are deleted, if they have this tag"},
	"import.scope":       {"执行器 AppName 或标签", "執行器 AppName 或標籤", "App name of the executor, or tag"},
	"import.scope.hint":  {"仅在删除时需要", "僅在刪除時需要", "Only where jobs are to be deleted"},
	"import.scope.empty": {
		"请填写要删除哪个执行器或标签下的任务。", "請填寫要刪除哪個執行器或標籤下的任務。",
		"Say of which executor, or with which tag, jobs are deleted.",
	},
	"import.scope.none": {
		"没有名为“{0}”的执行器，或不止一个。", "沒有名為「{0}」的執行器，或不止一個。",
		"There is no executor with the app name “{0}”, or more than one.",
	},
	"import.show":    {"显示计划", "顯示計劃", "Show the plan"},
	"import.line":    {"行", "行", "line"},
	"import.empty":   {"文件中没有任务。", "檔案中沒有任務。", "There is no job in it."},
	"import.what":    {"操作", "操作", "What"},
	"import.fields":  {"修改内容", "修改內容", "Changes"},
	"import.create":  {"新建", "新增", "create"},
	"import.update":  {"修改", "修改", "change"},
	"import.delete":  {"删除", "刪除", "delete"},
	"import.hidden":  {"以及另外 {0} 项。", "以及另外 {0} 項。", "And {0} others."},
	"import.nothing": {"没有需要修改的内容。", "沒有需要修改的內容。", "Everything is as the file says."},
	"import.plan": {
		"计划：新建 {0}，修改 {1}，删除 {2}，不变 {3}", "計劃：新增 {0}，修改 {1}，刪除 {2}，不變 {3}",
		"Plan: create {0}, change {1}, delete {2}, leave {3} as they are",
	},
	"import.delete.touch": {
		"{0} 个任务连同其运行记录将被删除。", "{0} 個任務連同其執行記錄將被刪除。",
		"{0} job(s) go with their runs.",
	},
	"import.apply": {
		"执行：新建 {0}，修改 {1}，删除 {2}", "執行：新增 {0}，修改 {1}，刪除 {2}", "Create {0}, change {1}, delete {2}",
	},
	"import.changed": {
		"任务刚刚有变化，这是新的计划，请再看一次。", "任務剛剛有變化，這是新的計劃，請再看一次。",
		"Something has changed since: this is the new plan, look again.",
	},
	"import.stale": {"刚刚被别人修改", "剛剛被別人修改", "somebody has just changed it"},
	"import.done":  {"已新建 {0}，修改 {1}，删除 {2}。", "已新增 {0}，修改 {1}，刪除 {2}。", "Created {0}, changed {1}, deleted {2}."},
	"import.stopped": {
		"在 {0} 处停止：{1}", "在 {0} 處停止：{1}", "Stopped at {0}: {1}",
	},
	"import.again": {"再次显示计划即可继续。", "再次顯示計劃即可繼續。", "Show the plan again to go on from here."},
}
