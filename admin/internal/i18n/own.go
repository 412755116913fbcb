package i18n

import "strings"

// ownWords are our wording of texts that Java's consoles and scripts know in hers, for
// who reads pages and answers of ours; in the order of [Langs]. Fields have the names
// that they have on our pages.
var ownWords = map[Key][3]string{
	SystemPleaseInput:     {"请填写{0}", "請填寫{0}", "{0} is missing"},
	SystemPleaseChoose:    {"请选择{0}", "請選擇{0}", "{0} is not chosen"},
	SystemInvalid:         {"无效", "無效", "is not valid"},
	SystemNotFound:        {"不存在", "不存在", "does not exist"},
	SystemPermissionLimit: {"没有权限", "沒有權限", "is not permitted"},
	SystemLengthLimit:     {"须为 {0} 个字符", "須為 {0} 個字元", "must have {0} characters"},
	SystemRepeat:          {"已存在", "已存在", "is there already"},

	ChangePwdFieldOldpwd: {"当前密码", "目前密碼", "The present password"},
	UserUsername:         {"账号", "帳號", "The user name"},
	UserPassword:         {"密码", "密碼", "The password"},
	UserPermission:       {"执行器", "執行器", "The executor"},
	UserUsernameRepeat:   {"该账号已存在", "該帳號已存在", "There is a user of this name already"},
	UserUpdateLoginuserLimit: {
		"不能修改自己的角色和权限", "不能修改自己的角色和權限", "Nobody changes their own role and executors",
	},

	JobgroupFieldTitle:         {"名称", "名稱", "The title"},
	JobgroupFieldAppnameLength: {"AppName 须为 4 到 64 个字符", "AppName 須為 4 到 64 個字元", "An AppName has 4 to 64 characters"},
	JobgroupFieldAddressTypeLimit: {
		"手动录入的执行器至少要有一个地址", "手動輸入的執行器至少要有一個位址", "An executor with manual addresses needs one at least",
	},
	JobgroupFieldRegistryList:        {"地址", "位址", "The address"},
	JobgroupFieldRegistryListInvalid: {"机器地址无效", "機器位址無效", "The address is not valid"},
	JobgroupDelLimit0:                {"该执行器仍有任务", "該執行器仍有任務", "This executor has jobs still"},
	JobgroupDelLimit1:                {"至少要保留一个执行器", "至少要保留一個執行器", "One executor at least has to stay"},
	JobgroupToken:                    {"访问令牌", "存取權杖", "The access token"},

	JobinfoFieldID:                    {"任务", "任務", "The job"},
	JobinfoFieldJobgroup:              {"执行器", "執行器", "The executor"},
	JobinfoFieldJobdesc:               {"名称", "名稱", "The name"},
	JobinfoFieldAuthor:                {"负责人", "負責人", "The author"},
	JobinfoFieldAlarmemail:            {"告警邮件", "告警郵件", "The alarm mail"},
	JobinfoFieldGluetype:              {"运行方式", "執行方式", "The kind of code"},
	JobinfoFieldExecutorparam:         {"参数", "參數", "The parameter"},
	JobinfoFieldExecutorRouteStrategy: {"路由策略", "路由策略", "The route strategy"},
	JobinfoFieldExecutorBlockStrategy: {"阻塞策略", "阻塞策略", "The block strategy"},
	JobinfoFieldChildJobID:            {"子任务", "子任務", "The child"},
	JobinfoFieldTags:                  {"标签", "標籤", "Tags"},
	JobinfoGlueJobidInvalid:           {"没有该任务", "沒有該任務", "There is no such job"},
	JobinfoGlueGluetypeInvalid:        {"该任务没有可编辑的代码", "該任務沒有可編輯的程式碼", "This job has no code that could be edited"},
	JobinfoGlueSource:                 {"代码", "程式碼", "The code"},
	JobinfoGlueRemark:                 {"修改说明", "修改說明", "The remark"},
	JobinfoGlueRemarkLimit:            {"修改说明须为 4 到 100 个字符", "修改說明須為 4 到 100 個字元", "A remark has 4 to 100 characters"},
	ScheduleType:                      {"调度", "排程", "The schedule"},
	ScheduleTypeNoneLimitStart: {
		"没有调度的任务不能启动", "沒有排程的任務不能啟動", "A job without a schedule cannot be started",
	},
	ScheduleZone:    {"时区", "時區", "The time zone"},
	MisfireStrategy: {"调度过期策略", "排程過期策略", "The misfire strategy"},

	AlarmReason: {"原因", "原因", "The reason"},
	KeyName:     {"密钥名称", "金鑰名稱", "The name of the key"},
	KeyVerbs:    {"权限", "權限", "The list of verbs"},

	JoblogLogidInvalid:     {"没有该次运行", "沒有該次執行", "There is no such run"},
	JoblogCleanTypeInvalid: {"清理方式无效", "清理方式無效", "The kind of cleaning is not valid"},
	JoblogKillLogLimit:     {"没有执行器接收过该次运行", "沒有執行器接收過該次執行", "No executor has taken this run"},
	JoblogRollingLogTriggerfail: {
		"没有执行器接收过它，因此没有日志", "沒有執行器接收過它，因此沒有日誌", "No executor has taken it, so there is no log",
	},
}

// Own returns the text of key in words of our own, where there are other ones than
// those of the Java admin, or else Text.
func (l Lang) Own(key Key) string {
	if words, ok := ownWords[key]; ok && int(l) < len(words) {
		return words[l]
	}
	return l.Text(key)
}

// javaKeys are what Java's admin refuses with, and her names of fields.
var javaKeys = []Key{
	SystemPleaseInput, SystemPleaseChoose, SystemInvalid, SystemNotFound, SystemPermissionLimit, SystemLengthLimit,
	SystemRepeat, LoginParamEmpty, LoginParamInvalid, UserUsernameRepeat, UserUpdateLoginuserLimit,
	JobgroupFieldAppnameLength, JobgroupFieldAddressTypeLimit, JobgroupFieldRegistryList,
	JobgroupFieldRegistryListInvalid, JobgroupDelLimit0, JobgroupDelLimit1, JobinfoFieldJobdesc,
	JobinfoFieldGluetype, JobinfoFieldExecutorRouteStrategy, JobinfoFieldExecutorBlockStrategy,
	JobinfoFieldChildJobID, JobinfoGlueJobidInvalid, JobinfoGlueGluetypeInvalid, JobinfoGlueSource,
	JobinfoGlueRemark, JobinfoGlueRemarkLimit, ScheduleType, ScheduleTypeNoneLimitStart, JoblogLogidInvalid,
	JoblogCleanTypeInvalid, JoblogKillLogLimit, JoblogRollingLogFailoften, JoblogRollingLogTriggerfail,
}

// OfJava returns the first text of Java's admin that stands in an English text; ""
// is none. Upper and lower case count: her texts are pieces that begin as they do.
func OfJava(text string) string {
	text = strings.ReplaceAll(text, "does not exist", "") // she says it without the verb
	for _, key := range javaKeys {
		words := strings.TrimSpace(english[key])
		if words != ownWords[key][En] && strings.Contains(text, words) {
			return words
		}
	}
	return ""
}
