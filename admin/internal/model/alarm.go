package model

import (
	"slices"
	"time"
)

// AlarmWhat says what an alarm on record, or a rule, is about.
type AlarmWhat string

// What alarms are about.
const (
	AlarmOnFailure AlarmWhat = "failed" // a run failed; needs no rule
	AlarmOnLate    AlarmWhat = "late"   // a planned fire was not sent within the limit
	AlarmOnLong    AlarmWhat = "long"   // a run takes longer than the limit
	AlarmOnNobody  AlarmWhat = "nobody" // a group has had no executor for the limit
)

// AlarmRules lists what a rule may be about.
func AlarmRules() []AlarmWhat { return []AlarmWhat{AlarmOnLate, AlarmOnLong, AlarmOnNobody} }

// IsRule reports whether a rule may be about it.
func (w AlarmWhat) IsRule() bool { return slices.Contains(AlarmRules(), w) }

// AlarmKey is what has at most one open alarm.
type AlarmKey struct {
	What     AlarmWhat
	Kind     string // ChangeJob or ChangeGroup
	ObjectID int32
}

// AlarmRule asks for alarms of a job, or of every job of a group.
type AlarmRule struct {
	AlarmKey
	Limit   time.Duration // whole seconds
	User    string        // who has set it
	Created time.Time
}

// AlarmRecord is an alarm on record. While it is open, alarms of the same key
// are counted in it.
type AlarmRecord struct {
	ID int64
	AlarmKey
	GroupID   int32 // of the job, or the group itself
	First     time.Time
	Last      time.Time
	Recovered time.Time // zero while it is open
	Count     int64     // how often it was raised
	Muted     int64     // how many of these fell into a mute window
	LogID     int64     // the last run that it is about; 0 is none
	Message   string    // of the last one; may come from an executor
	Acked     time.Time // when it was acknowledged; zero when it was not, or was raised again since
	AckedBy   string    // by whom
}

// Mark is the place of an alarm in a list of this order.
func (a *AlarmRecord) Mark(order string) Mark {
	m := Mark{ID: a.ID}
	switch order {
	case OrderLast:
		m.Number = a.Last.UnixMilli()
	case OrderCount:
		m.Number = a.Count
	case OrderEnded:
		m.Number = a.Recovered.UnixMilli()
	}
	return m
}

// AlarmDelivery is what last became of an alarm in a channel.
type AlarmDelivery struct {
	AlarmID int64 // 0 is a test
	Channel string
	At      time.Time
	Error   string // without secrets; "" when it arrived
}

// AlarmFilter selects alarms on record. Zero fields select everything.
type AlarmFilter struct {
	Ended    bool    // those that have ended; else those that are open
	GroupIDs []int32 // only of these groups; nil is all
	Kind     string  // with ObjectID
	ObjectID int32
	What     AlarmWhat // only of this kind; "" is every one
	From, To time.Time // only those that had not ended before From, and began before To
	Acked    *bool     // those that are acknowledged, or that are not
	Order    Order
	BeforeID int64 // id below; not with an Order of another kind
	Limit    int   // 1 to 1,000; 0 is 10
}

// Overdue is a job's fire or run that a rule is about.
type Overdue struct {
	JobID   int32
	GroupID int32
	LogID   int64 // 0 when there is no run yet
	SinceMs int64 // when it was due, or was sent
}
