package i18n

// consoleHelp says how to connect an executor.
var consoleHelp = pageTexts{
	"help.title": {"连接一个执行器", "連接一個執行器", "Connect an executor"},
	"help.group": {
		"新建一个 AppName 为 basic 的执行器（管理员）。",
		"新增一個 AppName 為 basic 的執行器（管理員）。",
		"Make an executor group with the AppName basic (administrators do).",
	},
	"help.token": {
		"把调度中心启动时的访问令牌（--access-token，或数据目录中的 access-token 文件）放入环境变量：",
		"把調度中心啟動時的存取權杖（--access-token，或資料目錄中的 access-token 檔案）放入環境變數：",
		"Put the access token that the admin was started with (--access-token, or the file access-token in " +
			"its data folder) into the environment:",
	},
	"help.start": {
		"启动下面的程序之一；它会向 {0} 注册，几秒后出现在执行器的地址中。",
		"啟動下面的程式之一；它會向 {0} 註冊，幾秒後出現在執行器的位址中。",
		"Start one of the programs below; it registers at {0} and is among the executor's addresses some " +
			"seconds later.",
	},
	"help.job": {
		"新建一个处理器为 greet、参数为任意名字的任务，然后立即执行。",
		"新增一個處理器為 greet、參數為任意名字的任務，然後立即執行。",
		"Make a job with the handler greet and any name as its parameter, and run it now.",
	},
}
