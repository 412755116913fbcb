package alarm

// The keys of the texts that messages are made of. The first ones are those of
// the Java admin.
const (
	textAdmin        = "admin_name_full"
	textSubject      = "jobconf_monitor"
	textDetail       = "jobconf_monitor_detail"
	textGroup        = "jobinfo_field_jobgroup"
	textJobID        = "jobinfo_field_id"
	textJobName      = "jobinfo_field_jobdesc"
	textAlarmTitle   = "jobconf_monitor_alarm_title"
	textAlarmContent = "jobconf_monitor_alarm_content"
	textAlarmType    = "jobconf_monitor_alarm_type"

	textLost       = "alarm_lost"
	textRecovered  = "alarm_recovered"
	textTest       = "alarm_test"
	textTestDetail = "alarm_test_detail"
	textMore       = "alarm_more"
	textMissed     = "alarm_missed"
	textFailures   = "alarm_failures"
	textSince      = "alarm_since"
	textLate       = "alarm_late"
	textLong       = "alarm_long"
	textNobody     = "alarm_nobody"
	textLimit      = "alarm_limit"
	textTime       = "alarm_time"
	textAuthor     = "alarm_author"
	textAddress    = "alarm_address"
	textLink       = "alarm_link"
)

// english holds the texts that are used where Config.Text has none.
var english = map[string]string{
	textAdmin:        "Task Scheduling Centre",
	textSubject:      "Job alarm",
	textDetail:       "Alarm details",
	textGroup:        "Executor group",
	textJobID:        "Job ID",
	textJobName:      "Job",
	textAlarmTitle:   "Alarm",
	textAlarmContent: "Content",
	textAlarmType:    "Run failed",
	textLost:         "Run lost",
	textRecovered:    "Job recovered",
	textTest:         "Test alarm",
	textTestDetail:   "This is a test. Alarms of this channel arrive.",
	textMore:         "Failures in this message",
	textMissed:       "Alarms that were not sent before this one",
	textFailures:     "Failures until it recovered",
	textSince:        "Since",
	textLate:         "Fire is late",
	textLong:         "Run takes long",
	textNobody:       "No executor",
	textLimit:        "Limit",
	textTime:         "Time",
	textAuthor:       "Author",
	textAddress:      "Executor",
	textLink:         "Open in the console",
}

// texts looks a text up.
type texts func(key string) string

// withEnglish returns lookup with our own English behind it.
func withEnglish(lookup func(key string) string) texts {
	return func(key string) string {
		if lookup != nil {
			if text := lookup(key); text != "" {
				return text
			}
		}
		return english[key]
	}
}
