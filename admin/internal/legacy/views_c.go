package legacy

type jobC struct {
	Added        text   `json:"addTime"`
	AlarmEmail   text   `json:"alarmEmail"`
	Author       text   `json:"author"`
	Children     text   `json:"childJobId"`
	Block        string `json:"executorBlockStrategy"`
	Retries      int32  `json:"executorFailRetryCount"`
	Handler      text   `json:"executorHandler"`
	Param        text   `json:"executorParam"`
	Route        string `json:"executorRouteStrategy"`
	Timeout      int32  `json:"executorTimeout"`
	GlueRemark   text   `json:"glueRemark"`
	GlueSource   text   `json:"glueSource"`
	GlueType     string `json:"glueType"`
	GlueUpdated  text   `json:"glueUpdatetime"`
	ID           int32  `json:"id"`
	Desc         string `json:"jobDesc"`
	Group        int32  `json:"jobGroup"`
	Misfire      string `json:"misfireStrategy"`
	ScheduleConf text   `json:"scheduleConf"`
	ScheduleType string `json:"scheduleType"`
	TimeZone     string `json:"timeZone,omitempty"`
	LastMs       int64  `json:"triggerLastTime"`
	NextMs       int64  `json:"triggerNextTime"`
	Status       int    `json:"triggerStatus"`
	Updated      text   `json:"updateTime"`
}

type groupC struct {
	AddressList text     `json:"addressList"`
	AddressType int      `json:"addressType"`
	AppName     string   `json:"appname"`
	ID          int32    `json:"id"`
	Registry    []string `json:"registryList"` // null when there are none
	Title       string   `json:"title"`
	Updated     text     `json:"updateTime"`
}

type logC struct {
	AlarmStatus   int8  `json:"alarmStatus"`
	Address       text  `json:"executorAddress"`
	Retries       int32 `json:"executorFailRetryCount"`
	Handler       text  `json:"executorHandler"`
	Param         text  `json:"executorParam"`
	ShardingParam text  `json:"executorShardingParam"`
	HandleCode    int32 `json:"handleCode"`
	HandleMsg     text  `json:"handleMsg"`
	HandleTime    text  `json:"handleTime"`
	ID            int64 `json:"id"`
	Group         int32 `json:"jobGroup"`
	JobID         int32 `json:"jobId"`
	TriggerCode   int32 `json:"triggerCode"`
	TriggerMsg    text  `json:"triggerMsg"`
	TriggerTime   text  `json:"triggerTime"`
}

type userC struct {
	ID         int32  `json:"id"`
	Password   text   `json:"password"` // always null
	Permission text   `json:"permission"`
	Role       int    `json:"role"`
	Token      text   `json:"token"` // always null
	Username   string `json:"username"`
}
