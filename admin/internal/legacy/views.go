package legacy

import (
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The objects of the JSON answers. Releases up to 3.2.0 write them in the
// order of the Java class, later ones in alphabetical order; views of C stand
// in views_c.go.

type jobA struct {
	ID         int32  `json:"id"`
	Group      int32  `json:"jobGroup"`
	Desc       string `json:"jobDesc"`
	Added      text   `json:"addTime"`
	Updated    text   `json:"updateTime"`
	Author     text   `json:"author"`
	AlarmEmail text   `json:"alarmEmail"`

	ScheduleType string `json:"scheduleType"`
	ScheduleConf text   `json:"scheduleConf"`
	Misfire      string `json:"misfireStrategy"`
	Route        string `json:"executorRouteStrategy"`
	Handler      text   `json:"executorHandler"`
	Param        text   `json:"executorParam"`
	Block        string `json:"executorBlockStrategy"`
	Timeout      int32  `json:"executorTimeout"`
	Retries      int32  `json:"executorFailRetryCount"`
	GlueType     string `json:"glueType"`
	GlueSource   text   `json:"glueSource"`
	GlueRemark   text   `json:"glueRemark"`
	GlueUpdated  text   `json:"glueUpdatetime"`
	Children     text   `json:"childJobId"`
	Status       int    `json:"triggerStatus"`
	LastMs       int64  `json:"triggerLastTime"`
	NextMs       int64  `json:"triggerNextTime"`
	TimeZone     string `json:"timeZone,omitempty"` // ours; Java has no such key, and jobs without a zone neither
}

// viewJob returns the JSON object of a job in the dialect.
func viewJob(d Dialect, j *model.Job) any {
	v := jobA{
		ID: j.ID, Group: j.GroupID, Desc: j.Name, Added: javaDate(d, j.AddTime), Updated: javaDate(d, j.UpdateTime),
		Author: text(j.Author), AlarmEmail: text(j.AlarmEmail), ScheduleType: string(j.ScheduleType),
		ScheduleConf: text(j.ScheduleConf), Misfire: string(j.Misfire), Route: string(j.Route),
		Handler: text(j.Handler), Param: text(j.Param), Block: string(j.Block), Timeout: j.TimeoutSec,
		Retries: j.Retries, GlueType: j.GlueType, GlueSource: text(j.GlueSource), GlueRemark: text(j.GlueRemark),
		GlueUpdated: javaDate(d, j.GlueUpdated), Children: text(j.Children), LastMs: j.LastMs, NextMs: j.NextMs,
		TimeZone: j.TimeZone,
	}
	if j.Running {
		v.Status = 1
	}
	if d == C {
		return jobC{
			Added: v.Added, AlarmEmail: v.AlarmEmail, Author: v.Author, Children: v.Children, Block: v.Block,
			Retries: v.Retries, Handler: v.Handler, Param: v.Param, Route: v.Route, Timeout: v.Timeout,
			GlueRemark: v.GlueRemark, GlueSource: v.GlueSource, GlueType: v.GlueType, GlueUpdated: v.GlueUpdated,
			ID: v.ID, Desc: v.Desc, Group: v.Group, Misfire: v.Misfire, ScheduleConf: v.ScheduleConf,
			ScheduleType: v.ScheduleType, LastMs: v.LastMs, NextMs: v.NextMs, Status: v.Status, Updated: v.Updated,
			TimeZone: v.TimeZone,
		}
	}
	return v
}

type groupA struct {
	ID          int32    `json:"id"`
	AppName     string   `json:"appname"`
	Title       string   `json:"title"`
	AddressType int      `json:"addressType"`
	AddressList text     `json:"addressList"`
	Updated     text     `json:"updateTime"`
	Registry    []string `json:"registryList"` // null when there are none
}

// viewGroup returns the JSON object of a group in the dialect. It never holds
// the access token.
func viewGroup(d Dialect, g *model.Group) any {
	v := groupA{
		ID: g.ID, AppName: g.AppName, Title: g.Title, AddressList: text(g.AddressList),
		Updated: javaDate(d, g.UpdateTime), Registry: g.Addresses(),
	}
	if g.Manual {
		v.AddressType = 1
	}
	if d == C {
		return groupC{
			AddressList: v.AddressList, AddressType: v.AddressType, AppName: v.AppName, ID: v.ID,
			Registry: v.Registry, Title: v.Title, Updated: v.Updated,
		}
	}
	return v
}

type logA struct {
	ID            int64 `json:"id"`
	Group         int32 `json:"jobGroup"`
	JobID         int32 `json:"jobId"`
	Address       text  `json:"executorAddress"`
	Handler       text  `json:"executorHandler"`
	Param         text  `json:"executorParam"`
	ShardingParam text  `json:"executorShardingParam"`
	Retries       int32 `json:"executorFailRetryCount"`
	TriggerTime   text  `json:"triggerTime"`
	TriggerCode   int32 `json:"triggerCode"`
	TriggerMsg    text  `json:"triggerMsg"`
	HandleTime    text  `json:"handleTime"`
	HandleCode    int32 `json:"handleCode"`
	HandleMsg     text  `json:"handleMsg"`
	AlarmStatus   int8  `json:"alarmStatus"`
}

// viewLog returns the JSON object of a log row in the dialect. Its two times
// are wall clock in the server's zone since 3.4.1, unlike all other dates.
func (s *Server) viewLog(d Dialect, l *model.Log) any {
	v := logA{
		ID: l.ID, Group: l.GroupID, JobID: l.JobID, Address: text(l.Address), Handler: text(l.Handler),
		Param: text(l.Param), ShardingParam: text(l.ShardingParam), Retries: l.RetriesLeft,
		TriggerTime: javaDate(d, l.TriggerTime), TriggerCode: l.TriggerCode, TriggerMsg: text(l.TriggerMsg),
		HandleTime: javaDate(d, l.HandleTime), HandleCode: l.HandleCode, HandleMsg: text(l.HandleMsg),
		AlarmStatus: int8(l.AlarmStatus),
	}
	if d != C {
		return v
	}
	if !l.TriggerTime.IsZero() {
		v.TriggerTime = str(l.TriggerTime.In(s.cfg.Location).Format(layoutWall))
	}
	if !l.HandleTime.IsZero() {
		v.HandleTime = str(l.HandleTime.In(s.cfg.Location).Format(layoutWall))
	}
	return logC{
		AlarmStatus: v.AlarmStatus, Address: v.Address, Retries: v.Retries, Handler: v.Handler, Param: v.Param,
		ShardingParam: v.ShardingParam, HandleCode: v.HandleCode, HandleMsg: v.HandleMsg, HandleTime: v.HandleTime,
		ID: v.ID, Group: v.Group, JobID: v.JobID, TriggerCode: v.TriggerCode, TriggerMsg: v.TriggerMsg,
		TriggerTime: v.TriggerTime,
	}
}

type userA struct {
	ID         int32  `json:"id"`
	Username   string `json:"username"`
	Password   text   `json:"password"` // always null
	Role       int    `json:"role"`
	Permission text   `json:"permission"`
}

type userB struct {
	ID         int32  `json:"id"`
	Username   string `json:"username"`
	Password   text   `json:"password"` // always null
	Token      text   `json:"token"`    // always null
	Role       int    `json:"role"`
	Permission text   `json:"permission"`
}

// viewUser returns the JSON object of a user in the dialect. It never holds a
// hash or a token.
func viewUser(d Dialect, u *model.User) any {
	role := 0
	if u.Admin {
		role = 1
	}
	switch d {
	case A:
		return userA{ID: u.ID, Username: u.Username, Role: role, Permission: text(u.Permission)}
	case B:
		return userB{ID: u.ID, Username: u.Username, Role: role, Permission: text(u.Permission)}
	default:
		return userC{ID: u.ID, Username: u.Username, Role: role, Permission: text(u.Permission)}
	}
}

// logText is a piece of a run's log. To browsers the end is called "end".
type logText struct {
	From    int32  `json:"fromLineNum"`
	To      int32  `json:"toLineNum"`
	Content string `json:"logContent"`
	End     bool   `json:"end"`
}

// chart is the numbers of the dashboard, in the order of the hash map that
// Java keeps them in.
type chart struct {
	FailTotal    int      `json:"triggerCountFailTotal"`
	Days         []string `json:"triggerDayList"`
	Running      []int    `json:"triggerDayCountRunningList"`
	SuccessTotal int      `json:"triggerCountSucTotal"`
	Fail         []int    `json:"triggerDayCountFailList"`
	RunningTotal int      `json:"triggerCountRunningTotal"`
	Success      []int    `json:"triggerDayCountSucList"`
}
