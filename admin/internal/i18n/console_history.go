package i18n

// consoleHistory is what the pages say of changes, of how they are undone, and of
// comparisons.
var consoleHistory = pageTexts{
	"undo.none":   {"没有可撤销的修改。", "沒有可復原的修改。", "There is nothing to undo."},
	"undo.done":   {"已撤销。", "已復原。", "It is undone."},
	"undo.done.n": {"已撤销 {0} 项。", "已復原 {0} 項。", "Undone: {0}."},
	"undo.back": {
		"任务已恢复，编号为 {0}；以前的运行记录没有恢复。",
		"任務已復原，編號為 {0}；以前的執行記錄沒有復原。",
		"The job is back, as number {0}. Its runs are not.",
	},

	"job.tab.history":     {"修改历史", "修改歷史", "History"},
	"history.did.create":  {"新建", "新增", "created"},
	"history.did.update":  {"修改", "修改", "edited"},
	"history.did.delete":  {"删除", "刪除", "deleted"},
	"history.did.move":    {"移到其他执行器", "移到其他執行器", "moved to another executor"},
	"history.did.restore": {"恢复", "復原", "brought back"},
	"history.did.start":   {"启动", "啟動", "started"},
	"history.did.stop":    {"停止", "停止", "stopped"},
	"history.did.code":    {"保存代码", "儲存程式碼", "saved code"},
	"history.did.undo":    {"撤销修改", "復原修改", "undid a change"},

	"history.did.rule.create": {"设置告警规则", "設定告警規則", "set a rule for alarms"},
	"history.did.rule.update": {"修改告警规则", "修改告警規則", "changed a rule for alarms"},
	"history.did.rule.delete": {"删除告警规则", "刪除告警規則", "deleted a rule for alarms"},
	"history.did.mute.create": {"静默告警", "靜音告警", "muted its alarms"},
	"history.did.mute.update": {"修改静默时段", "修改靜音時段", "changed the mute window"},
	"history.did.mute.delete": {"结束静默", "結束靜音", "ended the mute window"},

	"history.nobody":      {"（系统）", "（系統）", "(the admin itself)"},
	"history.tags":        {"标签", "標籤", "Tags"},
	"history.code.remark": {"代码备注", "程式碼備註", "Remark on the code"},
	"history.code.bytes":  {"代码字节数", "程式碼位元組數", "Bytes of code"},
	"history.versions":    {"代码版本", "程式碼版本", "Versions of the code"},
	"history.none": {
		"还没有记录任何修改。由 Java 管理端所做的修改不在其中。",
		"還沒有記錄任何修改。由 Java 管理端所做的修改不在其中。",
		"No change is on record. What a Java admin changes is not recorded here.",
	},
	"history.kept": {
		"保留最近 100 次修改；删除后与审计记录保留同样长的时间。由 Java 管理端所做的修改不在其中。",
		"保留最近 100 次修改；刪除後與稽核記錄保留同樣長的時間。由 Java 管理端所做的修改不在其中。",
		"The newest 100 changes are kept; of what is deleted as long as the audit log. What a Java admin changes " +
			"is not recorded here.",
	},
	"history.older":    {"更早", "更早", "Older"},
	"history.newest":   {"最新", "最新", "Newest"},
	"history.back":     {"恢复到此前", "復原到此前", "Set back to before this"},
	"history.back.ask": {"把设置恢复到这次修改之前？", "把設定復原到這次修改之前？", "Set the job back to what it was before this change?"},
	"history.back.touch": {
		"之后的修改也会一并撤销；是否启动保持不变。这一步本身也可以撤销。",
		"之後的修改也會一併復原；是否啟動保持不變。這一步本身也可以復原。",
		"Later edits go too; whether it is started stays as it is. This can be undone itself.",
	},

	"diff.title":   {"对比", "對比", "Comparison"},
	"diff.same":    {"没有差异。", "沒有差異。", "There is no difference."},
	"diff.gone":    {"删除的行", "刪除的行", "line that is gone"},
	"diff.new":     {"新增的行", "新增的行", "line that is new"},
	"diff.skipped": {"相同的 {0} 行", "相同的 {0} 行", "{0} {0|line that is|lines that are} the same"},
	"diff.cut":     {"差异过多，未全部显示", "差異過多，未全部顯示", "there is more that differs than is shown here"},
}
