package cron

import (
	"math"
	"slices"
)

// Fields is what an expression says, field by field, as sets: bit v stands for
// the value v. It is for those who show an expression; Next works on the same
// sets.
type Fields struct {
	Seconds uint64 // bits 0 to 59
	Minutes uint64 // bits 0 to 59
	Hours   uint32 // bits 0 to 23
	Months  uint16 // bits 1 to 12

	ByWeekday   bool  // days are chosen by Weekdays, else by the four sets of days
	Weekdays    uint8 // bit 0 is Sunday
	Nth         int   // only the nth of the one day in Weekdays in a month, 1 to 5; 0 is every one
	LastWeekday bool  // only the last of the one day in Weekdays in a month

	Days         uint32 // bits 1 to 31
	LastDays     uint32 // bit n: n days before the last of the month (L-n)
	NearDays     uint32 // bit n: the weekday nearest to day n (nW)
	NearLastDays uint32 // bit n: the weekday nearest to n days before the last (L-nW)

	Years []YearRange // empty is no year
	Never bool        // a field that must hold a value holds none
}

// YearRange is From, From+Step … up to To.
type YearRange struct{ From, To, Step int }

// Endless reports whether the range has no end.
func (y YearRange) Endless() bool { return y.To == math.MaxInt32 }

// AllYears reports whether the expression names no year.
func (f *Fields) AllYears() bool {
	return slices.ContainsFunc(f.Years, func(y YearRange) bool {
		return y.From <= firstYear && y.Endless() && y.Step == 1
	})
}

// Fields returns the sets of the schedule; those of the zero Schedule are
// empty. The caller may keep and change what it gets.
func (s Schedule) Fields() Fields {
	if s.spec == nil {
		return Fields{Never: true}
	}
	p := s.spec
	f := Fields{
		Seconds: p.sec, Minutes: p.min, Hours: p.hour, Months: p.month,
		ByWeekday: p.byWeekday, Weekdays: p.dow, Nth: p.nth, LastWeekday: p.lastDOW,
		Days: p.dom, LastDays: p.last, NearDays: p.near, NearLastDays: p.nearLast,
		Never: p.never,
	}
	for _, y := range p.years {
		f.Years = append(f.Years, YearRange{From: y.from, To: y.to, Step: y.step})
	}
	return f
}
