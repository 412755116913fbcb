package i18n

// consoleAdmin is what the settings say.
var consoleAdmin = pageTexts{
	"settings.account": {"我的账号", "我的帳號", "My account"},
	"settings.users":   {"用户", "使用者", "Users"},
	"settings.audit":   {"操作记录", "操作記錄", "Audit log"},
	"settings.about":   {"关于", "關於", "About"},

	"account.password": {"修改密码", "修改密碼", "Change password"},
	"account.old":      {"当前密码", "目前密碼", "Present password"},
	"account.new":      {"新密码", "新密碼", "New password"},
	"account.again":    {"再次输入新密码", "再次輸入新密碼", "New password again"},
	"account.differ":   {"两次输入的新密码不一致。", "兩次輸入的新密碼不一致。", "The new passwords are not the same."},
	"account.ends":     {"修改后所有登录都会退出。", "修改後所有登入都會登出。", "All of your logins end with it."},
	"account.changed":  {"密码已修改，请重新登录。", "密碼已修改，請重新登入。", "The password is changed: sign in with it."},

	"users.new":        {"新建用户", "新增使用者", "New user"},
	"users.name":       {"账号", "帳號", "User name"},
	"users.name.hint":  {"4 到 20 个字符，之后不能修改", "4 到 20 個字元，之後不能修改", "4 to 20 characters; it does not change later"},
	"users.role":       {"角色", "角色", "Role"},
	"users.groups":     {"可操作的执行器", "可操作的執行器", "Executors"},
	"users.you":        {"您", "您", "you"},
	"users.none":       {"没有符合条件的用户。", "沒有符合條件的使用者。", "No user matches."},
	"users.admin.hint": {"可以做任何事", "可以做任何事", "may do everything"},
	"users.self": {
		"不能修改自己的角色和权限，请其他管理员操作。",
		"不能修改自己的角色和權限，請其他管理員操作。",
		"Another administrator changes your role and executors.",
	},
	"users.password.keep": {
		"留空则不修改；修改后该用户需重新登录",
		"留空則不修改；修改後該使用者需重新登入",
		"Empty keeps it; a new one ends the user's logins",
	},
	"users.created":    {"用户 {0} 已创建。", "使用者 {0} 已建立。", "The user {0} is created."},
	"users.saved":      {"用户 {0} 已保存。", "使用者 {0} 已儲存。", "The user {0} is saved."},
	"users.deleted":    {"用户已删除。", "使用者已刪除。", "The user is deleted."},
	"users.delete.ask": {"删除用户 {0}？", "刪除使用者 {0}？", "Delete the user {0}?"},
	"users.delete.touch": {
		"其登录立即失效；任务和记录不受影响。",
		"其登入立即失效；任務和記錄不受影響。",
		"The user's logins end at once; jobs and records stay.",
	},

	"audit.csv":    {"导出 CSV", "匯出 CSV", "Export as CSV"},
	"audit.at":     {"时间", "時間", "Time"},
	"audit.action": {"操作", "操作", "Action"},
	"audit.object": {"对象", "對象", "Object"},
	"audit.detail": {"详情", "詳情", "Detail"},
	"audit.older":  {"更早", "更早", "Older"},
	"audit.newest": {"最新", "最新", "Newest"},
	"audit.none":   {"还没有记录。", "還沒有記錄。", "Nothing has been changed yet."},

	"about.version": {"版本", "版本", "Version"},
	"about.node":    {"节点", "節點", "Node"},
	"about.shards":  {"本节点调度的分片", "本節點排程的分片", "Shards that this node schedules"},
	"about.time":    {"服务器时间", "伺服器時間", "Time of the server"},
	"about.well":    {"数据库、租约和调度循环正常", "資料庫、租約和排程迴圈正常", "Database, leases and loops are well"},
}
