package i18n

// consoleFrame is what stands on every page.
var consoleFrame = pageTexts{
	"frame.skip":        {"跳到正文", "跳到正文", "Skip to the content"},
	"frame.nav":         {"导航", "導覽", "Navigation"},
	"frame.search":      {"搜索", "搜尋", "Search"},
	"frame.search.hint": {"搜索，或“执行 名称”", "搜尋，或「執行 名稱」", "Search, or “run name”"},
	"frame.prefs":       {"语言与主题", "語言與主題", "Language and theme"},
	"frame.lang":        {"语言", "語言", "Language"},
	"frame.theme":       {"主题", "主題", "Theme"},
	"theme.system":      {"跟随系统", "跟隨系統", "As the system"},
	"theme.light":       {"浅色", "淺色", "Light"},
	"theme.dark":        {"深色", "深色", "Dark"},

	"nav.overview":  {"总览", "總覽", "Overview"},
	"nav.jobs":      {"任务", "任務", "Jobs"},
	"nav.runs":      {"运行记录", "執行記錄", "Runs"},
	"nav.executors": {"执行器", "執行器", "Executors"},
	"nav.alarms":    {"告警", "告警", "Alarms"},
	"nav.settings":  {"设置", "設定", "Settings"},
	"nav.help":      {"帮助", "說明", "Help"},

	"foot.live":   {"实时", "即時", "live"},
	"foot.still":  {"数据截至", "資料截至", "as of"},
	"foot.paused": {"已暂停，数据截至", "已暫停，資料截至", "paused, as of"},
	"foot.out":    {"登录已失效，数据截至", "登入已失效，資料截至", "signed out, as of"},
	"foot.again":  {"重新加载", "重新載入", "reload"},
	"foot.lost":   {"调度中心没有应答，正在重试", "調度中心沒有應答，正在重試", "the admin does not answer, trying again"},
	// {0} is a node, that has {1} of {2} shards.
	"foot.node": {"节点 {0} · {2} 个分片中的 {1} 个", "節點 {0} · {2} 個分片中的 {1} 個", "node {0} · {1} of {2} {2|shard|shards}"},
	"foot.held": {
		"节点 {0} · {2} 个分片中的 {1} 个，全部有节点", "節點 {0} · {2} 個分片中的 {1} 個，全部有節點",
		"node {0} · {1} of {2} {2|shard|shards}, all held",
	},
	"foot.free": {"{0} 个分片没有节点", "{0} 個分片沒有節點", "{0} {0|shard|shards} without a node"},

	// What a list says when it cannot be had: {0} is a status of HTTP, or seconds.
	"list.lost":  {"服务器没有应答", "伺服器沒有應答", "The server does not answer"},
	"list.fault": {"服务器出错（{0}）", "伺服器出錯（{0}）", "The server failed ({0})"},
	"list.gone":  {"登录已失效：请重试以重新登录", "登入已失效：請重試以重新登入", "You are no longer signed in: try again to sign in"},
	"list.slow":  {"服务器 {0} 秒未应答，仍在等待", "伺服器 {0} 秒未應答，仍在等待", "No answer for {0} s, still waiting"},
	"list.old":   {"显示的是 {0} 的内容", "顯示的是 {0} 的內容", "what is shown is as of {0}"},

	"role.admin": {"管理员", "管理員", "administrator"},
	"role.user":  {"普通用户", "一般使用者", "user"},
	"signout":    {"退出登录", "登出", "Sign out"},
	"undo":       {"撤销", "復原", "Undo"},
	"retry":      {"重试", "重試", "Try again"},
	"copy":       {"点击复制", "點擊複製", "Click to copy"},
	"save":       {"保存", "儲存", "Save"},
	"cancel":     {"取消", "取消", "Cancel"},
	"all":        {"全部", "全部", "all"},
	"filter":     {"筛选", "篩選", "Filter"},
	"reset":      {"清除筛选", "清除篩選", "Clear the filter"},
	"delete":     {"删除", "刪除", "Delete"},
	"edit":       {"编辑", "編輯", "Edit"},
	"form.must":  {"必填", "必填", "required"},

	"form.problems": {
		"有 {0} 处需要修改，什么都没有保存：", "有 {0} 處需要修改，什麼都沒有儲存：",
		"{0} {0|field|fields} to mend; nothing was saved:",
	},

	"pager.range": {"第 {0}–{1} 条，共 {2} 条", "第 {0}–{1} 筆，共 {2} 筆", "{0}–{1} of {2}"},
	"pager.none":  {"没有记录", "沒有記錄", "none"},
	"pager.prev":  {"上一页", "上一頁", "Previous"},
	"pager.next":  {"下一页", "下一頁", "Next"},

	"time.now": {"刚刚", "剛剛", "now"},
	"time.ago": {"{0}前", "{0}前", "{0} ago"},
	"time.in":  {"{0}后", "{0}後", "in {0}"},
	"time.s":   {"{0} 秒", "{0} 秒", "{0} s"},
	"time.min": {"{0} 分", "{0} 分", "{0} min"},
	"time.h":   {"{0} 小时", "{0} 小時", "{0} h"},
	"time.d":   {"{0} 天", "{0} 天", "{0} d"},

	"error.400": {"请求无法处理", "請求無法處理", "This cannot be done"},
	"error.400.do": {
		"请返回上一页，修改后再试。", "請返回上一頁，修改後再試。",
		"Go back, change what is said above, and try again.",
	},
	"error.403": {"没有权限", "沒有權限", "You may not do this"},
	"error.403.do": {
		"请管理员授予该执行器的权限，或用其他账号登录。",
		"請管理員授予該執行器的權限，或用其他帳號登入。",
		"Ask an administrator for the permission on this executor, or sign in as somebody else.",
	},
	"error.404": {"没有这个页面", "沒有這個頁面", "There is nothing here"},
	"error.404.do": {
		"它可能已被删除。可用上方的搜索按名称或编号查找。",
		"它可能已被刪除。可用上方的搜尋按名稱或編號查找。",
		"It may have been deleted. The search above finds jobs by name or id.",
	},
	"error.500": {"调度中心出错了", "調度中心出錯了", "The admin failed at this"},
	"error.500.do": {
		"任务照常调度。请稍后重试；如仍失败，请查看调度中心的日志。",
		"任務照常調度。請稍後重試；如仍失敗，請查看調度中心的日誌。",
		"Jobs go on being scheduled. Try again in a moment; if it fails again, see the log of the admin.",
	},
	"error.home":  {"返回总览", "返回總覽", "To the overview"},
	"error.admin": {"此页面仅限管理员。", "此頁面僅限管理員。", "This is for administrators."},
	"error.csrf": {
		"页面已过期：登录状态在打开它之后变了。请重新打开页面再试。",
		"頁面已過期：登入狀態在開啟它之後變了。請重新開啟頁面再試。",
		"This page is out of date: the login has changed since it was opened. Open it again, and try again.",
	},

	"signin.title":    {"登录", "登入", "Sign in"},
	"signin.name":     {"账号", "帳號", "User name"},
	"signin.password": {"密码", "密碼", "Password"},
	"signin.remember": {"在此设备上保持登录 30 天", "在此裝置上保持登入 30 天", "Stay signed in on this device for 30 days"},
	"signin.empty":    {"请输入账号和密码。", "請輸入帳號和密碼。", "Enter user name and password."},
	"signin.wrong":    {"账号或密码不正确。", "帳號或密碼不正確。", "The user name or the password is not right."},
	"signin.why.ended": {
		"登录已失效，请重新登录。", "登入已失效，請重新登入。", "Your login has ended. Sign in again to go on.",
	},
	"signin.why.undone": {
		"登录已失效，您提交的内容未执行。重新登录后会回到原页面，请重新提交。",
		"登入已失效，您送出的內容未執行。重新登入後會回到原頁面，請重新送出。",
		"Your login has ended: what you sent was NOT done. Sign in to come back to the page, then send it again.",
	},
	"typed.kept": {
		"登录失效前您在这里填写的内容还在。", "登入失效前您在這裡填寫的內容還在。",
		"What you typed here before your login ended is kept.",
	},
	"typed.put":  {"填回去", "填回去", "Put it back"},
	"typed.drop": {"不需要了", "不需要了", "Forget it"},
	"typed.back": {
		"已填回，尚未保存：请检查后提交。", "已填回，尚未儲存：請檢查後送出。",
		"It is back in the fields, and not saved yet: look at it, then send it.",
	},
	"signin.wait": {
		"尝试次数过多，请 {0} 秒后再试。", "嘗試次數過多，請 {0} 秒後再試。",
		"Too many attempts. Try again in {0} s.",
	},
	"signin.first": {
		"首次启动时，调度中心会把管理员 admin 的初始密码打印一次。忘记时可用命令 xxl-job-admin user passwd 重设。",
		"首次啟動時，調度中心會把管理員 admin 的初始密碼列印一次。忘記時可用命令 xxl-job-admin user passwd 重設。",
		"At its first start the admin prints the password of the user admin, once. " +
			"If it is lost, xxl-job-admin user passwd sets another.",
	},
	"signin.first.q": {"不知道密码？", "不知道密碼？", "No password?"},

	"search.title":         {"搜索", "搜尋", "Search"},
	"search.none":          {"没有找到“{0}”。", "沒有找到「{0}」。", "Nothing is called “{0}”."},
	"search.all":           {"所有名称含“{0}”的任务", "所有名稱含「{0}」的任務", "All jobs with “{0}” in their name"},
	"search.kind.job":      {"任务 {0}", "任務 {0}", "job {0}"},
	"search.kind.run":      {"运行", "執行", "run"},
	"search.kind.executor": {"执行器", "執行器", "executor"},
	"search.kind.do":       {"操作 · 任务 {0}", "操作 · 任務 {0}", "action · job {0}"},

	// What can be done with a job, and the words that ask for it in the command box.
	"search.verbs.run":    {"执行 运行 触发", "執行 觸發", "run trigger"},
	"search.verbs.start":  {"启动 启用", "啟動 啟用", "start enable"},
	"search.verbs.stop":   {"停止 停用", "停止 停用", "stop pause disable"},
	"search.verbs.edit":   {"编辑 修改", "編輯 修改", "edit change"},
	"search.verbs.delete": {"删除", "刪除", "delete remove"},
	"search.do.run":       {"立即执行“{0}”…", "立即執行「{0}」…", "Run “{0}” now…"},
	"search.do.start":     {"启动“{0}”…", "啟動「{0}」…", "Start “{0}”…"},
	"search.do.stop":      {"停止“{0}”…", "停止「{0}」…", "Stop “{0}”…"},
	"search.do.edit":      {"编辑“{0}”", "編輯「{0}」", "Edit “{0}”"},
	"search.do.delete":    {"删除“{0}”…", "刪除「{0}」…", "Delete “{0}”…"},

	"search.kind.page": {"页面", "頁面", "page"},

	"keys.title": {"快捷键", "快速鍵", "Keys"},
	"keys.search": {
		"搜索；“执行 名称”等可直接操作", "搜尋；「執行 名稱」等可直接操作",
		"search; “run name”, “stop name”, “edit name” and the like act",
	},
	"keys.strip": {"沿最近运行的柱形移动", "沿最近執行的柱形移動", "along the strip of last runs"},
	"keys.go": {
		"先按 g，再按：总览、任务、运行记录、执行器、告警、设置、帮助",
		"先按 g，再按：總覽、任務、執行記錄、執行器、告警、設定、說明",
		"g, then: overview, jobs, runs, executors, alarms, settings, help",
	},
	"keys.move":   {"下一行 / 上一行", "下一列 / 上一列", "next row / previous row"},
	"keys.open":   {"打开", "開啟", "open"},
	"keys.select": {"选中", "選取", "select"},
	"keys.run":    {"立即执行", "立即執行", "run now"},
	"keys.list":   {"显示此列表", "顯示此列表", "this list"},
	"close":       {"关闭", "關閉", "Close"},
}
