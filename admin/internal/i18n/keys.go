package i18n

import "github.com/xxljob-go/xxljob/admin/internal/model"

// Texts that others are put together with.
const (
	AdminNameFull         Key = "admin_name_full"
	SystemPleaseInput     Key = "system_please_input"  // ends in a blank where the language wants one
	SystemPleaseChoose    Key = "system_please_choose" // as above
	SystemInvalid         Key = "system_invalid"       // up to 3.3.2 system_unvalid
	SystemNotFound        Key = "system_not_found"
	SystemPermissionLimit Key = "system_permission_limit"
	SystemLengthLimit     Key = "system_length_limit" // up to 3.3.2 system_lengh_limit
	SystemRepeat          Key = "system_repeat"
	SystemOne             Key = "system_one"
	SystemData            Key = "system_data"
	SystemSuccess         Key = "system_success"
	SystemFail            Key = "system_fail"
)

// Login, users and passwords.
const (
	LoginParamEmpty          Key = "login_param_empty"
	LoginParamInvalid        Key = "login_param_invalid"
	LoginSetup               Key = "login_setup" // our own
	ChangePwdFieldOldpwd     Key = "change_pwd_field_oldpwd"
	UserUsername             Key = "user_username"
	UserPassword             Key = "user_password"
	UserPermission           Key = "user_permission"
	UserUsernameRepeat       Key = "user_username_repeat"
	UserLastAdmin            Key = "user_last_admin"
	UserUpdateLoginuserLimit Key = "user_update_loginuser_limit"
)

// Executors (groups).
const (
	JobgroupEmpty                    Key = "jobgroup_empty"
	JobgroupFieldTitle               Key = "jobgroup_field_title"
	JobgroupFieldAppnameLength       Key = "jobgroup_field_appname_length"
	JobgroupFieldAddressType0        Key = "jobgroup_field_addressType_0"
	JobgroupFieldAddressType1        Key = "jobgroup_field_addressType_1"
	JobgroupFieldAddressTypeLimit    Key = "jobgroup_field_addressType_limit"
	JobgroupFieldRegistryList        Key = "jobgroup_field_registryList"
	JobgroupFieldRegistryListInvalid Key = "jobgroup_field_registryList_invalid"
	JobgroupDelLimit0                Key = "jobgroup_del_limit_0"
	JobgroupDelLimit1                Key = "jobgroup_del_limit_1"
	JobgroupToken                    Key = "jobgroup_token" // our own
)

// Jobs, and their code.
const (
	JobinfoFieldID                     Key = "jobinfo_field_id"
	JobinfoFieldAdd                    Key = "jobinfo_field_add"
	JobinfoFieldJobgroup               Key = "jobinfo_field_jobgroup"
	JobinfoFieldJobdesc                Key = "jobinfo_field_jobdesc"
	JobinfoFieldAuthor                 Key = "jobinfo_field_author"
	JobinfoFieldAlarmemail             Key = "jobinfo_field_alarmemail"
	JobinfoFieldGluetype               Key = "jobinfo_field_gluetype"
	JobinfoFieldExecutorparam          Key = "jobinfo_field_executorparam"
	JobinfoFieldTimeout                Key = "jobinfo_field_timeout"
	JobinfoFieldExecutorRouteStrategy  Key = "jobinfo_field_executorRouteStrategy"
	JobinfoFieldExecutorBlockStrategy  Key = "jobinfo_field_executorBlockStrategy"
	JobinfoFieldExecutorFailRetryCount Key = "jobinfo_field_executorFailRetryCount"
	JobinfoFieldChildJobID             Key = "jobinfo_field_childJobId"
	JobinfoChildCycle                  Key = "jobinfo_child_cycle" // our own
	JobinfoGlueJobidInvalid            Key = "jobinfo_glue_jobid_invalid"
	JobinfoGlueGluetypeInvalid         Key = "jobinfo_glue_gluetype_invalid"
	JobinfoGlueSource                  Key = "jobinfo_glue_source"
	JobinfoGlueRemark                  Key = "jobinfo_glue_remark"
	JobinfoGlueRemarkLimit             Key = "jobinfo_glue_remark_limit"
	JobinfoGlueOff                     Key = "jobinfo_glue_off"   // our own
	ChangeStale                        Key = "change_stale"       // our own
	ChangeFinal                        Key = "change_final"       // our own
	ChangeRan                          Key = "change_ran"         // our own
	ChangeMuteOver                     Key = "change_mute_over"   // our own
	DeletedNone                        Key = "deleted_none"       // our own
	DeletedGroupGone                   Key = "deleted_group_gone" // our own
	JobinfoFieldTags                   Key = "jobinfo_tags"       // our own
	KeyName                            Key = "key_name"           // our own
	KeyVerbs                           Key = "key_verbs"          // our own
	KeyExpires                         Key = "key_expires"        // our own
	ScheduleType                       Key = "schedule_type"
	ScheduleTypeNoneLimitStart         Key = "schedule_type_none_limit_start"
	ScheduleZone                       Key = "schedule_zone"        // our own
	ScheduleZoneShared                 Key = "schedule_zone_shared" // our own
	MisfireStrategy                    Key = "misfire_strategy"
)

// Runs and their logs.
const (
	JoblogFieldExecutorAddress  Key = "joblog_field_executorAddress"
	JoblogSent                  Key = "joblog_sent" // our own
	JoblogFieldTriggerMsg       Key = "joblog_field_triggerMsg"
	JoblogLogidInvalid          Key = "joblog_logid_invalid"
	JoblogCleanTypeInvalid      Key = "joblog_clean_type_invalid"
	JoblogKillLogLimit          Key = "joblog_kill_log_limit"
	JoblogKillLogByman          Key = "joblog_kill_log_byman"
	JoblogKillEnded             Key = "joblog_kill_ended" // our own
	JoblogRetryOpen             Key = "joblog_retry_open" // our own
	JoblogLostFail              Key = "joblog_lost_fail"
	JoblogCleared               Key = "joblog_cleared" // our own
	JoblogRollingLogFailoften   Key = "joblog_rolling_log_failoften"
	JoblogRollingLogTriggerfail Key = "joblog_rolling_log_triggerfail"
	JoblogFieldHandleMsg        Key = "joblog_field_handleMsg"
	JoblogFieldTriggerTime      Key = "joblog_field_triggerTime"
	JoblogMisfireGap            Key = "joblog_misfire_gap"    // our own; {0} how many, {1} first, {2} last
	JoblogLostGone              Key = "joblog_lost_gone"      // our own
	JoblogLostIdle              Key = "joblog_lost_idle"      // our own
	JoblogInDoubt               Key = "joblog_in_doubt"       // our own
	JoblogStoppedUnsent         Key = "joblog_stopped_unsent" // our own
	JoblogNoLogFile             Key = "joblog_no_log_file"    // our own
	JoblogLogNotShown           Key = "joblog_log_not_shown"  // our own
	JoblogAnswerLost            Key = "joblog_answer_lost"    // our own
	JoblogSentTwice             Key = "joblog_sent_twice"     // our own
	JoblogMayNotSend            Key = "joblog_may_not_send"   // our own
	JoblogNoAnswer              Key = "joblog_no_answer"      // our own
	JoblogJobDeleted            Key = "joblog_job_deleted"    // our own
	JoblogGroupMissing          Key = "joblog_group_missing"  // our own
	JoblogResultLate            Key = "joblog_result_late"    // our own
)

// What trigger_msg and handle_msg are made of (admin.md 4.5, 5.2).
const (
	JobconfBeat                 Key = "jobconf_beat"
	JobconfIdleBeat             Key = "jobconf_idleBeat"
	JobconfTriggerType          Key = "jobconf_trigger_type"
	JobconfTriggerTypeCron      Key = "jobconf_trigger_type_cron"
	JobconfTriggerTypeManual    Key = "jobconf_trigger_type_manual"
	JobconfTriggerTypeParent    Key = "jobconf_trigger_type_parent"
	JobconfTriggerTypeAPI       Key = "jobconf_trigger_type_api"
	JobconfTriggerTypeRetry     Key = "jobconf_trigger_type_retry"
	JobconfTriggerTypeMisfire   Key = "jobconf_trigger_type_misfire"
	JobconfTriggerAdminAdress   Key = "jobconf_trigger_admin_adress" //nolint:misspell // the name in Java
	JobconfTriggerExeRegtype    Key = "jobconf_trigger_exe_regtype"
	JobconfTriggerExeRegaddress Key = "jobconf_trigger_exe_regaddress"
	JobconfTriggerAddressEmpty  Key = "jobconf_trigger_address_empty"
	JobconfRouteUnknown         Key = "jobconf_route_unknown" // our own; {0} the name, {1} those that there are
	JobconfTriggerRun           Key = "jobconf_trigger_run"
	JobconfTriggerChildRun      Key = "jobconf_trigger_child_run"
	JobconfCallbackChildStarted Key = "jobconf_callback_child_started"
	JobconfCallbackChildMissing Key = "jobconf_callback_child_missing"
	JobconfCallbackChildForeign Key = "jobconf_callback_child_foreign"
	JobconfCallbackChildCycle   Key = "jobconf_callback_child_cycle"
	JobconfCallbackChildMany    Key = "jobconf_callback_child_many"
	JobconfCallbackChildBad     Key = "jobconf_callback_child_bad"
	JobconfRouteFirst           Key = "jobconf_route_first"
	JobconfRouteLast            Key = "jobconf_route_last"
	JobconfRouteRound           Key = "jobconf_route_round"
	JobconfRouteRandom          Key = "jobconf_route_random"
	JobconfRouteConsistenthash  Key = "jobconf_route_consistenthash"
	JobconfRouteLfu             Key = "jobconf_route_lfu"
	JobconfRouteLru             Key = "jobconf_route_lru"
	JobconfRouteFailover        Key = "jobconf_route_failover"
	JobconfRouteBusyover        Key = "jobconf_route_busyover"
	JobconfRouteShard           Key = "jobconf_route_shard"
	JobconfBlockSerial          Key = "jobconf_block_SERIAL_EXECUTION"
	JobconfBlockDiscardLater    Key = "jobconf_block_DISCARD_LATER"
	JobconfBlockCoverEarly      Key = "jobconf_block_COVER_EARLY"
	MisfireDoNothing            Key = "misfire_strategy_do_nothing"
	MisfireFireOnceNow          Key = "misfire_strategy_fire_once_now"
	ScheduleTypeNone            Key = "schedule_type_none"
	ScheduleTypeCron            Key = "schedule_type_cron"
	ScheduleTypeFixRate         Key = "schedule_type_fix_rate"
)

// Alarms.
const (
	JobconfMonitor             Key = "jobconf_monitor"
	JobconfMonitorDetail       Key = "jobconf_monitor_detail"
	JobconfMonitorAlarmTitle   Key = "jobconf_monitor_alarm_title"
	JobconfMonitorAlarmType    Key = "jobconf_monitor_alarm_type"
	JobconfMonitorAlarmContent Key = "jobconf_monitor_alarm_content"
	AlarmLost                  Key = "alarm_lost"
	AlarmRecovered             Key = "alarm_recovered"
	AlarmTest                  Key = "alarm_test"
	AlarmTestDetail            Key = "alarm_test_detail"
	AlarmMore                  Key = "alarm_more"
	AlarmMissed                Key = "alarm_missed"
	AlarmFailures              Key = "alarm_failures"
	AlarmSince                 Key = "alarm_since"
	AlarmLate                  Key = "alarm_late"
	AlarmLong                  Key = "alarm_long"
	AlarmNobody                Key = "alarm_nobody"
	AlarmOver                  Key = "alarm_over" // our own
	AlarmLimit                 Key = "alarm_limit"
	AlarmReason                Key = "alarm_reason"
	AlarmTime                  Key = "alarm_time"
	AlarmAuthor                Key = "alarm_author"
	AlarmAddress               Key = "alarm_address"
	AlarmLink                  Key = "alarm_link"
)

// RouteKey returns the title of a route strategy; of an unknown one its name.
func RouteKey(r model.Route) Key {
	switch r {
	case model.RouteFirst:
		return JobconfRouteFirst
	case model.RouteLast:
		return JobconfRouteLast
	case model.RouteRound:
		return JobconfRouteRound
	case model.RouteRandom:
		return JobconfRouteRandom
	case model.RouteConsistentHash:
		return JobconfRouteConsistenthash
	case model.RouteLeastFrequent:
		return JobconfRouteLfu
	case model.RouteLeastRecent:
		return JobconfRouteLru
	case model.RouteFailover:
		return JobconfRouteFailover
	case model.RouteBusyover:
		return JobconfRouteBusyover
	case model.RouteShardingBroadcast:
		return JobconfRouteShard
	}
	return Key(r)
}

// BlockKey returns the title of a block strategy; of an unknown one its name.
func BlockKey(b model.Block) Key {
	switch b {
	case model.BlockSerial:
		return JobconfBlockSerial
	case model.BlockDiscardLater:
		return JobconfBlockDiscardLater
	case model.BlockCoverEarly:
		return JobconfBlockCoverEarly
	}
	return Key(b)
}

// TriggerKey returns the title of a trigger type; of an unknown one its name.
func TriggerKey(t model.TriggerType) Key {
	switch t {
	case model.TriggerManual:
		return JobconfTriggerTypeManual
	case model.TriggerCron:
		return JobconfTriggerTypeCron
	case model.TriggerRetry:
		return JobconfTriggerTypeRetry
	case model.TriggerParent:
		return JobconfTriggerTypeParent
	case model.TriggerAPI:
		return JobconfTriggerTypeAPI
	case model.TriggerMisfire:
		return JobconfTriggerTypeMisfire
	}
	return Key(t)
}

// MisfireKey returns the title of a misfire strategy; of an unknown one its
// name.
func MisfireKey(m model.Misfire) Key {
	switch m {
	case model.MisfireDoNothing:
		return MisfireDoNothing
	case model.MisfireFireOnceNow:
		return MisfireFireOnceNow
	}
	return Key(m)
}

// ScheduleKey returns the title of a schedule type; of an unknown one its
// name.
func ScheduleKey(t model.ScheduleType) Key {
	switch t {
	case model.ScheduleNone:
		return ScheduleTypeNone
	case model.ScheduleCron:
		return ScheduleTypeCron
	case model.ScheduleFixRate:
		return ScheduleTypeFixRate
	}
	return Key(t)
}
