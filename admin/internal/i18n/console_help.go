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
		"新建一个 JobHandler 为 greet、参数为任意名字的任务，然后立即执行。",
		"新增一個 JobHandler 為 greet、參數為任意名字的任務，然後立即執行。",
		"Make a job with the handler greet and any name as its parameter, and run it now.",
	},
	"help.more": {"还需要知道", "還需要知道", "Good to know"},
	"help.releases": {
		"Java：com.xuxueli:xxl-job-core 2.2.0 至 3.4.2 及其主干版本无需修改即可使用；所用协议按请求自动识别。",
		"Java：com.xuxueli:xxl-job-core 2.2.0 至 3.4.2 及其主幹版本無需修改即可使用；所用協定按請求自動識別。",
		"Java: com.xuxueli:xxl-job-core from 2.2.0 to 3.4.2, and its master branch, work as they are. " +
			"Which dialect one speaks is found out by itself.",
	},
	"help.tokens": {
		"令牌：执行器默认使用公用令牌；在“执行器”页面可为单个执行器生成专用令牌，它只对该执行器有效。",
		"權杖：執行器預設使用公用權杖；在「執行器」頁面可為單個執行器產生專用權杖，它只對該執行器有效。",
		"Tokens: executors use the common one. Under Executors a single one gets a token of its own, which is " +
			"worth nothing elsewhere.",
	},
	"help.address": {
		"Docker 与 Kubernetes：调度中心必须能访问执行器注册的地址。若它不是容器自身的地址（端口映射、NAT），" +
			"请显式设置：Go 用 Config.Address 或 XXL_JOB_EXECUTOR_ADDRESS，Java 用 xxl.job.executor.address。",
		"Docker 與 Kubernetes：調度中心必須能存取執行器註冊的位址。若它不是容器自身的位址（連接埠對應、NAT），" +
			"請明確設定：Go 用 Config.Address 或 XXL_JOB_EXECUTOR_ADDRESS，Java 用 xxl.job.executor.address。",
		"Docker and Kubernetes: the admin has to reach the address that an executor registers. Where that is not the " +
			"container's own (published ports, NAT), set it: Config.Address or XXL_JOB_EXECUTOR_ADDRESS in Go, " +
			"xxl.job.executor.address in Java.",
	},
	"help.volume": {
		"日志目录需要卷：Go 执行器把尚未送达的结果也保存在那里。在 Kubernetes 中建议 DrainDelay 设为 35 秒，" +
			"终止宽限期再长一些。",
		"日誌目錄需要磁碟區：Go 執行器把尚未送達的結果也保存在那裡。在 Kubernetes 中建議 DrainDelay 設為 35 秒，" +
			"終止寬限期再長一些。",
		"The log path needs a volume: an executor in Go keeps results there that are not delivered yet. Under " +
			"Kubernetes a DrainDelay of 35 s is advised, and a longer termination grace period.",
	},
}
