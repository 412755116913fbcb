package i18n

// consoleDeleted is what is said before something is deleted, and of what was
// deleted and can be brought back.
var consoleDeleted = pageTexts{
	"touch.started": {"{0} 个仍在启动状态。", "{0} 個仍在啟動狀態。", "Still started: {0}."},
	"touch.running": {
		"{0} 次运行正在执行器上：会在那里继续到结束，结果不再记录。",
		"{0} 次執行正在執行器上：會在那裡繼續到結束，結果不再記錄。",
		"{0} {0|run is|runs are} on executors now: {0|it goes|they go} on there to the end, and " +
			"{0|its result is|their results are} not kept.",
	},
	"touch.planned": {
		"{0} 次已计划的运行不再发出。", "{0} 次已計劃的執行不再發出。",
		"{0} planned {0|run is|runs are} not sent any more.",
	},
	"touch.parents": {
		"{0} 个其他任务把它们作为子任务，此后不再触发它们：", "{0} 個其他任務把它們作為子任務，此後不再觸發它們：",
		"{0} other {0|job has|jobs have} such a job as a child, and will start nothing in its place:",
	},
	"touch.runs": {"运行记录将一并删除，无法恢复。", "執行記錄將一併刪除，無法復原。", "Their runs go with them, for good."},
	"touch.back": {
		"设置和标签可以恢复。", "設定和標籤可以復原。", "Settings and tags can be brought back.",
	},
	"touch.back.code": {
		"设置、标签和代码（{0} 个版本）可以恢复。", "設定、標籤和程式碼（{0} 個版本）可以復原。",
		"Settings, tags and code with {0} {0|version|versions} can be brought back.",
	},

	"deleted.kept": {
		"删除的内容保留 {0} 天，与审计记录相同。", "刪除的內容保留 {0} 天，與稽核記錄相同。",
		"What is deleted is kept for {0} {0|day|days}, as long as the audit log.",
	},
	"deleted.kept.ever": {
		"删除的内容永久保留，与审计记录相同。", "刪除的內容永久保留，與稽核記錄相同。",
		"What is deleted is kept for ever, as the audit log is.",
	},
	"deleted.jobs":      {"已删除的任务", "已刪除的任務", "Deleted jobs"},
	"deleted.executors": {"已删除的执行器", "已刪除的執行器", "Deleted executors"},
	"deleted.at":        {"删除时间", "刪除時間", "Deleted"},
	"deleted.by":        {"删除人", "刪除人", "By"},
	"deleted.until":     {"保留到期", "保留到期", "Forgotten"},
	"deleted.ever":      {"永久保留", "永久保留", "never"},
	"deleted.state":     {"已删除", "已刪除", "deleted"},
	"deleted.who":       {"由 {0} 删除，", "由 {0} 刪除，", "Deleted by {0},"},
	"deleted.nobody":    {"由系统删除，", "由系統刪除，", "Deleted by the admin itself,"},
	"deleted.none":      {"没有可恢复的内容。", "沒有可復原的內容。", "There is nothing to bring back."},
	"deleted.none.filter": {
		"没有符合筛选条件的内容。", "沒有符合篩選條件的內容。", "Nothing that was deleted matches the filter.",
	},
	"deleted.restore": {"恢复", "復原", "Bring it back"},
	"deleted.back":    {"恢复", "復原", "Bringing it back"},
	"deleted.back.jobs": {
		"设置、标签和编号会恢复；删除时若已启动，会从现在起重新触发。",
		"設定、標籤和編號會復原；刪除時若已啟動，會從現在起重新觸發。",
		"Its settings, its tags and its number come back; if it was started, it fires from now on.",
	},
	"deleted.back.code": {
		"代码及其 {0} 个版本也会恢复。", "程式碼及其 {0} 個版本也會復原。",
		"Its code comes back with {0} {0|version|versions}.",
	},
	"deleted.gone.jobs": {
		"运行记录已随之删除，无法恢复。", "執行記錄已隨之刪除，無法復原。", "Its runs went with it, for good.",
	},
	"deleted.back.executors": {
		"名称、AppName、手工地址和原有的权限会恢复。", "名稱、AppName、手動位址和原有的權限會復原。",
		"Its title, its app name, the addresses that were typed and the permissions on it come back.",
	},
	"deleted.gone.executors": {
		"专用令牌是机密，没有保留：恢复后使用公用令牌，直到重新生成。",
		"專用權杖是機密，沒有保留：復原後使用公用權杖，直到重新產生。",
		"An access token of its own is a secret and was not kept: the common one counts until a new one is made.",
	},

	"undo.back.executor": {"执行器已恢复。", "執行器已復原。", "The executor is back."},
	"undo.back.token": {
		"原有的专用令牌没有保留：如有需要，请重新生成并配置到执行器。",
		"原有的專用權杖沒有保留：如有需要，請重新產生並設定到執行器。",
		"A token of its own was not kept: if it had one, make a new one and give it to its executors.",
	},
	"executor.history": {"修改历史", "修改歷史", "History"},
}
