package i18n

// consoleAudit is what the audit log calls the actions that it holds. One that has
// no words here is shown by its name alone.
var consoleAudit = pageTexts{
	"audit.did.job.create":    {"新建任务", "新增任務", "created a job"},
	"audit.did.job.update":    {"修改任务", "修改任務", "edited a job"},
	"audit.did.job.delete":    {"删除任务", "刪除任務", "deleted a job"},
	"audit.did.job.move":      {"移动任务", "移動任務", "moved a job"},
	"audit.did.job.start":     {"启动任务", "啟動任務", "started a job"},
	"audit.did.job.stop":      {"停止任务", "停止任務", "stopped a job"},
	"audit.did.job.trigger":   {"立即执行任务", "立即執行任務", "ran a job"},
	"audit.did.job.code":      {"保存代码", "儲存程式碼", "saved code"},
	"audit.did.job.restore":   {"恢复已删除的任务", "還原已刪除的任務", "brought a deleted job back"},
	"audit.did.job.undo":      {"撤销对任务的更改", "復原對任務的變更", "undid a change of a job"},
	"audit.did.log.kill":      {"终止运行", "終止執行", "killed a run"},
	"audit.did.log.clear":     {"清理运行记录", "清理執行記錄", "cleared runs"},
	"audit.did.group.create":  {"新建执行器", "新增執行器", "created an executor"},
	"audit.did.group.update":  {"修改执行器", "修改執行器", "edited an executor"},
	"audit.did.group.delete":  {"删除执行器", "刪除執行器", "deleted an executor"},
	"audit.did.group.restore": {"恢复已删除的执行器", "還原已刪除的執行器", "brought a deleted executor back"},
	"audit.did.member.set":    {"更改成员角色", "變更成員角色", "changed the role of a member"},
	"audit.did.setting.zone":  {"更改新任务的时区", "變更新任務的時區", "changed the zone of new jobs"},
	"audit.did.group.token":   {"更改执行器令牌", "變更執行器權杖", "changed a token"},
	"audit.did.user.create":   {"新建用户", "新增使用者", "created a user"},
	"audit.did.user.update":   {"修改用户", "修改使用者", "edited a user"},
	"audit.did.user.delete":   {"删除用户", "刪除使用者", "deleted a user"},
	"audit.did.user.password": {"更改密码", "變更密碼", "changed a password"},
	"audit.did.key.create":    {"新建 API 密钥", "新增 API 金鑰", "created an API key"},
	"audit.did.key.revoke":    {"吊销 API 密钥", "撤銷 API 金鑰", "revoked an API key"},
	"audit.did.session.end":   {"结束登录", "結束登入", "ended a login"},
	"audit.did.mute.set":      {"静音告警", "靜音告警", "muted alarms"},
	"audit.did.mute.end":      {"解除静音", "解除靜音", "ended a mute"},
	"audit.did.rule.set":      {"设置告警规则", "設定告警規則", "set an alarm rule"},
	"audit.did.rule.delete":   {"删除告警规则", "刪除告警規則", "deleted an alarm rule"},
	"audit.did.alarm.test":    {"测试告警渠道", "測試告警管道", "tested a channel"},
	"audit.did.setup.finish":  {"完成初始设置", "完成初始設定", "finished the setup"},

	"audit.did.settings.retention": {"更改保留设置", "變更保留設定", "changed the retention"},

	// What they were done to.
	"audit.of.job":     {"任务 {0}", "任務 {0}", "job {0}"},
	"audit.of.group":   {"执行器 {0}", "執行器 {0}", "executor {0}"},
	"audit.of.log":     {"运行 {0}", "執行 {0}", "run {0}"},
	"audit.of.user":    {"用户 {0}", "使用者 {0}", "user {0}"},
	"audit.of.key":     {"密钥 {0}", "金鑰 {0}", "key {0}"},
	"audit.of.session": {"登录 {0}", "登入 {0}", "login {0}"},
}
