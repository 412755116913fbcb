package i18n

// consoleRefused is why something is refused, as whole sentences: on pages, and in the
// titles of problems.
var consoleRefused = pageTexts{
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

	"refused.alarm.what": {
		"告警规则的种类须为 late、long 或 nobody。", "告警規則的種類須為 late、long 或 nobody。",
		"The kind of an alarm rule is late, long or nobody.",
	},
	"refused.alarm.nobody": {
		"“没有执行器”的告警规则属于执行器，不属于任务。", "「沒有執行器」的告警規則屬於執行器，不屬於任務。",
		"A rule on missing executors belongs to an executor, not to a job.",
	},
	"refused.alarm.limit": {
		"告警规则的时限须为 1 秒到 30 天的整秒数。", "告警規則的時限須為 1 秒到 30 天的整秒數。",
		"The limit of an alarm rule is 1 s to 30 days, in whole seconds.",
	},
	"refused.alarm.many": {
		"已有 {0} 条告警规则：为执行器设一条规则，可以代替其任务的许多条。",
		"已有 {0} 條告警規則：為執行器設一條規則，可以代替其任務的許多條。",
		"There are {0} alarm rules: one for an executor stands for those of its jobs.",
	},
	"refused.mute.end": {
		"静默时段须在今后 30 天之内结束。", "靜音時段須在今後 30 天之內結束。",
		"A mute window ends within the next 30 days.",
	},
	"refused.mute.reason": {
		"原因须写成一行，不含控制字符。", "原因須寫成一行，不含控制字元。",
		"The reason is one line without control characters.",
	},
	"refused.alarm.gone":   {"没有编号为 {0} 的告警。", "沒有編號為 {0} 的告警。", "There is no alarm {0}."},
	"refused.channel.gone": {"没有这个告警渠道。", "沒有這個告警管道。", "There is no alarm channel of this name."},
	"refused.channel.soon": {
		"该渠道在 10 秒内测试过：请稍后再试。", "該管道在 10 秒內測試過：請稍後再試。",
		"This channel was tested less than 10 s ago: try again in a moment.",
	},
	"refused.session.off":  {"此节点不管理登录。", "此節點不管理登入。", "This node keeps no logins."},
	"refused.session.gone": {"该登录不存在，或已结束。", "該登入不存在，或已結束。", "There is no such login, or it has ended."},
	"refused.system.off":   {"此节点没有运行状态可看。", "此節點沒有執行狀態可看。", "Nothing is known of the node."},
	"refused.key.gone":     {"没有编号为 {0} 的 API 密钥。", "沒有編號為 {0} 的 API 金鑰。", "There is no API key {0}."},
	"refused.code.gone": {
		"任务 {0} 没有版本 {1}：只保留最新的 30 个版本。", "任務 {0} 沒有版本 {1}：只保留最新的 30 個版本。",
		"Job {0} has no version {1}: the newest 30 are kept.",
	},
	"refused.change.gone": {"没有编号为 {0} 的修改。", "沒有編號為 {0} 的修改。", "There is no change {0}."},
	"refused.keep.runs": {
		"运行记录的保留天数须为 {0} 到 {1}，0 表示永久。", "執行記錄的保留天數須為 {0} 到 {1}，0 表示永久。",
		"Runs are kept {0} to {1} days, or 0 for ever.",
	},
	"refused.keep.job": {
		"每个任务保留的运行记录须为 1 到 {0} 条，0 表示不限。", "每個任務保留的執行記錄須為 1 到 {0} 筆，0 表示不限。",
		"A job keeps 1 to {0} runs, or 0 without limit.",
	},
	"refused.keep.audit": {
		"操作记录的保留天数须为 {0} 到 {1}，0 表示永久。", "操作記錄的保留天數須為 {0} 到 {1}，0 表示永久。",
		"Audit records are kept {0} to {1} days, or 0 for ever.",
	},
	"refused.keep.alarms": {
		"告警结束后的保留天数须为 {0} 到 {1}，0 表示永久。", "告警結束後的保留天數須為 {0} 到 {1}，0 表示永久。",
		"Alarms are kept {0} to {1} days after they have ended, or 0 for ever.",
	},
	"refused.view.name": {
		"视图名称须为 1 到 {0} 个字符，不含控制字符。", "檢視名稱須為 1 到 {0} 個字元，不含控制字元。",
		"The name of a view has 1 to {0} characters, none of them a control character.",
	},
	"refused.view.query": {
		"筛选条件过长：最多 {0} 字节。", "篩選條件過長：最多 {0} 位元組。", "The filter is too long: a view keeps {0} bytes.",
	},
	"refused.view.many": {
		"已有 {0} 个视图：请先删除一个。", "已有 {0} 個檢視：請先刪除一個。",
		"There are {0} views already: delete one first.",
	},
	"refused.view.key": {
		"视图属于用户，API 密钥没有视图。", "檢視屬於使用者，API 金鑰沒有檢視。",
		"Views belong to users, an API key has none.",
	},
	"refused.view.page": {"只有任务和运行记录有视图。", "只有任務和執行記錄有檢視。", "Jobs and runs have views, other pages have none."},
	"refused.gone": {
		"它已不存在：可能刚刚被删除。", "它已不存在：可能剛剛被刪除。", "It does not exist any more: somebody may have deleted it.",
	},
	"refused.stored.long": {
		"其中有一项太长，数据库存不下：请缩短。", "其中有一項太長，資料庫存不下：請縮短。",
		"One of the texts is longer than the database keeps: shorten it.",
	},
	"refused.stored.text": {
		"其中有数据库不能保存的字符：请去掉。", "其中有資料庫不能儲存的字元：請去掉。",
		"One of the texts has a character that the database does not keep: leave it out.",
	},
	"refused.stored.twice": {
		"已经有一个同样的：请换一个名称。", "已經有一個同樣的：請換一個名稱。", "There is one like it already: choose another name.",
	},
	"refused.role.of": {
		"帐号 {0} 的角色不允许这项操作。", "帳號 {0} 的角色不允許這項操作。",
		"The role of the account {0} does not allow this.",
	},
	"refused.role": {
		"您的账号没有这项权限。", "您的帳號沒有這項權限。", "Your role does not allow this.",
	},
	"refused.member.none": {
		"{0} 在该执行器中没有角色。", "{0} 在該執行器中沒有角色。", "{0} has no role in this executor.",
	},
	"refused.zone": {
		"“{0}”不是 IANA 时区：请填写 Asia/Shanghai 这样的名称。", "「{0}」不是 IANA 時區：請填寫 Asia/Shanghai 這樣的名稱。",
		"“{0}” is no IANA time zone: write a name such as Asia/Shanghai.",
	},
	"refused.markup": {
		"不能含有 < 和 >，也不能含有控制字符。", "不能含有 < 和 >，也不能含有控制字元。",
		"Leave < and > and control characters out.",
	},
	"refused.token": {
		"令牌须为 {0} 到 {1} 个可见的 ASCII 字符，不含空格，且不能是“{2}”。",
		"權杖須為 {0} 到 {1} 個可見的 ASCII 字元，不含空格，且不能是「{2}」。",
		"A token has {0} to {1} visible ASCII characters without blanks, and is not “{2}”.",
	},
	"refused.overlap": {
		"旧令牌最多再有效 {0} 天，或直到手动结束。", "舊權杖最多再有效 {0} 天，或直到手動結束。",
		"An old token counts for 0 to {0} days more, or until it is ended.",
	},
	"refused.key.past": {"到期时间已过。", "到期時間已過。", "The end of the key lies in the past."},
	"refused.key.admin": {
		"admin 权限只能给予不限执行器的密钥。", "admin 權限只能給予不限執行器的金鑰。",
		"The verb admin is for keys of all executors.",
	},
	"refused.address.form": {
		"“{0}”不是地址：请填写 http://主机:端口/，不含空格。", "「{0}」不是位址：請填寫 http://主機:連接埠/，不含空格。",
		"“{0}” is no address: write http://host:port/, without blanks.",
	},
	"refused.address.extra": {
		"地址“{0}”不能有用户、查询参数或片段。", "位址「{0}」不能有使用者、查詢參數或片段。",
		"The address “{0}” must not have a user, a query or a fragment.",
	},
	"refused.address.long": {
		"地址最多 {0} 个字符。", "位址最多 {0} 個字元。", "An address has at most {0} characters.",
	},
	"refused.address.four": {
		"“{0}”的 IPv4 地址须写成四个数。", "「{0}」的 IPv4 位址須寫成四個數。",
		"“{0}”: write an IPv4 address as four numbers.",
	},
	"refused.address.link": {
		"“{0}”不能用作执行器地址。", "「{0}」不能用作執行器位址。", "“{0}” cannot be the address of an executor.",
	},
	"refused.address.http": {
		"地址须以 http:// 或 https:// 开头。", "位址須以 http:// 或 https:// 開頭。", "An address begins with http:// or https://.",
	},
	"refused.address.empty": {
		"两个逗号之间的地址是空的。", "兩個逗號之間的位址是空的。", "There is an empty address between two commas.",
	},
	"refused.address.unknown": {
		"“{0}”不是该任务的执行器的地址。", "「{0}」不是該任務的執行器的位址。",
		"“{0}” is no address of the job's executor.",
	},
}
