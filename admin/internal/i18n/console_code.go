package i18n

// consoleCode is what the pages of the code of script jobs say.
var consoleCode = pageTexts{
	"code.bean": {
		"该任务运行的是执行器中的 JobHandler（BEAN 模式），没有可编辑的代码。",
		"該任務執行的是執行器中的 JobHandler（BEAN 模式），沒有可編輯的程式碼。",
		"This job runs a handler of its executor (BEAN): it has no code.",
	},
	"code.off": {
		"代码只能查看：此管理端没有开启代码编辑（--code-editing），因为代码会在执行器上运行。",
		"程式碼只能檢視：此管理端沒有開啟程式碼編輯（--code-editing），因為程式碼會在執行器上執行。",
		"Read only: this admin does not allow code to be edited (--code-editing), as it runs on executors.",
	},
	"code.notyours": {
		"代码只能查看：您没有编写代码的权限，可请管理员授予。",
		"程式碼只能檢視：您沒有編寫程式碼的權限，可請管理員授予。",
		"Read only: you have no permission to write code. An administrator can give it.",
	},
	"code.saved.at":        {"保存于", "儲存於", "saved"},
	"code.download":        {"下载", "下載", "Download"},
	"code.current":         {"当前", "目前", "current"},
	"code.version":         {"版本 #{0}（不是当前代码）", "版本 #{0}（不是目前的程式碼）", "Version #{0} (this is not what runs)"},
	"code.to.current":      {"回到当前代码", "回到目前的程式碼", "Back to what runs"},
	"code.compare.current": {"与当前代码对比", "與目前的程式碼對比", "Compare with what runs"},
	"code.restore":         {"恢复此版本", "復原此版本", "Make it current"},
	"code.restored":        {"恢复版本 #{0}：{1}", "復原版本 #{0}：{1}", "Version #{0} again: {1}"},
	"code.restored.done": {
		"版本 #{0} 已恢复为当前代码，下次运行生效。", "版本 #{0} 已復原為目前的程式碼，下次執行生效。",
		"Version #{0} is what runs, from the next run on.",
	},
	"code.template": {
		"还没有代码。下面是一个起点，保存后才会生效。", "還沒有程式碼。下面是一個起點，儲存後才會生效。",
		"There is no code yet. This is a beginning: it counts once it is saved.",
	},
	"code.keys": {
		"Tab 缩进，Shift+Tab 取消缩进；先按 Esc 再按 Tab 离开编辑框；Ctrl+S 保存。",
		"Tab 縮排，Shift+Tab 取消縮排；先按 Esc 再按 Tab 離開編輯框；Ctrl+S 儲存。",
		"Tab indents, Shift-Tab takes it back; Escape and then Tab leaves the field; Ctrl-S saves.",
	},
	"code.remark":      {"备注", "備註", "Remark"},
	"code.remark.hint": {"说明改了什么，4 到 100 个字符。", "說明改了什麼，4 到 100 個字元。", "What has changed, in 4 to 100 characters."},
	"code.effect": {
		"保存后从下一次运行起生效，正在运行的不受影响。", "儲存後從下一次執行起生效，正在執行的不受影響。",
		"It counts from the next run on; what runs now goes on as it is.",
	},
	"code.unsaved": {"有未保存的修改", "有未儲存的修改", "not saved yet"},
	"code.saved":   {"代码已保存，下次运行生效。", "程式碼已儲存，下次執行生效。", "The code is saved: it counts from the next run on."},
	"code.stale": {
		"在您编辑期间，代码已被他人保存。下面是对方的代码与您的差异；您的修改仍在编辑框中，再次保存会覆盖对方的代码。",
		"在您編輯期間，程式碼已被他人儲存。下面是對方的程式碼與您的差異；您的修改仍在編輯框中，再次儲存會覆蓋對方的程式碼。",
		"Somebody else has saved the code meanwhile. Below is how yours differs from theirs; yours is still " +
			"in the editor, and saving again puts it in place of theirs.",
	},
	"code.save.anyway": {"覆盖并保存", "覆蓋並儲存", "Save in place of theirs"},
	"code.diff":        {"从 {0} 到 {1}", "從 {0} 到 {1}", "From {0} to {1}"},
	"code.diff.yours":  {"从当前代码到您的修改", "從目前的程式碼到您的修改", "From what was saved to yours"},
	"code.versions":    {"版本", "版本", "Versions"},
	"code.number":      {"版本", "版本", "Version"},
	"code.from":        {"从", "從", "From"},
	"code.to":          {"到", "到", "To"},
	"code.when":        {"时间", "時間", "When"},
	"code.who":         {"保存者", "儲存者", "Who"},
	"code.who.unknown": {
		"没有记录：由 Java 管理端保存，或是任务最初的代码", "沒有記錄：由 Java 管理端儲存，或是任務最初的程式碼",
		"not on record: a Java admin saved it, or the job began with it",
	},
	"code.compare": {"对比所选版本", "對比所選版本", "Compare the chosen"},
	"code.kept": {
		"保留最近 30 个版本，与 Java 管理端相同。", "保留最近 30 個版本，與 Java 管理端相同。",
		"The newest 30 versions are kept, as in the Java admin.",
	},
	"users.code": {
		"可编写脚本代码（会在执行器上运行）", "可編寫腳本程式碼（會在執行器上執行）",
		"May write the code of script jobs, which runs on executors",
	},
	"users.code.off": {
		"此管理端目前没有开启代码编辑（--code-editing）。", "此管理端目前沒有開啟程式碼編輯（--code-editing）。",
		"This admin does not allow it to anybody now (--code-editing).",
	},
}
