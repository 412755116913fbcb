package i18n

// consoleRoles are the texts about who may do what in a group.
var consoleRoles = pageTexts{
	"grole.none":     {"无", "無", "none"},
	"grole.viewer":   {"查看者", "檢視者", "viewer"},
	"grole.operator": {"操作员", "操作員", "operator"},
	"grole.editor":   {"编辑者", "編輯者", "editor"},
	"grole.admin":    {"组管理员", "群組管理員", "group admin"},
	"grole.viewer.hint": {
		"查看任务、运行、日志、地址和告警",
		"檢視任務、執行、日誌、位址和告警",
		"sees jobs, runs, logs, addresses and alarms",
	},
	"grole.operator.hint": {
		"另可执行一次、终止、重试、启动、停止、探测和静音",
		"另可執行一次、終止、重試、啟動、停止、探測和靜音",
		"also runs, kills, retries, starts, stops, probes and mutes",
	},
	"grole.editor.hint": {
		"另可新建、修改、删除、移动任务，设置告警规则，清理日志",
		"另可新增、修改、刪除、移動任務，設定告警規則，清理日誌",
		"also creates, changes, deletes and moves jobs, sets alarm rules and clears logs",
	},
	"grole.admin.hint": {
		"另可修改该执行器的名称、地址和令牌，并决定谁有什么角色",
		"另可修改該執行器的名稱、位址和權杖，並決定誰有什麼角色",
		"also sets the executor's title, addresses and token, and who has which role",
	},

	"error.role": {
		"此操作需要该执行器的“{0}”角色，请其组管理员或系统管理员授予。",
		"此操作需要該執行器的「{0}」角色，請其群組管理員或系統管理員授予。",
		"This takes the role “{0}” in the executor: its group admins and administrators give it.",
	},
	"users.roles": {"在各执行器中的角色", "在各執行器中的角色", "Roles in executors"},
	"users.roles.java": {
		"编辑者和组管理员在同库的 Java 调度中心里拥有该执行器的全部权限；查看者和操作员在那里没有权限。",
		"編輯者和群組管理員在同一資料庫的 Java 調度中心裡擁有該執行器的全部權限；檢視者和操作員在那裡沒有權限。",
		"Beside a Java admin on the same database, editors and group admins may do everything in the executor there, " +
			"viewers and operators nothing.",
	},
	"users.roles.none": {"还没有执行器。", "還沒有執行器。", "There is no executor yet."},

	"executor.app.fixed": {"只有系统管理员可以修改。", "只有系統管理員可以修改。", "Only administrators change it."},

	"members.title":  {"成员", "成員", "Members"},
	"members.role":   {"角色", "角色", "Role"},
	"members.add":    {"授予角色", "授予角色", "Give the role"},
	"members.remove": {"移除", "移除", "Remove"},
	"members.none": {
		"还没有人在这个执行器里有角色；系统管理员可以做任何事。",
		"還沒有人在這個執行器裡有角色；系統管理員可以做任何事。",
		"Nobody has a role in this executor; administrators may do everything.",
	},
	"members.hint": {
		"用户由系统管理员创建。自己的角色由别人修改。角色在下一次请求时生效。",
		"使用者由系統管理員建立。自己的角色由別人修改。角色在下一次請求時生效。",
		"Administrators create users. One's own role is changed by others. A role counts from the next request on.",
	},
	"members.did.set":    {"{0} 现在是{1}。", "{0} 現在是{1}。", "{0} is {1} now."},
	"members.did.remove": {"{0} 在这里不再有角色。", "{0} 在這裡不再有角色。", "{0} has no role here any more."},
}
