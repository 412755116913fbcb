package i18n

// consoleSetup is what the page of the first start says.
var consoleSetup = pageTexts{
	"setup.title": {"初始设置", "初始設定", "Set up"},
	"setup.welcome": {
		"调度中心首次启动。启动时打印的一次性密码只用于本页：请在这里设置您自己的密码。",
		"調度中心首次啟動。啟動時列印的一次性密碼只用於本頁：請在這裡設定您自己的密碼。",
		"This admin is new. The password that it has printed is good for this page alone: choose your own here.",
	},
	"setup.printed": {"一次性密码", "一次性密碼", "One-time password"},
	"setup.printed.hint": {
		"首次启动时在终端或日志中打印了一次", "首次啟動時在終端機或日誌中列印了一次",
		"Printed once, at the first start, in the terminal or the log of the admin",
	},
	"setup.printed.wrong": {
		"这不是启动时打印的密码。", "這不是啟動時列印的密碼。", "This is not the password that was printed.",
	},
	"setup.password":      {"{0} 的新密码", "{0} 的新密碼", "New password of {0}"},
	"setup.password.hint": {"8 至 64 个字符", "8 至 64 個字元", "8 to 64 characters"},
	"setup.password.length": {
		"密码须为 8 至 64 个字符（非 ASCII 字符按字节计）。", "密碼須為 8 至 64 個字元（非 ASCII 字元按位元組計）。",
		"A password has 8 to 64 characters; those beyond ASCII count as several.",
	},
	"setup.password.name": {"密码不能与账号相同。", "密碼不能與帳號相同。", "The password must not be the user name."},
	"setup.password.same": {
		"这是打印出来的密码，它留在日志里：请另选一个。", "這是列印出來的密碼，它留在日誌裡：請另選一個。",
		"This is the printed one, which stays in the log: choose another.",
	},
	"setup.lang.hint": {
		"您的页面语言。随运行保存的消息使用 {0}（--language）", "您的頁面語言。隨執行儲存的訊息使用 {0}（--language）",
		"Of your pages. Messages that are stored with runs are in {0} (--language)",
	},
	"setup.zone": {"新任务的时区", "新任務的時區", "Time zone of new jobs"},
	"setup.zone.hint": {
		"例如 Asia/Shanghai。留空则使用服务器时区 {0}，页面上的时间也使用它（--time-zone）",
		"例如 Asia/Shanghai。留空則使用伺服器時區 {0}，頁面上的時間也使用它（--time-zone）",
		"Such as Asia/Shanghai. Empty is the server's, {0}, in which pages show all times (--time-zone)",
	},
	"setup.go":     {"继续", "繼續", "Go on"},
	"setup.lost.q": {"没有看到密码？", "沒有看到密碼？", "No password seen?"},
	"setup.lost": {
		"停止调度中心，运行 xxl-job-admin user passwd admin 设置新密码，再启动并登录。",
		"停止調度中心，執行 xxl-job-admin user passwd admin 設定新密碼，再啟動並登入。",
		"Stop the admin, set another with xxl-job-admin user passwd admin, start it, and sign in.",
	},

	"setup.step.account":  {"账号", "帳號", "Account"},
	"setup.step.done":     {"完成", "完成", "done"},
	"setup.step.executor": {"连接一个执行器", "連接一個執行器", "Connect an executor"},
	"setup.step.job":      {"第一个任务", "第一個任務", "A first job"},
	"setup.account.done": {
		"您已以 {0} 登录；一次性密码已失效。", "您已以 {0} 登入；一次性密碼已失效。",
		"You are signed in as {0}. The one-time password is worth nothing any more.",
	},
	"setup.executor": {
		"执行器是运行任务的程序。它向 {0} 注册。任选一种方式：",
		"執行器是執行任務的程式。它向 {0} 註冊。任選一種方式：",
		"An executor is the program that runs jobs. It registers at {0}. One of these will do:",
	},
	"setup.token": {"执行器的访问令牌：", "執行器的存取權杖：", "Access token of executors:"},
	"setup.token.once": {
		"设置完成后不再显示；请像密码一样保管。", "設定完成後不再顯示；請像密碼一樣保管。",
		"It is not shown after the setup. Keep it as you keep a password.",
	},
	"setup.shell": {
		"在本项目的源码目录中，另开一个终端：", "在本專案的原始碼目錄中，另開一個終端機：",
		"In a checkout of this project, in another terminal:",
	},
	"setup.program.go":   {"Go 程序", "Go 程式", "A program in Go"},
	"setup.program.java": {"Java 程序", "Java 程式", "A program in Java"},
	"setup.waiting":      {"等待执行器注册…", "等待執行器註冊…", "Waiting for an executor to register …"},
	"setup.waiting.hint": {
		"启动后几秒内会出现在这里。若没有：请检查地址和访问令牌，以及程序自己的日志。",
		"啟動後幾秒內會出現在這裡。若沒有：請檢查位址和存取權杖，以及程式自己的日誌。",
		"It is here some seconds after its start. If it is not: look at the address, the token, and its own log.",
	},
	"setup.refused": {
		"来自 {0} 的程序使用了错误的访问令牌（{1} 次，最近一次在 {2}）。请把上面的令牌给它，然后重新启动它。",
		"來自 {0} 的程式使用了錯誤的存取權杖（{1} 次，最近一次在 {2}）。請把上面的權杖給它，然後重新啟動它。",
		"A program at {0} came with a wrong access token ({1} times, last at {2}). Give it the token above, " +
			"and start it again.",
	},
	"setup.refused.app": {
		"来自 {0} 的执行器“{3}”使用了错误的访问令牌（{1} 次，最近一次在 {2}）。请把上面的令牌给它，然后重新启动它。",
		"來自 {0} 的執行器「{3}」使用了錯誤的存取權杖（{1} 次，最近一次在 {2}）。請把上面的權杖給它，然後重新啟動它。",
		"The executor “{3}” at {0} came with a wrong access token ({1} times, last at {2}). Give it the token " +
			"above, and start it again.",
	},
	"setup.reload": {"重新检查", "重新檢查", "Look again"},
	"setup.here":   {"已注册", "已註冊", "registered"},
	"setup.jobs":   {"已有 {0} 个任务。", "已有 {0} 個任務。", "Jobs that are there already: {0}."},
	"setup.handler.hint": {
		"程序中注册的名称；示例程序为 greet", "程式中註冊的名稱；範例程式為 greet",
		"As the program has registered it; greet in the ones above",
	},
	"setup.job.default": {"问候", "問候", "greetings"},
	"setup.job.go":      {"创建并立即运行", "建立並立即執行", "Make it and run it now"},
	"setup.job.did": {
		"设置完成。任务“{0}”已创建，这是它的第一次运行。", "設定完成。任務「{0}」已建立，這是它的第一次執行。",
		"All set up. The job {0} is there, and this is its first run.",
	},
	"setup.job.gone": {
		"执行器“{0}”已不在线：请等它再次注册。", "執行器「{0}」已不在線：請等它再次註冊。",
		"The executor {0} is not there any more: wait until it registers again.",
	},
	"setup.skip": {"不连接执行器，直接完成", "不連接執行器，直接完成", "Finish without a first job"},
	"setup.done": {"设置完成。", "設定完成。", "All set up."},

	"setup.closed": {
		"调度中心已设置完毕，此页面已永久关闭。", "調度中心已設定完畢，此頁面已永久關閉。",
		"This admin has been set up, and this page is closed for good.",
	},
	"error.410": {"设置已关闭", "設定已關閉", "The setup is closed"},
	"error.410.do": {
		"如何连接执行器，请看“帮助”；账号和密码在“设置”中。", "如何連接執行器，請看「說明」；帳號和密碼在「設定」中。",
		"How to connect an executor is under Help; accounts and passwords are under Settings.",
	},
	"signin.setup": {
		"首次启动？请用打印的一次性密码完成初始设置", "首次啟動？請用列印的一次性密碼完成初始設定",
		"First start? Set this admin up with the printed one-time password",
	},
}
