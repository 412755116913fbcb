package model

import "time"

// EndKind says how a run has ended. The numbers stand in the database.
type EndKind int8

// The ways in which a run ends.
const (
	EndOpen    EndKind = 0 // it has not ended; of a report: its code says how
	EndOK      EndKind = 1
	EndFailed  EndKind = 2 // its handler says so
	EndTimeout EndKind = 3 // its own time limit has ended it
	EndKilled  EndKind = 4 // a person has ended it
	EndSkipped EndKind = 5 // nobody ran it, as its job wants: its block strategy has discarded it, its instant had passed
	EndLost    EndKind = 6 // nobody reports anything of it
	EndUnsent  EndKind = 7 // no executor took it
)

// Fault reports whether somebody should look at a run that ended like this.
func (k EndKind) Fault() bool {
	switch k {
	case EndFailed, EndTimeout, EndLost, EndUnsent:
		return true
	case EndOpen, EndOK, EndKilled, EndSkipped:
	}
	return false
}

// EndByCode is what the codes of a log row say: all there is of runs of a Java
// admin, and of those that ended before ends were kept.
func EndByCode(trigger, handle int32) EndKind {
	switch {
	case handle == CodeSuccess:
		return EndOK
	case handle == CodeTimeout:
		return EndTimeout
	case handle != CodeNone:
		return EndFailed
	case trigger != CodeNone && trigger != CodeSuccess:
		return EndUnsent
	}
	return EndOpen
}

// End is what we keep of the end of a run beside Java's columns, whose times are
// whole seconds. The zero value is that nothing is kept.
type End struct {
	PlannedMs int64 // the planned instant; 0 for a run that no schedule made
	SentMs    int64 // when an executor said that it took it, maybe after the result; 0 while that is not known
	EndedMs   int64 // when its result came, or when it was given up
	Kind      EndKind
}

// Kind says how the run has ended. What Java's columns say counts where they
// contradict: somebody has changed the row since.
func (r *Recent) Kind() EndKind {
	by := EndByCode(r.TriggerCode, r.HandleCode)
	if by == EndOpen || r.End.Kind == EndOpen || (by == EndOK) != (r.End.Kind == EndOK) {
		return by
	}
	return r.End.Kind
}

// Exact reports whether Took is exact to the millisecond; else it is made of
// whole seconds.
func (r *Recent) Exact() bool {
	return r.End.EndedMs > 0 && EndByCode(r.TriggerCode, r.HandleCode) != EndOpen
}

// Took is how long the run took, or has been at it until now. It is 0 for one
// that no executor has taken.
func (r *Recent) Took(now time.Time) time.Duration {
	end := r.HandleTime
	switch {
	case r.TriggerTime.IsZero() || r.TriggerCode != CodeSuccess:
		return 0
	case r.Exact():
		return r.End.took(r.TriggerTime)
	case end.IsZero():
		end = now
	}
	return max(end.Sub(r.TriggerTime), 0)
}

// took is the time from the acceptance, or as long as that is not known from the
// trigger, to the end.
func (e *End) took(trigger time.Time) time.Duration {
	from := e.SentMs
	if from == 0 {
		from = trigger.UnixMilli()
	}
	return max(time.Duration(e.EndedMs-from)*time.Millisecond, 0)
}

// Recent is the run in short.
func (l *Log) Recent() Recent {
	return Recent{
		ID: l.ID, TriggerTime: l.TriggerTime, TriggerCode: l.TriggerCode, HandleTime: l.HandleTime,
		HandleCode: l.HandleCode, End: l.End, RetriesLeft: l.RetriesLeft,
	}
}

// Kind says how the run has ended.
func (l *Log) Kind() EndKind {
	r := l.Recent()
	return r.Kind()
}

// Ended is when the run ended, to the millisecond where that is known; the zero
// time while it has no result.
func (l *Log) Ended() time.Time {
	if r := l.Recent(); r.Exact() {
		return time.UnixMilli(l.End.EndedMs).In(l.TriggerTime.Location())
	}
	return l.HandleTime
}

// Took is how long the run took, or has been at it until now, as of Recent.
func (l *Log) Took(now time.Time) (d time.Duration, exact bool) {
	r := l.Recent()
	return r.Took(now), r.Exact()
}
