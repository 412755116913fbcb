package words

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
)

// timeSets are the fields of the time of day.
func timeSets(f *cron.Fields) (sec, minute, hour set) {
	return set{f.Seconds, 0, 59}, set{f.Minutes, 0, 59}, set{uint64(f.Hours), 0, 23}
}

// english is an expression in English: the day and then the times for times of
// day, else how often and then the days.
func english(f *cron.Fields) string {
	days, daily := enDays(f)
	years := enYears(f)
	sec, minute, hour := timeSets(f)
	if sec.single() && minute.single() && !enHourly(hour) {
		return days + " " + enList(clockTimes(hour, minute.first(), sec.first())) + years
	}
	often := enOften(sec, minute, hour)
	if !daily {
		often += " " + days
	}
	return often + years
}

// enHourly reports whether hours read better as "every … hours".
func enHourly(hour set) bool {
	if _, even := hour.even(); even && hour.count() > 2 {
		return true
	}
	if _, ok := hour.steps(); ok && hour.count() > 3 {
		return true
	}
	return len(hour.spans(true)) == 1 && hour.count() > 3
}

// enOften says how often within the day.
func enOften(sec, minute, hour set) string {
	if sec.single() && minute.single() {
		return enEveryHour(hour, minute.first(), sec.first())
	}
	var text string
	if sec.single() {
		text = enUnit(minute, "minute", func(v int) string { return fmt.Sprintf(":%02d", v) })
		if s := sec.first(); s != 0 {
			text += " at second " + strconv.Itoa(s)
		}
	} else {
		text = enUnit(sec, "second", func(v int) string { return "second " + strconv.Itoa(v) })
		text += enMinutes(minute)
	}
	if hour.all() {
		return text
	}
	if strings.Contains(text, " from ") {
		text += ","
	}
	if spans := hour.spans(true); len(spans) < manySpans {
		return text + " from " + enList(hourSpans(spans, " to "))
	}
	if step, ok := hour.even(); ok {
		return text + " in every " + ordinal(step) + " hour from " + twoDigits(hour.first())
	}
	list := hour.pieces(false, twoDigits, func(p span) string { return twoDigits(p.from) + " to " + twoDigits(p.to) })
	return text + " in the hours " + enList(list)
}

func twoDigits(v int) string { return fmt.Sprintf("%02d", v) }

// enEveryHour says every how many hours.
func enEveryHour(hour set, m, s int) string {
	at := func(h int) string { return hhmm(h, m, s) }
	if hour.all() {
		switch {
		case m == 0 && s == 0:
			return "every hour"
		case s == 0:
			return fmt.Sprintf("every hour at :%02d", m)
		}
		return fmt.Sprintf("every hour at :%02d:%02d", m, s)
	}
	if step, ok := hour.even(); ok {
		text := "every " + strconv.Itoa(step) + " hours"
		if hour.first() == 0 && m == 0 && s == 0 {
			return text
		}
		return text + " from " + at(hour.first())
	}
	if step, ok := hour.steps(); ok {
		return "every " + strconv.Itoa(step) + " hours from " + at(hour.first()) + " to " + at(hour.last())
	}
	p := hour.spans(true)[0]
	return "every hour from " + at(p.from) + " to " + at(p.to)
}

// enUnit says every how many seconds or minutes.
func enUnit(s set, unit string, name func(int) string) string {
	if s.all() {
		return "every " + unit
	}
	if step, ok := s.even(); ok {
		text := "every " + strconv.Itoa(step) + " " + unit + "s"
		if s.first() == 0 {
			return text
		}
		return text + " from " + name(s.first())
	}
	if step, ok := s.steps(); ok && s.count() > 3 {
		return "every " + strconv.Itoa(step) + " " + unit + "s from " + name(s.first()) + " to " + name(s.last())
	}
	if spans := s.spans(true); len(spans) == 1 && s.count() > 2 {
		return "every " + unit + " from " + name(spans[0].from) + " to " + name(spans[0].to)
	}
	list := s.pieces(true, name, func(p span) string { return name(p.from) + " to " + name(p.to) })
	return "at " + enList(list) + " of every " + map[string]string{"minute": "hour", "second": "minute"}[unit]
}

// enMinutes says in which minutes seconds are meant.
func enMinutes(minute set) string {
	name := func(v int) string { return fmt.Sprintf(":%02d", v) }
	if minute.all() {
		return ""
	}
	list := minute.pieces(true, name, func(p span) string { return name(p.from) + " to " + name(p.to) })
	if minute.single() {
		return " in minute " + list[0]
	}
	return " in minutes " + enList(list)
}

// enDays names the days, with the months. daily is true for all days of all
// months.
func enDays(f *cron.Fields) (text string, daily bool) {
	months := enMonths(f)
	in, of := "", " of the month"
	if months != "" {
		in, of = " in "+months, " of "+months
	}
	if !f.ByWeekday {
		if f.Days == allDays {
			return "every day" + in, months == ""
		}
		return "on " + enList(enMonthDays(f)) + of, false
	}
	day := time.Weekday(set{bits: uint64(f.Weekdays)}.first()).String()
	switch {
	case f.Weekdays == allWeekdays:
		return "every day" + in, months == ""
	case f.Nth > 0:
		return "on the " + ordinal(f.Nth) + " " + day + of, false
	case f.LastWeekday:
		return "on the last " + day + of, false
	case f.Weekdays == workdays:
		return "on weekdays" + in, false
	}
	week := mondayFirst(f.Weekdays)
	name := func(v int) string { return time.Weekday(v % 7).String() }
	return "on " + enList(week.pieces(true, name, func(p span) string {
		return name(p.from) + " to " + name(p.to)
	})) + in, false
}

const (
	allDays     = 1<<32 - 2
	allWeekdays = 1<<7 - 1
	workdays    = 1<<6 - 2
)

// mondayFirst is a set of weekdays with Sunday as 7.
func mondayFirst(week uint8) set {
	b := uint64(week)
	return set{bits: b&^1 | b&1<<7, low: 1, high: 7}
}

// enMonthDays names days of the month.
func enMonthDays(f *cron.Fields) []string {
	days := set{uint64(f.Days), 1, 31}
	name := func(v int) string { return "the " + ordinal(v) }
	var list []string
	if step, ok := days.steps(); ok && days.count() > 4 {
		list = append(list, "every "+ordinal(step)+" day from "+name(days.first())+" to "+name(days.last()))
	} else {
		list = days.pieces(false, name, func(p span) string { return name(p.from) + " to " + name(p.to) })
	}
	before := func(n int) string {
		switch n {
		case 0:
			return "the last day"
		case 1:
			return "the day before the last day"
		}
		return strconv.Itoa(n) + " days before the last day"
	}
	for _, n := range (set{uint64(f.LastDays), 0, 31}).values() {
		list = append(list, before(n))
	}
	for _, d := range (set{uint64(f.NearDays), 1, 31}).values() {
		list = append(list, "the weekday nearest "+name(d))
	}
	for _, n := range (set{uint64(f.NearLastDays), 0, 31}).values() {
		if n == 0 {
			list = append(list, "the last weekday")
			continue
		}
		list = append(list, "the weekday nearest "+before(n))
	}
	return list
}

// enMonths names the months; "" is all of them.
func enMonths(f *cron.Fields) string {
	months := set{uint64(f.Months), 1, 12}
	if months.all() {
		return ""
	}
	name := func(v int) string { return time.Month(v).String() }
	return enList(months.pieces(true, name, func(p span) string { return name(p.from) + " to " + name(p.to) }))
}

// enYears names the years, with what leads to them; "" is all of them.
func enYears(f *cron.Fields) string {
	if f.AllYears() {
		return ""
	}
	list := make([]string, len(f.Years))
	for i, y := range f.Years {
		from, to := strconv.Itoa(y.From), strconv.Itoa(y.To)
		switch {
		case y.Step > y.To-y.From:
			list[i] = "in " + from
			continue
		case y.Step > 1:
			list[i] = "every " + ordinal(y.Step) + " year from " + from
		default:
			list[i] = "from " + from
		}
		if !y.Endless() {
			list[i] += " to " + to
		}
	}
	return ", " + enList(list)
}

// enList is "a, b and c".
func enList(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// ordinal is 1st, 2nd, 3rd, 4th …
func ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}
