package cron

import (
	"math"
	"math/bits"
	"time"
)

// horizon is how many years beyond that of its argument Next looks.
const horizon = 100

// The instants for which Next computes.
var (
	minAfter = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	maxAfter = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// Schedule is a parsed expression. It is small, comparable (equal to itself
// and its copies, not to another parse of the same text), immutable and safe
// for concurrent use. The zero Schedule never fires.
type Schedule struct{ spec *spec }

// String returns the expression as it was given.
func (s Schedule) String() string {
	if s.spec == nil {
		return ""
	}
	return s.spec.text
}

// Next returns the first instant at which the schedule fires strictly after
// the given one, at a whole second, in the location of after, on whose wall
// clock it is computed; the package comment says what happens where that clock
// jumps. It returns the zero time when the schedule does not fire up to the end
// of the hundredth year from that of after, and for an after outside of the
// years 0 to 9999 (UTC). It does not allocate.
func (s Schedule) Next(after time.Time) time.Time {
	unix := after.Unix()
	if s.spec == nil || s.spec.never || unix < minAfter || unix > maxAfter {
		return time.Time{}
	}
	next := s.spec.nextAtHour
	if s.spec.hour == allHours {
		next = s.spec.nextEveryHour
	}
	loc := after.Location()
	unix, ok := next(unix, stretchAt(unix, loc), loc)
	if !ok {
		return time.Time{}
	}
	return time.Unix(unix, 0).In(loc)
}

// yearSpan is from, from+step … up to to.
type yearSpan struct{ from, to, step int }

// allHours is the hour set of an expression that names no hour.
const allHours = 1<<24 - 1

// spec holds the values of the fields as bit sets: bit v for the value v, in
// dow bit 0 for Sunday, in last and nearLast bit n for n days before the last.
type spec struct {
	text     string
	sec, min uint64
	hour     uint32
	month    uint16
	never    bool // a set is empty

	byWeekday bool
	dow       uint8
	nth       int // of the one weekday in dow; 0 for every one
	lastDOW   bool

	dom, last, near, nearLast uint32

	years []yearSpan
}

// secondsADay is the length of a day on the wall clock.
const secondsADay = 24 * 60 * 60

// lastYear returns the last year in which the match after a wall clock second is
// looked for.
func lastYear(wall int64) int { return time.Unix(wall, 0).UTC().Year() + horizon }

// nextWall returns the first second not before w that matches. Seconds of the
// wall clock are counted as if it were that of UTC. ok is false when there is
// none up to the end of the given year.
func (s *spec) nextWall(w int64, limit int) (next int64, ok bool) {
	date := time.Unix(w, 0).UTC()
	y, mon, d := date.Date()
	if s.month>>mon&1 == 1 && s.nextYear(y) == y {
		if y > limit {
			return 0, false
		}
		midnight := w - int64(date.Hour()*3600+date.Minute()*60+date.Second())
		days := s.days(y, mon, midnight/secondsADay-int64(d-1)) >> d
		if days&1 == 1 {
			if clock, ok := s.nextClock(date.Clock()); ok {
				return midnight + clock, true
			}
		}
		if days >>= 1; days != 0 {
			ahead := int64(bits.TrailingZeros32(days)) + 1
			return midnight + ahead*secondsADay + s.firstClock(), true
		}
	}
	return s.nextMonth(y, int(mon)+1, limit)
}

// nextMonth returns the first matching second from the given month on; 13 is
// the January that follows.
func (s *spec) nextMonth(y, mon, limit int) (next int64, ok bool) {
	for {
		ahead := s.month >> mon
		if ahead == 0 {
			y, mon = y+1, 1
			ahead = s.month >> 1
		}
		year := s.nextYear(y)
		if year > limit {
			return 0, false
		}
		if year > y {
			y, mon, ahead = year, 1, s.month>>1
		}
		mon += bits.TrailingZeros16(ahead)
		day1 := time.Date(y, time.Month(mon), 1, 0, 0, 0, 0, time.UTC).Unix() / secondsADay
		if days := s.days(y, time.Month(mon), day1) >> 1; days != 0 {
			return (day1+int64(bits.TrailingZeros32(days)))*secondsADay + s.firstClock(), true
		}
		mon++
	}
}

// nextYear returns the first year not before y that matches; a very large one
// when there is none.
func (s *spec) nextYear(y int) int {
	best := math.MaxInt
	for _, span := range s.years {
		next := span.from
		if y > next {
			next += (y - next + span.step - 1) / span.step * span.step
		}
		if next <= span.to {
			best = min(best, next)
		}
	}
	return best
}

// nextClock returns the first matching time of day not before the given one,
// in seconds.
func (s *spec) nextClock(h, m, sec int) (clock int64, ok bool) {
	if s.hour>>h&1 == 1 {
		if s.min>>m&1 == 1 {
			if ahead := s.sec >> sec; ahead != 0 {
				return seconds(h, m, sec+bits.TrailingZeros64(ahead)), true
			}
		}
		if ahead := s.min >> (m + 1); ahead != 0 {
			return seconds(h, m+1+bits.TrailingZeros64(ahead), bits.TrailingZeros64(s.sec)), true
		}
	}
	if ahead := s.hour >> (h + 1); ahead != 0 {
		h += 1 + bits.TrailingZeros32(ahead)
		return seconds(h, bits.TrailingZeros64(s.min), bits.TrailingZeros64(s.sec)), true
	}
	return 0, false
}

// firstClock returns the first matching time of a day.
func (s *spec) firstClock() int64 {
	return seconds(bits.TrailingZeros32(s.hour), bits.TrailingZeros64(s.min), bits.TrailingZeros64(s.sec))
}

func seconds(h, m, sec int) int64 { return int64(h*3600 + m*60 + sec) }
