package model

import (
	"cmp"
	"time"
)

// EndKind says how a run has ended. The numbers stand in the database.
type EndKind int8

// The ways in which a run ends.
const (
	EndOpen    EndKind = 0 // it has not ended; of a report: its code says how
	EndOK      EndKind = 1
	EndFailed  EndKind = 2 // its handler says so
	EndTimeout EndKind = 3 // its own time limit has ended it
	EndKilled  EndKind = 4 // a person has ended it
	EndSkipped EndKind = 5 // nobody ran it, as its job wants: its block strategy discarded it, its instant had passed
	EndLost    EndKind = 6 // nobody reports anything of it
	EndUnsent  EndKind = 7 // no executor took it

	// EndReplaced is that a later run of the job has taken its place, as the block
	// strategy of the job wants.
	EndReplaced EndKind = 8
)

// Fault reports whether somebody should look at a run that ended like this.
func (k EndKind) Fault() bool {
	switch k {
	case EndFailed, EndTimeout, EndLost, EndUnsent:
		return true
	case EndOpen, EndOK, EndKilled, EndSkipped, EndReplaced:
	}
	return false
}

// Wanted reports whether the run was ended because a person or its job wanted that:
// it is not tried again, and nobody is told.
func (k EndKind) Wanted() bool { return k == EndKilled || k == EndReplaced }

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
	SentMs    int64 // when an executor took it, or when it was sent if the result was faster; 0 while neither is known
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
// whole seconds. The second in which something was asked for, which is all there
// is where the answer of the executor was lost, is no beginning to count
// milliseconds from; that of a schedule is.
func (r *Recent) Exact() bool { return r.endExact() && (r.End.SentMs > 0 || r.End.PlannedMs > 0) }

// endExact reports whether the end is known to the millisecond.
func (r *Recent) endExact() bool {
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
		return r.End.took()
	case end.IsZero():
		end = now
	}
	return max(end.Sub(r.TriggerTime), 0)
}

// took is the time from the acceptance, or where that is not known from the
// planned instant, to the end.
func (e *End) took() time.Duration {
	return max(time.Duration(e.EndedMs-cmp.Or(e.SentMs, e.PlannedMs))*time.Millisecond, 0)
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
	if l.EndExact() {
		return time.UnixMilli(l.End.EndedMs).In(l.TriggerTime.Location())
	}
	return l.HandleTime
}

// EndExact reports whether Ended is exact to the millisecond.
func (l *Log) EndExact() bool {
	r := l.Recent()
	return r.endExact()
}

// Took is how long the run took, or has been at it until now, as of Recent.
func (l *Log) Took(now time.Time) (d time.Duration, exact bool) {
	r := l.Recent()
	return r.Took(now), r.Exact()
}
