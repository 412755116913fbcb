package i18n

// consoleAdmin is what the settings say.
var consoleAdmin = pageTexts{
	"settings.account":   {"我的账号", "我的帳號", "My account"},
	"settings.users":     {"用户", "使用者", "Users"},
	"settings.sessions":  {"登录", "登入", "Logins"},
	"settings.keys":      {"API 密钥", "API 金鑰", "API keys"},
	"settings.retention": {"保留", "保留", "Retention"},
	"settings.cluster":   {"集群", "叢集", "Cluster"},
	"settings.audit":     {"操作记录", "操作記錄", "Audit log"},
	"settings.about":     {"关于", "關於", "About"},

	"account.password": {"修改密码", "修改密碼", "Change password"},
	"account.old":      {"当前密码", "目前密碼", "Present password"},
	"account.new":      {"新密码", "新密碼", "New password"},
	"account.again":    {"再次输入新密码", "再次輸入新密碼", "New password again"},
	"account.differ":   {"两次输入的新密码不一致。", "兩次輸入的新密碼不一致。", "The new passwords are not the same."},
	"account.ends":     {"修改后所有登录都会退出。", "修改後所有登入都會登出。", "All of your logins end with it."},
	"refused.password": {
		"密码须为 {0} 到 {1} 个字符，输入的有 {2} 个。", "密碼須為 {0} 到 {1} 個字元，輸入的有 {2} 個。",
		"A password has {0} to {1} characters; this one has {2}.",
	},
	"refused.username": {
		"账号须为 {0} 到 {1} 个字符，输入的有 {2} 个。", "帳號須為 {0} 到 {1} 個字元，輸入的有 {2} 個。",
		"A user name has {0} to {1} characters; this one has {2}.",
	},
	"refused.child.bad": {
		"“{0}”不是任务编号；多个编号用逗号分隔。", "「{0}」不是任務編號；多個編號用逗號分隔。",
		"“{0}” is no id of a job: write ids with commas between them.",
	},
	"refused.child.self": {
		"任务不能是自己的子任务。", "任務不能是自己的子任務。", "A job cannot be its own child.",
	},
	"refused.child.gone": {"没有编号为 {0} 的任务。", "沒有編號為 {0} 的任務。", "There is no job {0}."},
	"refused.child.hidden": {
		"没有编号为 {0} 的任务，或者您在它的执行器中没有角色。", "沒有編號為 {0} 的任務，或者您在它的執行器中沒有角色。",
		"There is no job {0}, or you have no role in its executor.",
	},
	"refused.child.foreign": {
		"您不是任务 {0} 所属执行器的编辑者，不能将其设为子任务。", "您不是任務 {0} 所屬執行器的編輯者，不能將其設為子任務。",
		"You are no editor of job {0}, so it cannot be a child here.",
	},
	"refused.child.circle": {
		"会循环触发：{0}。", "會循環觸發：{0}。", "The jobs would trigger each other without end: {0}.",
	},
	"refused.schedule.never": {
		"该调度没有今后的触发时间：请修改调度，或保持任务停止。", "該排程沒有今後的觸發時間：請修改排程，或保持任務停止。",
		"This schedule never fires again: change it, or leave the job stopped.",
	},
	"refused.tag.comma": {
		"标签“{0}”含有逗号：请写成两个标签，或去掉逗号。", "標籤「{0}」含有逗號：請寫成兩個標籤，或去掉逗號。",
		"The tag “{0}” has a comma: write two tags, or no comma.",
	},
	"account.changed": {"密码已修改，请重新登录。", "密碼已修改，請重新登入。", "The password is changed: sign in with it."},

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

	"audit.csv":         {"导出 CSV", "匯出 CSV", "Export as CSV"},
	"sort":              {"排序", "排序", "Sort"},
	"sort.first":        {"第一页", "第一頁", "First page"},
	"sort.up":           {"{0} 升序", "{0} 遞增", "{0}, ascending"},
	"sort.down":         {"{0} 降序", "{0} 遞減", "{0}, descending"},
	"sort.usual":        {"默认", "預設", "by need"},
	"audit.at":          {"时间", "時間", "Time"},
	"audit.action":      {"操作", "操作", "Action"},
	"audit.object":      {"对象", "對象", "Object"},
	"audit.detail":      {"详情", "詳情", "Detail"},
	"audit.object.hint": {"对象，如 job 7", "對象，如 job 7", "Object, job 7 for one"},
	"audit.text":        {"详情包含", "詳情包含", "Text in the detail"},
	"audit.from":        {"从", "從", "From"},
	"audit.to":          {"到", "到", "to"},
	"audit.badtime":     {"“{0}”不是时间", "「{0}」不是時間", "“{0}” is no time"},
	"audit.itself":      {"系统", "系統", "the admin itself"},
	"audit.nomatch":     {"没有符合条件的记录。", "沒有符合條件的記錄。", "No record matches."},
	"audit.none":        {"还没有记录。", "還沒有記錄。", "Nothing has been changed yet."},
}
