package joblog

import (
	"strconv"
	"time"
)

// A day is a calendar day as the number yyyymmdd, between 00010101 and
// 99991231.
type day int32

const (
	firstDay day = 1_01_01
	lastDay  day = 9999_12_31
)

// dayOf returns the day of an instant in loc. Instants outside the years 1 to
// 9999 belong to the first or the last day.
func dayOf(at time.Time, loc *time.Location) day {
	year, month, dom := at.In(loc).Date()
	switch {
	case year < 1:
		return firstDay
	case year > 9999:
		return lastDay
	}
	return day(year*10000 + int(month)*100 + dom)
}

// parseDay accepts exactly the names that day.name gives.
func parseDay(name string) (day, bool) {
	if len(name) != len(time.DateOnly) {
		return 0, false
	}
	at, err := time.Parse(time.DateOnly, name)
	if err != nil || at.Year() < 1 {
		return 0, false
	}
	return dayOf(at, time.UTC), true
}

// add returns the day n days later, within the first and the last day.
func (d day) add(n int) day {
	noon := time.Date(int(d/10000), time.Month(d/100%100), int(d%100)+n, 12, 0, 0, 0, time.UTC)
	return dayOf(noon, time.UTC)
}

// name returns the day as the name of its folder, yyyy-MM-dd.
func (d day) name() string {
	var b [10]byte
	for i, n := range [...]int{9, 8, 6, 5, 3, 2, 1, 0} {
		if i == 2 || i == 4 {
			b[n+1] = '-'
		}
		b[n] = byte('0' + d%10)
		d /= 10
	}
	return string(b[:])
}

// key names one log file.
type key struct {
	id  int64
	day day
}

func (k key) logName() string     { return k.fileName(".log") }
func (k key) sidecarName() string { return k.fileName(".idx") }

func (k key) fileName(suffix string) string {
	var b [28]byte
	return string(append(strconv.AppendInt(b[:0], k.id, 10), suffix...))
}
