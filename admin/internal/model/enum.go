package model

import "slices"

// ScheduleType says when a job fires by itself.
type ScheduleType string

// The schedule types (admin.md 2.4).
const (
	ScheduleNone    ScheduleType = "NONE"     // only by hand, by API or as a child
	ScheduleCron    ScheduleType = "CRON"     // at the times of a cron expression
	ScheduleFixRate ScheduleType = "FIX_RATE" // every so many seconds
)

// Valid reports whether the type is one of the known ones.
func (t ScheduleType) Valid() bool {
	return t == ScheduleNone || t == ScheduleCron || t == ScheduleFixRate
}

// Misfire says what becomes of instants that nobody planned in time.
type Misfire string

// The misfire strategies.
const (
	MisfireDoNothing   Misfire = "DO_NOTHING"    // record the gap
	MisfireFireOnceNow Misfire = "FIRE_ONCE_NOW" // record the gap and run once
)

// Valid reports whether the strategy is one of the known ones.
func (m Misfire) Valid() bool { return m == MisfireDoNothing || m == MisfireFireOnceNow }

// Route says which of a group's addresses gets a run.
type Route string

// The route strategies (admin.md 4.4).
const (
	RouteFirst             Route = "FIRST"
	RouteLast              Route = "LAST"
	RouteRound             Route = "ROUND"
	RouteRandom            Route = "RANDOM"
	RouteConsistentHash    Route = "CONSISTENT_HASH"
	RouteLeastFrequent     Route = "LEAST_FREQUENTLY_USED"
	RouteLeastRecent       Route = "LEAST_RECENTLY_USED"
	RouteFailover          Route = "FAILOVER"
	RouteBusyover          Route = "BUSYOVER"
	RouteShardingBroadcast Route = "SHARDING_BROADCAST"
)

// Routes lists the route strategies in the order of the Java console.
func Routes() []Route {
	return []Route{
		RouteFirst, RouteLast, RouteRound, RouteRandom, RouteConsistentHash,
		RouteLeastFrequent, RouteLeastRecent, RouteFailover, RouteBusyover, RouteShardingBroadcast,
	}
}

// Valid reports whether the strategy is one of the known ones.
func (r Route) Valid() bool { return slices.Contains(Routes(), r) }

// Probes reports whether the strategy asks executors before it chooses.
func (r Route) Probes() bool { return r == RouteFailover || r == RouteBusyover }

// Block says what an executor does with a trigger for a job that is running.
type Block string

// The block strategies.
const (
	BlockSerial       Block = "SERIAL_EXECUTION"
	BlockDiscardLater Block = "DISCARD_LATER"
	BlockCoverEarly   Block = "COVER_EARLY"
)

// Valid reports whether the strategy is one of the known ones.
func (b Block) Valid() bool {
	return b == BlockSerial || b == BlockDiscardLater || b == BlockCoverEarly
}

// GlueBean is the glue type of a job that names a registered handler; every
// other glue type carries source code.
const GlueBean = "BEAN"

// GlueTypes lists the glue types of all releases in the order of the Java
// console.
func GlueTypes() []string {
	return []string{
		GlueBean, "GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_PHP",
		"GLUE_NODEJS", "GLUE_POWERSHELL",
	}
}

// TriggerType says what made a run.
type TriggerType string

// The trigger types (admin.md 4.2).
const (
	TriggerManual  TriggerType = "MANUAL"
	TriggerCron    TriggerType = "CRON" // by schedule, FIX_RATE included
	TriggerRetry   TriggerType = "RETRY"
	TriggerParent  TriggerType = "PARENT"
	TriggerAPI     TriggerType = "API"
	TriggerMisfire TriggerType = "MISFIRE"
)

// Codes of a run's trigger and of its result.
const (
	CodeNone    int32 = 0   // not yet known
	CodeSuccess int32 = 200 // accepted; done
	CodeFail    int32 = 500 // refused; failed
	CodeTimeout int32 = 502 // ended by its own time limit
)

// AlarmStatus is the column alarm_status of a log row.
type AlarmStatus int8

// The values of alarm_status (admin.md 1.2).
const (
	AlarmLocked  AlarmStatus = -1 // being sent
	AlarmDefault AlarmStatus = 0
	AlarmNone    AlarmStatus = 1 // none needed
	AlarmSent    AlarmStatus = 2
	AlarmFailed  AlarmStatus = 3
)
