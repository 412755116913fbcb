package settingspages

var (
	AuditActions = auditActions
	BrowserOf    = browserOf
)
