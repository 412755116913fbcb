package words

import (
	"fmt"
	"math/bits"
)

// span is from … to; from lies above to where it runs through the end of its
// field, as 22 to 5 does.
type span struct{ from, to int }

// set is the values of a field.
type set struct {
	bits      uint64
	low, high int // of the field
}

func (s set) has(v int) bool { return s.bits>>v&1 == 1 }

func (s set) count() int { return bits.OnesCount64(s.bits) }

func (s set) first() int { return bits.TrailingZeros64(s.bits) }

func (s set) last() int { return bits.Len64(s.bits) - 1 }

func (s set) all() bool { return s.count() == s.high-s.low+1 }

func (s set) single() bool { return s.count() == 1 }

// values lists them in ascending order.
func (s set) values() []int {
	list := make([]int, 0, s.count())
	for v := s.low; v <= s.high; v++ {
		if s.has(v) {
			list = append(list, v)
		}
	}
	return list
}

// spans cuts the set into runs of neighbours. Where the first and the last run
// meet at the end of the field they are one, if the field goes round.
func (s set) spans(round bool) []span {
	var list []span
	for v := s.low; v <= s.high; v++ {
		switch {
		case !s.has(v):
		case v > s.low && s.has(v-1):
			list[len(list)-1].to = v
		default:
			list = append(list, span{v, v})
		}
	}
	if n := len(list); round && n > 1 && s.has(s.low) && s.has(s.high) {
		list[n-1].to = list[0].to
		list = list[1:]
	}
	return list
}

// steps returns the distance of the values where it is the same for all and at
// least 2, and there are at least three of them.
func (s set) steps() (step int, ok bool) {
	list := s.values()
	if len(list) < 3 {
		return 0, false
	}
	step = list[1] - list[0]
	for i := 2; i < len(list); i++ {
		if list[i]-list[i-1] != step {
			return 0, false
		}
	}
	return step, step >= 2
}

// even returns the step of a set that goes through the whole field, and on in
// the next round, at that step: every 5 minutes is one, every 7 is none.
func (s set) even() (step int, ok bool) {
	size := s.high - s.low + 1
	list := s.values()
	if len(list) < 2 || size%len(list) != 0 {
		return 0, false
	}
	step = size / len(list)
	for i, v := range list {
		if v != list[0]+i*step {
			return 0, false
		}
	}
	return step, true
}

// pieces names the values: runs of three and more as ranges, others one by one.
func (s set) pieces(round bool, one func(int) string, run func(span) string) []string {
	var list []string
	for _, p := range s.spans(round) {
		size := p.to - p.from + 1
		if p.from > p.to {
			size += s.high - s.low + 1
		}
		if size >= 3 {
			list = append(list, run(p))
			continue
		}
		list = append(list, one(p.from))
		if size == 2 {
			list = append(list, one(p.to))
		}
	}
	return list
}

// hhmm is a time of day; seconds are left out at the full minute.
func hhmm(h, m, s int) string {
	if s == 0 {
		return fmt.Sprintf("%02d:%02d", h, m)
	}
	return fmt.Sprintf("%02d:%02d:%02d", h, m, s)
}

// clockTimes lists the times of day that a single minute and second make.
func clockTimes(hours set, m, s int) []string {
	list := make([]string, 0, hours.count())
	for _, h := range hours.values() {
		list = append(list, hhmm(h, m, s))
	}
	return list
}

// hourSpans are the stretches of the day that hours make, "09:00" to "17:59".
func hourSpans(list []span, join string) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = hhmm(p.from, 0, 0) + join + hhmm(p.to, 59, 0)
	}
	return out
}

// manySpans is from where on stretches of the day are no longer named one by one.
const manySpans = 4
