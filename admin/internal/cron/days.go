package cron

import (
	"math/bits"
	"time"
)

// Weekdays of a bit set: Sunday is 0.
const (
	sunday   = 0
	saturday = 6
)

// days returns the days of a month that match: bit d for day d. day1 is its
// first day, counted from 1 January 1970.
func (s *spec) days(y int, mon time.Month, day1 int64) uint32 {
	n := daysIn(y, mon)
	w1 := int(((day1+4)%7 + 7) % 7) // 1 January 1970 was a Thursday
	if s.byWeekday {
		return s.weekdays(n, w1)
	}
	days := s.dom
	if s.last != 0 {
		days |= fromLast(s.last, n)
	}
	days &= 1<<(n+1) - 2
	near := s.near
	if s.nearLast != 0 {
		near |= fromLast(s.nearLast, n)
	}
	for near &= 1<<(n+1) - 2; near != 0; near &= near - 1 {
		days |= 1 << nearestWeekday(bits.TrailingZeros32(near), n, w1)
	}
	return days
}

// weekdays returns the days of a month of n days that match by weekday; w1 is
// the weekday of its first.
func (s *spec) weekdays(n, w1 int) uint32 {
	week := uint32(s.dow)
	week = (week>>w1 | week<<(7-w1)) & 0x7f // bit 0 is the weekday of the first
	month := (week | week<<7 | week<<14 | week<<21 | week<<28) << 1 & (1<<(n+1) - 2)
	switch {
	case month == 0:
		return 0
	case s.lastDOW:
		return 1 << (bits.Len32(month) - 1)
	case s.nth > 0:
		first := bits.TrailingZeros32(month)
		return month & (1 << (first + 7*(s.nth-1))) // beyond bit 31 is none
	}
	return month
}

// fromLast turns "n days before the last" into days.
func fromLast(offsets uint32, n int) uint32 {
	return bits.Reverse32(offsets) >> (31 - n)
}

// nearestWeekday returns the weekday nearest to day d of a month of n days.
func nearestWeekday(d, n, w1 int) int {
	switch (w1 + d - 1) % 7 {
	case saturday:
		if d == 1 {
			return 3
		}
		return d - 1
	case sunday:
		if d == n {
			return d - 2
		}
		return d + 1
	}
	return d
}

// daysIn returns the length of a month.
func daysIn(y int, mon time.Month) int {
	switch mon {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
